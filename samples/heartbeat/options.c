// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "../common/command_line.h"
#include "heartbeat.h"

static const char help[] =
"usage: heartbeat [--clients N] [--threads N] [--seconds S] [--timeout MS]\n"
"                 [--silent N]\n"
"\n"
"Simulated clients report as fast as the CPUs can. Each report pushes a deadline\n"
"back, without a system call. The program prints the CPU time of a report. It\n"
"checks that every silent client goes offline, and that no other client does.\n"
"\n"
"  --clients N   number of clients (1000000)\n"
"  --threads N   number of threads, each on its own CPU (one per CPU)\n"
"  --seconds S   how long clients report (10)\n"
"  --timeout MS  a client that is silent for so long is offline (3000)\n"
"  --silent N    of a thousand clients, so many never report (10)\n"
"\n"
"Exit status: 0 if all checks passed, 1 if not, 2 for a bad command line, 3 if\n"
"there is no device.\n";

void options_parse(struct options *o, int argc, char **argv)
{
	const struct setting settings[] = {
		{ "clients",	&o->clients,	.low = 1, .high = 10000000 },
		{ "threads",	&o->threads,	.low = 1, .high = MOST_THREADS },
		{ "seconds",	&o->seconds,	.low = 1, .high = 36000 },
		{ "timeout",	&o->timeout_ns,	.low = 1, .high = 36000000, .unit = 1000000 },
		{ "silent",	&o->silent,	.low = 0, .high = 1000 },
		{ NULL }
	};
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*o = (struct options){
		.clients = 1000000,
		.threads = cpus < MOST_THREADS ? cpus : MOST_THREADS,
		.seconds = 10,
		.timeout_ns = 3000000000,
		.silent = 10,
	};
	parse_command_line(settings, help, argc, argv);
}
