// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: modules that unload and leave timers armed
 *
 * A timer that a module leaves armed would run code that no longer exists. So when a
 * module that uses twheel has run its exit function, this file searches the wheels for
 * timers whose callback lies in the module. It disarms them, and names the module in the
 * log.
 */
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "arm.h"
#include "callback.h"
#include "owner.h"
#include "twheel_compat.h"

/**
 * struct owner_search - a search for the timers of a module
 * @mod: The module.
 * @found: How many timers have been disarmed.
 * @fn: The callback of the first of them.
 * @looks: How many timers have been looked at.
 * @missed: Whether a timer of the module may have been in no list, because its callback
 *	ran.
 */
struct owner_search {
	const struct module	*mod;
	u64			found;
	twheel_fn_t		fn;
	u64			looks;
	bool			missed;
};

/* The kernel shows whether @mod uses any module, but not which modules. */
static bool owner_may_use_twheel(const struct module *mod)
{
#ifdef MODULE
	return mod != THIS_MODULE && !list_empty(&mod->target_list) &&
	       !list_empty(&THIS_MODULE->source_list);
#else
	return true;
#endif
}

/* Whether @fn lies in @mod. @fn may be NULL: the timer may have been overwritten. */
static bool owner_is(const struct module *mod, twheel_fn_t fn)
{
	return fn && within_module((unsigned long)fn, mod);
}

static void owner_look(struct owner_search *search, struct twheel_base *base,
		       struct twheel_timer *t)
{
	twheel_fn_t fn = t->fn;

	search->looks++;
	if (!owner_is(search->mod, fn))
		return;
	if (!search->found++)
		search->fn = fn;
	twheel_arm_disarm(base, t, TWHEEL_IDLE);
}

/*
 * Looks at the first @count timers of a list, and may release the lock in between. Each
 * timer moves to the end of the list when it has been looked at, so the next timer to
 * look at is always the first. The order of a list has no meaning.
 */
static void owner_search_list(struct owner_search *search, struct twheel_base *base,
			      struct list_head *list, u32 count)
{
	struct twheel_timer *t;
	unsigned int i;

	while (count) {
		raw_spin_lock_irq(&base->lock);
		search->missed |= twheel_callback_of_module(base, search->mod);
		for (i = 0; i < TWHEEL_LOCK_HOLD && count; i++, count--) {
			t = list_first_entry_or_null(list, struct twheel_timer,
						     node.entry);
			if (!t) {
				count = 0;
				break;
			}
			list_move_tail(&t->node.entry, list);
			owner_look(search, base, t);
		}
		raw_spin_unlock_irq(&base->lock);
		cond_resched();
	}
}

static u32 owner_slot_count(struct owner_search *search, struct twheel_base *base,
			    unsigned int n, unsigned int i)
{
	u32 count = 0;

	raw_spin_lock_irq(&base->lock);
	search->missed |= twheel_callback_of_module(base, search->mod);
	if (test_bit(i, base->wheel.level[n]->map))
		count = base->wheel.level[n]->count[i];
	raw_spin_unlock_irq(&base->lock);
	return count;
}

/* Returns an upper bound of how many timers wait for process context. */
static u32 owner_deferred_count(struct twheel_base *base)
{
	u64 count;

	raw_spin_lock_irq(&base->lock);
	count = list_empty(&base->wheel.deferred) ? 0 : base->wheel.pending;
	raw_spin_unlock_irq(&base->lock);
	return min_t(u64, count, U32_MAX);
}

static void owner_search_level(struct owner_search *search, struct twheel_base *base,
			       unsigned int n)
{
	unsigned int i, c;
	u32 count;

	for (i = 0; i < TWHEEL_LVL_SIZE; i++) {
		count = owner_slot_count(search, base, n, i);
		/* The wheel files the timers of a slot into its chains in turn. */
		for (c = 0; c < TWHEEL_SLOT_CHAINS && c < count; c++)
			owner_search_list(search, base,
					  twheel_level_slot(base->wheel.level[n], i) + c,
					  (count - c - 1) / TWHEEL_SLOT_CHAINS + 1);
	}
}

/*
 * Searches the levels upwards and then downwards, because timers move up and down
 * meanwhile. A pending timer is always in some list when the lock is free. A timer whose
 * callback runs may become pending again: see @missed.
 */
static void owner_search_base(struct owner_search *search, struct twheel_base *base)
{
	unsigned int n;

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++)
		owner_search_level(search, base, n);
	for (n = TWHEEL_LVL_DEPTH; n-- > 0;)
		owner_search_level(search, base, n);
	owner_search_list(search, base, &base->wheel.deferred,
			  owner_deferred_count(base));
}

static bool owner_callback_runs(struct twheel_base *base, const struct module *mod)
{
	bool ret;

	raw_spin_lock_irq(&base->lock);
	ret = twheel_callback_of_module(base, mod);
	raw_spin_unlock_irq(&base->lock);
	return ret;
}

/* Returns whether a callback ran, which may have armed its timer again. */
static bool owner_wait_for_callbacks(const struct module *mod)
{
	struct twheel_base *base;
	bool waited = false;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		base = twheel_base_of(cpu, 0);
		while (owner_callback_runs(base, mod)) {
			waited = true;
			schedule_timeout_uninterruptible(1);
		}
	}
	return waited;
}

/**
 * twheel_owner_disarm - disarm the timers of a module
 * @mod: The module, which is about to be freed.
 *
 * Searches lane 0 only: the other lanes have only timers of the device.
 *
 * Context: process, may sleep.
 *
 * Return: How many looks at timers the search took. For each slot, a round takes at most
 * two looks for every timer that the slot has taken in since it was last empty. After a
 * round that has found a timer of @mod, there is another round.
 */
u64 twheel_owner_disarm(const struct module *mod)
{
	struct owner_search search = { .mod = mod };
	unsigned int cpu;
	u64 before;

	do {
		before = search.found;
		search.missed = false;
		cpus_read_lock();
		for_each_possible_cpu(cpu)
			owner_search_base(&search, twheel_base_of(cpu, 0));
		cpus_read_unlock();
	} while (owner_wait_for_callbacks(mod) || search.missed ||
		 search.found != before);

	if (search.found)
		pr_err("module %s leaves %llu timers armed, the first one runs %ps\n",
		       mod->name, search.found, search.fn);
	return search.looks;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_owner_disarm);

static int owner_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == MODULE_STATE_GOING && owner_may_use_twheel(data))
		twheel_owner_disarm(data);
	return NOTIFY_OK;
}

static struct notifier_block owner_notifier = {
	.notifier_call = owner_module_event,
};

/**
 * twheel_owner_init - begin to watch modules
 *
 * Return: 0 or a negative errno.
 */
int twheel_owner_init(void)
{
	return register_module_notifier(&owner_notifier);
}

/**
 * twheel_owner_exit - stop watching modules
 */
void twheel_owner_exit(void)
{
	unregister_module_notifier(&owner_notifier);
}
