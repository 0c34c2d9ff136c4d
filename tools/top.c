// SPDX-License-Identifier: GPL-2.0
/* twheelctl top: a live list of the programs that have timers */
#include <inttypes.h>
#include <libtwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "device.h"
#include "format.h"
#include "found.h"
#include "json.h"
#include "parse.h"
#include "report.h"
#include "sampling.h"
#include "status.h"
#include "values.h"

/* Of a descriptor, look at so many timers for the event that waits longest. */
enum { ROOM = 256, MOST_RECORDS = 65536, PROGRAMS_MAX = 4096 };

/**
 * struct program - a program with descriptors of the device
 * @pid: The process.
 * @name: The program's name.
 * @descriptors: How many descriptors it has.
 * @timers: The number of timers.
 * @unread: The number of events that it has not read.
 * @late_ns: How long the deadline of an unread event has passed.
 * @hidden: This user may not look at the events.
 */
struct program {
	uint64_t	pid;
	char		name[32];
	uint64_t	descriptors;
	uint64_t	timers;
	uint64_t	unread;
	uint64_t	late_ns;
	bool		hidden;
};

struct top {
	struct program	program[PROGRAMS_MAX];
	size_t		count;
};

static const char *const orders[] = { "timers", "unread", "late" };
static size_t order;

/* How long the deadline of an event that was not read has passed, at most. */
static uint64_t lateness(int fd)
{
	struct twheel_op ops[ROOM];
	uint64_t cursor = 0, late = 0, now;
	long i, count, seen = 0;

	do {
		count = twheel_list(fd, &cursor, ops, ROOM, TWHEEL_ABSTIME);
		for (i = 0; i < count; i++) {
			now = twheel_now((clockid_t)ops[i].clockid);
			if (ops[i].result == TWHEEL_EXPIRED && now > ops[i].time_ns &&
			    now - ops[i].time_ns > late)
				late = now - ops[i].time_ns;
		}
		seen += count;
	} while (count > 0 && seen < MOST_RECORDS);
	return late;
}

static void add_lateness(struct program *program, const char *number)
{
	const int fd = device_copy((int)program->pid, atoi(number));
	uint64_t late;

	if (fd < 0) {
		program->hidden = true;
		return;
	}
	late = lateness(fd);
	twheel_close(fd);
	if (late > program->late_ns)
		program->late_ns = late;
}

/* Find a process, whose descriptors come one behind the other. */
static struct program *program_of(struct top *top, const struct found *found)
{
	const uint64_t pid = strtoull(found->pid, NULL, 10);
	struct program *program = &top->program[top->count - 1];

	if (top->count && program->pid == pid)
		return program;
	if (top->count == PROGRAMS_MAX)
		return NULL;
	program = &top->program[top->count++];
	*program = (struct program){ .pid = pid };
	memcpy(program->name, found->program, sizeof(program->name));
	return program;
}

static void add(const struct found *found, void *data)
{
	struct program *program = program_of(data, found);
	uint64_t timers, unread;

	if (!program)
		return;
	values_number(found->text, "twheel-timers", &timers);
	values_number(found->text, "twheel-unread", &unread);
	program->descriptors++;
	program->timers += timers;
	program->unread += unread;
	if (unread)
		add_lateness(program, found->fd);
}

static uint64_t key(const struct program *program)
{
	return order == 0 ? program->timers : order == 1 ? program->unread : program->late_ns;
}

static int compare(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (key(x) != key(y))
		return key(x) < key(y) ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void show_json(const struct top *top)
{
	const struct program *program;
	char time[FORMAT_SIZE];

	json_open(NULL, '{');
	json_text("time", format_time(twheel_now(CLOCK_REALTIME), time));
	json_open("programs", '[');
	for (program = top->program; program < top->program + top->count; program++) {
		json_open(NULL, '{');
		json_number("pid", program->pid);
		json_text("program", program->name);
		json_number("descriptors", program->descriptors);
		json_number("timers", program->timers);
		json_number("unread", program->unread);
		if (program->hidden)
			json_null("late_ns");
		else
			json_number("late_ns", program->late_ns);
		json_close('}');
	}
	json_close(']');
	json_close('}');
	json_end();
}

static void show(const struct top *top)
{
	char time[FORMAT_SIZE], late[FORMAT_SIZE];
	const struct program *program;

	sampling_clear();
	printf("twheel  %s  programs: %zu\n", format_time(twheel_now(CLOCK_REALTIME), time),
	       top->count);
	printf("%10s %-16s %6s %10s %10s  %s\n", "PID", "PROGRAM", "FDS", "TIMERS", "UNREAD",
	       "LATE");
	for (program = top->program; program < top->program + top->count; program++)
		printf("%10" PRIu64 " %-16s %6" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %s\n",
		       program->pid, program->name, program->descriptors, program->timers,
		       program->unread, program->hidden ? "?" : !program->late_ns ? "-" :
		       format_duration(program->late_ns, late));
	fflush(stdout);
}

static int run(struct sampling *sampling)
{
	static struct top top;

	while (sampling_next(sampling)) {
		if (sampling->shown > 1)
			sampling_wait(sampling);
		top.count = 0;
		if (found_each(add, &top) < 0)
			return STATUS_FAILED;
		qsort(top.program, top.count, sizeof(*top.program), compare);
		if (json)
			show_json(&top);
		else
			show(&top);
	}
	return STATUS_DONE;
}

static bool set_order(const char *name)
{
	for (order = 0; order < sizeof(orders) / sizeof(*orders); order++)
		if (!strcmp(name, orders[order]))
			return true;
	report("--sort is timers, unread or late, not '%s'", name);
	return false;
}

int top_main(int argc, char **argv)
{
	struct sampling sampling = { .interval = NSEC_PER_SEC };
	int i, taken, status;

	for (i = 1; i < argc; i += taken) {
		taken = sampling_take(&sampling, argv + i);
		if (!taken && !strcmp(argv[i], "--sort") && argv[i + 1])
			taken = set_order(argv[i + 1]) ? 2 : -1;
		else if (!taken)
			report("top: unexpected argument '%s'", argv[i]);
		if (taken <= 0)
			return STATUS_USAGE;
	}
	status = device_present();
	return status ? status : run(&sampling);
}
