// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: a wheel that works as the kernel's timer_list does since 4.8
 *
 * Nine levels have 64 buckets each. A bucket of a level is eight times as wide as a bucket
 * of the level below. A timer is rounded up to a bucket and never moves, so it is up to an
 * eighth of its distance late. A bitmap has the occupied buckets, and the tick of the
 * first of them is cached. The lock and the interrupt flags are left out, as they are for
 * all structures here.
 */
#include "bench.h"

#define LEVELS		9
#define BUCKETS		64
#define SHIFT(level)	(3 * (level))
/* The first distance that goes to a level above 0. */
#define START(level)	(63ULL << SHIFT((level) - 1))
#define NONE		UINT64_MAX

struct link {
	struct link	*next;
	struct link	**to_me;
};

struct timer {
	struct link	link;
	uint64_t	expires;
	fired_fn	fn;
	uint32_t	bucket;
};

static struct link *bucket[LEVELS * BUCKETS];
static uint64_t occupied[LEVELS];
static uint64_t hand, next_expiry;
static bool stale;

static void list_open(uint64_t now)
{
	memset(bucket, 0, sizeof(bucket));
	memset(occupied, 0, sizeof(occupied));
	hand = now + 1;
	next_expiry = NONE;
	stale = false;
}

/* The bucket for @expires. Sets @opens to the tick at which that bucket expires. */
static uint32_t find_bucket(uint64_t expires, uint64_t *opens)
{
	uint64_t distance = expires - hand, number;
	unsigned int level = 0;

	if ((int64_t)distance < 0) {
		*opens = hand;
		return hand % BUCKETS;
	}
	while (level < LEVELS - 1 && distance >= START(level + 1))
		level++;
	if (level == LEVELS - 1 && distance >= START(LEVELS))
		expires = hand + START(LEVELS) - (1ULL << SHIFT(LEVELS - 1));
	number = ((expires - 1) >> SHIFT(level)) + 1;
	*opens = number << SHIFT(level);
	return level * BUCKETS + number % BUCKETS;
}

static void enqueue(struct timer *t, uint32_t i, uint64_t opens)
{
	struct link *old = bucket[i];

	t->link.next = old;
	if (old)
		old->to_me = &t->link.next;
	bucket[i] = &t->link;
	t->link.to_me = &bucket[i];
	t->bucket = i;
	occupied[i / BUCKETS] |= 1ULL << i % BUCKETS;
	if (opens < next_expiry) {
		next_expiry = opens;
		stale = false;
	}
}

static void list_add(void *timer, uint64_t expires)
{
	struct timer *t = timer;
	uint64_t opens;
	uint32_t i;

	t->expires = expires;
	i = find_bucket(expires, &opens);
	enqueue(t, i, opens);
}

static void dequeue(struct timer *t)
{
	struct link *next = t->link.next;

	*t->link.to_me = next;
	if (next)
		next->to_me = t->link.to_me;
	t->link.to_me = NULL;
}

static void list_cancel(void *timer)
{
	struct timer *t = timer;

	dequeue(t);
	if (!bucket[t->bucket]) {
		occupied[t->bucket / BUCKETS] &= ~(1ULL << t->bucket % BUCKETS);
		stale = true;
	}
}

/* A timer that stays in its bucket only gets the new deadline. */
static void list_mod(void *timer, uint64_t expires)
{
	struct timer *t = timer;
	uint64_t opens;
	uint32_t i = find_bucket(expires, &opens);

	t->expires = expires;
	if (t->bucket == i)
		return;
	list_cancel(t);
	enqueue(t, i, opens);
}

static uint64_t find_next_expiry(void)
{
	uint64_t next = NONE, clk = hand, word, tick;
	unsigned int level, at;

	for (level = 0; level < LEVELS; level++) {
		at = clk % BUCKETS;
		word = occupied[level] >> at | (at ? occupied[level] << (64 - at) : 0);
		if (word) {
			tick = (clk + (unsigned int)__builtin_ctzll(word)) << SHIFT(level);
			next = tick < next ? tick : next;
		}
		/* The level above comes into play at its next bucket. */
		clk = (clk >> 3) + !!(clk % 8);
	}
	return next;
}

static void expire_bucket(uint32_t i)
{
	struct link *first = bucket[i];
	struct timer *t;

	bucket[i] = NULL;
	occupied[i / BUCKETS] &= ~(1ULL << i % BUCKETS);
	if (first)
		first->to_me = &first;
	while (first) {
		t = (struct timer *)first;
		dequeue(t);
		t->fn(t);
	}
}

static void list_tick(uint64_t now)
{
	uint32_t due[LEVELS];
	unsigned int level, n;
	uint64_t clk;

	while (now >= hand && now >= next_expiry) {
		if (hand < next_expiry)
			hand = next_expiry;
		clk = hand;
		for (level = n = 0; level < LEVELS; level++, clk >>= 3) {
			if (occupied[level] >> clk % BUCKETS & 1)
				due[n++] = (uint32_t)(level * BUCKETS + clk % BUCKETS);
			if (clk % 8)
				break;
		}
		hand++;
		while (n)
			expire_bucket(due[--n]);
		next_expiry = find_next_expiry();
		stale = false;
	}
	/* An idle wheel's hand follows the clock, so that new timers are not filed late. */
	if (stale)
		next_expiry = find_next_expiry();
	stale = false;
	if (hand <= now)
		hand = now + 1 < next_expiry ? now + 1 : next_expiry;
}

const struct peer peer_timer_list = {
	.name	= "timer_list",
	.late	= true,
	.size	= sizeof(struct timer),
	.fn	= offsetof(struct timer, fn),
	.open	= list_open,
	.add	= list_add,
	.mod	= list_mod,
	.extend	= list_mod,
	.cancel	= list_cancel,
	.tick	= list_tick,
};
