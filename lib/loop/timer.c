// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* libtwheel-loop: timers start and stop */
#include "loop.h"

/* Take a running timer from where it is. */
static void take(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	switch (timer->state & LOOP_STATES) {
	case LOOP_WHEEL:
		twheel_wheel_drop(&loop->wheel, loop_node(timer));
		break;
	case LOOP_ARMED:
		twheel_loop_remote_cancel(loop, timer);
		break;
	default:
		list_del(loop_entry(timer));
	}
}

API void twheel_loop_timer_start(struct twheel_loop *loop, struct twheel_loop_timer *timer,
				 uint64_t deadline_ns)
{
	timer->deadline_ns = min_t(uint64_t, deadline_ns, INT64_MAX);
	timer->order = loop->starts++;
	switch (timer->state & LOOP_STATES) {
	case LOOP_CHANGED:
		return;
	case LOOP_WHEEL:
		if (twheel_wheel_extend(loop_node(timer), loop_tick(timer->deadline_ns)))
			return;
		break;
	case LOOP_ARMED:
		if (timer->deadline_ns >= timer->filed) {
			twheel_loop_remote_postpone(loop, timer);
			return;
		}
		break;
	case LOOP_STOPPED:
		loop_move(timer, &loop->changed, LOOP_CHANGED);
		return;
	}
	take(loop, timer);
	loop_move(timer, &loop->changed, LOOP_CHANGED);
}

API bool twheel_loop_timer_again(struct twheel_loop *loop, struct twheel_loop_timer *timer,
				 uint64_t deadline_ns)
{
	if (!twheel_loop_timer_running(timer))
		return false;
	twheel_loop_timer_start(loop, timer, deadline_ns);
	return true;
}

API bool twheel_loop_timer_stop(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	if (!twheel_loop_timer_running(timer))
		return false;
	take(loop, timer);
	timer->state = LOOP_STOPPED;
	return true;
}
