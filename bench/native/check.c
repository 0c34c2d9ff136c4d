// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: checks a structure of timers against a model
 *
 * Random timers are armed, changed, pushed back and cancelled on each tick, for near and
 * far deadlines. The model is an array of deadlines. It knows how many timers must expire on
 * each tick.
 */
#include "bench.h"

#define TIMERS		3000U
#define BUSY_TICKS	200000U
#define FARTHEST	(1U << 20)
#define TICKS		(BUSY_TICKS + FARTHEST + FARTHEST / 7 + 10)
#define START		4294967000ULL
#define SOON		100U

struct object {
	char		timer[TIMER_SIZE];
	uint64_t	expires;
	uint64_t	latest;
};

static struct object *objects;
static uint32_t due[TICKS + 1];
static uint64_t now;
static const struct peer *peer;
static char *reason;
static size_t room;
static bool twice;

static void complain(const char *what, const struct object *o)
{
	if (!*reason)
		snprintf(reason, room, "%s: tick %llu, deadline %llu", what,
			 (unsigned long long)(now - START),
			 (unsigned long long)(o->expires - START));
}

static void fired(void *timer)
{
	struct object *o = timer;

	if (!o->expires)
		complain("expired while idle", o);
	else if (now < o->expires)
		complain("expired early", o);
	else if (now > (peer->late ? o->latest : o->expires))
		complain("expired late", o);
	else
		due[o->expires - START]--;
	o->expires = 0;
	if (twice) {
		twice = false;
		fired(timer);
	}
}

static uint64_t pick(void)
{
	uint64_t r = bench_random();

	return now + 1 + r % (FARTHEST >> (r >> 40) % 20);
}

static void expect(struct object *o, uint64_t expires)
{
	uint64_t latest = expires + (expires - now) * 8 / 63 + 1;

	if (o->expires)
		due[o->expires - START]--;
	if (!o->expires || latest > o->latest)
		o->latest = latest;
	o->expires = expires;
	if (expires)
		due[expires - START]++;
}

static void operate(struct object *o)
{
	unsigned int kind = bench_random() % 4;
	uint64_t expires = pick();

	if (!o->expires) {
		expect(o, expires);
		peer->add(o, expires);
	} else if (kind == 0) {
		expect(o, 0);
		peer->cancel(o);
	} else if (kind == 1 && peer->mod) {
		expect(o, expires);
		peer->mod(o, expires);
	} else if (kind == 2 && peer->extend && expires > o->expires) {
		expect(o, expires);
		peer->extend(o, expires);
	}
}

/* Puts a fault into a timer behind the model's back. */
static void put_in(const char *fault, struct object *o)
{
	if (!strcmp(fault, "twice"))
		twice = true;
	else if (!o->expires || o->expires > now + SOON)
		return; /* The timer might be changed before the fault shows. */
	else if (!strcmp(fault, "late"))
		peer->mod(o, o->expires + 1);
	else if (!strcmp(fault, "early") && o->expires > now + 1)
		peer->mod(o, o->expires - 1);
	else if (!strcmp(fault, "lost"))
		peer->cancel(o);
}

static void run(const char *fault)
{
	unsigned int tick, i;

	for (tick = 1; tick <= TICKS && !*reason; tick++) {
		if (tick < BUSY_TICKS)
			for (i = 0; i < 3; i++)
				operate(&objects[bench_random() % TIMERS]);
		if (fault && tick == BUSY_TICKS / 2)
			for (i = 0; i < TIMERS; i++)
				put_in(fault, &objects[i]);
		peer->tick(++now);
		if (!peer->late && due[now - START] && !*reason)
			snprintf(reason, room, "%u timers did not expire on tick %u",
				 due[now - START], tick);
	}
	for (i = 0; i < TIMERS; i++)
		if (objects[i].expires)
			complain("never expired", &objects[i]);
}

static bool check_peer(const struct peer *which, const char *fault, char *why, size_t size)
{
	unsigned int i;

	peer = which;
	reason = why;
	room = size;
	*why = '\0';
	twice = false;
	now = START;
	memset(due, 0, sizeof(due));
	if (!objects)
		objects = bench_memory(TIMERS * sizeof(*objects));
	memset(objects, 0, TIMERS * sizeof(*objects));
	if (peer->size > TIMER_SIZE) {
		snprintf(why, size, "a timer has %zu bytes", peer->size);
		return false;
	}
	peer->open(now);
	for (i = 0; i < TIMERS; i++)
		bench_setup(peer, &objects[i], fired);
	run(fault);
	return !*why;
}

static bool check_and_print(const struct peer *which, unsigned int n)
{
	char why[200];
	bool good = check_peer(which, NULL, why, sizeof(why));

	printf("%s %u - %s: each timer expires once, %s\n", good ? "ok" : "not ok", n,
	       which->name, which->late ? "at most an eighth late" : "on its tick");
	if (!good)
		printf("# %s\n", why);
	return good;
}

int check_all(void)
{
	static const char *const faults[] = { "late", "early", "lost", "twice" };
	char why[200];
	unsigned int i, k, n = 0, failed = 0;
	bool good;

	printf("TAP version 13\n");
	for (i = 0; peers[i]; i++)
		failed += !check_and_print(peers[i], ++n);
	/* The first design is one of the peers. */
	for (i = 1; designs[i]; i++)
		failed += !check_and_print(designs[i], ++n);
	/* The check itself: each fault, put in on purpose, must be found. */
	for (k = 0; k < sizeof(faults) / sizeof(*faults); k++) {
		good = !check_peer(&peer_twheel, faults[k], why, sizeof(why));
		printf("%s %u - the check finds a timer that expires %s\n",
		       good ? "ok" : "not ok", ++n,
		       strcmp(faults[k], "lost") ? faults[k] : "never");
		failed += !good;
	}
	printf("1..%u\n", n);
	return failed ? 1 : 0;
}
