// SPDX-License-Identifier: GPL-2.0
#include "race.h"

struct race_timer timers[RACE_MOST];
int race_fd;
atomic_uint added;
atomic_uint ended[REFUSED_ADD + 1];

static atomic_bool workers_ended;

void open_race(void)
{
	race_fd = open_device(O_NONBLOCK);
}

unsigned int new_numbers(unsigned int count)
{
	const unsigned int first = 1 + atomic_fetch_add(&added, count);

	if (first + count <= RACE_MOST)
		return first;
	atomic_fetch_sub(&added, count);
	return 0;
}

void end_timer(__u64 number, enum ending how)
{
	unsigned char before;

	ASSERT_WITHIN(number, 1, added);
	before = atomic_fetch_or(&timers[number].ended, how);
	if (before)
		FAIL("timer %llu: ended as %d, but before as %u", number, how, before);
	atomic_fetch_add(&ended[how], 1);
}

void read_race(void *data)
{
	struct twheel_event events[32];
	int i, got;

	while (!workers_ended || timers_of(race_fd)) {
		ASSERT_EQ(poll_events(race_fd, POLLIN, 20) & ~POLLIN, 0);
		got = read_events(race_fd, events, ARRAY_SIZE(events));
		if (got == -EAGAIN)
			continue;
		ASSERT_GT(got, 0);
		for (i = 0; i < got; i++) {
			check_event(&events[i]);
			ASSERT_EQ(events[i].count, 1);
			end_timer(events[i].cookie, READ);
			timers[events[i].cookie].event_handle = events[i].handle;
		}
	}
}

void finish_race(unsigned int workers)
{
	unsigned int i;

	stopping = true;
	join_oldest(workers);
	workers_ended = true;
	stop_threads();
	workers_ended = false;
	ASSERT_EQ(timers_of(race_fd), 0);
	for (i = 1; i <= added; i++)
		if (timers[i].event_handle)
			ASSERT(timers[i].event_handle == timers[i].handle);
}
