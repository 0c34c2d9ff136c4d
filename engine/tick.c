// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the tick source, which starts the runs of a wheel
 *
 * An empty wheel arms nothing; but a cancel of the last timer leaves the tick source as it is, for
 * one wake-up. Otherwise the tick source is armed for the next tick that the wheel must visit:
 *
 * - A near tick, at most TICK_NEAR ahead, gets a timer_list timer. That timer is exact at this
 *   distance, and runs in the tick's own softirq, without another interrupt.
 * - A far tick gets an hrtimer, because timer_list would run late by up to an eighth of the
 *   distance. The hrtimer expires shortly before the far tick. Its window is so wide that it
 *   usually shares a wake-up with other work of the CPU. Its run arms the timer_list timer.
 * - For a far tick of another CPU, that CPU gets a near tick, because an hrtimer cannot be started
 *   on another CPU. Its run starts the hrtimer.
 */
#include "engine.h"
#include "twheel_compat.h"

/* timer_list's first level has 63 slots of one tick, and its clock may lag behind. */
#define TICK_NEAR		40
/* The hrtimer expires this many ticks early: the kernel may count ticks late. */
#define TICK_FAR_MARGIN		16
/* In a long sleep, by the sleep divided by this: jiffies and the clock drift apart. */
#define TICK_FAR_DRIFT		1024
/* The most ticks that an hrtimer covers: 2^32 ticks in nanoseconds fit into an s64. */
#define TICK_LEG_MAX		(1ULL << 32)

/* The slow part of twheel_tick_wake_by(). timer_list runs a timer one tick after its ->expires. */
void twheel_tick_arm(struct twheel_base *base, u64 next)
{
	u64 now, ahead, latest, earliest;

	/* A run in progress arms the tick source itself before it ends. */
	if (base->running || !base->online)
		return;
	now = get_jiffies_64();
	ahead = next > now ? next - now : 1;
	/* Do not postpone a run that is late already. */
	if (now + ahead >= base->wake)
		return;
	if (base->cpu != smp_processor_id()) {
		/* The timer_list of that CPU wakes the CPU. */
		base->wake = now + min_t(u64, ahead, TICK_NEAR);
		timer_delete(&base->tick);
		base->tick.expires = base->wake - 1;
		add_timer_on(&base->tick, base->cpu);
	} else if (ahead <= TICK_NEAR) {
		base->wake = now + ahead;
		if (hrtimer_is_queued(&base->sleeper))
			hrtimer_try_to_cancel(&base->sleeper);
		mod_timer(&base->tick, base->wake - 1);
	} else {
		ahead = min(ahead, TICK_LEG_MAX);
		base->wake = now + ahead;
		latest = ahead - max_t(u64, TICK_FAR_MARGIN, ahead / TICK_FAR_DRIFT);
		earliest = latest - (TICK_NEAR - TICK_FAR_MARGIN);
		hrtimer_start_range_ns(&base->sleeper, ns_to_ktime(earliest * TICK_NSEC),
				       (latest - earliest) * TICK_NSEC,
				       HRTIMER_MODE_REL_PINNED_SOFT);
	}
}
