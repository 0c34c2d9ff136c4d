// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: modules that go away and leave timers armed
 *
 * Such a timer would run code that is there no more. When a module that uses
 * twheel has run its exit function, the wheels are searched for timers whose
 * callback lies in it; the log says whose they were, and they are disarmed.
 */
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "arm.h"
#include "due.h"
#include "owner.h"

/**
 * struct search - for the timers of a module
 * @mod: The module.
 * @found: How many have been disarmed.
 * @fn: The callback of the first of them.
 * @missed: Some were in no list, since their callback was about to run.
 */
struct search {
	const struct module	*mod;
	u64			found;
	twheel_fn_t		fn;
	bool			missed;
};

/* Which modules @mod uses is the kernel's secret, but not whether it uses any. */
static bool may_use_twheel(const struct module *mod)
{
#ifdef MODULE
	return mod != THIS_MODULE && !list_empty(&mod->target_list) &&
	       !list_empty(&THIS_MODULE->source_list);
#else
	return true;
#endif
}

/* The function may have been overwritten along with the timer. */
static bool is_of(const struct module *mod, twheel_fn_t fn)
{
	return fn && within_module((unsigned long)fn, mod);
}

static void look_at(struct search *search, struct twheel_base *base,
		    struct twheel_timer *t)
{
	twheel_fn_t fn = t->fn;

	if (!is_of(search->mod, fn))
		return;
	if (!search->found++)
		search->fn = fn;
	twheel_arm_disarm(base, t, TWHEEL_IDLE);
}

/*
 * Looks at the @steps timers that come first in a list, or more. Each goes to
 * the list's end, so that the lock can be let go of in between. Timers of a slot
 * are in no order.
 */
static void search_list(struct search *search, struct twheel_base *base,
			struct list_head *list, u32 steps)
{
	struct twheel_timer *t;
	unsigned int i;

	while (steps) {
		raw_spin_lock_irq(&base->lock);
		search->missed |= twheel_due_has_module(base, search->mod);
		for (i = 0; i < TWHEEL_LOCK_HOLD && steps; i++, steps--) {
			t = list_first_entry_or_null(list, struct twheel_timer,
						     entry);
			if (!t) {
				steps = 0;
				break;
			}
			list_move_tail(&t->entry, list);
			look_at(search, base, t);
		}
		raw_spin_unlock_irq(&base->lock);
		cond_resched();
	}
}

static u32 slot_count(struct search *search, struct twheel_base *base,
		      unsigned int n, unsigned int i)
{
	u32 count = 0;

	raw_spin_lock_irq(&base->lock);
	search->missed |= twheel_due_has_module(base, search->mod);
	if (test_bit(i, base->wheel.map[n]))
		count = base->wheel.count[n][i];
	raw_spin_unlock_irq(&base->lock);
	return count;
}

/* How many at most wait for process context. */
static u32 deferred(struct twheel_base *base)
{
	u64 count;

	raw_spin_lock_irq(&base->lock);
	count = list_empty(&base->wheel.deferred) ? 0 : base->wheel.pending;
	raw_spin_unlock_irq(&base->lock);
	return min_t(u64, count, U32_MAX);
}

static void search_level(struct search *search, struct twheel_base *base,
			 unsigned int n)
{
	unsigned int i, c;
	u32 count;

	for (i = 0; i < TWHEEL_LVL_SIZE; i++) {
		/* A chain holds no more than the slot has taken in. */
		count = slot_count(search, base, n, i);
		for (c = 0; c < TWHEEL_SLOT_CHAINS && count; c++)
			search_list(search, base,
				    &base->wheel.slot[n][i].chain[c], count);
	}
}

/*
 * Up as well as down, since timers move both ways meanwhile. They do so under the
 * lock, but when they are due: see @missed.
 */
static void search_base(struct search *search, struct twheel_base *base)
{
	unsigned int n;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++)
		search_level(search, base, n);
	for (n = TWHEEL_LVL_DEPTH; n-- > 0;)
		search_level(search, base, n);
	search_list(search, base, &base->wheel.deferred, deferred(base));
}

static bool runs(struct twheel_base *base, const struct module *mod)
{
	unsigned int i;
	bool ret;

	raw_spin_lock_irq(&base->lock);
	ret = twheel_due_has_module(base, mod);
	for (i = 0; i < TWHEEL_PROCESS_MAX; i++)
		ret |= base->worker[i].callback.timer &&
		       is_of(mod, base->worker[i].callback.fn);
	raw_spin_unlock_irq(&base->lock);
	return ret;
}

/* A callback that ran may have armed its timer anew: says whether one did run. */
static bool wait_for_callbacks(const struct module *mod)
{
	struct twheel_base *base;
	bool waited = false;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		base = twheel_base_of(cpu, 0);
		while (runs(base, mod)) {
			waited = true;
			schedule_timeout_uninterruptible(1);
		}
	}
	return waited;
}

/* In lane 0 alone: only the device's own timers are in others. */
static void disarm_timers_of(const struct module *mod)
{
	struct search search = { .mod = mod };
	unsigned int cpu;
	u64 before;

	do {
		before = search.found;
		search.missed = false;
		cpus_read_lock();
		for_each_possible_cpu(cpu)
			search_base(&search, twheel_base_of(cpu, 0));
		cpus_read_unlock();
	} while (wait_for_callbacks(mod) || search.missed ||
		 search.found != before);

	if (search.found)
		pr_err("module %s leaves %llu timers armed, the first one runs %ps\n",
		       mod->name, search.found, search.fn);
}

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == MODULE_STATE_GOING && may_use_twheel(data))
		disarm_timers_of(data);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_event,
};

/**
 * twheel_owner_init - begin to watch modules
 *
 * Return: 0 or an error.
 */
int twheel_owner_init(void)
{
	return register_module_notifier(&module_notifier);
}

/**
 * twheel_owner_exit - stop watching modules
 */
void twheel_owner_exit(void)
{
	unregister_module_notifier(&module_notifier);
}
