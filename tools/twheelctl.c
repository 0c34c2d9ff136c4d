// SPDX-License-Identifier: GPL-2.0
/* twheelctl: timers of /dev/twheel from the command line */
#include <libtwheel.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "device.h"
#include "json.h"
#include "report.h"
#include "signals.h"
#include "status.h"

#define TIMER_ARGUMENTS	"[OPTION...] [COMMAND [ARG...]]"

static const struct command commands[] = {
	{ "add", "DURATION " TIMER_ARGUMENTS, "once, when that long has passed",
	  timer_main },
	{ "at", "TIME " TIMER_ARGUMENTS, "once, at a time of day",
	  timer_main },
	{ "every", "DURATION " TIMER_ARGUMENTS, "again and again, without drift",
	  timer_main },
	{ "cron", "SPEC " TIMER_ARGUMENTS, "at the times of a crontab(5) entry, in local time",
	  timer_main },
	{ "script", "[FILE]", "commands from a file or stdin, on one descriptor",
	  script_main },
	{ "run", "--lease DURATION [--restart] [--count N] [--] COMMAND [ARG...]",
	  "a command that has to push a lease, or is killed", supervise_main },
	{ "lease", "push [DURATION]|left", "push the lease that run has given the command",
	  lease_main },
	{ "next", "SPEC [--count N] [--from TIME]", "print the coming times of a crontab(5) entry",
	  next_main },
	{ "list", "[--of PID:FD]", "the open files of the device, or the timers of one",
	  list_main },
	{ "stat", "[--of PID:FD]", "what the driver can do, and its statistics",
	  stat_main },
	{ "watch", "[--interval DURATION] [--count N]",
	  "a live picture of the wheels", watch_main },
	{ "cancel", "--of PID:FD HANDLE...|--group TAG",
	  "end timers of another program", cancel_main },
	{ "drain", "--of PID:FD", "take all pending timers of another program",
	  drain_main },
	{ "resume", "--of PID:FD", "accept new timers of that program again", drain_resume_main },
};

static void usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: twheelctl [--json] [--device PATH] COMMAND [ARG...]\n\n");
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(to, "  %s %s\n      %s\n", commands[i].name,
			commands[i].arguments, commands[i].summary);
	fprintf(to,
		"\nOPTION: --cookie N, --group TAG, --count N, --clock monotonic|boottime,\n"
		"  --period DURATION, --first DURATION, --missed skip|each|restart,\n"
		"  --window DURATION, --correction skip|run\n"
		"DURATION: 250ms, 10s, 1h30m, 3d    TIME: 2026-12-24T18:00, 18:00, @SECONDS\n"
		"Status: 0 done, 1 failed, 2 usage, 3 no device, 4 no access, 5 COMMAND failed,\n"
		"  6 COMMAND hung\n"
		"See twheelctl(1).\n");
}

static const struct command *find(const char *name)
{
	size_t i;

	if (!strcmp(name, "-"))
		name = "script";
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Handle the options before the command. Returns the index of the command, or -1. */
static int options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--json")) {
			json = true;
		} else if (!strcmp(argv[i], "--device") && i + 1 < argc) {
			device_path = argv[++i];
		} else if (strcmp(argv[i], "--help") &&
			   strcmp(argv[i], "--version")) {
			report("unknown option '%s', or its value is missing; see twheelctl --help",
			       argv[i]);
			return -1;
		} else {
			break;
		}
	}
	return i;
}

static int run(int argc, char **argv)
{
	int first = options(argc, argv);
	const struct command *command;

	if (first < 0)
		return STATUS_USAGE;
	if (first == argc) {
		usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[first], "--help") || !strcmp(argv[first], "help")) {
		usage(stdout);
		return STATUS_DONE;
	}
	if (!strcmp(argv[first], "--version")) {
		printf("twheelctl %s\n", twheel_version());
		return STATUS_DONE;
	}
	command = find(argv[first]);
	if (!command) {
		report("unknown command '%s'; see twheelctl --help", argv[first]);
		return STATUS_USAGE;
	}
	if (first + 1 < argc && !strcmp(argv[first + 1], "--help")) {
		printf("usage: twheelctl %s %s\n  %s; see twheelctl --help\n", command->name,
		       command->arguments, command->summary);
		return STATUS_DONE;
	}
	return command->run(argc - first, argv + first);
}

int main(int argc, char **argv)
{
	int status;

	signals_init();
	status = run(argc, argv);
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	report("cannot write the output");
	return status ?: STATUS_FAILED;
}
