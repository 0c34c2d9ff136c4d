// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "../number.h"
#include "heartbeat.h"

static const char help[] =
"usage: heartbeat [--clients N] [--threads N] [--seconds S] [--timeout MS]\n"
"                 [--silent N]\n"
"\n"
"Clients report as fast as the CPUs can, and each report pushes a deadline back,\n"
"without a system call. Prints what one takes, and checks that the silent ones go\n"
"offline and no one else.\n"
"\n"
"  --clients N   how many (1000000)\n"
"  --threads N   how many share them, each on a CPU (as many as there are CPUs)\n"
"  --seconds S   how long they report (10)\n"
"  --timeout MS  silence after which a client is offline (3000)\n"
"  --silent N    of a thousand clients, how many never report (10)\n"
"\n"
"Exits with 0 if all was well, 1 if not, 2 for a bad command line, 3 if there is\n"
"no device.\n";

void options_parse(struct options *o, int argc, char **argv)
{
	static const struct option known[] = {
		{ "clients",	required_argument,	NULL, 'c' },
		{ "threads",	required_argument,	NULL, 'n' },
		{ "seconds",	required_argument,	NULL, 's' },
		{ "timeout",	required_argument,	NULL, 't' },
		{ "silent",	required_argument,	NULL, 'q' },
		{ "help",	no_argument,		NULL, 'h' },
		{ NULL,		0,			NULL, 0 },
	};
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int option;

	*o = (struct options){
		.clients = 1000000,
		.threads = cpus < MOST_THREADS ? cpus : MOST_THREADS,
		.seconds = 10,
		.timeout_ns = 3000000000,
		.silent = 10,
	};
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'c':
			o->clients = parse_number("clients", optarg, 1, 10000000);
			break;
		case 'n':
			o->threads = parse_number("threads", optarg, 1, MOST_THREADS);
			break;
		case 's':
			o->seconds = parse_number("seconds", optarg, 1, 36000);
			break;
		case 't':
			o->timeout_ns = 1000000 * parse_number("timeout", optarg, 1, 36000000);
			break;
		case 'q':
			o->silent = parse_number("silent", optarg, 0, 1000);
			break;
		case 'h':
			fputs(help, stdout);
			exit(ALL_WELL);
		default:
			exit(BAD_USAGE);
		}
	}
	if (optind < argc)
		errx(BAD_USAGE, "'%s' is not an option; see --help", argv[optind]);
}
