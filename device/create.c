// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: creating timers and adding them to a set
 *
 * A timer is created and armed, and its handle is written to the program's memory, in one hold of
 * the set's lock. So no other thread can name the timer before its creator can. The memory is
 * written with page faults off. If a page is not present, the timers are removed again, the page
 * is faulted in without the lock, and the operations are carried out anew. If a batch adds many
 * timers, they are created together.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "create.h"
#include "group.h"
#include "levels.h"
#include "quota.h"
#include "turn.h"

/* Flags of operations that say which places their timers may have. */
#define CREATE_KINDS		(TWHEEL_KEEP_HANDLE | TWHEEL_SHARED)

static bool create_wants_extra(const struct twheel_op *op)
{
	return op->period_ns | op->window_ns | op->group | (op->clockid ^ CLOCK_MONOTONIC);
}

/**
 * struct admission - what a caller needs to add timers to a set, in one hold of its lock
 * @wanted: How many more timers the caller may add, at most.
 * @admitted: How many more timers the user has been charged for and the set counts.
 * @places: Places for timers; no more than @admitted.
 * @level: A level is missing, and not a block.
 * @makeshift: Do without such a level.
 * @kind: The flags, among %CREATE_KINDS, of operations whose timers may have these places.
 */
struct admission {
	unsigned int		wanted;
	unsigned int		admitted;
	struct block_places	places;
	bool			level;
	bool			makeshift;
	u32			kind;
};

/* Charges the user for more timers, and counts them. Returns 0, or -EDQUOT if there is no room. */
static int create_admit(struct timer_set *set, struct admission *adm)
{
	unsigned int room = set->limit - set->count;

	if (!room)
		return -EDQUOT;
	adm->admitted = twheel_quota_charge_timers(set, min(room, adm->wanted));
	WRITE_ONCE(set->count, set->count + adm->admitted);
	return adm->admitted ? 0 : -EDQUOT;
}

/* Gives back the places that are left. */
static void create_return_places(struct timer_set *set, struct admission *adm)
{
	if (!adm->places.left)
		return;
	/* The next timer that the table has a word for gets the first of them. */
	if (adm->kind == TWHEEL_SHARED)
		set->next_shared = adm->places.block->first + __ffs64(adm->places.left);
	twheel_block_return(&adm->places);
}

/* Ends an admission: gives back what no timer has used. */
static void create_admit_end(struct timer_set *set, struct admission *adm)
{
	create_return_places(set, adm);
	if (!adm->admitted)
		return;
	WRITE_ONCE(set->count, set->count - adm->admitted);
	twheel_quota_uncharge(set->quota, QUOTA_TIMERS, adm->admitted);
}

/*
 * Takes places for timers that have words in the table. Such timers get the indexes of the
 * table in turn, so that an index comes again only after all the others.
 */
static int create_take_shared(struct timer_set *set, struct admission *adm)
{
	u32 words = twheel_table_words(set);
	u32 next = set->next_shared < words ? set->next_shared : 0;
	struct block_places *places = &adm->places;
	int ret;

	if (!words)
		return -ENOSPC;
	ret = twheel_block_take(set, next, words - 1, adm->admitted, places);
	if (ret == -EBUSY && next)
		ret = twheel_block_take(set, 0, words - 1, adm->admitted, places);
	if (!ret)
		set->next_shared = places->block->first + fls64(places->left);
	return ret == -EBUSY ? -ENOSPC : ret;
}

/* Takes the place that the handle in @op names. */
static int create_take_kept(struct timer_set *set, const struct twheel_op *op,
			    struct admission *adm)
{
	u32 index = op->handle & TWHEEL_INDEX_MASK;
	int ret;

	if (op->flags & TWHEEL_SHARED && index >= twheel_table_words(set))
		return -ENOSPC;
	ret = twheel_block_take(set, index, index, 1, &adm->places);
	return ret == -EBUSY ? -EEXIST : ret;
}

/* Takes places for timers: above the table's indexes if there is room. */
static int create_take_any(struct timer_set *set, struct admission *adm)
{
	u32 words = twheel_table_words(set);
	int ret = -EBUSY;

	if (words <= TWHEEL_INDEX_MASK)
		ret = twheel_block_take(set, words, TWHEEL_INDEX_MASK, adm->admitted,
					&adm->places);
	if (ret == -EBUSY && words)
		ret = twheel_block_take(set, 0, TWHEEL_INDEX_MASK, adm->admitted,
					&adm->places);
	return ret;
}

/*
 * Admits timers like that of @op, and takes places for them. Returns 0 if there is at least one
 * place, -EAGAIN if create_make_room() can make one, or an error.
 */
static noinline int create_admit_more(struct timer_set *set, const struct twheel_op *op,
				      struct admission *adm)
{
	int ret;

	create_return_places(set, adm);
	adm->kind = op->flags & CREATE_KINDS;
	if (set->stopped)
		return -ESHUTDOWN;
	if (!adm->admitted) {
		ret = create_admit(set, adm);
		if (ret)
			return ret;
	}
	if (op->flags & TWHEEL_KEEP_HANDLE)
		return create_take_kept(set, op, adm);
	if (op->flags & TWHEEL_SHARED)
		return create_take_shared(set, adm);
	return create_take_any(set, adm);
}

/*
 * Returns the generation for the timer of @op. It is never 0, so the handle is never 0.
 *
 * A handle that is kept takes the count of the set forward to its generation, so that a
 * later handle is not the same. The first generation of a set is always ahead. Then the count
 * goes round: if a kept generation is ahead by half of all generations or more, it counts
 * as behind, and the count gets there after as many adds as it was ahead.
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

/*
 * The flags of a timer with a window: a slack of whole ticks. So the timer expires no later than at
 * the first tick at or after the end of its window.
 */
static u32 create_window_flags(const struct timer_extra *extra, const struct twheel_op *op)
{
	if (!extra || op->clockid != CLOCK_MONOTONIC)
		return 0;
	return twheel_wheel_window_flags(div_u64(extra->window, TICK_NSEC));
}

/* What a timer has that is not as most are. */
static noinline void create_use_extra(struct timer_set *set, struct user_timer *t,
				      const struct twheel_op *op)
{
	struct timer_extra *extra = t->extra;

	extra->tag = op->group;
	extra->t = t;
	user_timer_block(t)->extras++;
	set->clocked += t->clockid != CLOCK_MONOTONIC;
	if (extra->tag)
		twheel_group_join(t);
}

/* Has create_make_room() make the levels for a timer at @tick. Returns -EAGAIN. */
static noinline int create_want_level(struct timer_set *set, u64 tick, struct admission *adm)
{
	unsigned int n = (unsigned int)(fls64(tick - set->wheel.clk) - 1) / TWHEEL_LVL_BITS;

	set->wheel.wanted = max(set->wheel.wanted, min(n + 1, (unsigned int)TWHEEL_LVL_DEPTH));
	adm->level = true;
	return -EAGAIN;
}

/* Creates and arms the timer for @op. Returns the result of @op, or -EAGAIN. */
static __always_inline int create_timer(struct timer_set *set, struct twheel_op *op,
					struct timer_extra *extra, struct admission *adm,
					const struct twheel_phase *phase)
{
	s64 deadline = user_timer_new_deadline(set, op->clockid, op, phase);
	u64 tick = user_timer_tick_of(op->clockid, deadline, phase), generation;
	struct user_timer *t;
	u32 index;
	int ret;

	if (unlikely(!adm->places.left || (op->flags & CREATE_KINDS) != adm->kind)) {
		ret = create_admit_more(set, op, adm);
		if (ret)
			return ret;
	}
	/* Most timers need a level that the wheel has. */
	if (unlikely(tick - set->wheel.clk >= set->wheel.reach && tick > set->wheel.clk &&
		     !adm->makeshift))
		return create_want_level(set, tick, adm);
	adm->admitted--;
	adm->wanted--;
	t = twheel_block_next(&adm->places, &index);
	generation = create_generation(set, op);
	t->node.flags = create_window_flags(extra, op);
	t->generation = generation;
	t->clockid = op->clockid;
	t->flags = op->flags & TWHEEL_KEPT_FLAGS;
	t->cookie = op->cookie;
	t->extra = extra;
	if (unlikely(extra))
		create_use_extra(set, t, op);
	t->deadline = deadline;
	twheel_user_timer_arm(set, t, tick);
	op->handle = generation << TWHEEL_INDEX_BITS | index;
	return 0;
}

/* Writes operations to the program, with page faults off. Returns whether all could be written. */
static bool create_write(struct twheel_op __user *to, const struct twheel_op *op, unsigned int n)
{
	unsigned long left;

	pagefault_disable();
	left = copy_to_user(to, op, array_size(n, sizeof(*op)));
	pagefault_enable();
	return !left;
}

/* Undoes operations whose results the program did not get. @given: The handles from before. */
static noinline void create_undo(struct timer_set *set, struct twheel_op *op, const u64 *given,
				 unsigned int n)
{
	struct ended_timers ended = { };

	for (; n--; op++, given++) {
		if (!op->result)
			twheel_user_timer_remove(set, twheel_block_find(set, op->handle), &ended);
		/* A mistake stays one. */
		else if (op->result != -EINVAL)
			op->result = 0;
		op->handle = *given;
	}
	twheel_user_timer_finish(set, &ended);
}

/* Makes the levels that timers want, or the block that @adm misses. Returns 0 or an error. */
static int create_make_room(struct timer_set *set, const struct admission *adm)
{
	int ret = twheel_levels_grow(set);

	if (ret || adm->level)
		return ret;
	timer_set_lock(set);
	ret = twheel_block_add(set, adm->places.missing);
	if (set->stopped)
		ret = -ESHUTDOWN;
	timer_set_unlock(set);
	return ret;
}

/*
 * Carries out additions, up to the first that needs memory, or an extra while there is none in
 * @extra. Makes room for it. Returns how many have been carried out. Returns -EFAULT, and nothing
 * has been done, if a page must be faulted in.
 */
static int create_some(struct timer_set *set, struct twheel_op *op, struct twheel_op __user *to,
		       unsigned int n, struct timer_extra **extra, bool batch, bool *makeshift)
{
	struct admission adm = { .wanted = n, .makeshift = *makeshift };
	u64 given[TWHEEL_CHUNK] timer_set_not_cleared;
	struct twheel_phase phase;
	int ret = 0, done;
	unsigned int i;

	twheel_turn_begin(set, &phase);
	for (i = 0; i < n; i++) {
		given[i] = op[i].handle;
		if (op[i].result)
			continue;
		if (!*extra && create_wants_extra(&op[i]))
			break;
		ret = create_timer(set, &op[i], *extra, &adm, &phase);
		if (ret == -EAGAIN)
			break;
		op[i].result = ret;
		if (!ret)
			*extra = NULL;
	}
	create_admit_end(set, &adm);
	done = i;
	if (i && (batch || !op->result) && !create_write(to, op, i)) {
		create_undo(set, op, given, i);
		done = -EFAULT;
	}
	twheel_turn_end(set, &phase);
	if (ret == -EAGAIN) {
		ret = create_make_room(set, &adm);
		/* Without a level that they want, timers are moved more often. */
		if (ret && adm.level && READ_ONCE(set->wheel.depth))
			*makeshift = true;
		else if (ret && !done)
			op->result = ret;
	}
	return done;
}

/* Allocates what a timer needs besides its place. Returns it, or %NULL. May sleep. */
static struct timer_extra *create_extra(struct timer_set *set, const struct twheel_op *op)
{
	struct timer_extra *extra = kzalloc(sizeof(*extra), GFP_KERNEL_ACCOUNT);

	/* The header for programs bounds what a timer can take. */
	static_assert(sizeof(*extra) <= 64);

	if (!extra)
		return NULL;
	extra->period = op->period_ns;
	extra->window = op->window_ns;
	if (op->clockid != CLOCK_MONOTONIC)
		twheel_clock_use(set);
	return extra;
}

/**
 * twheel_create - carry out additions
 * @set: The set.
 * @op: The operations. The function skips an operation whose result is set already, and fills in
 *	the results and handles of the others.
 * @to: Where the operations come from. The function writes them back there, with the handles,
 *	before another thread can find the timers.
 * @n: How many operations there are; at most %TWHEEL_CHUNK.
 * @batch: Write operations that have failed back, too.
 *
 * Context: process, may sleep. Takes the set's lock.
 *
 * Return: How many operations have been carried out: fewer than @n if the program's memory cannot
 * be written.
 */
unsigned int twheel_create(struct timer_set *set, struct twheel_op *op,
			   struct twheel_op __user *to, unsigned int n, bool batch)
{
	struct timer_extra *extra = NULL;
	bool makeshift = false;
	unsigned int done = 0;
	int ret;

	while (done < n) {
		if (!extra && !op[done].result && create_wants_extra(&op[done])) {
			extra = create_extra(set, &op[done]);
			if (!extra)
				op[done].result = -ENOMEM;
		}
		ret = create_some(set, op + done, to + done, extra ? 1 : n - done, &extra, batch,
				  &makeshift);
		if (ret == -EFAULT) {
			if (fatal_signal_pending(current) ||
			    copy_to_user(to + done, op + done, array_size(n - done, sizeof(*op))))
				break;
			continue;
		}
		/* The operation has failed. */
		if (ret > 0 && extra) {
			kfree(extra);
			extra = NULL;
		}
		done += ret;
	}
	kfree(extra);
	return done;
}
