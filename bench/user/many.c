// SPDX-License-Identifier: GPL-2.0
/*
 * Very many timers on one descriptor, for some time.
 *
 * usage: many COUNT SECONDS
 *
 * Arms COUNT timers. Then, in each second, a hundredth of them get a new random deadline,
 * and a thousandth expire and are replaced. Prints memory, CPU time and lateness. Checks
 * that exactly the expected timers expired, each once and none early.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "../../lib/libtwheel.h"
#include "machine.h"
#include "measure.h"

#define BATCH		4096u
#define PIECES		20u	/* turns per second */
#define PATIENCE	120u	/* seconds to wait for overdue events */
#define FAR		(3600 * NSEC)
#define RANGE		(3600 * NSEC)

static int device;
static size_t count;
static uint64_t *handle;
static uint64_t expired, early, strange, worst;
static struct twheel_op ops[BATCH];
static struct twheel_event events[BATCH];

static void submit(size_t n)
{
	long done = twheel_submit(device, ops, n);
	size_t i;

	if (done != (long)n)
		die(done < 0 ? (int)-done : 0, "twheel_submit() returned %ld", done);
	for (i = 0; i < n; i++)
		if (ops[i].result)
			die(-ops[i].result, "operation %u", ops[i].op);
}

/* Puts an operation at @at of the batch that arms a timer. The cookie is its number. */
static void prepare_add(size_t at, size_t number, uint64_t deadline)
{
	ops[at] = twheel_at(CLOCK_MONOTONIC, deadline, number);
}

static void submit_adds(size_t n)
{
	size_t i;

	submit(n);
	for (i = 0; i < n; i++)
		handle[ops[i].cookie] = ops[i].handle;
}

/* Arms all timers. The first @expiring expire over @length ns from @first on. */
static void arm_all(size_t expiring, uint64_t first, uint64_t length)
{
	uint64_t deadline;
	size_t i, used = 0;

	for (i = 0; i < count; i++) {
		deadline = i < expiring ? first + random_below(length) :
			   first + FAR + random_below(RANGE);
		prepare_add(used++, i, deadline);
		if (used == BATCH || i + 1 == count) {
			submit_adds(used);
			used = 0;
		}
	}
}

/* Gives @n random timers a new deadline, but none of the first @expiring. */
static void change_random(size_t expiring, size_t n)
{
	uint64_t now = now_ns();
	size_t i, used, done;

	for (done = 0; done < n; done += used) {
		used = n - done < BATCH ? n - done : BATCH;
		for (i = 0; i < used; i++)
			ops[i] = (struct twheel_op) {
				.op = TWHEEL_OP_CHANGE,
				.flags = TWHEEL_ABSTIME,
				.handle = handle[expiring + random_below(count - expiring)],
				.time_ns = now + FAR + random_below(RANGE),
			};
		submit(used);
	}
}

/* Reads all events, and arms a new timer for each. */
static void take(void)
{
	uint64_t now;
	long i, n;

	do {
		n = twheel_read(device, events, BATCH);
		if (n == -EAGAIN)
			return;
		if (n < 0)
			die((int)-n, "twheel_read()");
		now = now_ns();
		for (i = 0; i < n; i++) {
			early += events[i].expired_ns < events[i].deadline_ns;
			strange += handle[events[i].cookie] != events[i].handle;
			if (now - events[i].deadline_ns > worst)
				worst = now - events[i].deadline_ns;
			prepare_add((size_t)i, events[i].cookie,
				    now + FAR + random_below(RANGE));
		}
		expired += (uint64_t)n;
		submit_adds((size_t)n);
	} while (n == BATCH);
}

static void take_until(uint64_t when)
{
	struct pollfd poll_fd = { .fd = device, .events = POLLIN };
	uint64_t now;

	/* At least once, even if this turn is late. */
	take();
	while ((now = now_ns()) < when) {
		poll(&poll_fd, 1, (int)((when - now) / 1000000 + 1));
		take();
	}
}

/* Returns the CPU time of all CPUs, in ns per second. */
static double run_for(size_t seconds, size_t expiring, uint64_t first)
{
	uint64_t busy = busy_ns(), began = now_ns();
	size_t piece;

	for (piece = 0; piece < seconds * PIECES; piece++) {
		change_random(expiring, count / 100 / PIECES);
		take_until(first + (piece + 1) * NSEC / PIECES);
	}
	/* Wait for overdue events. */
	while (expired < expiring && now_ns() < first + (seconds + PATIENCE) * NSEC)
		take_until(now_ns() + NSEC / PIECES);
	return (double)(busy_ns() - busy) / ((double)(now_ns() - began) / NSEC);
}

static void report(int64_t memory)
{
	struct twheel_info info;

	if (twheel_get_info(device, &info))
		die(0, "twheel_get_info()");
	printf("many: timers           %llu\n", (unsigned long long)info.timers);
	printf("many: bytes_a_timer    %.1f\n", (double)memory / (double)count);
	printf("many: expired          %llu\n", (unsigned long long)expired);
	printf("many: early            %llu\n", (unsigned long long)early);
	printf("many: worst_late_ms    %.1f\n", (double)worst / 1e6);
}

int main(int argc, char **argv)
{
	size_t expiring, seconds;
	int64_t memory;
	uint64_t start, lead, first;
	double cpu;

	if (argc != 3)
		die(0, "usage: many COUNT SECONDS");
	count = strtoul(argv[1], NULL, 10);
	seconds = strtoul(argv[2], NULL, 10);
	if (count < 100 * PIECES || !seconds || seconds > 500)
		die(0, "COUNT is at least %u, SECONDS is 1 to 500", 100 * PIECES);
	expiring = count / 1000 * seconds;
	device = twheel_open(O_NONBLOCK);
	if (device < 0)
		die(-device, "/dev/twheel");
	handle = allocate(count * sizeof(*handle));
	memory = settled_memory();
	start = now_ns();
	/* The first timer expires after the time that arming may take. */
	lead = NSEC + count * 10000;
	first = start + lead;
	arm_all(expiring, first, seconds * NSEC);
	printf("many: arm_ns           %.0f\n", (double)(now_ns() - start) / (double)count);
	memory -= available_memory();
	if (now_ns() > first)
		die(0, "arming took more than %.0f s", (double)lead / NSEC);
	sleep_until(first);
	cpu = run_for(seconds, expiring, first);
	report(memory);
	printf("many: cpu_ms_a_second  %.0f\n", cpu / 1e6);
	printf("many: seconds          %.1f of %zu\n",
	       (double)(now_ns() - first) / NSEC, seconds);
	if (expired != expiring || early || strange)
		die(0, "many: %llu of %zu expired, %llu early, %llu strange",
		    (unsigned long long)expired, expiring, (unsigned long long)early,
		    (unsigned long long)strange);
	printf("many: verdict          ok\n");
	return 0;
}
