// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "../number.h"
#include "options.h"
#include "timeout.h"

static const char help[] =
"usage: epoll-server [--timeouts KEEPER] [--connections N] [--seconds S]\n"
"                    [--idle MS] [--every MS] [--silent N] [--leaving N]\n"
"                    [--seed N]\n"
"\n"
"A server that closes connections which have been idle for too long, with\n"
"simulated clients. Prints what it did, and checks it: no connection was closed\n"
"early, and all silent ones were closed.\n"
"\n"
"  --timeouts KEEPER  twheel-table (default), twheel-batch or twheel-single:\n"
"                     deadlines are pushed back in shared memory, by one system\n"
"                     call for many, or by one for each\n"
"  --connections N    clients (1000000)\n"
"  --seconds S        how long they send (20)\n"
"  --idle MS          silence after which a connection is closed (8000)\n"
"  --every MS         how often a client sends a request (2000)\n"
"  --silent N         of a thousand clients, how many fall silent (10)\n"
"  --leaving N        of a thousand clients, how many say goodbye (10)\n"
"  --seed N           of all that is random (1)\n"
"\n"
"Exits with 0 if all was well, 1 if not, 2 for a bad command line, 3 if there is\n"
"no device.\n";

static const struct timeouts_type *const types[] = {
	&timeouts_twheel_table,
	&timeouts_twheel_batch,
	&timeouts_twheel_single,
	NULL
};

static const struct timeouts_type *find_type(const char *name)
{
	const struct timeouts_type *const *type;

	for (type = types; *type; type++)
		if (!strcmp((*type)->name, name))
			return *type;
	errx(BAD_USAGE, "there are no timeouts '%s'; see --help", name);
}

/* Those that fall silent must be due before the others stop sending. */
static void check_times(const struct options *o)
{
	if (o->every_ns > o->idle_ns / 2)
		errx(BAD_USAGE, "--every is to be half of --idle at most");
	if (o->seconds * 1000000000ULL < o->idle_ns + 3 * o->every_ns)
		errx(BAD_USAGE, "--seconds is to be --idle and three times --every at least");
	if (o->silent + o->leaving > 1000)
		errx(BAD_USAGE, "--silent and --leaving are more than a thousand together");
}

void options_parse(struct options *o, int argc, char **argv)
{
	static const struct option known[] = {
		{ "timeouts",		required_argument,	NULL, 't' },
		{ "connections",	required_argument,	NULL, 'c' },
		{ "seconds",		required_argument,	NULL, 's' },
		{ "idle",		required_argument,	NULL, 'i' },
		{ "every",		required_argument,	NULL, 'e' },
		{ "silent",		required_argument,	NULL, 'n' },
		{ "leaving",		required_argument,	NULL, 'l' },
		{ "seed",		required_argument,	NULL, 'r' },
		{ "help",		no_argument,		NULL, 'h' },
		{ NULL,			0,			NULL, 0 },
	};
	int option;

	*o = (struct options){
		.type = types[0],
		.connections = 1000000,
		.seconds = 20,
		.idle_ns = 8000000000,
		.every_ns = 2000000000,
		.silent = 10,
		.leaving = 10,
		.seed = 1,
	};
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 't':
			o->type = find_type(optarg);
			break;
		case 'c':
			o->connections = parse_number("connections", optarg, 1, 10000000);
			break;
		case 's':
			o->seconds = parse_number("seconds", optarg, 1, 36000);
			break;
		case 'i':
			o->idle_ns = 1000000 * parse_number("idle", optarg, 1, 36000000);
			break;
		case 'e':
			o->every_ns = 1000000 * parse_number("every", optarg, 1, 36000000);
			break;
		case 'n':
			o->silent = parse_number("silent", optarg, 0, 1000);
			break;
		case 'l':
			o->leaving = parse_number("leaving", optarg, 0, 1000);
			break;
		case 'r':
			o->seed = parse_number("seed", optarg, 0, ~0ULL);
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
	check_times(o);
}
