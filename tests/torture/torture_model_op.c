// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: random operations on timers with a model
 *
 * An operation takes the lock of a slot and uses the timer in it. An operation that
 * waits for the timer's callback marks the slot as busy and drops the lock, which the
 * callback needs.
 */
#include <linux/preempt.h>
#include "torture_model.h"

/* How long the end of the test waits for callbacks that are overdue. */
#define PATIENCE	(120 * HZ)
#define OPERATIONS	26

static struct torture_model_slot *slots;
static unsigned int nr_slots;

static void timer_expired(struct twheel_timer *timer);

/* @t is not in use. */
static void setup_timer(struct torture_model_timer *t, struct rnd_state *rnd)
{
	struct torture_model_slot *slot = t->slot;

	memset(t, 0, sizeof(*t));
	t->slot = slot;
	t->cpu = TORTURE_NO_CPU;
	t->flags = torture_flags(rnd);
	t->slack = torture_one_in(rnd, 3) ? torture_below(rnd, 1024) : 0;
	twheel_setup(&t->timer, timer_expired, t->flags);
	if (t->slack)
		twheel_set_slack(&t->timer, t->slack);
}

static void stop_timer(struct torture_model_slot *slot, int (*how)(struct twheel_timer *timer))
{
	struct torture_model_timer *t = slot->t;
	int ret;

	slot->busy = true;
	raw_spin_unlock_irq(&slot->lock);
	ret = how(&t->timer);
	raw_spin_lock_irq(&slot->lock);
	slot->busy = false;
	torture_model_stopped(t, ret);
}

/* The lock of the slot is held on entry and on return. */
static void shut_down_timer(struct torture_model_slot *slot)
{
	slot->closing = true;
	stop_timer(slot, twheel_shutdown_sync);
	slot->closing = false;
	torture_model_check_dead(slot->t);
	torture_model_check_sums(slot->t);
}

static void try_stop_timer(struct torture_model_timer *t)
{
	int ret = twheel_try_cancel_sync(&t->timer);

	if (ret == -EAGAIN)
		torture_inc(TORTURE_AGAIN);
	else
		torture_model_stopped(t, ret);
}

/* Does one of OPERATIONS on the timer of a slot. If it is freed, it leaves the slot. */
static void use_timer(struct torture_model_slot *slot, u32 what, struct rnd_state *rnd,
		      enum torture_context context)
{
	bool may_wait = torture_may_wait(slot->t->flags, context);
	struct torture_model_timer *t = slot->t;
	u32 more;

	switch (what) {
	case 0 ... 7:
		torture_model_add(t, rnd);
		break;
	case 8 ... 11:
		torture_model_mod(t, get_jiffies_64() + torture_distance(rnd));
		break;
	case 12 ... 15:
		more = torture_below(rnd, 3);
		if (t->armed)
			torture_model_mod(t, t->due + more);
		break;
	case 16 ... 17:
		torture_model_cancel(t);
		break;
	case 18 ... 19:
		torture_model_forward(t, 1 + torture_below(rnd, 20));
		break;
	case 20 ... 21:
		torture_model_look(t);
		break;
	case 22 ... 23:
		if (may_wait)
			stop_timer(slot, twheel_cancel_sync);
		else
			try_stop_timer(t);
		break;
	case 24:
		if (!may_wait)
			break;
		shut_down_timer(slot);
		if (torture_one_in(rnd, 2))
			slot->t = NULL;
		else
			setup_timer(t, rnd);
		break;
	default:
		torture_model_cancel(t);
		if (!torture_model_may_free(t))
			break;
		torture_model_check_sums(t);
		slot->t = NULL;
	}
}

static void check_own_cancel(struct torture_model_timer *t)
{
	int ret = twheel_cancel_sync(&t->timer);

	if (ret != -EDEADLK)
		torture_fail("twheel_cancel_sync() in its own callback: %d", ret);
	ret = twheel_shutdown_sync(&t->timer);
	if (ret != -EDEADLK)
		torture_fail("twheel_shutdown_sync() in its own callback: %d", ret);
}

static void check_context(const struct torture_model_timer *t)
{
	bool process = t->flags & TWHEEL_PROCESS;

	if (process)
		might_sleep();
	/* A run may go on in a thread, with bottom halves off. */
	if (irqs_disabled() || process == !!in_softirq())
		torture_fail("a callback in a wrong context: flags %#x, preempt_count %#x",
			     t->flags, preempt_count());
}

/* Without the lock: other contexts use the timer meanwhile. */
static void run_callback_body(struct torture_model_timer *t, struct rnd_state *rnd)
{
	check_context(t);
	if (torture_one_in(rnd, 16))
		check_own_cancel(t);
	if (torture_one_in(rnd, 4))
		torture_model_op(rnd, TORTURE_CALLBACK);
	if (t->flags & TWHEEL_PROCESS && torture_one_in(rnd, 8)) {
		torture_inc(TORTURE_SLEPT);
		if (torture_one_in(rnd, 4))
			msleep_interruptible(1 + torture_below(rnd, 5));
		else
			usleep_range(50, 500);
	}
}

/*
 * The callback's operation on its own timer, with the lock held. Returns whether the
 * timer is to be freed.
 */
static bool run_callback_end(struct torture_model_timer *t, struct rnd_state *rnd)
{
	struct torture_model_slot *slot = t->slot;

	switch (torture_below(rnd, 16)) {
	case 0 ... 1:
		torture_model_mod(t, get_jiffies_64() + torture_distance(rnd));
		break;
	case 2 ... 4:
		torture_model_add(t, rnd);
		break;
	case 5 ... 6:
		torture_model_forward(t, 1 + torture_below(rnd, 10));
		break;
	case 7:
		torture_model_arm(t, get_jiffies_64(), TORTURE_HERE);
		break;
	case 8 ... 9:
		torture_model_cancel(t);
		break;
	case 10:
		/* A canceller that waits for the callback still uses the timer. */
		torture_model_cancel(t);
		if (slot->busy)
			break;
		torture_model_check_sums(t);
		slot->t = NULL;
		return true;
	default:
		break;
	}
	return false;
}

static void free_timer(struct torture_model_timer *t)
{
	torture_inc(TORTURE_FREED);
	/*
	 * With PREEMPT_RT, kfree() takes locks that sleep. Elsewhere, the memory is freed
	 * at once, so that KASAN sees each use after it.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && in_hardirq())
		kfree_rcu(t, rcu);
	else
		kfree(t);
}

static void timer_expired(struct twheel_timer *timer)
{
	struct torture_model_timer *t = container_of(timer, struct torture_model_timer, timer);
	struct torture_model_slot *slot = t->slot;
	struct rnd_state rnd;
	unsigned long flags;
	bool give_up;

	raw_spin_lock_irqsave(&slot->lock, flags);
	torture_model_fired(t);
	prandom_seed_state(&rnd, ++slot->seed);
	raw_spin_unlock_irqrestore(&slot->lock, flags);

	if (!torture_failed())
		run_callback_body(t, &rnd);

	raw_spin_lock_irqsave(&slot->lock, flags);
	give_up = !torture_failed() && run_callback_end(t, &rnd);
	t->running = false;
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	if (give_up)
		free_timer(t);
}

static void create_timer(struct torture_model_slot *slot, struct rnd_state *rnd)
{
	struct torture_model_timer *t;

	slot->busy = true;
	raw_spin_unlock_irq(&slot->lock);
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (t) {
		t->slot = slot;
		setup_timer(t, rnd);
		torture_inc(TORTURE_CREATED);
	}
	raw_spin_lock_irq(&slot->lock);
	slot->busy = false;
	slot->t = t;
}

void torture_model_op(struct rnd_state *rnd, enum torture_context context)
{
	struct torture_model_slot *slot = &slots[torture_below(rnd, nr_slots)];
	u32 what = torture_below(rnd, OPERATIONS);
	struct torture_model_timer *t = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	if (context == TORTURE_PROCESS && !slot->busy && !slot->t)
		create_timer(slot, rnd);
	if (!slot->busy && slot->t) {
		t = slot->t;
		use_timer(slot, what, rnd, context);
		if (slot->t == t)
			t = NULL;
	}
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	if (t)
		free_timer(t);
}

int torture_model_op_init(unsigned int number)
{
	unsigned int i;

	slots = kvcalloc(number, sizeof(*slots), GFP_KERNEL);
	if (!slots)
		return -ENOMEM;
	nr_slots = number;
	for (i = 0; i < number; i++) {
		raw_spin_lock_init(&slots[i].lock);
		slots[i].seed = ((u64)torture_seed << 32) + i * 1000003ULL;
	}
	return 0;
}

/* If only a lower bound of the deadline is known, the timer may be due much later. */
static bool timer_is_overdue(const struct torture_model_timer *t, u64 when)
{
	if (!t->armed || t->period)
		return t->expired;
	return t->due <= when && t->due + t->slack <= when &&
	       (t->exact || !twheel_remaining(&t->timer));
}

static bool slot_is_overdue(struct torture_model_slot *slot, u64 when)
{
	bool ret;

	raw_spin_lock_irq(&slot->lock);
	ret = slot->t && timer_is_overdue(slot->t, when);
	raw_spin_unlock_irq(&slot->lock);
	return ret;
}

/* Wait for the callback of a timer that is due at @when; a timer without one is lost. */
static void await_slot(struct torture_model_slot *slot, u64 when, unsigned long until)
{
	while (slot_is_overdue(slot, when)) {
		if (torture_failed())
			return;
		if (time_after(jiffies, until)) {
			raw_spin_lock_irq(&slot->lock);
			if (slot->t)
				torture_model_fault(slot->t, "lost", slot - slots);
			raw_spin_unlock_irq(&slot->lock);
			return;
		}
		schedule_timeout_idle(1);
	}
}

/* Waits for the timers that are due, then frees all. From now on, only callbacks use timers. */
void torture_model_op_end(void)
{
	unsigned long until = jiffies + PATIENCE;
	u64 now = get_jiffies_64();
	struct torture_model_timer *t;
	unsigned int i;

	for (i = 0; i < nr_slots; i++)
		await_slot(&slots[i], now, until);
	for (i = 0; i < nr_slots; i++) {
		raw_spin_lock_irq(&slots[i].lock);
		if (slots[i].t)
			shut_down_timer(&slots[i]);
		t = slots[i].t;
		slots[i].t = NULL;
		raw_spin_unlock_irq(&slots[i].lock);
		if (t)
			free_timer(t);
	}
}

void torture_model_op_exit(void)
{
	kvfree(slots);
}
