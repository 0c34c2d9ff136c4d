// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: creating timers and adding them to a set
 *
 * A timer is created and its handle is written in one hold of the set's lock. So no other thread
 * can name the timer before its creator can. After a fault, what was done in the hold is undone,
 * and done anew: Documentation/design-device.rst, "An add".
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "calls.h"
#include "quota.h"
#include "turn.h"

/* Flags of operations that say which places their timers may have. */
#define CREATE_KINDS		(TWHEEL_KEEP_HANDLE | TWHEEL_SHARED)

static bool create_wants_extra(const struct twheel_op *op)
{
	return op->period_ns | op->window_ns | op->group | (op->clockid ^ CLOCK_MONOTONIC);
}

/* What a call needs to add timers to a set. */
struct admission {
	/* For the next timer that needs an extra, or %NULL. */
	struct timer_extra	*extra;
	/* Places for timers, for which the user has been charged, and which the set counts. */
	struct block_places	places;
	/* The flags, among %CREATE_KINDS, of operations whose timers may have these places. */
	u32			kind;
};

/* Gives back the places that are left. */
static void create_return_places(struct timer_set *set, struct admission *adm)
{
	struct block_places *places = &adm->places;

	if (!places->left)
		return;
	/* The next timer that the table has a word for gets the first of them. */
	if (adm->kind == TWHEEL_SHARED)
		set->next_shared = places->block->first + __ffs64(places->left);
	set->count -= hweight64(places->left);
	twheel_block_release(places->block, places->left);
	twheel_block_free(set);
	places->left = 0;
}

/*
 * Takes places for timers like that of @op: the place that its handle names; or places with words
 * in the table; or any, above the indexes of the table if there is room. Timers with words in the
 * table get its indexes in turn, so that an index comes again only after all the others.
 */
static noinline int create_take(struct timer_set *set, const struct twheel_op *op,
				struct admission *adm)
{
	u32 words = twheel_table_entries(set), from = words, to = TWHEEL_INDEX_MASK;
	bool kept = op->flags & TWHEEL_KEEP_HANDLE, shared = op->flags & TWHEEL_SHARED;
	unsigned int n = set->charged - set->count;
	int ret;

	if (kept) {
		from = op->handle & TWHEEL_INDEX_MASK;
		to = from;
	} else if (shared) {
		from = set->next_shared < words ? set->next_shared : 0;
		to = words - 1;
	}
	/* Without a table, there are no words. */
	if (shared && to >= words)
		return -ENOSPC;
	ret = twheel_block_reserve(set, from, to, n, &adm->places);
	if (ret == -EBUSY && from && !kept)
		ret = twheel_block_reserve(set, 0, to, n, &adm->places);
	if (ret == -EBUSY && (kept || shared))
		return kept ? -EEXIST : -ENOSPC;
	if (!ret && adm->kind == TWHEEL_SHARED)
		set->next_shared = adm->places.block->first + fls64(adm->places.left);
	return ret;
}

/*
 * Admits up to @wanted timers like that of @op: charges the user, counts the timers, and takes
 * places for them. Returns 0 if there is at least one place, -EAGAIN if a block is missing,
 * or an error.
 */
static noinline int create_admit(struct timer_set *set, const struct twheel_op *op,
				 unsigned int wanted, struct admission *adm)
{
	struct timer_block *block;
	int ret = 0;

	create_return_places(set, adm);
	adm->kind = op->flags & CREATE_KINDS;
	if (set->stopped)
		return -ESHUTDOWN;
	wanted = min(wanted, set->limit - set->count);
	if (wanted && set->charged == set->count)
		set->charged += twheel_quota_charge_timers(set, wanted);
	if (set->charged == set->count)
		return -EDQUOT;
	/* Mostly, the block where the last search found room has more. */
	block = set->first_room < set->blocks ? set->block[set->first_room] : NULL;
	if (adm->kind || !block ||
	    !twheel_block_reserve_from(block, twheel_table_entries(set), TWHEEL_INDEX_MASK,
				       set->charged - set->count, &adm->places))
		ret = create_take(set, op, adm);
	if (!ret)
		set->count += hweight64(adm->places.left);
	return ret;
}

/*
 * Returns the generation for the timer of @op: never 0. A kept handle takes the count of the set
 * forward if it is ahead by less than half of all: Documentation/design-device.rst, "Handles".
 */
static u64 create_generation(struct timer_set *set, const struct twheel_op *op)
{
	const u64 mask = U64_MAX >> TWHEEL_INDEX_BITS;
	u64 kept = op->handle >> TWHEEL_INDEX_BITS;

	if (op->flags & TWHEEL_KEEP_HANDLE) {
		if (!set->generation || ((kept - set->generation) & mask) <= mask / 2)
			set->generation = kept;
		return kept;
	}
	do {
		set->generation = (set->generation + 1) & mask;
	} while (!set->generation);
	return set->generation;
}

/* Creates and arms the timer for @op. Returns the result of @op, or -EAGAIN. */
static __always_inline int create_timer(struct timer_set *set, struct twheel_op *op,
					struct admission *adm, unsigned int wanted,
					const struct twheel_phase *phase)
{
	s64 deadline = user_timer_new_deadline(set, op->clockid, op, phase);
	u64 tick = user_timer_tick_of(op->clockid, deadline, phase), generation;
	struct user_timer *t;
	unsigned int slot;
	int ret;

	if (unlikely(!adm->places.left || (op->flags & CREATE_KINDS) != adm->kind)) {
		ret = create_admit(set, op, wanted, adm);
		/* So the first timer of all finds its level. */
		if (ret == -EAGAIN)
			twheel_wheel_want(&set->wheel, tick);
		if (ret)
			return ret;
	}
	slot = __ffs64(adm->places.left);
	adm->places.left &= adm->places.left - 1;
	t = &adm->places.block->timer[slot];
	generation = create_generation(set, op);
	t->node.flags = 0;
	t->word = user_timer_word(generation, op->clockid, op->flags & TWHEEL_KEPT_FLAGS);
	t->cookie = op->cookie;
	t->deadline = deadline;
	t->extra = adm->extra;
	if (unlikely(t->extra)) {
		twheel_user_timer_use_extra(set, t);
		adm->extra = NULL;
	}
	if (t->flags & TWHEEL_SHARED)
		twheel_table_open(t);
	twheel_wheel_insert(&set->wheel, &t->node, tick);
	op->handle = generation << TWHEEL_INDEX_BITS | (adm->places.block->first + slot);
	return 0;
}

/* Undoes operations whose results the program did not get. @given: Their handle, unless kept. */
static noinline void create_undo(struct timer_set *set, struct twheel_op *op, u64 given,
				 unsigned int n)
{
	for (; n--; op++) {
		/* A mistake stays one. Another error may be gone when it is tried anew. */
		if (op->result) {
			op->result = op->result == -EINVAL ? -EINVAL : 0;
			continue;
		}
		twheel_user_timer_remove(set, twheel_block_find(set, op->handle));
		if (!(op->flags & TWHEEL_KEEP_HANDLE))
			op->handle = given;
	}
}

/*
 * Carries out additions, up to the first that needs memory, or an extra while there is none.
 * Makes room for it. Returns how many have been carried out. Returns -EFAULT, and nothing
 * has been done, if a page must be faulted in.
 */
static int create_some(struct timer_set *set, struct twheel_op *op, struct twheel_op __user *to,
		       unsigned int n, bool batch, struct admission *adm)
{
	const u64 given = op->handle;
	struct twheel_phase phase;
	int ret = 0, done;
	bool failed = false;
	unsigned int i;

	twheel_turn_begin(set, &phase);
	for (i = 0; i < n; i++) {
		if (op[i].result)
			continue;
		if (!adm->extra && create_wants_extra(&op[i]))
			break;
		/* Only one handle is restored after a fault: mostly, it is 0. */
		if (unlikely(op[i].handle != given && !(op[i].flags & TWHEEL_KEEP_HANDLE)))
			break;
		ret = create_timer(set, &op[i], adm, n - i, &phase);
		if (ret == -EAGAIN)
			break;
		op[i].result = ret;
	}
	create_return_places(set, adm);
	done = i;
	if (i && batch) {
		failed = copy_to_user_nofault(to, op, array_size(i, sizeof(*op)));
	} else if (i && !op->result) {
		/* put_user() is in line. An architecture may refuse a word that is not aligned. */
		pagefault_disable();
		failed = IS_ALIGNED((unsigned long)to, sizeof(u64)) ?
			 put_user(op->handle, &to->handle) :
			 copy_to_user_nofault(to, op, sizeof(*op));
		pagefault_enable();
	}
	if (failed) {
		create_undo(set, op, given, i);
		done = -EFAULT;
	}
	twheel_turn_end(set, &phase);
	if (ret == -EAGAIN) {
		/* No timer has a place before the wheel has a level, and may want others. */
		ret = READ_ONCE(set->wheel.depth) ? 0 : twheel_levels_grow(set, 1);
		if (!ret)
			ret = twheel_block_add(set, adm->places.missing);
		/* With more timers, levels may want more chains, too. */
		if (!ret)
			twheel_levels_grow(set, TWHEEL_LVL_DEPTH);
		else if (!done)
			op->result = ret;
	}
	/* Also before the next timers: a window has an effect only on a level that exists. */
	twheel_levels_keep_up(set);
	return done;
}

/* Allocates what the timer of @op needs besides its place. Returns it, or %NULL. May sleep. */
static struct timer_extra *create_extra(struct timer_set *set, const struct twheel_op *op)
{
	struct timer_extra *extra = kzalloc(sizeof(*extra), GFP_KERNEL_ACCOUNT);

	/* The header for programs bounds what a timer can take. */
	static_assert(sizeof(*extra) <= 64);

	if (!extra)
		return NULL;
	extra->tag = op->group;
	extra->period = op->period_ns;
	extra->window = op->window_ns;
	if (op->clockid != CLOCK_MONOTONIC)
		twheel_clock_use(set);
	return extra;
}

/*
 * Carries out @n additions, at most %TWHEEL_CHUNK, but skips those whose result is set already.
 * Fills in the results and handles of the others, and writes them back to @to, where they come
 * from, before another thread can find the timers: all of a batch, and otherwise the handle. May
 * sleep. Returns how many operations have been carried out: fewer than @n if the program's memory
 * cannot be written.
 */
unsigned int twheel_create(struct timer_set *set, struct twheel_op *op,
			   struct twheel_op __user *to, unsigned int n, bool batch)
{
	struct admission adm = { };
	unsigned int done = 0;
	int ret;

	while (done < n) {
		if (!op[done].result && create_wants_extra(&op[done])) {
			adm.extra = create_extra(set, &op[done]);
			if (!adm.extra)
				op[done].result = -ENOMEM;
		}
		ret = create_some(set, op + done, to + done, adm.extra ? 1 : n - done, batch, &adm);
		/* The operation has failed, or is to be tried again. */
		kfree(adm.extra);
		adm.extra = NULL;
		if (ret >= 0)
			done += ret;
		else if (fatal_signal_pending(current) ||
			 copy_to_user(to + done, op + done, array_size(n - done, sizeof(*op))))
			break;
	}
	return done;
}
