// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: telling programs that CLOCK_REALTIME was set
 *
 * A program may ask to be told when CLOCK_REALTIME is set, even if no deadline is
 * affected. The kernel tells no module. So while there is such a set, one work for all
 * sets looks once a second whether the offset between the clocks has changed. If the
 * offset has changed, a new round begins: the work tells one set after the other.
 *
 * There may be very many sets. The list of sets is in the order of their rounds: the work
 * takes the set at the head and moves it to the tail. It holds the lock for one set at a
 * time, so opening and closing never wait for a whole round.
 */
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "clock_watch.h"
#include "ready.h"

/**
 * struct clock_watch - a set that is told when CLOCK_REALTIME is set
 * @node: The place in the list of all.
 * @set: The set.
 * @offset: The offset that the set knows.
 * @round: The last round in which the set was looked at.
 */
struct clock_watch {
	struct list_head	node;
	struct timer_set	*set;
	s64			offset;
	u64			round;
};

static void clock_watch_run(struct work_struct *work);

/* Protects all that follows, and the @watch of each set. Sets' locks nest inside it. */
static DEFINE_MUTEX(clock_watch_lock);
static LIST_HEAD(clock_watch_list);
static DECLARE_DELAYED_WORK(clock_watch_work, clock_watch_run);

/* The offset from CLOCK_BOOTTIME to CLOCK_REALTIME at the last look. */
static s64 clock_watch_offset;

/* How often the offset was found to have changed. */
static u64 clock_watch_round;

/* Begins a round if the clock was set. */
static void clock_watch_look(void)
{
	/* Not from CLOCK_MONOTONIC: a suspend would change that offset. */
	s64 offset = ktime_to_ns(ktime_sub(ktime_mono_to_any(0, TK_OFFS_REAL),
					   ktime_mono_to_any(0, TK_OFFS_BOOT)));

	lockdep_assert_held(&clock_watch_lock);

	if (offset == clock_watch_offset)
		return;
	clock_watch_offset = offset;
	clock_watch_round++;
}

/* Looks at the next set of the round. Returns %false if the round is over. */
static bool clock_watch_tell_next(void)
{
	struct clock_watch *watch;
	bool found;

	mutex_lock(&clock_watch_lock);
	watch = list_first_entry_or_null(&clock_watch_list, struct clock_watch, node);
	found = watch && watch->round != clock_watch_round;
	if (found) {
		watch->round = clock_watch_round;
		list_move_tail(&watch->node, &clock_watch_list);
		/* The clock may have been set back before the set was told. */
		if (watch->offset != clock_watch_offset)
			twheel_ready_add_clock_set(watch->set);
		watch->offset = clock_watch_offset;
	}
	mutex_unlock(&clock_watch_lock);
	return found;
}

/* Tells some of the sets; runs again at once for the others, else in a second. */
static void clock_watch_run(struct work_struct *work)
{
	unsigned int n = 0;

	mutex_lock(&clock_watch_lock);
	clock_watch_look();
	mutex_unlock(&clock_watch_lock);
	while (n < TWHEEL_CHUNK && clock_watch_tell_next()) {
		n++;
		cond_resched();
	}
	mutex_lock(&clock_watch_lock);
	if (!list_empty(&clock_watch_list))
		schedule_delayed_work(&clock_watch_work, n == TWHEEL_CHUNK ? 0 : HZ);
	mutex_unlock(&clock_watch_lock);
}

/**
 * twheel_clock_watch_start - report from now on when CLOCK_REALTIME is set
 * @set: The set.
 *
 * Context: process, may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_clock_watch_start(struct timer_set *set)
{
	struct clock_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return -ENOMEM;
	mutex_lock(&clock_watch_lock);
	if (set->watch) {
		mutex_unlock(&clock_watch_lock);
		kfree(watch);
		return 0;
	}
	/* The set is not told of a change that came before, and is told of each later one. */
	clock_watch_look();
	watch->set = set;
	watch->offset = clock_watch_offset;
	watch->round = clock_watch_round;
	set->watch = watch;
	if (list_empty(&clock_watch_list))
		schedule_delayed_work(&clock_watch_work, HZ);
	list_add_tail(&watch->node, &clock_watch_list);
	mutex_unlock(&clock_watch_lock);
	return 0;
}

/**
 * twheel_clock_watch_stop - report no more
 * @set: The set, which only callbacks use any more.
 *
 * Context: process, may sleep.
 */
void twheel_clock_watch_stop(struct timer_set *set)
{
	if (!set->watch)
		return;
	mutex_lock(&clock_watch_lock);
	list_del(&set->watch->node);
	mutex_unlock(&clock_watch_lock);
	kfree(set->watch);
	set->watch = NULL;
}

/**
 * twheel_clock_watch_exit - stop the work; no set is left
 */
void twheel_clock_watch_exit(void)
{
	cancel_delayed_work_sync(&clock_watch_work);
}
