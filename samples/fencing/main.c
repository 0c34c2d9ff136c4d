// SPDX-License-Identifier: MIT
/* All ways, and all that may happen to a primary. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../common/command_line.h"
#include "../common/exit.h"
#include "fencing.h"

struct shared *shared;
const char *shared_path = "/dev/shm/fencing", *program_path;

static const char help[] =
	"usage: fencing [OPTION...]\n"
	"\n"
	"For how long are two active, if a primary does not end at the deadline of its lease?\n"
	"The ways to end it are a fence, and what programs do without one. Run as root.\n"
	"\n"
	"  --way NAME      this way only: fence, socket, thread, timer_create, + pdeathsig,\n"
	"                  gunicorn, etcd\n"
	"  --strike NAME   this strike only: killed, stopped, fifo, starved, frozen\n"
	"  --actors FILE   be the actors of a primary, and --standby FILE, a standby: for the\n"
	"                  ways that start a program\n";

static void map_shared(void)
{
	const int fd = open(shared_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*shared)))
		err(EXIT_FAILURE, "%s", shared_path);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED)
		err(EXIT_FAILURE, "%s", shared_path);
	close(fd);
}

static void print_result(const struct result *result)
{
	char text[24];

	if (!result->tried)
		strcpy(text, "not here");
	else if (result->early)
		strcpy(text, "early");
	else if (result->kept)
		strcpy(text, "no standby");
	else if (result->goes_on)
		strcpy(text, "goes on");
	else
		snprintf(text, sizeof(text), "%u ms", result->both_ms);
	printf("%-12s", text);
	fflush(stdout);
}

static bool is_wanted(const char *name, const char *wanted)
{
	return !wanted || !strcmp(name, wanted);
}

/* The row of a way. Returns whether it is as it has to be. */
static bool try_way(const struct way *way, const char *wanted)
{
	const struct strike *strike;
	struct result result;
	bool good = true;

	printf("%-14s", way->name);
	fflush(stdout);
	for (strike = strikes; strike->name; strike++) {
		if (!is_wanted(strike->name, wanted))
			continue;
		result = case_run(way, strike);
		print_result(&result);
		good &= !result.early;
		if (!strcmp(way->name, "fence"))
			good &= result.tried && !result.goes_on && !result.both_ms;
	}
	putchar('\n');
	return good;
}

static bool try_all(const char *wanted_way, const char *wanted_strike)
{
	const struct strike *strike;
	const struct way *way;
	bool good = true, any = false;

	printf("%-14s", "way");
	for (strike = strikes; strike->name; strike++)
		if (is_wanted(strike->name, wanted_strike))
			printf("%-12s", strike->name);
	putchar('\n');
	for (way = ways; way->name; way++)
		if (is_wanted(way->name, wanted_way)) {
			good &= try_way(way, wanted_strike);
			any = true;
		}
	return good && any;
}

/* For the ways that start a program. */
static _Noreturn void be_part(const char *actors, const char *standby)
{
	shared_path = actors ?: standby;
	map_shared();
	if (!actors)
		etcd_standby();
	actors_start(false);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const struct sched_param first = { .sched_priority = sched_get_priority_max(SCHED_FIFO) };
	const char *way = NULL, *strike = NULL, *actors = NULL, *standby = NULL;
	const struct setting settings[] = {
		{ .name = "way", .text = &way },
		{ .name = "strike", .text = &strike },
		{ .name = "actors", .text = &actors },
		{ .name = "standby", .text = &standby },
		{ NULL },
	};
	bool good;
	int fd;

	parse_command_line(settings, help, argc, argv);
	if (actors || standby)
		be_part(actors, standby);
	fd = twheel_open(0);
	if (fd < 0)
		exit_without_device(fd);
	twheel_close(fd);
	map_shared();
	program_path = realpath("/proc/self/exe", NULL);
	/* This process is the other machine: it is not delayed by the primary. */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		err(EXIT_FAILURE, "cannot have real-time priority: run this as root");
	mlockall(MCL_CURRENT | MCL_FUTURE);
	good = try_all(way, strike);
	unlink(shared_path);
	printf("fencing: %s\n", good ? "ok" : "failed");
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
