// SPDX-License-Identifier: MIT
#include "../common/command_line.h"
#include "../common/exit.h"
#include "watchdog.h"

enum { HOUR_MS = 3600000 };

static const char help[] =
"usage: watchdog [--workers N] [--killed N] [--hung N] [--victims N] [--lease MS]\n"
"                [--idle MS] [--strike MS] [--seed N]\n"
"\n"
"A supervisor watches processes by leases. Some of them are killed, some are stopped,\n"
"and one writes garbage into its lease and tries to keep others alive. Three peers of\n"
"the supervisor watch the same processes: by messages on a socket, as sd_notify(3)\n"
"sends them; by shared memory, scanned once a second; and by pidfds.\n"
"\n"
"  --workers N   number of processes (10000)\n"
"  --killed N    so many get SIGKILL (100)\n"
"  --hung N      so many get SIGSTOP (100)\n"
"  --victims N   so many of the stopped ones the hostile one tries to keep alive (10)\n"
"  --lease MS    a process that is silent for so long hangs (60000). It reports three\n"
"                times as often.\n"
"  --idle MS     how long all is well while wake-ups are counted (60000)\n"
"  --strike MS   how long it takes to kill and stop them (10000)\n"
"  --seed N      seed of the random numbers (1)\n"
"\n"
"The table goes to stdout. Its last line is for programs:\n"
"\n"
"  watchdog: workers=N killed=N hung=N missed=N false=N kill_ms=WORST hang_ms=WORST\n"
"  idle_wakeups=N forged=N                                            (in one line)\n"
"\n"
"missed: died or hung, and the supervisor did not notice. false: fine, but reported,\n"
"or reported as the wrong thing. kill_ms: from the SIGKILL to the event. hang_ms: from\n"
"the deadline to the event. idle_wakeups: of the supervisor while all was well.\n"
"forged: leases of others that the hostile process kept alive or changed.\n"
"\n"
"Exit status: 0 if missed, false and forged are 0, and idle_wakeups is at most a\n"
"twentieth of what messages take; 1 if not; 2 for a bad command line; 3 if there is no\n"
"device.\n";

void options_parse(struct options *o, int argc, char **argv)
{
	const struct setting settings[] = {
		{ "workers",	&o->workers,	.low = 2, .high = 30000 },
		{ "killed",	&o->killed,	.low = 0, .high = 30000 },
		{ "hung",	&o->hung,	.low = 0, .high = 30000 },
		{ "victims",	&o->victims,	.low = 0, .high = 30000 },
		{ "lease",	&o->lease_ns,	.low = 100, .high = HOUR_MS, .unit = 1000000 },
		{ "idle",	&o->idle_ns,	.low = 1, .high = HOUR_MS, .unit = 1000000 },
		{ "strike",	&o->strike_ns,	.low = 1, .high = HOUR_MS, .unit = 1000000 },
		{ "seed",	&o->seed,	.low = 1, .high = ~0ULL },
		{ NULL }
	};

	*o = (struct options){
		.workers = 10000,
		.killed = 100,
		.hung = 100,
		.victims = 10,
		.lease_ns = 60000000000,
		.idle_ns = 60000000000,
		.strike_ns = 10000000000,
		.seed = 1,
	};
	parse_command_line(settings, help, argc, argv);
	/* one more is hostile */
	if (o->killed + o->hung >= o->workers)
		errx(EXIT_USAGE, "--killed and --hung must be below --workers together");
	if (o->victims > o->hung)
		errx(EXIT_USAGE, "--victims must be at most --hung");
}
