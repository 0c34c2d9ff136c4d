// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * The scenario that every binding repeats, in C: what bindings/README says, step by step.
 * It prints a table of counts, which do not depend on the machine.
 */
#include <fcntl.h>
#include <libtwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNT		100000u
#define QUARTER		(COUNT / 4)
#define RING_EVENTS	4096u
#define HOUR		3600000000000ull
#define PAST		1u		/* a deadline that has passed on every clock */

static struct twheel_op ops[COUNT];
static uint64_t handles[COUNT];
static struct twheel_table table;
static uint64_t start;
static int fd;

static void row(const char *name, uint64_t count)
{
	printf("%-16s%12llu\n", name, (unsigned long long)count);
}

/* A failure of the call itself, which no step expects. */
static long must(const char *what, long result)
{
	if (result >= 0)
		return result;
	fprintf(stderr, "scenario: %s: %s\n", what, strerror((int)-result));
	exit(1);
}

/* Prepare operations on the timers with number % 4 == @turn. */
static void prepare(uint32_t turn, uint32_t code, uint64_t deadline)
{
	uint32_t i;

	memset(ops, 0, sizeof(ops));
	for (i = 0; i < QUARTER; i++) {
		ops[i].op = code;
		ops[i].handle = handles[4 * i + turn];
		ops[i].time_ns = deadline;
		ops[i].flags = deadline ? TWHEEL_ABSTIME : 0;
	}
}

/* Carry out the prepared operations, and count those with this result. */
static uint64_t submit(uint32_t count, int result)
{
	uint64_t found = 0;
	uint32_t i;

	if (must("submit", twheel_submit(fd, ops, count)) != count)
		must("submit", -EIO);
	for (i = 0; i < count; i++)
		found += ops[i].result == result;
	return found;
}

/* Push the timers with number % 4 == @turn, and count those with this result. */
static uint64_t push(uint32_t turn, uint64_t deadline, enum twheel_pushed result)
{
	uint64_t found = 0;
	uint32_t i;

	for (i = turn; i < COUNT; i += 4)
		found += twheel_push_back(&table, handles[i], deadline) == result;
	return found;
}

static struct twheel_info info(void)
{
	struct twheel_info result;

	must("info", twheel_get_info(fd, &result));
	return result;
}

static void arm(void)
{
	uint32_t i;

	for (i = 0; i < COUNT; i++) {
		ops[i] = twheel_at(CLOCK_MONOTONIC, start + HOUR, i);
		ops[i].flags |= TWHEEL_SHARED;
	}
	row("armed", submit(COUNT, 0));
	for (i = 0; i < COUNT; i++)
		handles[i] = ops[i].handle;
}

static void push_and_query(void)
{
	uint64_t found = 0;
	uint32_t i;

	row("pushed", push(0, start + 2 * HOUR, TWHEEL_PUSHED));
	row("pushed-before", push(0, start + HOUR, TWHEEL_PUSHED_BEFORE));
	prepare(0, TWHEEL_OP_QUERY, 0);
	for (i = 0; i < QUARTER; i++)
		ops[i].flags = TWHEEL_ABSTIME;
	submit(QUARTER, 0);
	for (i = 0; i < QUARTER; i++)
		found += ops[i].time_ns == start + 2 * HOUR && ops[i].cookie == 4 * i;
	row("queried", found);
}

static void cancel(void)
{
	prepare(1, TWHEEL_OP_CANCEL, 0);
	row("cancelled", submit(QUARTER, 0));
	prepare(1, TWHEEL_OP_CANCEL, 0);
	row("gone", submit(QUARTER, -ENOENT));
}

/* Give the timers a deadline that has passed, and wait until all have expired. */
static uint64_t expire(uint32_t turn)
{
	uint64_t changed;

	prepare(turn, TWHEEL_OP_CHANGE, PAST);
	changed = submit(QUARTER, 0);
	while (info().unread < changed) {
		must("wait", twheel_wait(fd, 0));
		usleep(1000);
	}
	return changed;
}

static void expire_and_read(void)
{
	static struct twheel_event events[1000];
	uint64_t count = 0, sum = 0, early = 0;
	long got, i;

	expire(2);
	while ((got = twheel_read(fd, events, 1000)) != -EAGAIN) {
		must("read", got);
		for (i = 0; i < got; i++) {
			sum += events[i].cookie;
			early += events[i].expired_ns < events[i].deadline_ns;
		}
		count += (uint64_t)got;
	}
	row("expired", count);
	row("expired-sum", sum);
	row("early", early);
	row("pushed-not", push(2, start + 2 * HOUR, TWHEEL_PUSHED_NOT));
}

static void retract(void)
{
	struct twheel_event event;

	expire(3);
	prepare(3, TWHEEL_OP_CHANGE, start + HOUR);
	row("retracted", submit(QUARTER, TWHEEL_RETRACTED));
	row("events-left", twheel_read(fd, &event, 1) == -EAGAIN ? 0 : 1);
}

static void drain(void)
{
	uint64_t sum = 0;
	long count, i;

	row("pending", info().timers);
	count = must("drain", twheel_drain(fd, ops, COUNT));
	for (i = 0; i < count; i++)
		sum += ops[i].cookie;
	row("drained", (uint64_t)count);
	row("drained-sum", sum);
}

/* Add the drained timers again, due at once, and take their events from the ring. */
static void restore_into_ring(void)
{
	uint64_t count = 0, sum = 0;
	struct twheel_events ring;
	uint32_t i;

	must("resume", twheel_resume(fd));
	must("map the ring", twheel_map_ring(fd, RING_EVENTS, &ring));
	for (i = 0; i < 2 * QUARTER; i++)
		ops[i].time_ns = 0;
	row("restored", submit(2 * QUARTER, 0));
	while (count < 2 * QUARTER) {
		const struct twheel_event *event = twheel_ring_peek(&ring, 0);

		if (!event) {
			must("wait", twheel_wait(fd, 1000));
			continue;
		}
		sum += event->cookie;
		count++;
		twheel_ring_advance(&ring, 1);
	}
	row("ring", count);
	row("ring-sum", sum);
	twheel_unmap_ring(&ring);
}

int main(void)
{
	fd = (int)must("open", twheel_open(O_NONBLOCK));
	must("map the table", twheel_map_table(fd, COUNT, &table));
	start = twheel_now(CLOCK_MONOTONIC);
	arm();
	push_and_query();
	cancel();
	expire_and_read();
	retract();
	drain();
	restore_into_ring();
	row("left", info().timers);
	twheel_unmap_table(&table);
	must("close", twheel_close(fd));
	return 0;
}
