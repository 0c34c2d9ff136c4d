// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * libtwheel: sorting events
 *
 * A merge sort that merges in place, so it is stable and needs no memory. Batches are
 * almost sorted as they come: two halves that are in order cost one comparison.
 */
#include <stdbool.h>
#include "internal.h"

static bool is_clock_set(const struct twheel_event *event)
{
	return event->type == TWHEEL_EVENT_CLOCK_SET;
}

static bool before(const struct twheel_event *a, const struct twheel_event *b)
{
	if (is_clock_set(a) || is_clock_set(b))
		return is_clock_set(a) && !is_clock_set(b);
	if (a->clockid != b->clockid)
		return a->clockid < b->clockid;
	return a->deadline_ns < b->deadline_ns;
}

/* The number of events, from the first on, that are before @limit. */
static size_t count_before(const struct twheel_event *events, size_t n,
			   const struct twheel_event *limit)
{
	size_t low = 0, middle;

	while (low < n) {
		middle = low + (n - low) / 2;
		if (before(&events[middle], limit))
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* The number of events, from the first on, that are not after @limit. */
static size_t count_up_to(const struct twheel_event *events, size_t n,
			  const struct twheel_event *limit)
{
	size_t low = 0, middle;

	while (low < n) {
		middle = low + (n - low) / 2;
		if (before(limit, &events[middle]))
			n = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void reverse(struct twheel_event *events, size_t n)
{
	struct twheel_event *last = events + n, event;

	for (; n > 1; n -= 2) {
		event = *events;
		*events++ = *--last;
		*last = event;
	}
}

/* Exchange the first @left events with the @right events behind them. */
static void exchange(struct twheel_event *events, size_t left, size_t right)
{
	reverse(events, left);
	reverse(events + left, right);
	reverse(events, left + right);
}

/* Merge the first @left events with the @right events behind them, both sorted. */
static void merge(struct twheel_event *events, size_t left, size_t right)
{
	struct twheel_event *middle = events + left;
	size_t l, r;

	if (!left || !right || !before(middle, middle - 1))
		return;
	if (left + right == 2) {
		exchange(events, 1, 1);
		return;
	}
	/* Halve the larger side, and split the other one at the same deadline. */
	if (left > right) {
		l = left / 2;
		r = count_before(middle, right, &events[l]);
	} else {
		r = right / 2;
		l = count_up_to(events, left, &middle[r]);
	}
	exchange(events + l, left - l, r);
	merge(events, l, r);
	merge(events + l + r, left - l, right - r);
}

API void twheel_sort_events(struct twheel_event *events, size_t n)
{
	const size_t left = n / 2;

	if (n < 2)
		return;
	twheel_sort_events(events, left);
	twheel_sort_events(events + left, n - left);
	merge(events, left, n - left);
}
