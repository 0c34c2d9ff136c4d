// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers on clocks that jump
 *
 * The wheel goes by jiffies, that is by CLOCK_MONOTONIC. CLOCK_REALTIME jumps when
 * it is set, CLOCK_BOOTTIME during a suspend, and modules are not told. hrtimers
 * are: so a set keeps its timers on each of these clocks in a tree by deadline,
 * with one hrtimer for the first of them. Arming costs O(log n) here.
 *
 * That a clock was set, which is to be reported even if no deadline is passed
 * over by it, is found by looking at the offset between the clocks, once a
 * second, for those sets that asked.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/nsproxy.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/time_namespace.h>
#include <linux/workqueue.h>
#include "twheel_compat.h"
#include "timer_set.h"

/**
 * struct jump_node - a timer's place in a tree
 * @node: In the tree, while the timer is pending.
 * @t: The timer.
 */
struct jump_node {
	struct rb_node		node;
	struct user_timer	*t;
};

/**
 * struct jump_queue - the timers of a set on one clock
 * @set: The set, whose lock protects the tree.
 * @clockid: The clock.
 * @tree: The timers by deadline.
 * @first: Started for the first of them. In hardirq context, because a kernel
 *	without high resolution does not look at the others when a clock is set.
 * @run: Expires those that are due.
 */
struct jump_queue {
	struct timer_set	*set;
	clockid_t		clockid;
	struct rb_root_cached	tree;
	struct hrtimer		first;
	struct tasklet_struct	run;
};

/**
 * struct jump_watch - tells a set when CLOCK_REALTIME is set
 * @set: The set.
 * @work: Looks at the clock.
 * @offset: Of CLOCK_REALTIME to CLOCK_BOOTTIME, when it was looked at last.
 */
struct jump_watch {
	struct timer_set	*set;
	struct delayed_work	work;
	s64			offset;
};

/**
 * twheel_jump_now - what a clock says
 * @clockid: The clock.
 *
 * Return: The time in ns.
 */
u64 twheel_jump_now(clockid_t clockid)
{
	switch (clockid) {
	case CLOCK_REALTIME:
		return ktime_get_real_ns();
	case CLOCK_BOOTTIME:
		return ktime_get_boottime_ns();
	default:
		return ktime_get_ns();
	}
}

/**
 * twheel_jump_offset - how far the caller's view of a clock is from the kernel's
 * @clockid: The clock.
 *
 * Return: What the caller's time namespace adds to it, in ns.
 */
s64 twheel_jump_offset(clockid_t clockid)
{
	struct timespec64 offset = { };

	if (clockid == CLOCK_MONOTONIC)
		timens_add_monotonic(&offset);
	else if (clockid == CLOCK_BOOTTIME)
		timens_add_boottime(&offset);
	return timespec64_to_ns(&offset);
}

static struct user_timer *timer_of(struct rb_node *node)
{
	return rb_entry(node, struct jump_node, node)->t;
}

static bool earlier(struct rb_node *a, const struct rb_node *b)
{
	return timer_of(a)->deadline <
	       rb_entry(b, struct jump_node, node)->t->deadline;
}

static void start_first(struct jump_queue *queue)
{
	struct rb_node *first = rb_first_cached(&queue->tree);

	if (first)
		hrtimer_start(&queue->first, ns_to_ktime(timer_of(first)->deadline),
			      HRTIMER_MODE_ABS_HARD);
}

static enum hrtimer_restart first_is_due(struct hrtimer *first)
{
	tasklet_schedule(&container_of(first, struct jump_queue, first)->run);
	return HRTIMER_NORESTART;
}

/* Some of those that are due; the others follow behind the next softirqs. */
static void run_queue(struct tasklet_struct *run)
{
	struct jump_queue *queue = container_of(run, struct jump_queue, run);
	struct timer_set *set = queue->set;
	struct user_timer *t;
	struct rb_node *node;
	unsigned int n;
	u64 now;

	/* Already in softirq context. */
	xa_lock(&set->timers);
	/* Under the lock: the clock may have been set before a timer was added. */
	now = twheel_jump_now(queue->clockid);
	for (n = 0; n < CHUNK; n++) {
		node = rb_first_cached(&queue->tree);
		if (!node || timer_of(node)->deadline > now)
			break;
		t = timer_of(node);
		rb_erase_cached(node, &queue->tree);
		RB_CLEAR_NODE(node);
		t->expired = now;
		twheel_event_add(set, t);
	}
	if (n == CHUNK)
		tasklet_schedule(run);
	else
		start_first(queue);
	xa_unlock(&set->timers);
}

/**
 * twheel_jump_new_node - allocate what a timer on such a clock needs
 *
 * Return: The node, or %NULL.
 */
struct jump_node *twheel_jump_new_node(void)
{
	struct jump_node *node = kmalloc(sizeof(*node), GFP_KERNEL_ACCOUNT);

	if (node)
		RB_CLEAR_NODE(&node->node);
	return node;
}

static struct jump_queue *queue_of(const struct user_timer *t)
{
	return set_of(t)->jump[t->clockid == CLOCK_BOOTTIME];
}

/**
 * twheel_jump_disarm - take a timer out of its tree, if it is in one
 * @t: The timer, on such a clock; its set is locked.
 */
void twheel_jump_disarm(struct user_timer *t)
{
	struct jump_node *jump = jump_of(t);

	lockdep_assert_held(&set_of(t)->timers.xa_lock);

	if (RB_EMPTY_NODE(&jump->node))
		return;
	rb_erase_cached(&jump->node, &queue_of(t)->tree);
	RB_CLEAR_NODE(&jump->node);
}

/**
 * twheel_jump_arm - put a timer into its tree
 * @t: The timer, its set locked.
 */
void twheel_jump_arm(struct user_timer *t)
{
	struct jump_queue *queue = queue_of(t);
	struct jump_node *jump = jump_of(t);

	twheel_jump_disarm(t);
	jump->t = t;
	if (rb_add_cached(&jump->node, &queue->tree, earlier))
		start_first(queue);
}

static struct jump_queue *new_queue(struct timer_set *set, clockid_t clockid)
{
	struct jump_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);

	if (!queue)
		return NULL;
	queue->set = set;
	queue->clockid = clockid;
	queue->tree = RB_ROOT_CACHED;
	hrtimer_setup(&queue->first, first_is_due, clockid, HRTIMER_MODE_ABS_HARD);
	tasklet_setup(&queue->run, run_queue);
	return queue;
}

/**
 * twheel_jump_get_queue - see to it that a set can have timers on such a clock
 * @set: The set.
 * @clockid: The clock.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_jump_get_queue(struct timer_set *set, clockid_t clockid)
{
	struct jump_queue **place = &set->jump[clockid == CLOCK_BOOTTIME];
	struct jump_queue *spare;

	if (READ_ONCE(*place))
		return 0;
	spare = new_queue(set, clockid);
	if (!spare)
		return -ENOMEM;
	lock_set(set);
	if (!*place) {
		WRITE_ONCE(*place, spare);
		spare = NULL;
	}
	unlock_set(set);
	kfree(spare);
	return 0;
}

static s64 real_offset(void)
{
	/* To CLOCK_BOOTTIME, as a suspend is no setting of the clock. */
	return ktime_to_ns(ktime_sub(ktime_mono_to_any(0, TK_OFFS_REAL),
				     ktime_mono_to_any(0, TK_OFFS_BOOT)));
}

static void look_at_clock(struct work_struct *work)
{
	struct jump_watch *watch = container_of(to_delayed_work(work),
						struct jump_watch, work);
	s64 offset = real_offset();

	if (offset != watch->offset) {
		watch->offset = offset;
		twheel_event_clock_set(watch->set);
	}
	schedule_delayed_work(&watch->work, HZ);
}

/**
 * twheel_jump_watch - report from now on when CLOCK_REALTIME is set
 * @set: The set.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_jump_watch(struct timer_set *set)
{
	struct jump_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return -ENOMEM;
	watch->set = set;
	watch->offset = real_offset();
	INIT_DELAYED_WORK(&watch->work, look_at_clock);
	lock_set(set);
	if (set->watch) {
		unlock_set(set);
		kfree(watch);
		return 0;
	}
	set->watch = watch;
	unlock_set(set);
	schedule_delayed_work(&watch->work, HZ);
	return 0;
}

/**
 * twheel_jump_stop - let no timer expire and no jump be found any more
 * @set: The set, which nobody uses but callbacks.
 */
void twheel_jump_stop(struct timer_set *set)
{
	unsigned int i;

	if (set->watch)
		cancel_delayed_work_sync(&set->watch->work);
	kfree(set->watch);
	for (i = 0; i < ARRAY_SIZE(set->jump); i++) {
		if (!set->jump[i])
			continue;
		/* So that what still runs starts nothing anew. */
		lock_set(set);
		set->jump[i]->tree = RB_ROOT_CACHED;
		unlock_set(set);
		hrtimer_cancel(&set->jump[i]->first);
		tasklet_kill(&set->jump[i]->run);
		kfree(set->jump[i]);
		set->jump[i] = NULL;
	}
}
