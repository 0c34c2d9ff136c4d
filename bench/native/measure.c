// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: nanoseconds an operation takes, for each structure of timers
 *
 * usage: measure hour|clumped|designs COUNT REPS
 *        measure check
 *
 * Prints lines of: count,deadlines,operation,structure,median. Times are the thread's CPU time
 * in ns. The structures take turns, repetition by repetition.
 *
 * With designs, the structures are five designs: all timers are armed and cancelled, then
 * armed again, and five minutes pass tick by tick, or fewer if that takes too long.
 */
#include <errno.h>
#include <sched.h>
#include <time.h>
#include "bench.h"

#define START		1000003ULL
#define HOUR		3600000U
#define HEARTBEAT	30000U
#define MAX_REPS	15
#define EMPTY_TICKS	200000U

/* A design arms at least so many timers; few timers are armed several times. */
#define DESIGN_ADDS	200000U
/* More than 64^3, so that timers of twheel's level 3 move, too; and the most time for them. */
#define DESIGN_TICKS	300000U
#define DESIGN_NS	300000000ULL

const struct peer *const peers[] = {
	&peer_twheel, &peer_engine, &peer_timer_list, &peer_rbtree, &peer_wahern, &peer_ratas, NULL
};

const struct peer *const designs[] = {
	&peer_twheel, &design_scan, &design_heap, &design_simple_wheel, &design_hashed_wheel, NULL
};

enum metric {
	ADD, ADD_IN_MEMORY_ORDER, REARM, HEART, CANCEL, EXPIRE, WORST, LIFE, EMPTY,
	COST_ADD, COST_CANCEL, COST_TICK, COST_BYTES, METRICS
};

static const char *const metric_name[METRICS] = {
	"add", "add_memory_order", "rearm", "heartbeat", "cancel", "expire", "worst_tick",
	"life_99_cancelled", "empty_tick", "cost_add", "cost_cancel", "cost_tick", "cost_bytes",
};

/* What is done with the timers, the same for all structures */
struct plan {
	uint32_t n;		/* how many timers */
	uint32_t soonest;	/* the first deadline, in ticks from now */
	uint32_t spread;	/* deadlines are spread evenly over so many ticks */
	uint32_t *order[4];	/* random orders of the timers */
	uint32_t *add;		/* distance of the deadline, by the place in order 0 */
	uint32_t *rearm;	/* the same for order 1 */
	uint32_t *heart;	/* for order 2: a heartbeat after the deadline in @rearm */
};

static char *objects;
static uint64_t now = START;
static uint64_t fired_count;

static void *object(uint32_t i)
{
	return objects + (size_t)i * OBJECT_SIZE;
}

static void fired(void *timer)
{
	fired_count++;
}

static void make_plan(struct plan *plan)
{
	uint32_t i, n = plan->n, *second = bench_memory(n * sizeof(*second));
	unsigned int k;

	for (k = 0; k < 4; k++)
		plan->order[k] = bench_order(n);
	plan->add = bench_memory(n * sizeof(uint32_t));
	plan->rearm = bench_memory(n * sizeof(uint32_t));
	plan->heart = bench_memory(n * sizeof(uint32_t));
	for (i = 0; i < n; i++) {
		plan->add[i] = plan->soonest + (uint32_t)(bench_random() % plan->spread);
		plan->rearm[i] = plan->soonest + (uint32_t)(bench_random() % plan->spread);
		second[plan->order[1][i]] = plan->rearm[i];
	}
	for (i = 0; i < n; i++)
		plan->heart[i] = second[plan->order[2][i]] + HEARTBEAT;
	free(second);
	objects = bench_memory((size_t)n * OBJECT_SIZE);
}

static void add_all(const struct plan *plan, const struct peer *peer)
{
	for (uint32_t i = 0; i < plan->n; i++)
		peer->add(object(plan->order[0][i]), now + plan->add[i]);
}

static void rearm_all(const struct plan *plan, const struct peer *peer)
{
	for (uint32_t i = 0; i < plan->n; i++)
		peer->mod(object(plan->order[1][i]), now + plan->rearm[i]);
}

static void push_back_all(const struct plan *plan, const struct peer *peer)
{
	for (uint32_t i = 0; i < plan->n; i++)
		peer->extend(object(plan->order[2][i]), now + plan->heart[i]);
}

static void cancel_all(const struct plan *plan, const struct peer *peer)
{
	for (uint32_t i = 0; i < plan->n; i++)
		peer->cancel(object(plan->order[3][i]));
}

static void add_in_memory_order(const struct plan *plan, const struct peer *peer)
{
	for (uint32_t i = 0; i < plan->n; i++)
		peer->add(object(i), now + plan->add[i]);
}

/* The tick by which all timers have expired. */
static uint64_t last_tick(const struct plan *plan, const struct peer *peer)
{
	uint64_t distance = plan->soonest + plan->spread;

	/* Structures that may be late need an eighth of the distance more. */
	return now + distance + (peer->late ? distance / 7 + 10 : 1);
}

static void pass_ticks(const struct plan *plan, const struct peer *peer)
{
	uint64_t end = last_tick(plan, peer);

	while (now < end)
		peer->tick(++now);
}

/* Most timers are cancelled, in random order, while the first half minute passes. */
static void live(const struct plan *plan, const struct peer *peer)
{
	uint32_t i = 0, portion, cancels = (uint32_t)(plan->n * 99ULL / 100);
	unsigned int tick;

	for (tick = 0; tick < 3000; tick++) {
		peer->tick(++now);
		portion = (uint32_t)((uint64_t)cancels * (tick + 1) / 3000);
		for (; i < portion; i++)
			peer->cancel(object(plan->order[3][i]));
	}
	pass_ticks(plan, peer);
}

static void setup_all(const struct plan *plan, const struct peer *peer)
{
	for (uint32_t i = 0; i < plan->n; i++)
		bench_setup(peer, object(i), fired);
}

static double each(const struct plan *plan, const struct peer *peer,
		   void (*pass)(const struct plan *plan, const struct peer *peer))
{
	uint64_t start = bench_cpu_time();

	pass(plan, peer);
	return (double)(bench_cpu_time() - start) / plan->n;
}

static double worst_tick(const struct plan *plan, const struct peer *peer)
{
	uint64_t end = last_tick(plan, peer), before, after, worst = 0;

	before = bench_cpu_time();
	while (now < end) {
		peer->tick(++now);
		after = bench_cpu_time();
		if (after - before > worst)
			worst = after - before;
		before = after;
	}
	return (double)worst;
}

static void must_have_fired(const struct peer *peer, uint64_t expected)
{
	if (fired_count == expected) {
		fired_count = 0;
		return;
	}
	fprintf(stderr, "%s: %llu timers expired, not %llu\n", peer->name,
		(unsigned long long)fired_count, (unsigned long long)expected);
	exit(1);
}

static double empty_tick(const struct peer *peer)
{
	uint64_t start, end = now + EMPTY_TICKS;

	start = bench_cpu_time();
	while (now < end)
		peer->tick(++now);
	return (double)(bench_cpu_time() - start) / EMPTY_TICKS;
}

static void take_turn(const struct plan *plan, const struct peer *peer, double *result)
{
	uint32_t early = 0;

	peer->open(now);
	setup_all(plan, peer);
	result[ADD] = each(plan, peer, add_all);
	result[REARM] = each(plan, peer, rearm_all);
	result[HEART] = each(plan, peer, push_back_all);
	result[CANCEL] = each(plan, peer, cancel_all);
	result[ADD_IN_MEMORY_ORDER] = each(plan, peer, add_in_memory_order);
	cancel_all(plan, peer);
	must_have_fired(peer, 0);

	add_all(plan, peer);
	if (plan->n <= 1000 && plan->spread > EMPTY_TICKS)
		result[EMPTY] = empty_tick(peer);
	early = (uint32_t)fired_count;
	result[EXPIRE] = each(plan, peer, pass_ticks) * plan->n / (plan->n - early);
	must_have_fired(peer, plan->n);

	add_all(plan, peer);
	result[WORST] = worst_tick(plan, peer);
	must_have_fired(peer, plan->n);

	if (plan->soonest > 3000) {
		add_all(plan, peer);
		result[LIFE] = result[ADD] + each(plan, peer, live);
		must_have_fired(peer, plan->n - plan->n * 99ULL / 100);
	}
}

/* The mean of as many ticks as there is time for. The timers that are due must expire. */
static double design_tick(const struct plan *plan, const struct peer *peer)
{
	uint64_t begin = now, start = bench_cpu_time(), took = 0;
	uint32_t ticks, next = 1, i, due = 0;

	for (ticks = 0; ticks < DESIGN_TICKS && took < DESIGN_NS; next *= 2) {
		for (; ticks < next && ticks < DESIGN_TICKS; ticks++)
			peer->tick(++now);
		took = bench_cpu_time() - start;
	}
	for (i = 0; i < plan->n; i++)
		due += begin + plan->add[i] <= now;
	must_have_fired(peer, due);
	return (double)took / ticks;
}

static void take_turn_of_design(const struct plan *plan, const struct peer *peer, double *result)
{
	uint32_t rounds = 1 + (DESIGN_ADDS - 1) / plan->n, i;

	if (peer->most && plan->n > peer->most)
		return;
	peer->open(now);
	setup_all(plan, peer);
	for (i = 0; i < rounds; i++) {
		result[COST_ADD] += each(plan, peer, add_all) / rounds;
		result[COST_CANCEL] += each(plan, peer, cancel_all) / rounds;
	}
	result[COST_BYTES] = (double)peer->fixed / plan->n + (double)(peer->size + peer->beside);
	add_all(plan, peer);
	result[COST_TICK] = design_tick(plan, peer);
}

/* Deadlines, structures, and what is measured of them */
static const struct kind {
	const char		*name;
	uint32_t		soonest, spread;
	const struct peer *const *all;
	void			(*turn)(const struct plan *plan, const struct peer *peer,
					double *result);
} kinds[] = {
	{ "hour", HEARTBEAT, HOUR - HEARTBEAT, peers, take_turn },
	{ "clumped", 60000, 1000, peers, take_turn },
	{ "designs", 1, HOUR, designs, take_turn_of_design },
	{ }
};

static void measure(const struct kind *kind, uint32_t n, unsigned int reps)
{
	static double value[8][METRICS][MAX_REPS];
	struct plan plan = { .n = n, .soonest = kind->soonest, .spread = kind->spread };
	double result[METRICS];
	unsigned int rep, i, m;

	make_plan(&plan);
	for (rep = 0; rep < reps; rep++) {
		for (i = 0; kind->all[i]; i++) {
			memset(result, 0, sizeof(result));
			kind->turn(&plan, kind->all[i], result);
			for (m = 0; m < METRICS; m++)
				value[i][m][rep] = result[m];
		}
	}
	for (m = 0; m < METRICS; m++)
		for (i = 0; kind->all[i]; i++)
			if (value[i][m][0] > 0)
				printf("%u,%s,%s,%s,%.1f\n", n, kind->name, metric_name[m],
				       kind->all[i]->name, bench_median(value[i][m], reps));
}

static void pin(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long reps = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	const struct kind *kind;

	pin();
	if (argc == 2 && !strcmp(argv[1], "check"))
		return check_all();
	for (kind = kinds; n && reps && reps <= MAX_REPS && kind->name; kind++)
		if (!strcmp(argv[1], kind->name)) {
			measure(kind, (uint32_t)n, (unsigned int)reps);
			return 0;
		}
	fprintf(stderr, "usage: measure hour|clumped|designs COUNT REPS\n       measure check\n");
	return 2;
}
