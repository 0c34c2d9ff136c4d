// SPDX-License-Identifier: GPL-2.0
/*
 * Compares twheel with its peers: what a program would use instead.
 *
 * usage: compare ENGINE REPETITIONS COUNT...
 *
 * For each count of timers, all mechanisms do the same work in turn, REPETITIONS times.
 * Prints a line of medians for each metric and peer,
 *
 *	ENGINE,kernel,metric,count,peer,twheel_ns,peer_ns,ratio
 *
 * A metric of memory has bytes in the columns for ns.
 */
#include <math.h>
#include "measure.h"

#define MAX_REPETITIONS	25
#define LEAST_FOR_BYTES	10000u
#define ALL	ARRAY_SIZE(mechanisms)

static const struct mechanism *const mechanisms[] = {
	&twheel_single, &timerfd, &twheel_batch, &posix, &twheel_mmap, &uring,
	&twheel_ring, &uring_single, &floor_single, &floor_batch, &floor_mmap,
	&floor_events,
};

static const struct mechanism *const peers[] = {
	&timerfd, &posix, &uring, &uring_single,
};

static const struct metric {
	const char		*name;
	const struct mechanism	*twheel;
	const struct mechanism	*floor;
	size_t			field;
} metrics[] = {
#define METRIC(name, twheel, floor, field) \
	{ name, twheel, floor, offsetof(struct outcome, field) }
	METRIC("u_arm_single", &twheel_single, &floor_single, arm),
	METRIC("u_arm_batch", &twheel_batch, &floor_batch, arm),
	METRIC("u_cancel_single", &twheel_single, &floor_single, cancel),
	METRIC("u_cancel_batch", &twheel_batch, &floor_batch, cancel),
	METRIC("u_extend_single", &twheel_single, &floor_single, extend),
	METRIC("u_extend_batch", &twheel_batch, &floor_batch, extend),
	METRIC("u_extend_mmap", &twheel_mmap, &floor_mmap, extend),
	METRIC("u_deliver_cpu", &twheel_batch, &floor_events, deliver),
	METRIC("u_deliver_cpu_ring", &twheel_ring, NULL, deliver),
	METRIC("u_drain", &twheel_batch, &floor_events, drain),
	METRIC("u_drain_ring", &twheel_ring, NULL, drain),
	METRIC("u_bytes", &twheel_batch, NULL, bytes),
#undef METRIC
};

/* The outcome of each mechanism in each repetition. */
static struct outcome outcomes[ALL][MAX_REPETITIONS];

static double result_of(const struct mechanism *m, const struct metric *metric,
			size_t repetitions)
{
	double values[MAX_REPETITIONS] = { 0 };
	size_t i, r;

	for (i = 0; mechanisms[i] != m; i++)
		;
	for (r = 0; r < repetitions; r++)
		values[r] = *(double *)((char *)&outcomes[i][r] + metric->field);
	return median_of(values, repetitions);
}

static void print_peer(const char *engine, const struct metric *metric, size_t n,
		       size_t repetitions, const struct mechanism *peer)
{
	double theirs = result_of(peer, metric, repetitions);

	if (!isnan(theirs))
		print_result(engine, metric->name, n, peer->name,
			     result_of(metric->twheel, metric, repetitions), theirs);
}

static void print_metric(const char *engine, const struct metric *metric, size_t n,
			 size_t repetitions)
{
	size_t p;

	if (isnan(result_of(metric->twheel, metric, repetitions)))
		return;
	/* The kernel counts memory in pages: too coarse for few timers. */
	if (metric->field == offsetof(struct outcome, bytes) && n < LEAST_FOR_BYTES)
		return;
	for (p = 0; p < ARRAY_SIZE(peers); p++)
		print_peer(engine, metric, n, repetitions, peers[p]);
	if (metric->floor)
		print_peer(engine, metric, n, repetitions, metric->floor);
}

static void run_mechanism(const struct mechanism *m, size_t n,
			  struct outcome *outcome, bool exact)
{
	*outcome = (struct outcome) { NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	run_trial(trial_operations, m, n, outcome);
	if (!m->take || m == &twheel_single || m == &twheel_mmap || m == &uring_single)
		return;
	if (exact)
		run_trial(trial_deliver, m, n, outcome);
	run_trial(trial_drain, m, n, outcome);
}

static void compare_at(const char *engine, size_t n, size_t repetitions)
{
	/* None has a factor in common with ALL. */
	static const size_t strides[] = { 1, 5, 7, 11 };
	bool exact = idle_is_exact();
	uint64_t start = now_ns();
	size_t i, m, r;

	_Static_assert(ALL == 12, "a stride must visit all mechanisms");

	for (r = 0; r < repetitions; r++) {
		/* In each repetition, each mechanism runs after another one than before. */
		for (i = 0; i < ALL; i++) {
			m = (i * strides[r % ARRAY_SIZE(strides)] + r) % ALL;
			run_mechanism(mechanisms[m], n, &outcomes[m][r], exact);
		}
		fprintf(stderr, "bench/user: %zu timers, %zu of %zu, %.0f s\n", n,
			r + 1, repetitions, (double)(now_ns() - start) / NSEC);
	}
	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		print_metric(engine, &metrics[i], n, repetitions);
}

int main(int argc, char **argv)
{
	long repetitions;
	int i;

	if (argc < 4)
		die(0, "usage: compare ENGINE REPETITIONS COUNT...");
	repetitions = strtol(argv[2], NULL, 10);
	if (repetitions < 1 || repetitions > MAX_REPETITIONS)
		die(0, "REPETITIONS is not 1 to %d", MAX_REPETITIONS);
	for (i = 3; i < argc; i++)
		if (strtol(argv[i], NULL, 10) < 1)
			die(0, "'%s' is not a count of timers", argv[i]);
	for (i = 3; i < argc; i++)
		compare_at(argv[1], (size_t)strtol(argv[i], NULL, 10),
			   (size_t)repetitions);
	return 0;
}
