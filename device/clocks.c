// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers on clocks that jump
 *
 * The wheel counts jiffies, and so follows CLOCK_MONOTONIC. CLOCK_REALTIME jumps when it
 * is set, CLOCK_BOOTTIME jumps over a suspend, and the kernel tells no module about
 * either. But hrtimers follow these clocks. So a set has a tree for each such clock, with
 * its timers by deadline. Every CPU has two bases for each such clock, one of them for users
 * above the share. A base is a tree of the trees of sets, and one hrtimer for the first of
 * them. So however many sets have timers that are due at once, one interrupt begins their
 * expiry, and the work is divided into parts. Arming a timer on such a clock takes O(log n)
 * steps.
 */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include "clocks.h"
#include "ready.h"
#include "share.h"
#include "time.h"
#include "twheel_compat.h"

/**
 * struct clock_node - a timer's place in a tree
 * @node: In the tree, while the timer is pending.
 * @t: The timer.
 */
struct clock_node {
	struct rb_node		node;
	struct user_timer	*t;
};

/**
 * struct clock_queue - the timers of a set on one clock
 * @set: The set; its lock protects @tree.
 * @base: The base that has the queue. Protected by the lock of @set, too.
 * @tree: The timers by deadline.
 * @node: The place in @queues of the base, if the queue has one. The lock of the base
 *	protects this field and the next two.
 * @due: The place in @due of the base, if the queue has one. It never has both places.
 * @deadline: The deadline of the first timer. If that timer was disarmed: an earlier time.
 * @rcu: Frees the queue. A run of the base may still look at it.
 */
struct clock_queue {
	struct timer_set	*set;
	struct clock_base	*base;
	struct rb_root_cached	tree;
	struct rb_node		node;
	struct list_head	due;
	s64			deadline;
	struct rcu_head		rcu;
};

/**
 * struct clock_base - the queues on one clock that were made on one CPU
 * @lock: Protects @queues and @due. Nests inside the locks of sets; taken with bottom halves off.
 * @clockid: The clock.
 * @queues: The queues that wait for their first deadlines, by deadline.
 * @due: The queues whose first deadlines have come. They take turns.
 * @first: The hrtimer for the first queue. It runs in hardirq context, because a kernel
 *	without high resolution ignores soft hrtimers when a clock is set.
 * @run: Expires the timers that are due.
 * @low: The base is for users who have used up their share of softirqs.
 * @twin: The base of the same CPU and clock for the other users.
 * @ran_on: The CPU where @run ran last.
 * @ran_at: When that was, in jiffies.
 */
struct clock_base {
	spinlock_t		lock;
	clockid_t		clockid;
	struct rb_root_cached	queues;
	struct list_head	due;
	struct hrtimer		first;
	struct twheel_work	run;
	bool			low;
	struct clock_base	*twin;
	unsigned int		ran_on;
	unsigned long		ran_at;
};

/* How many timers of a queue expire before the next queue has its turn. */
#define CLOCKS_SHARE	16U

/* By clock, and by @low. */
static DEFINE_PER_CPU(struct clock_base [2][2], clock_bases);

static struct user_timer *clocks_timer(struct rb_node *node)
{
	return rb_entry(node, struct clock_node, node)->t;
}

static bool clocks_earlier(struct rb_node *a, const struct rb_node *b)
{
	return clocks_timer(a)->deadline <
	       rb_entry(b, struct clock_node, node)->t->deadline;
}

static struct clock_queue *clocks_queue_of(struct rb_node *node)
{
	return rb_entry(node, struct clock_queue, node);
}

static bool clocks_queue_earlier(struct rb_node *a, const struct rb_node *b)
{
	return clocks_queue_of(a)->deadline < rb_entry(b, struct clock_queue, node)->deadline;
}

static void clocks_start_first(struct clock_base *base)
{
	struct rb_node *first = rb_first_cached(&base->queues);

	if (first)
		hrtimer_start(&base->first,
			      ns_to_ktime(max(clocks_queue_of(first)->deadline, 0LL)),
			      HRTIMER_MODE_ABS_HARD);
}

static void clocks_take_off(struct clock_queue *queue)
{
	if (!RB_EMPTY_NODE(&queue->node))
		rb_erase_cached(&queue->node, &queue->base->queues);
	RB_CLEAR_NODE(&queue->node);
	list_del_init(&queue->due);
}

/*
 * Whether the user has used up the share of this CPU, or of the CPU where the queue would come
 * due, as far as a run within the last second shows. Else the calls of one CPU and the runs of
 * another could move the queue back and forth.
 */
static bool clocks_used_up(const struct clock_queue *queue)
{
	const struct clock_base *twin = queue->base->twin;

	if (twheel_share_used_up(queue->set))
		return true;
	return queue->base->low && time_before(jiffies, READ_ONCE(twin->ran_at) + HZ) &&
	       twheel_share_used_up_on(queue->set, READ_ONCE(twin->ran_on));
}

/*
 * Gives a queue its place, by its first timer. Its set is locked. A queue with timers that
 * are due gets behind the other queues that are due, when clocks_take_due() looks again.
 */
static void clocks_file(struct clock_queue *queue)
{
	struct rb_node *first = rb_first_cached(&queue->tree);
	struct clock_base *base = queue->base;

	spin_lock(&base->lock);
	clocks_take_off(queue);
	if (first && unlikely(base->low != clocks_used_up(queue))) {
		spin_unlock(&base->lock);
		base = base->twin;
		queue->base = base;
		spin_lock(&base->lock);
	}
	if (first) {
		queue->deadline = clocks_timer(first)->deadline;
		/* A run that has not begun looks at the queues, and starts the hrtimer itself. */
		if (rb_add_cached(&queue->node, &base->queues, clocks_queue_earlier) &&
		    !twheel_work_queued(&base->run))
			clocks_start_first(base);
	}
	spin_unlock(&base->lock);
}

/* Moves queues whose first deadlines have come to the end of the list, up to @max. */
static void clocks_collect_due(struct clock_base *base, unsigned int max)
{
	struct rb_node *first;
	s64 now;

	lockdep_assert_held(&base->lock);

	/* Read under the lock: the clock may be set just before a queue is added. */
	now = twheel_time_now(base->clockid);
	while (max-- && (first = rb_first_cached(&base->queues))) {
		if (clocks_queue_of(first)->deadline > now)
			break;
		rb_erase_cached(first, &base->queues);
		RB_CLEAR_NODE(first);
		list_add_tail(&clocks_queue_of(first)->due, &base->due);
	}
}

/* Takes the next queue that is due. If none is, starts the hrtimer for the first one. */
static struct clock_queue *clocks_take_due(struct clock_base *base)
{
	struct clock_queue *queue;

	spin_lock(&base->lock);
	clocks_collect_due(base, CLOCKS_SHARE);
	queue = list_first_entry_or_null(&base->due, struct clock_queue, due);
	if (queue)
		list_del_init(&queue->due);
	else
		clocks_start_first(base);
	spin_unlock(&base->lock);
	return queue;
}

static enum hrtimer_restart clocks_first_is_due(struct hrtimer *first)
{
	twheel_work_queue(&container_of(first, struct clock_base, first)->run);
	return HRTIMER_NORESTART;
}

/*
 * Expires up to @max timers of a queue, in a run of a base that is @low or not. Returns how many,
 * or UINT_MAX after a wait.
 */
static unsigned int clocks_expire(struct clock_queue *queue, unsigned int max, bool low)
{
	struct timer_set *set = queue->set;
	struct user_timer *t;
	struct rb_node *node;
	unsigned int n;
	bool waited;
	s64 now;

	waited = twheel_share_lock(set, low);
	/* The quota and the file of the set may be gone. */
	if (unlikely(set->ended)) {
		spin_unlock(&set->lock);
		return waited ? UINT_MAX : 0;
	}
	now = twheel_time_now(queue->base->clockid);
	/* The share may be used up on this CPU only. Then clocks_file() moves the queue. */
	if (unlikely(!queue->base->low && twheel_share_used_up(set)))
		max = 0;
	for (n = 0; n < max; n++) {
		node = rb_first_cached(&queue->tree);
		if (!node || clocks_timer(node)->deadline > now)
			break;
		t = clocks_timer(node);
		rb_erase_cached(node, &queue->tree);
		RB_CLEAR_NODE(node);
		t->expired = now;
		twheel_ready_add(set, t);
	}
	/* A queue that only moves is a step, too. */
	twheel_share_charge(set, max(n, 1U), queue->base->low);
	clocks_file(queue);
	spin_unlock(&set->lock);
	return waited ? UINT_MAX : n;
}

/* Expires some of the timers that are due; the work is queued again for the others. */
static void clocks_run(struct twheel_work *run)
{
	struct clock_base *base = container_of(run, struct clock_base, run);
	unsigned int left = TWHEEL_CHUNK;
	struct clock_queue *queue;

	WRITE_ONCE(base->ran_on, smp_processor_id());
	WRITE_ONCE(base->ran_at, jiffies);
	/* A queue that has been taken off may end, and its set: see twheel_clocks_stop(). */
	rcu_read_lock();
	while (left && (queue = clocks_take_due(base)))
		left -= clamp(clocks_expire(queue, min(left, CLOCKS_SHARE), base->low), 1U, left);
	rcu_read_unlock();
	if (!left)
		twheel_work_queue(run);
}

/**
 * twheel_clocks_new_node - allocate a timer's place in a tree
 *
 * Return: The node, or %NULL.
 */
struct clock_node *twheel_clocks_new_node(void)
{
	struct clock_node *node = kmalloc(sizeof(*node), GFP_KERNEL_ACCOUNT);

	if (node)
		RB_CLEAR_NODE(&node->node);
	return node;
}

static struct clock_queue *clocks_queue(const struct user_timer *t)
{
	return user_timer_set(t)->clock_queue[t->clockid == CLOCK_BOOTTIME];
}

/**
 * twheel_clocks_disarm - take a timer out of its tree, if it is in one
 * @t: The timer, on a clock that jumps; its set is locked.
 */
void twheel_clocks_disarm(struct user_timer *t)
{
	struct clock_node *node = user_timer_clock_node(t);

	timer_set_assert_locked(user_timer_set(t));

	if (RB_EMPTY_NODE(&node->node))
		return;
	rb_erase_cached(&node->node, &clocks_queue(t)->tree);
	RB_CLEAR_NODE(&node->node);
}

/**
 * twheel_clocks_arm - put a timer into its tree
 * @t: The timer, on a clock that jumps; its set is locked.
 */
void twheel_clocks_arm(struct user_timer *t)
{
	struct clock_queue *queue = clocks_queue(t);
	struct clock_node *node = user_timer_clock_node(t);

	timer_set_assert_locked(user_timer_set(t));

	twheel_clocks_disarm(t);
	node->t = t;
	if (rb_add_cached(&node->node, &queue->tree, clocks_earlier))
		clocks_file(queue);
}

static struct clock_queue *clocks_new_queue(struct timer_set *set, clockid_t clockid)
{
	struct clock_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);

	if (!queue)
		return NULL;
	queue->set = set;
	queue->base = raw_cpu_ptr(&clock_bases[clockid == CLOCK_BOOTTIME][false]);
	queue->tree = RB_ROOT_CACHED;
	RB_CLEAR_NODE(&queue->node);
	INIT_LIST_HEAD(&queue->due);
	return queue;
}

/**
 * twheel_clocks_get_queue - allocate the tree for a clock, if a set has none yet
 * @set: The set.
 * @clockid: The clock.
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_clocks_get_queue(struct timer_set *set, clockid_t clockid)
{
	struct clock_queue **place = &set->clock_queue[clockid == CLOCK_BOOTTIME];
	struct clock_queue *spare;

	if (READ_ONCE(*place))
		return 0;
	spare = clocks_new_queue(set, clockid);
	if (!spare)
		return -ENOMEM;
	timer_set_lock(set);
	if (!*place) {
		WRITE_ONCE(*place, spare);
		spare = NULL;
	}
	timer_set_unlock(set);
	kfree(spare);
	return 0;
}

/**
 * twheel_clocks_stop - stop the timers on clocks that jump
 * @set: The set, which has ended, and which only callbacks use any more.
 */
void twheel_clocks_stop(struct timer_set *set)
{
	struct clock_queue *queue;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(set->clock_queue); i++) {
		queue = set->clock_queue[i];
		if (!queue)
			continue;
		/* A run that has taken the queue off sees the end of the set, and leaves it off. */
		timer_set_lock(set);
		queue->tree = RB_ROOT_CACHED;
		clocks_file(queue);
		timer_set_unlock(set);
		set->clock_queue[i] = NULL;
		kfree_rcu(queue, rcu);
	}
}

static void clocks_init_base(struct clock_base *base, clockid_t clockid)
{
	spin_lock_init(&base->lock);
	base->clockid = clockid;
	base->queues = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&base->due);
	hrtimer_setup(&base->first, clocks_first_is_due, clockid, HRTIMER_MODE_ABS_HARD);
	if (base->low)
		twheel_work_setup_low(&base->run, clocks_run);
	else
		twheel_work_setup(&base->run, clocks_run);
}

/**
 * twheel_clocks_init - set up the clocks that jump
 */
void twheel_clocks_init(void)
{
	struct clock_base *base;
	unsigned int cpu, i, low;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < 2; i++) {
			for (low = 0; low < 2; low++) {
				base = per_cpu_ptr(&clock_bases[i][low], cpu);
				base->low = low;
				base->twin = per_cpu_ptr(&clock_bases[i][!low], cpu);
				base->ran_on = cpu;
				base->ran_at = jiffies;
				clocks_init_base(base, i ? CLOCK_BOOTTIME : CLOCK_REALTIME);
			}
		}
	}
}

static void clocks_stop_base(struct clock_base *base)
{
	hrtimer_cancel(&base->first);
	twheel_work_cancel_sync(&base->run);
}

/**
 * twheel_clocks_exit - stop the clocks that jump; no set is left
 */
void twheel_clocks_exit(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < 2; i++) {
			clocks_stop_base(per_cpu_ptr(&clock_bases[i][false], cpu));
			clocks_stop_base(per_cpu_ptr(&clock_bases[i][true], cpu));
		}
	}
}
