// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the life of a timer of an open file
 *
 *	NEW -----> PENDING -----> READY -----> freed by read()
 *	 |          |   ^           |
 *	 |          |   +-----------+  changed, or periodic and read
 *	 v          v               v
 *	    freed, or DEAD while its callback may still come for it
 *
 * NEW has an index, but no program has been told its handle, and none can use
 * it: a timer is armed only when its handle has been written to the program's
 * memory. READY is in the list of events; its event is the timer itself, so
 * that nothing has to be allocated when it expires. read() copies events with
 * the lock held and page faults off, and only then takes them off the list.
 *
 * A callback that waits for the set's lock may find that the timer has been
 * armed anew, or cancelled, meanwhile. The first it sees by the timer being
 * pending. For the second the timer must still be there: a timer whose callback
 * may still look at it is freed after a grace period, which a callback holds off,
 * softirq context being a read-side critical section. One that is READY is done
 * with: its callback has nothing left to do but to unlock the set, and that is
 * freed after a grace period.
 *
 * Timers are made and freed many at a time where there are many. One that has
 * ended keeps its memory until all that end with it have: who holds the lock may
 * still look at it and see that it is DEAD.
 */
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "twheel_internal.h"
#include "twheel_set.h"

/* Timers whose memory is given back at a time. */
#define FREED_AT_ONCE	16

static struct kmem_cache *user_timers;

/**
 * twheel_set_free - free the memory of a timer
 * @t: The timer; nobody looks at it any more.
 */
void twheel_set_free(struct user_timer *t)
{
	kfree(t->jump);
	kmem_cache_free(user_timers, t);
}

static void free_dead(struct rcu_head *rcu)
{
	twheel_set_free(container_of(rcu, struct user_timer, rcu));
}

/**
 * twheel_ended_init - begin to end timers
 * @ended: For those that have ended.
 */
void twheel_ended_init(struct ended_timers *ended)
{
	INIT_LIST_HEAD(&ended->list);
	ended->count = 0;
}

/**
 * twheel_ended_finish - give back what timers had that have ended
 * @set: Their set, which has been locked since they did.
 * @ended: The timers.
 */
void twheel_ended_finish(struct timer_set *set, struct ended_timers *ended)
{
	void *memory[FREED_AT_ONCE];
	struct user_timer *t, *next;
	unsigned int n = 0;

	lockdep_assert_held(&set->timers.xa_lock);

	if (!ended->count)
		return;
	twheel_quota_uncharge(set->quota, ended->count);
	list_for_each_entry_safe(t, next, &ended->list, ready) {
		if (n == FREED_AT_ONCE) {
			kmem_cache_free_bulk(user_timers, n, memory);
			n = 0;
		}
		kfree(t->jump);
		memory[n++] = t;
	}
	if (n == 1)
		kmem_cache_free(user_timers, memory[0]);
	else
		kmem_cache_free_bulk(user_timers, n, memory);
}

/**
 * twheel_set_unready - withdraw the event of a timer
 * @set: The set, locked.
 * @t: A timer that is READY.
 */
void twheel_set_unready(struct timer_set *set, struct user_timer *t)
{
	list_del(&t->ready);
	WRITE_ONCE(set->unread, set->unread - 1);
}

/**
 * twheel_set_remove - end a timer
 * @set: The set, locked.
 * @t: The timer; its handle names nothing afterwards.
 * @ended: Where it waits for twheel_ended_finish().
 */
void twheel_set_remove(struct timer_set *set, struct user_timer *t,
		       struct ended_timers *ended)
{
	/* The callback that made it so was the last, and is done with it. */
	bool free = t->state == READY && !t->jump;

	lockdep_assert_held(&set->timers.xa_lock);

	if (t->state == READY)
		twheel_set_unready(set, t);
	if (t->jump)
		twheel_jump_disarm(t);
	if (t->flags & TWHEEL_SHARED)
		twheel_table_close(t);
	if (t->member)
		twheel_group_leave(set, t);
	__xa_erase(&set->timers, t->handle & INDEX_MASK);
	WRITE_ONCE(set->count, set->count - 1);
	ended->count++;

	/* So that what has been found before is seen to have ended. */
	t->state = DEAD;
	if (free || twheel_try_cancel_sync(&t->timer) >= 0) {
		list_add_tail(&t->ready, &ended->list);
		return;
	}
	twheel_cancel(&t->timer);
	call_rcu(&t->rcu, free_dead);
}

static void start_clock(struct user_timer *t, const struct twheel_phase *phase)
{
	twheel_mod(&t->timer, twheel_phase_tick(phase, ns_to_ktime(t->deadline)));
}

/**
 * twheel_set_arm - arm a timer for its deadline
 * @t: The timer, its set locked.
 * @phase: From a look at the clock since the set was locked.
 */
void twheel_set_arm(struct user_timer *t, const struct twheel_phase *phase)
{
	t->state = PENDING;
	if (t->jump) {
		twheel_jump_arm(t);
		return;
	}
	if (t->flags & TWHEEL_SHARED)
		twheel_table_open(t);
	start_clock(t, phase);
}

/* The times are below 2^63, so that their sum does not wrap. */
static u64 deadline_of(const struct user_timer *t, const struct twheel_op *op,
		       const struct twheel_phase *phase)
{
	u64 now = phase->now;

	if (op->flags & TWHEEL_ABSTIME)
		return kernel_time(t->set, t->clockid, op->time_ns);
	if (t->jump)
		now = twheel_jump_now(t->clockid);
	return saturate_time(now + op->time_ns);
}

/**
 * twheel_set_arm_for - arm a timer for the deadline of an operation
 * @t: The timer, its set locked.
 * @op: The operation.
 * @phase: From a look at the clock since the set was locked.
 */
void twheel_set_arm_for(struct user_timer *t, const struct twheel_op *op,
			const struct twheel_phase *phase)
{
	t->deadline = deadline_of(t, op, phase);
	twheel_set_arm(t, phase);
}

static void timer_expired(struct twheel_timer *timer)
{
	struct user_timer *t = container_of(timer, struct user_timer, timer);
	struct timer_set *set = t->set;
	struct twheel_phase phase;

	/* Already in softirq context. */
	xa_lock(&set->timers);
	if (t->state != PENDING || twheel_wheel_pending(timer))
		goto out_unlock;

	t->expired = ktime_get_ns();
	if (t->expired >= t->deadline && twheel_table_expire(t, t->expired)) {
		twheel_event_add(set, t);
	} else {
		twheel_phase_look(&phase);
		start_clock(t, &phase);
	}
out_unlock:
	xa_unlock(&set->timers);
}

/*
 * Where the timers to come are served. A set with very many of them could make
 * all others wait, and goes into a lane of its own; the small ones of a user who
 * has very many in all go into one together.
 */
static int choose_lane(struct timer_set *set)
{
	int lane = READ_ONCE(set->lane);

	if (lane)
		return lane;
	if (READ_ONCE(set->count) < twheel_lane_threshold)
		return twheel_quota_lane(set->quota);
	lane = twheel_lane_get();
	if (lane < 0)
		return 0;
	lock_set(set);
	if (!set->lane) {
		WRITE_ONCE(set->lane, lane);
		unlock_set(set);
		return lane;
	}
	unlock_set(set);
	/* Another thread was faster. */
	twheel_lane_put(lane);
	return READ_ONCE(set->lane);
}

/* Fills in @n pointers, with %NULL where there is no memory. */
static void alloc_memory(struct user_timer **t, unsigned int n)
{
	unsigned int i;

	if (n > 1 && kmem_cache_alloc_bulk(user_timers, GFP_KERNEL, n, (void **)t))
		return;
	for (i = 0; i < n; i++)
		t[i] = kmem_cache_alloc(user_timers, GFP_KERNEL);
}

/* What @t is to be, and what it takes beyond its memory. */
static int set_up(struct timer_set *set, struct user_timer *t,
		  const struct twheel_op *op, int lane)
{
	*t = (struct user_timer) {
		.set = set,
		.cookie = op->cookie,
		.period = op->period_ns,
		.state = NEW,
		.clockid = op->clockid,
		.flags = op->flags & TWHEEL_KEPT_FLAGS,
	};
	twheel_setup(&t->timer, timer_expired, 0);
	twheel_lane_use(&t->timer, lane);
	if (op->clockid != CLOCK_MONOTONIC) {
		t->jump = twheel_jump_new_node();
		if (!t->jump || twheel_jump_get_queue(set, t->clockid))
			return -ENOMEM;
	}
	if (op->group) {
		t->member = twheel_group_new_member(op->group);
		if (!t->member || twheel_group_setup(set))
			return -ENOMEM;
	}
	return 0;
}

/* As if it had never been set up. */
static void dispose(struct user_timer *t)
{
	twheel_group_free_member(t->member);
	twheel_set_free(t);
}

/*
 * As __xa_alloc(), but goes on from @place, behind the index that was found before,
 * or from @min if the lock has been let go of since. That may happen here, too, to
 * allocate.
 */
static int alloc_next(struct timer_set *set, struct user_timer *t,
		      struct xa_state *place, u32 min)
	__must_hold(&set->timers.xa_lock)
{
	bool again;

	do {
		xas_find_marked(place, INDEX_MASK, XA_FREE_MARK);
		if (place->xa_node == XAS_RESTART)
			xas_set_err(place, -EBUSY);
		xas_store(place, t);
		xas_clear_mark(place, XA_FREE_MARK);
		again = xas_error(place) == -ENOMEM;
		if (again) {
			unlock_set(set);
			again = xas_nomem(place, GFP_KERNEL_ACCOUNT);
			lock_set(set);
			place->xa_index = min;
		}
	} while (again);
	return xas_error(place);
}

/*
 * Timers that share a word get the indexes of the table in turn, so that one
 * does not come again before all others; the rest go above, while they can. May
 * let go of the lock to allocate.
 */
static int alloc_shared(struct timer_set *set, struct user_timer *t, u32 *index)
{
	u32 words = twheel_table_words(set);
	int ret;

	if (!words)
		return -ENOSPC;
	ret = __xa_alloc_cyclic(&set->timers, index, t, XA_LIMIT(0, words - 1),
				&set->next_shared, GFP_KERNEL_ACCOUNT);
	return ret == -EBUSY ? -ENOSPC : min(ret, 0);
}

static int alloc_index(struct timer_set *set, struct user_timer *t,
		       struct xa_state *place, u32 *index)
{
	u32 words = twheel_table_words(set);
	int ret;

	if (t->flags & TWHEEL_SHARED) {
		xas_set(place, words);
		return alloc_shared(set, t, index);
	}
	if (words > INDEX_MASK)
		words = 0;
	if (place->xa_node == XAS_RESTART)
		xas_set(place, words);
	ret = alloc_next(set, t, place, words);
	if (ret == -EBUSY && words) {
		xas_set(place, 0);
		ret = alloc_next(set, t, place, 0);
	}
	*index = place->xa_index;
	if (ret)
		xas_set(place, words);
	return ret;
}

/* Gives @t a place in the set, and in its group; counts have been seen to. */
static int take_index(struct timer_set *set, struct user_timer *t,
		      struct xa_state *place)
{
	u32 index;
	int ret;

	ret = alloc_index(set, t, place, &index);
	if (ret)
		return ret;
	/* Never 0, so that no handle is. */
	do {
		set->generation = (set->generation + 1) & (U64_MAX >> INDEX_BITS);
	} while (!set->generation);
	t->handle = set->generation << INDEX_BITS | index;
	if (!t->member)
		return 0;
	ret = twheel_group_join(set, t);
	if (ret) {
		__xa_erase(&set->timers, index);
		xas_reset(place);
	}
	return ret;
}

/* A timer less is NEW. Who stops the set waits for the last of them. */
static void count_started(struct timer_set *set)
{
	WRITE_ONCE(set->starting, set->starting - 1);
	if (set->stopped && !set->starting)
		wake_up_interruptible_poll(&set->wait, 0);
}

/*
 * Lets @t into the set, which is locked. The user is charged for up to @wanted
 * timers at a time; what has not been used of that is in @charged.
 */
static int enter(struct timer_set *set, struct user_timer *t,
		 struct xa_state *place, unsigned int *charged,
		 unsigned int wanted)
{
	int ret;

	if (set->stopped)
		return -ESHUTDOWN;
	if (set->count >= set->limit)
		return -EDQUOT;
	if (!*charged)
		*charged = twheel_quota_charge(set->quota, set->limited,
					       min(wanted, set->limit - set->count));
	if (!*charged)
		return -EDQUOT;
	WRITE_ONCE(set->count, set->count + 1);
	WRITE_ONCE(set->starting, set->starting + 1);
	ret = take_index(set, t, place);
	if (ret) {
		WRITE_ONCE(set->count, set->count - 1);
		count_started(set);
		return ret;
	}
	(*charged)--;
	return 0;
}

/* Those of @n timers whose operations have not failed yet, @wanted of them. */
static void enter_all(struct timer_set *set, struct user_timer **t,
		      struct twheel_op *op, unsigned int n, unsigned int wanted)
{
	unsigned int i, charged = 0;
	XA_STATE(place, &set->timers, 0);

	lock_set(set);
	for (i = 0; i < n; i++) {
		if (op[i].result)
			continue;
		op[i].result = enter(set, t[i], &place, &charged, wanted--);
		if (!op[i].result)
			op[i].handle = t[i]->handle;
	}
	if (charged)
		twheel_quota_uncharge(set->quota, charged);
	unlock_set(set);
	/* What was allocated and not needed. */
	xas_nomem(&place, 0);
}

/**
 * twheel_set_make - make timers and their handles
 * @set: The set.
 * @t: For the timers, or %NULL for each operation that fails.
 * @op: What they are to be; those that have failed already are passed over. Their
 *	results and handles are filled in.
 * @n: How many.
 *
 * A timer is to be started when the program has the handle, or discarded.
 */
void twheel_set_make(struct timer_set *set, struct user_timer **t,
		     struct twheel_op *op, unsigned int n)
{
	int lane = choose_lane(set);
	unsigned int i, wanted = 0;

	alloc_memory(t, n);
	for (i = 0; i < n; i++) {
		if (op[i].result && t[i]) {
			kmem_cache_free(user_timers, t[i]);
			t[i] = NULL;
		} else if (!op[i].result) {
			op[i].result = t[i] ? set_up(set, t[i], &op[i], lane) :
				       -ENOMEM;
			wanted += !op[i].result;
		}
	}
	if (wanted)
		enter_all(set, t, op, n, wanted);
	for (i = 0; i < n; i++) {
		if (op[i].result && t[i]) {
			dispose(t[i]);
			t[i] = NULL;
		}
	}
}

/**
 * twheel_set_start - arm a timer that was made
 * @t: The timer, its set locked.
 * @op: The operation that it was made for.
 * @phase: From a look at the clock since the set was locked.
 */
void twheel_set_start(struct user_timer *t, const struct twheel_op *op,
		      const struct twheel_phase *phase)
{
	twheel_set_arm_for(t, op, phase);
	if (t->member)
		twheel_group_enlist(t);
	count_started(t->set);
}

/**
 * twheel_set_discard - undo the making of a timer
 * @t: The timer, its set locked.
 * @ended: Where it waits for twheel_ended_finish().
 */
void twheel_set_discard(struct user_timer *t, struct ended_timers *ended)
{
	struct timer_set *set = t->set;

	twheel_set_remove(set, t, ended);
	count_started(set);
}

/**
 * twheel_life_init - set up what all timers share
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_life_init(void)
{
	static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct user_timer) <= 128);

	user_timers = kmem_cache_create("twheel_timer", sizeof(struct user_timer),
					0, SLAB_ACCOUNT, NULL);
	return user_timers ? 0 : -ENOMEM;
}

/**
 * twheel_life_exit - free what all timers share; none is left
 */
void twheel_life_exit(void)
{
	/* Dead timers go back to the cache after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(user_timers);
}
