// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: clocks that jump
 *
 * CLOCK_REALTIME jumps when it is set, CLOCK_BOOTTIME jumps over a suspend. A timer on such a clock
 * is filed by the tick of its deadline as the clocks stand now, and again when a clock has jumped:
 * Documentation/design-device.rst, "Clocks that jump".
 *
 * There may be very many sets. The work that tells them of a jump holds the lock for one set at a
 * time, so opening and closing never wait for a whole round.
 */
#include <linux/irq_work.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "user_cpu.h"
#include "user_timer.h"

/*
 * Protects all of these, and the place of each set. The locks of sets nest inside it. Taken with
 * bottom halves off: all users wait for it, and a program that holds it must not be preempted.
 */
static DEFINE_SPINLOCK(clock_lock);
static LIST_HEAD(clock_list);
static LIST_HEAD(clock_untold);		/* the sets that are still to be told of a jump */
static bool clock_registered;

/* Not from CLOCK_MONOTONIC: a suspend would change that offset. */
static s64 clock_real_offset(void)
{
	return ktime_to_ns(ktime_sub(ktime_mono_to_any(0, TK_OFFS_REAL),
				     ktime_mono_to_any(0, TK_OFFS_BOOT)));
}

/* Tells the next set of the round. Returns %false if the round is over. */
static bool clock_tell_next(void)
{
	struct timer_set *set;

	spin_lock_bh(&clock_lock);
	set = list_first_entry_or_null(&clock_untold, struct timer_set, clock_node);
	if (set) {
		list_move_tail(&set->clock_node, &clock_list);
		spin_lock(&set->lock);
		set->refile = true;
		set->refile_at = 0;
		twheel_user_cpu_visit_by(set, get_jiffies_64() + 1);
		spin_unlock(&set->lock);
	}
	spin_unlock_bh(&clock_lock);
	return set;
}

static void clock_tell_all(struct work_struct *work)
{
	spin_lock_bh(&clock_lock);
	list_splice_tail_init(&clock_list, &clock_untold);
	spin_unlock_bh(&clock_lock);
	while (clock_tell_next())
		cond_resched();
}

static DECLARE_WORK(clock_work, clock_tell_all);

static void clock_raised(struct irq_work *raise)
{
	schedule_work(&clock_work);
}

static struct irq_work clock_raise = IRQ_WORK_INIT(clock_raised);

/* Called at each tick, under the locks of the timekeeping. */
static int clock_notify(struct notifier_block *nb, unsigned long was_set, void *timekeeper)
{
	if (was_set)
		irq_work_queue(&clock_raise);
	return NOTIFY_OK;
}

static struct notifier_block clock_notifier = {
	.notifier_call = clock_notify,
};

/* Has a set, which is about to get a timer on a clock that jumps, be told of jumps. */
void twheel_clock_use(struct timer_set *set)
{
	/* Once in the list, a set stays until its file is closed. */
	if (!list_empty_careful(&set->clock_node))
		return;
	spin_lock_bh(&clock_lock);
	if (list_empty(&set->clock_node)) {
		if (!clock_registered)
			pvclock_gtod_register_notifier(&clock_notifier);
		clock_registered = true;
		list_add_tail(&set->clock_node, &clock_list);
	}
	spin_unlock_bh(&clock_lock);
}

/* Carries out a TWHEEL_IOC_CLOCK_SET. */
long twheel_clock_watch(struct timer_set *set)
{
	twheel_clock_use(set);
	spin_lock_bh(&set->lock);
	/* The set is not told of a change that came before, and is told of each later one. */
	if (!set->clock_watch)
		set->clock_offset = clock_real_offset();
	set->clock_watch = true;
	spin_unlock_bh(&set->lock);
	return 0;
}

/* Makes the event about CLOCK_REALTIME, unless it was set back before anyone looked. */
static void clock_note_set(struct timer_set *set)
{
	s64 offset = clock_real_offset();

	if (!set->clock_watch || offset == set->clock_offset)
		return;
	set->clock_offset = offset;
	if (!set->clock_sets)
		set->clock_first = ktime_get_real_ns();
	WRITE_ONCE(set->clock_sets, set->clock_sets + 1);
}

/*
 * Files the timers of a set whose @refile is set again. Does up to @steps, and stores the rest
 * back: 0 if there is more to do. Returns whether all timers have been filed.
 */
bool twheel_clock_refile(struct timer_set *set, const struct twheel_phase *phase,
			 unsigned int *steps)
{
	const unsigned int looks = min(*steps, TWHEEL_CHUNK);
	struct block_walk walk = {
		.index = set->clocked ? set->refile_at : ULONG_MAX,
		.looks = looks,
	};
	struct user_timer *t;

	if (!set->refile_at)
		clock_note_set(set);
	while ((t = twheel_block_walk_next(set, &walk)))
		if (t->state == USER_TIMER_PENDING && t->clockid != CLOCK_MONOTONIC)
			twheel_wheel_change(&set->wheel, &t->node, user_timer_tick(t, phase));
	set->refile_at = walk.index;
	set->refile = walk.index != ULONG_MAX;
	*steps = set->refile ? 0 : *steps - (looks - walk.looks);
	return !set->refile;
}

/* Tells a set, which has ended, no longer. */
void twheel_clock_remove(struct timer_set *set)
{
	if (list_empty(&set->clock_node))
		return;
	spin_lock_bh(&clock_lock);
	list_del_init(&set->clock_node);
	spin_unlock_bh(&clock_lock);
}

/* No set is left. */
void twheel_clock_exit(void)
{
	if (clock_registered)
		pvclock_gtod_unregister_notifier(&clock_notifier);
	irq_work_sync(&clock_raise);
	flush_work(&clock_work);
}
