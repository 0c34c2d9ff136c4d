// SPDX-License-Identifier: GPL-2.0
/*
 * Counts instructions of an event loop's timers, under valgrind --tool=callgrind
 * --collect-atstart=no.
 *
 * usage: count LOOP METRIC TIMERS
 *
 * callgrind counts what each of TIMERS operations does, with the loop's part of a turn after
 * every 64 operations. What comes before, such as starting the timers that are stopped, is not
 * counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>
#include "count.h"

/* Operations in a turn */
#define TURN	64

static const struct loop *const loops[] = { &loop_twheel, &loop_libuv };

static const struct loop *loop;
static char *timers;
static size_t count;
/* A permutation of the timers, and a timeout for each: from 1 s to 100 s */
static uint32_t *order;
static uint64_t *timeouts;
/* One more timer, which runs only within a turn */
static void *guest;

static void *timer(size_t i)
{
	return timers + order[i] * loop->size;
}

static uint64_t random_below(uint64_t limit)
{
	static uint64_t bits = 0x9e3779b97f4a7c15;

	bits ^= bits << 13;
	bits ^= bits >> 7;
	bits ^= bits << 17;
	return bits % limit;
}

static void shuffle(void)
{
	size_t i, j;

	for (i = 0; i < count; i++) {
		j = random_below(i + 1);
		order[i] = order[j];
		order[j] = (uint32_t)i;
		timeouts[i] = 1000 + random_below(99000);
	}
}

static void start(size_t i) { loop->start(timer(i), timeouts[i]); }
static void stop(size_t i) { loop->stop(timer(i)); }
/* Later than each first timeout, as a restart usually is. */
static void again(size_t i) { loop->again(timer(i), 100000 + timeouts[i]); }
static void earlier(size_t i) { loop->start(timer(i), timeouts[i] / 128); }

static void start_and_stop(size_t i)
{
	loop->start(guest, timeouts[i]);
	loop->stop(guest);
}

static void all(void (*operation)(size_t i))
{
	size_t i;

	for (i = 0; i < count; i++) {
		operation(i);
		if (i % TURN == TURN - 1)
			loop->turn();
	}
	loop->turn();
}

static const struct metric {
	const char	*name;
	/* whether the timers run before */
	int		running;
	void		(*operation)(size_t i);
} metrics[] = {
	{ "start", 0, start },
	{ "again", 1, again },
	{ "earlier", 1, earlier },
	{ "stop", 1, stop },
	{ "start_and_stop", 1, start_and_stop },
};

int main(int argc, char **argv)
{
	const struct metric *metric = NULL;
	size_t i;

	for (i = 0; i < sizeof(loops) / sizeof(*loops); i++)
		if (argc == 4 && !strcmp(loops[i]->name, argv[1]))
			loop = loops[i];
	for (i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		if (argc == 4 && !strcmp(metrics[i].name, argv[2]))
			metric = &metrics[i];
	count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	if (!loop || !metric || !count) {
		fprintf(stderr, "usage: count LOOP METRIC TIMERS\n");
		return 2;
	}
	timers = calloc(count, loop->size);
	guest = calloc(1, loop->size);
	order = calloc(count, sizeof(*order));
	timeouts = calloc(count, sizeof(*timeouts));
	if (!timers || !guest || !order || !timeouts)
		return 1;
	loop->open();
	shuffle();
	for (i = 0; i < count; i++)
		loop->init(timer(i));
	loop->init(guest);
	if (metric->running)
		all(start);
	shuffle();
	CALLGRIND_TOGGLE_COLLECT;
	all(metric->operation);
	CALLGRIND_TOGGLE_COLLECT;
	return 0;
}
