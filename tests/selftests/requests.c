// SPDX-License-Identifier: GPL-2.0
/*
 * A program adds a timer when it sends a request, and cancels the timer when the answer comes,
 * as it does for 99 % of the requests. 100,000 requests are in flight, all through one
 * descriptor. The cancel says whether it won against the expiry, and the memory of a cancelled
 * timer is free at once.
 */
#include "device.h"

enum { IN_FLIGHT = 100000, REQUESTS = 300000, STEP = 1000 };

/* No answer takes an hour, even on a busy host. A request without answer ends soon. */
#define TIMEOUT		(3600 * NSEC_PER_SEC)
#define SHORT_TIMEOUT	(200 * NSEC_PER_MSEC)

static struct request {
	__u64	handle;
	bool	timed_out;
} requests[REQUESTS];

static bool answered(unsigned int request)
{
	return request % 100;
}

/* Returns how many requests have timed out since. */
static unsigned int read_timeouts(int fd)
{
	struct twheel_event events[64];
	unsigned int count = 0;
	int i, got;

	while ((got = read_events(fd, events, ARRAY_SIZE(events))) > 0) {
		for (i = 0; i < got; i++) {
			const __u64 request = events[i].cookie;

			check_event(&events[i]);
			ASSERT_LT(request, REQUESTS);
			ASSERT(!answered(request));
			ASSERT(!requests[request].timed_out);
			ASSERT(events[i].handle == requests[request].handle);
			requests[request].timed_out = true;
		}
		count += got;
	}
	ASSERT_EQ(got, -EAGAIN);
	return count;
}

NONBLOCK_TEST(of_100000_requests_in_flight_99_percent_are_answered)
{
	static struct twheel_op ops[2 * STEP];
	const unsigned int count = many(REQUESTS), in_flight = many(IN_FLIGHT);
	unsigned int first = 0, next = 0, timeouts = 0, cancels = 0;
	const __u64 start = now();
	__u64 end;

	/* @first is the oldest in flight, @next the next to be sent */
	while (first < count) {
		unsigned int i, used = 0, sent = 0;
		const bool full = next == count || next - first == in_flight;

		for (i = 0; next < count && i < STEP; i++, sent++)
			ops[used++] = add_op(answered(next + i) ? TIMEOUT : SHORT_TIMEOUT,
					     next + i);
		for (i = 0; full && i < STEP; i++)
			if (answered(first + i))
				ops[used++] = op_on(TWHEEL_OP_CANCEL, requests[first + i].handle);
		batch(fd, ops, used);
		for (i = 0; i < used; i++)
			ASSERT_EQ(ops[i].result, 0);
		for (i = 0; i < sent; i++)
			requests[next++].handle = ops[i].handle;
		cancels += used - sent;
		if (full)
			first += STEP;
		timeouts += read_timeouts(fd);
		/* a cancelled timer is not charged any more */
		ASSERT_EQ(timers_of(fd), next - cancels - timeouts);
	}
	end = now();
	note("%llu operations per second",
	     (next + cancels) * NSEC_PER_SEC / (end - start));
	while (timeouts < count / 100) {
		wait_for_event(fd);
		timeouts += read_timeouts(fd);
	}
	ASSERT_EQ(timeouts, count / 100);
	ASSERT_EQ(cancels, count / 100 * 99);
	ASSERT_EQ(timers_of(fd), 0);
	check_no_event(fd);
}
