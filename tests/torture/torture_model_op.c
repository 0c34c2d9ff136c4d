// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: what is done to timers that have a model
 *
 * Anybody may take a slot's lock, do something to the timer in it, and let
 * go. Whoever awaits the timer's callback marks the slot as busy, because
 * the callback needs the lock.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "torture_model.h"

/* How long what is overdue at the end is waited for. */
#define PATIENCE	(120 * HZ)

static struct model_slot *slots;
static unsigned int nr_slots;

static void stop(struct model_slot *slot, int (*how)(struct twheel_timer *timer))
{
	struct model_timer *t = slot->t;
	int ret;

	slot->busy = true;
	raw_spin_unlock_irq(&slot->lock);
	ret = how(&t->timer);
	raw_spin_lock_irq(&slot->lock);
	slot->busy = false;
	model_stopped(t, ret);
}

static void shut_down(struct model_slot *slot)
{
	slot->closing = true;
	stop(slot, twheel_shutdown_sync);
	slot->closing = false;
	model_check_dead(slot->t);
	model_check_sums(slot->t);
}

static void try_stop(struct model_timer *t)
{
	int ret = twheel_try_cancel_sync(&t->timer);

	if (ret == -EAGAIN)
		torture_inc(TORTURE_AGAIN);
	else
		model_stopped(t, ret);
}

/* Where its callback may be awaited: one that sleeps only by who may sleep. */
static bool may_wait(const struct model_timer *t, enum torture_context context)
{
	return context == TORTURE_PROCESS ||
	       (context == TORTURE_SOFTIRQ && !(t->flags & TWHEEL_PROCESS));
}

static void op_stop(struct model_slot *slot, struct rnd_state *rnd,
		    enum torture_context context)
{
	if (may_wait(slot->t, context))
		stop(slot, twheel_cancel_sync);
	else
		try_stop(slot->t);
}

/* Afterwards it is freed, or used again. */
static void op_shut_down(struct model_slot *slot, struct rnd_state *rnd,
			 enum torture_context context)
{
	if (!may_wait(slot->t, context))
		return;
	shut_down(slot);
	if (torture_one_in(rnd, 2))
		slot->t = NULL;
	else
		model_setup(slot->t, rnd);
}

static void op_free(struct model_slot *slot, struct rnd_state *rnd,
		    enum torture_context context)
{
	model_cancel(slot->t);
	if (model_may_free(slot->t)) {
		model_check_sums(slot->t);
		slot->t = NULL;
	}
}

static void op_later(struct model_slot *slot, struct rnd_state *rnd,
		     enum torture_context context)
{
	struct model_timer *t = slot->t;
	u32 more = torture_below(rnd, 3);

	if (t->armed)
		model_mod(t, t->due + more);
}

static void op_mod(struct model_slot *slot, struct rnd_state *rnd,
		   enum torture_context context)
{
	model_mod(slot->t, get_jiffies_64() + torture_distance(rnd));
}

static void op_add(struct model_slot *slot, struct rnd_state *rnd,
		   enum torture_context context)
{
	model_add(slot->t, rnd);
}

static void op_cancel(struct model_slot *slot, struct rnd_state *rnd,
		      enum torture_context context)
{
	model_cancel(slot->t);
}

static void op_forward(struct model_slot *slot, struct rnd_state *rnd,
		       enum torture_context context)
{
	model_forward(slot->t, 1 + torture_below(rnd, 20));
}

static void op_look(struct model_slot *slot, struct rnd_state *rnd,
		    enum torture_context context)
{
	model_look(slot->t);
}

typedef void (*op_t)(struct model_slot *slot, struct rnd_state *rnd,
		     enum torture_context context);

static const op_t ops[] = {
	op_add, op_add, op_add, op_add, op_add, op_add, op_add, op_add,
	op_mod, op_mod, op_mod, op_mod, op_later, op_later, op_later, op_later,
	op_cancel, op_cancel, op_forward, op_forward,
	op_look, op_look, op_stop, op_stop, op_shut_down, op_free,
};

/* In the callback, with the slot locked. */

static void own_cancel_is_refused(struct model_timer *t)
{
	int ret = twheel_cancel_sync(&t->timer);

	if (ret != -EDEADLK)
		torture_fail("twheel_cancel_sync() in its own callback: %d", ret);
	ret = twheel_shutdown_sync(&t->timer);
	if (ret != -EDEADLK)
		torture_fail("twheel_shutdown_sync() in its own callback: %d", ret);
}

static void check_context(const struct model_timer *t)
{
	bool process = t->flags & TWHEEL_PROCESS;

	if (process)
		might_sleep();
	if (irqs_disabled() || process != in_task())
		torture_fail("a callback in a wrong context: flags %#x, preempt_count %#x",
			     t->flags, preempt_count());
}

/* Without the lock: others use the timer meanwhile. */
static void callback_body(struct model_timer *t, struct rnd_state *rnd)
{
	check_context(t);
	if (torture_one_in(rnd, 16))
		own_cancel_is_refused(t);
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

/* To its own timer; returns whether that has been given up. */
static bool callback_end(struct model_timer *t, struct rnd_state *rnd)
{
	struct model_slot *slot = t->slot;

	switch (torture_below(rnd, 16)) {
	case 0:
	case 1:
		model_mod(t, get_jiffies_64() + torture_distance(rnd));
		break;
	case 2:
	case 3:
	case 4:
		model_add(t, rnd);
		break;
	case 5:
	case 6:
		model_forward(t, 1 + torture_below(rnd, 10));
		break;
	case 7:
		model_arm(t, get_jiffies_64(), HERE);
		break;
	case 8:
	case 9:
		model_cancel(t);
		break;
	case 10:
		/* who waits for it goes on using it */
		model_cancel(t);
		if (slot->busy)
			break;
		model_check_sums(t);
		slot->t = NULL;
		return true;
	default:
		break;
	}
	return false;
}

static void release(struct model_timer *t)
{
	torture_inc(TORTURE_FREED);
	/* Memory is freed under locks that sleep there; elsewhere now, for KASAN. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && in_hardirq())
		kfree_rcu(t, rcu);
	else
		kfree(t);
}

static void model_fn(struct twheel_timer *timer)
{
	struct model_timer *t = container_of(timer, struct model_timer, timer);
	struct model_slot *slot = t->slot;
	struct rnd_state rnd;
	unsigned long flags;
	bool given_up;

	raw_spin_lock_irqsave(&slot->lock, flags);
	model_fired(t);
	prandom_seed_state(&rnd, ++slot->seed);
	raw_spin_unlock_irqrestore(&slot->lock, flags);

	if (!torture_failed())
		callback_body(t, &rnd);

	raw_spin_lock_irqsave(&slot->lock, flags);
	given_up = !torture_failed() && callback_end(t, &rnd);
	t->running = false;
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	if (given_up)
		release(t);
}

/**
 * model_setup - begin a timer's life
 * @t: A timer that is not in use.
 * @rnd: Random numbers.
 */
void model_setup(struct model_timer *t, struct rnd_state *rnd)
{
	struct model_slot *slot = t->slot;

	memset(t, 0, sizeof(*t));
	t->slot = slot;
	t->cpu = NO_CPU;
	t->flags = torture_flags(rnd);
	t->slack = torture_one_in(rnd, 3) ? torture_below(rnd, 1024) : 0;
	twheel_setup(&t->timer, model_fn, t->flags);
	if (t->slack)
		twheel_set_slack(&t->timer, t->slack);
}

static void fill(struct model_slot *slot, struct rnd_state *rnd)
{
	struct model_timer *t;

	slot->busy = true;
	raw_spin_unlock_irq(&slot->lock);
	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (t) {
		t->slot = slot;
		model_setup(t, rnd);
		torture_inc(TORTURE_CREATED);
	}
	raw_spin_lock_irq(&slot->lock);
	slot->busy = false;
	slot->t = t;
}

/**
 * torture_model_op - do something to some timer
 * @rnd: Random numbers.
 * @context: Who does it.
 */
void torture_model_op(struct rnd_state *rnd, enum torture_context context)
{
	struct model_slot *slot = &slots[torture_below(rnd, nr_slots)];
	op_t op = ops[torture_below(rnd, ARRAY_SIZE(ops))];
	struct model_timer *t = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&slot->lock, flags);
	if (context == TORTURE_PROCESS && !slot->busy && !slot->t)
		fill(slot, rnd);
	if (!slot->busy && slot->t) {
		t = slot->t;
		op(slot, rnd, context);
		if (slot->t == t)
			t = NULL;
	}
	raw_spin_unlock_irqrestore(&slot->lock, flags);
	if (t)
		release(t);
}

/**
 * torture_model_init - make slots, with no timers yet
 * @number: How many.
 *
 * Return: 0 or an error.
 */
int torture_model_init(unsigned int number)
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

/* A deadline that is not known exactly may be far away. */
static bool is_overdue(const struct model_timer *t, u64 when)
{
	if (!t->armed || t->period)
		return t->flying;
	return t->due <= when && t->due + t->slack <= when &&
	       (t->exact || !twheel_remaining(&t->timer));
}

static bool overdue(struct model_slot *slot, u64 when)
{
	bool ret;

	raw_spin_lock_irq(&slot->lock);
	ret = slot->t && is_overdue(slot->t, when);
	raw_spin_unlock_irq(&slot->lock);
	return ret;
}

/* Nothing is lost: all that is due now has its callback. */
static void await_overdue(struct model_slot *slot, u64 when, unsigned long until)
{
	while (overdue(slot, when)) {
		if (torture_failed())
			return;
		if (time_after(jiffies, until)) {
			raw_spin_lock_irq(&slot->lock);
			if (slot->t)
				model_fault(slot->t, "lost", slot - slots);
			raw_spin_unlock_irq(&slot->lock);
			return;
		}
		schedule_timeout_idle(1);
	}
}

/**
 * torture_model_end - await what is due and end all timers
 *
 * Only callbacks use timers any more.
 */
void torture_model_end(void)
{
	unsigned long until = jiffies + PATIENCE;
	u64 now = get_jiffies_64();
	struct model_timer *t;
	unsigned int i;

	for (i = 0; i < nr_slots; i++)
		await_overdue(&slots[i], now, until);
	for (i = 0; i < nr_slots; i++) {
		raw_spin_lock_irq(&slots[i].lock);
		if (slots[i].t)
			shut_down(&slots[i]);
		t = slots[i].t;
		slots[i].t = NULL;
		raw_spin_unlock_irq(&slots[i].lock);
		if (t)
			release(t);
	}
}

/**
 * torture_model_exit - free the slots
 */
void torture_model_exit(void)
{
	kvfree(slots);
}
