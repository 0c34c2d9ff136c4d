// SPDX-License-Identifier: GPL-2.0
/* The limit on the timers of a descriptor. */
#include "user.h"

enum { LIMIT = 1000 };

static void check_full(int fd)
{
	const struct twheel_op op = new_timer(ticks(1), 1);

	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	ASSERT_EQ(timers_of(fd), get_info(fd).max_timers);
}

TEST(read_makes_room)
{
	const int fd = open_with("max_timers", LIMIT);
	int i;

	add_timers(fd, LIMIT - 10);
	for (i = 0; i < 10; i++)
		wait_until_expired(fd, add(fd, 0, i));
	/* a timer with an unread event still counts */
	check_full(fd);
	read_one(fd);
	read_one(fd);
	add_timers(fd, 2);
	check_full(fd);
}

TEST(limit_disturbs_nobody_else)
{
	static struct twheel_event events[LIMIT];
	const int full = open_with("max_timers", LIMIT), other = open_with("max_timers", LIMIT);
	const __u64 deadline = now() + ticks(3) + 200 * NSEC_PER_MSEC;
	int i;

	for (i = 0; i < LIMIT; i++)
		add_at(full, deadline, i);
	for (i = 0; i < 10; i++)
		check_full(full);
	arm_timerfds(in_time(deadline) ? deadline : now());

	/* another descriptor notices nothing */
	add(other, ticks(1), 1);
	add_timers(other, LIMIT - 1);
	check_full(other);
	ASSERT_EQ(read_one(other).cookie, 1);

	/* nor do the timers that were accepted */
	read_all(full, events, LIMIT);
	for (i = 0; i < LIMIT; i++) {
		ASSERT_EQ(events[i].deadline_ns, deadline);
		check_lateness(&events[i]);
	}
	check_no_event(full);
	add(full, ticks(1), 2);
	ASSERT_EQ(read_one(full).cookie, 2);
}

TEST(einval_then_eshutdown_then_edquot_then_enospc)
{
	const int fd = open_with("max_timers", 1);
	const __u64 handle = add(fd, LONG, 1);
	struct twheel_op op = new_timer(LONG, 2), record;

	op.flags = TWHEEL_SHARED;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EDQUOT);
	/* An expired timer is not drained: the descriptor stays full. */
	ASSERT_EQ(change(fd, handle, 0), 0);
	wait_for_event(fd);
	ASSERT_EQ(drain(fd, &record, 1), 0);
	ASSERT_EQ(timers_of(fd), 1);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, ESHUTDOWN);
	op.result = 1;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.result = 0;
	resume(fd);
	ASSERT_EQ(cancel(fd, handle), TWHEEL_RETRACTED);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, ENOSPC);
}
