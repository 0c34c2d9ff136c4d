// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that run again and again without drift, and timers that may run late
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include "api.h"
#include "arm.h"
#include "callback.h"

/**
 * twheel_add_periodic - arm an idle timer to run again and again
 * @timer: The timer.
 * @expires: Its first deadline, as for twheel_add(). If @expires has passed, the tick
 *	that takes its place is the first deadline.
 * @period: In jiffies, 1 to %U32_MAX. The deadlines after the first are the first
 *	deadline plus multiples of @period, no matter when the callback runs.
 *
 * When the callback runs, the timer is already pending for its next deadline. So the
 * timer must be cancelled before its memory is freed. In the callback, twheel_cancel()
 * will do. A deadline that has passed when the callback begins is skipped, see
 * twheel_missed().
 *
 * twheel_mod() of the pending timer changes its next deadline, and the later deadlines
 * are counted from there. After a cancel, the timer can be armed by any function.
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_add(), and
 * * %-EINVAL - @period is 0; nothing is done
 * * %-ERANGE - @period is above %U32_MAX; nothing is done; see twheel_forward()
 */
int twheel_add_periodic(struct twheel_timer *timer, u64 expires, u64 period)
{
	if (!period)
		return -EINVAL;
	if (period > U32_MAX)
		return -ERANGE;
	return twheel_api_arm_idle(timer, expires, TWHEEL_HERE, period);
}
EXPORT_SYMBOL(twheel_add_periodic);

/**
 * twheel_missed - find out how many deadlines a periodic timer has skipped
 * @timer: The timer whose callback calls this.
 *
 * Context: the timer's callback, before it frees the timer. Takes the lock of the timer's
 * base.
 *
 * Return: How many later deadlines had already come when the callback began. The timer
 * skips them. 0 outside the callback, and for a timer that is not periodic.
 */
u64 twheel_missed(const struct twheel_timer *timer)
{
	const struct twheel_callback *cb;
	struct twheel_base *base;
	unsigned long flags;
	u64 missed = 0;

	base = twheel_arm_lock_base_irqsave(timer, &flags);
	cb = twheel_callback_find(base, timer);
	if (cb && cb->task == current)
		missed = cb->missed;
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return missed;
}
EXPORT_SYMBOL(twheel_missed);

/* The first point after @from and @now of the grid through @from; its number in @points. */
static u64 periodic_next_point(u64 from, u64 interval, u64 now, u64 *points)
{
	u64 distance, point;

	*points = 1;
	if (now >= from)
		*points += div64_u64(now - from, interval);
	if (check_mul_overflow(*points, interval, &distance) ||
	    check_add_overflow(from, distance, &point))
		return TWHEEL_NEVER;
	return point;
}

/**
 * twheel_forward - arm an idle timer for the next point of its grid
 * @timer: The timer, usually from its own callback.
 * @interval: In jiffies; 0 counts as 1.
 *
 * The points of the grid are the timer's last deadline plus multiples of @interval. The
 * last deadline counts even if the timer was cancelled; for a timer that has never been
 * armed it is tick 0. The timer is armed to run once, at the first point that is later
 * than both its last deadline and the current tick. A point beyond %TWHEEL_NEVER
 * saturates at %TWHEEL_NEVER.
 *
 * A callback that calls this does not drift, however late it runs, and may choose
 * another interval each time.
 *
 * Context: as twheel_add().
 *
 * Return: The number of that point, counted from the last deadline: 1 if no point was
 * skipped, n + 1 if n points were. 0 if nothing is done, because the timer is pending,
 * was shut down, or was not set up; the last is reported once, as a bug of the caller.
 */
u64 twheel_forward(struct twheel_timer *timer, u64 interval)
{
	u64 points = 0, expires;
	struct twheel_base *base;
	unsigned long flags;

	if (!twheel_api_usable(timer))
		return 0;
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	if (twheel_wheel_state(&timer->node) == TWHEEL_IDLE) {
		base = twheel_arm_rehome(base, timer, twheel_api_home(timer));
		expires = periodic_next_point(timer->node.last, max(interval, 1ULL),
					      get_jiffies_64(), &points);
		timer->node.period = 0;
		twheel_arm_insert(base, timer, expires);
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return points;
}
EXPORT_SYMBOL(twheel_forward);

/**
 * twheel_set_slack - let a timer run late
 * @timer: The timer, idle.
 * @slack: In jiffies. 0: the timer runs on its tick.
 *
 * From its next arming on, the timer may run at any tick from its deadline to @slack
 * ticks later. So it can run together with other timers, and costs the wheel less work.
 * A slack below 128 ticks has no effect. A timer usually runs in the first half of its
 * window. Pushing back the deadline pushes back the window.
 *
 * For a pending timer nothing is done; a bug of the caller, reported once.
 *
 * Context: any. Takes the lock of the timer's base.
 */
void twheel_set_slack(struct twheel_timer *timer, u64 slack)
{
	struct twheel_base *base;
	unsigned long flags;

	base = twheel_arm_lock_base_irqsave(timer, &flags);
	if (!WARN_ON_ONCE(twheel_pending(timer)))
		WRITE_ONCE(timer->node.flags, (timer->node.flags & ~TWHEEL_WINDOW_MASK) |
			   twheel_wheel_window_flags(slack));
	raw_spin_unlock_irqrestore(&base->lock, flags);
}
EXPORT_SYMBOL(twheel_set_slack);
