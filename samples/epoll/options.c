// SPDX-License-Identifier: MIT
#include <string.h>

#include "../common/command_line.h"
#include "../common/exit.h"
#include "options.h"
#include "timeout.h"

static const char help[] =
"usage: epoll-server [--timeouts BACKEND] [--connections N] [--seconds S]\n"
"                    [--idle MS] [--every MS] [--silent N] [--leaving N]\n"
"                    [--seed N]\n"
"\n"
"A server, with simulated clients, that closes idle connections. It prints\n"
"statistics, and checks that every connection of a silent client was closed, and\n"
"none before its deadline.\n"
"\n"
"  --timeouts BACKEND  how deadlines are pushed back: in shared memory\n"
"                      (twheel-table, the default), by a system call for many\n"
"                      (twheel-batch), or by a system call for each\n"
"                      (twheel-single)\n"
"  --connections N     number of clients (1000000)\n"
"  --seconds S         how long clients send (20)\n"
"  --idle MS           silence after which a connection is closed (8000)\n"
"  --every MS          how often a client sends a request (2000)\n"
"  --silent N          of a thousand clients, so many fall silent (10)\n"
"  --leaving N         of a thousand clients, so many say goodbye (10)\n"
"  --seed N            seed of the random numbers (1)\n"
"\n"
"Exit status: 0 if all checks passed, 1 if not, 2 for a bad command line, 3 if\n"
"there is no device.\n";

static const struct timeout_backend *const backends[] = {
	&timeouts_twheel_table,
	&timeouts_twheel_batch,
	&timeouts_twheel_single,
	NULL
};

static const struct timeout_backend *find_backend(const char *name)
{
	const struct timeout_backend *const *backend;

	for (backend = backends; *backend; backend++)
		if (!strcmp((*backend)->name, name))
			return *backend;
	errx(EXIT_USAGE, "there are no timeouts '%s'; see --help", name);
}

/* The connections of silent clients must be due before the other clients stop. */
static void check_times(const struct options *o)
{
	if (o->every_ns > o->idle_ns / 2)
		errx(EXIT_USAGE, "--every must be at most half of --idle");
	if (o->seconds * 1000000000 < o->idle_ns + 3 * o->every_ns)
		errx(EXIT_USAGE, "--seconds must be at least --idle and three times --every");
	if (o->silent + o->leaving > 1000)
		errx(EXIT_USAGE, "--silent and --leaving must be at most 1000 together");
}

void options_parse(struct options *o, int argc, char **argv)
{
	const char *backend = backends[0]->name;
	const struct setting settings[] = {
		{ "timeouts",		.text = &backend },
		{ "connections",	&o->connections, .low = 1, .high = 10000000 },
		{ "seconds",		&o->seconds, .low = 1, .high = 36000 },
		{ "idle",		&o->idle_ns, .low = 1, .high = 36000000, .unit = 1000000 },
		{ "every",		&o->every_ns, .low = 1, .high = 36000000, .unit = 1000000 },
		{ "silent",		&o->silent, .low = 0, .high = 1000 },
		{ "leaving",		&o->leaving, .low = 0, .high = 1000 },
		{ "seed",		&o->seed, .low = 0, .high = ~0ULL },
		{ NULL }
	};

	*o = (struct options){
		.connections = 1000000,
		.seconds = 20,
		.idle_ns = 8000000000,
		.every_ns = 2000000000,
		.silent = 10,
		.leaving = 10,
		.seed = 1,
	};
	parse_command_line(settings, help, argc, argv);
	o->backend = find_backend(backend);
	check_times(o);
}
