// SPDX-License-Identifier: GPL-2.0
/*
 * One run of a program: record it, run it, check the kernel afterwards, and report
 * progress. The record is on the host's disk before the program starts, so it
 * survives a crash of the machine. Whatever the program has begun is ended after it,
 * so that the next program starts afresh.
 */
#include "world.h"

enum {
	RECENT = 8,		/* programs in the record */
	PROGRESS = 5,		/* seconds between two lines of progress */
};

static int record = -1;
static __u64 start;
static __u64 deadline;		/* 0: no limit */

__u64 execute_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Create the record, DIRECTORY/recent. Time begins here. */
void execute_init(const char *directory)
{
	char path[4096];

	start = execute_seconds();
	snprintf(path, sizeof(path), "%s/recent", directory);
	record = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (record < 0)
		report_die("cannot write %s: %s\n", path, strerror(errno));
}

/* Let the time be up after @limit seconds; 0: never. */
void execute_limit(unsigned int limit)
{
	deadline = limit ? execute_seconds() + limit : 0;
}

bool execute_time_is_up(void)
{
	return deadline && execute_seconds() >= deadline;
}

static void print_progress(void)
{
	static __u64 next;

	if (execute_seconds() < next)
		return;
	next = execute_seconds() + PROGRESS;
	report_note("%llu s: %lu runs, %u blocks, %u features, %u programs",
		    (unsigned long long)(execute_seconds() - start), report->runs,
		    cover_blocks(), cover_known(), report->programs);
}

static void record_program(const char *text)
{
	static char entry[PROGRAM_MAX_TEXT + 64];
	int size;

	size = snprintf(entry, sizeof(entry), "# run %lu\n%s\n", report->runs, text);
	memset(entry + size, '\n', sizeof(entry) - size);
	if (pwrite(record, entry, sizeof(entry),
		   report->runs % RECENT * sizeof(entry)) < 0 || fdatasync(record))
		report_die("cannot write what is being run: %s", strerror(errno));
}

static void run_part(struct part *part)
{
	const struct call *call;
	long result;

	while (part->from < part->to) {
		call = &part->program->call[part->from++];
		result = call_types[call->type].run(call->arg);
		/* KCOV traces the main thread only. */
		if (helper_is_main())
			cover_call(call->type, result);
	}
}

/* Needs root. */
void execute_prepare(void)
{
	alarm_init();
	memory_init();
	fail_init();
	world_init();
	helper_init(run_part);
}

static void clean_up(void)
{
	fail_nth = 0;
	uring_mode = 0;
	helper_join_all();
	do_map_stop_storm();
	alarm_set(false);
	do_map_unmap_all();
	world_close_all();
	syscall(SYS_setresuid, -1, 0, -1);
	world_reset();
}

static void run_program(const struct program *program)
{
	struct part all = { .program = program, .to = program->count };

	memory_reset();
	cover_begin();
	helper_share(&all);
	alarm_set(true);
	run_part(&all);
	helper_share(NULL);
	clean_up();
}

/* Run a program. Does not return if a check fails afterwards. */
void execute_program(const struct program *program)
{
	const char *bad;

	program_print(program, report->program);
	record_program(report->program);
	run_program(program);
	report->runs++;
	report->blocks = cover_blocks();
	bad = check_all();
	if (bad)
		report_die("%s", bad);
	print_progress();
}
