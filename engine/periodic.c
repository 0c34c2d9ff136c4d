// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that run again and again, without drift
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
 * @expires: Its first deadline, as for twheel_add(): one that has come or gone by
 *	means the next tick or this one, which the others follow then.
 * @period: In jiffies, up to %U32_MAX. The deadlines after the first are
 *	the first plus multiples of it, whenever the callback runs.
 *
 * When the callback runs, the timer is pending for its next deadline already. It
 * must be cancelled before its memory is freed, from the callback too; there
 * twheel_cancel() will do. Deadlines that have gone by without a callback
 * are skipped, see twheel_missed().
 *
 * twheel_mod() of the pending timer changes its next deadline; the ones after it
 * follow from there. Once it is idle, it can be armed any way.
 *
 * Context: as twheel_add().
 *
 * Return: as twheel_add(), and
 * * %-EINVAL - @period is 0; nothing is done
 * * %-ERANGE - @period is too long; nothing is done. See twheel_forward()
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
 * twheel_missed - how many deadlines a periodic timer has skipped
 * @timer: The timer whose callback calls this.
 *
 * Context: the timer's callback, before it frees the timer. Takes the timer's
 * base lock.
 *
 * Return: How many deadlines after the one that the callback runs for had come
 * when it began: they are skipped. 0 outside the callback.
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

/* The first point after @now of the grid through @from; how many points on it is. */
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
 * The points of the grid are the timer's last deadline, run or cancelled, plus
 * multiples of @interval; tick 0 stands in for the deadline of a timer that has
 * never been armed. The timer is armed, once, for the first of them after its
 * last deadline that is in the future; beyond the end of time it saturates at
 * %TWHEEL_NEVER. So a
 * callback that calls this does not drift however late it runs, and may choose
 * another interval each time.
 *
 * Context: as twheel_add().
 *
 * Return: How many points the timer has gone forward: 1 if the callback was in
 * time, more if others were missed; 0 if the timer is pending or shut down, and
 * nothing is done.
 */
u64 twheel_forward(struct twheel_timer *timer, u64 interval)
{
	u64 points = 0, expires;
	struct twheel_base *base;
	unsigned long flags;

	if (!twheel_api_usable(timer))
		return 0;
	base = twheel_arm_lock_base_irqsave(timer, &flags);
	if (twheel_wheel_state(timer) == TWHEEL_IDLE) {
		base = twheel_arm_rehome(base, timer, twheel_api_home(timer));
		expires = periodic_next_point(timer->last, max(interval, 1ULL),
					      get_jiffies_64(), &points);
		timer->period = 0;
		twheel_arm_insert(base, timer, expires);
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return points;
}
EXPORT_SYMBOL(twheel_forward);

/**
 * twheel_set_slack - let a timer run late
 * @timer: The timer, idle.
 * @slack: In jiffies; 0 is exact.
 *
 * From the next arming on the timer may run at any tick from its deadline to
 * @slack ticks later, so that it can be run along with others and costs the wheel
 * less work. That begins to pay at 128 ticks; of a window, half or less is used
 * as a rule. Pushing back the deadline pushes back the window.
 *
 * On a pending timer, which is a bug of the caller and reported once, nothing is
 * done.
 *
 * Context: any. Takes the timer's base lock.
 */
void twheel_set_slack(struct twheel_timer *timer, u64 slack)
{
	struct twheel_base *base;
	unsigned long flags;

	base = twheel_arm_lock_base_irqsave(timer, &flags);
	if (!WARN_ON_ONCE(twheel_pending(timer)))
		WRITE_ONCE(timer->flags, (timer->flags & ~TWHEEL_WINDOW_MASK) |
			   twheel_wheel_window_flags(slack));
	raw_spin_unlock_irqrestore(&base->lock, flags);
}
EXPORT_SYMBOL(twheel_set_slack);
