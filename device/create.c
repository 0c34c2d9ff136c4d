// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: creating timers and adding them to a set
 *
 * A new timer is USER_TIMER_NEW: it has an index and a handle, but no program can use the
 * handle yet. The caller writes the handle to the program's memory. Then
 * twheel_create_finish() starts the timer, or removes it if the memory could not be
 * written. If a batch adds many timers, they are created together.
 */
#include <linux/bitops.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include "block.h"
#include "clocks.h"
#include "create.h"
#include "ended.h"
#include "group.h"
#include "quota.h"
#include "share.h"
#include "table.h"
#include "user_timer.h"

/* Flags of operations that say which places their timers may have. */
#define CREATE_KINDS		(TWHEEL_KEEP_HANDLE | TWHEEL_SHARED)

static bool create_wants_extra(const struct twheel_op *op)
{
	return op->period_ns | op->window_ns | op->group | (op->clockid ^ CLOCK_MONOTONIC);
}

static void create_free_extra(struct timer_extra *extra)
{
	twheel_group_free_member(extra->member);
	kfree(extra->clock_node);
	kfree(extra);
}

/* Allocates what a timer needs besides its place. Returns it, or an ERR_PTR(). */
static struct timer_extra *create_extra(struct timer_set *set,
					const struct twheel_op *op)
{
	struct timer_extra *extra = kzalloc(sizeof(*extra), GFP_KERNEL_ACCOUNT);
	int ret = 0;

	/* The header for programs bounds what a timer can take. */
	static_assert(sizeof(*extra) <= 32);

	if (!extra)
		return ERR_PTR(-ENOMEM);
	extra->period = op->period_ns;
	extra->window = op->window_ns;
	if (op->clockid != CLOCK_MONOTONIC) {
		extra->clock_node = twheel_clocks_new_node();
		ret = extra->clock_node ?
		      twheel_clocks_get_queue(set, op->clockid) : -ENOMEM;
	}
	if (op->group && !ret) {
		extra->member = twheel_group_new_member(op->group);
		ret = extra->member ? 0 : -ENOMEM;
	}
	if (!ret)
		return extra;
	create_free_extra(extra);
	return ERR_PTR(ret);
}

/* Counts @n USER_TIMER_NEW timers less. Wakes a drain, which waits until there are none. */
static void create_count_down(struct timer_set *set, unsigned int n)
{
	WRITE_ONCE(set->starting, set->starting - n);
	if (set->stopped && !set->starting)
		wake_up_interruptible(&set->drains);
}

/**
 * struct admission - what a caller needs to add timers to a set
 * @lane: The lane that serves the timers.
 * @wanted: How many more timers the caller may add, at most.
 * @admitted: How many more timers the user has been charged for and the set counts.
 * @places: Places for timers; no more than @admitted.
 * @kind: The flags, among %CREATE_KINDS, of operations whose timers may have these places.
 */
struct admission {
	enum twheel_lane	lane;
	unsigned int		wanted;
	unsigned int		admitted;
	struct block_places	places;
	u32			kind;
};

/* Charges the user for more timers, and counts them. Returns 0, or -EDQUOT if there is no room. */
static int create_admit(struct timer_set *set, struct admission *adm)
{
	unsigned int room = set->limit - set->count;

	if (!room)
		return -EDQUOT;
	adm->admitted = twheel_quota_charge(set, min(room, adm->wanted));
	WRITE_ONCE(set->count, set->count + adm->admitted);
	WRITE_ONCE(set->starting, set->starting + adm->admitted);
	return adm->admitted ? 0 : -EDQUOT;
}

/* Gives back the places that are left. */
static void create_return_places(struct timer_set *set, struct admission *adm)
{
	if (!adm->places.left)
		return;
	/* The next timer that the table has a word for gets the first of them. */
	if (adm->kind & TWHEEL_SHARED)
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
	create_count_down(set, adm->admitted);
	twheel_quota_uncharge(set->quota, adm->admitted);
	adm->admitted = 0;
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
 * Admits timers like that of @op, and takes places for them. May release the lock meanwhile, to
 * allocate. Returns 0 if there is at least one place, or an error.
 */
static noinline int create_admit_more(struct timer_set *set, const struct twheel_op *op,
				      struct admission *adm)
{
	int ret;

	create_return_places(set, adm);
	adm->kind = op->flags & CREATE_KINDS;
	do {
		/* A drain may have stopped the set while the lock was released. */
		if (set->stopped)
			return -ESHUTDOWN;
		if (!adm->admitted) {
			ret = create_admit(set, adm);
			if (ret)
				return ret;
		}
		if (op->flags & TWHEEL_KEEP_HANDLE)
			ret = create_take_kept(set, op, adm);
		else if (op->flags & TWHEEL_SHARED)
			ret = create_take_shared(set, adm);
		else
			ret = create_take_any(set, adm);
		if (ret != -EAGAIN)
			return ret;
		/* This may take long. The limits must refuse no one because of this caller. */
		create_admit_end(set, adm);
		ret = twheel_block_add(set, adm->places.missing, adm->lane);
	} while (!ret);
	return set->stopped ? -ESHUTDOWN : ret;
}

/*
 * Gives the engine's timer a slack of whole ticks. So a timer with a window expires no later
 * than at the first tick at or after the end of its window.
 */
static void create_set_slack(struct user_timer *t)
{
	u64 window = user_timer_window(t);

	/* The place may have had a timer with a window before. */
	if (window || twheel_wheel_has_window(&t->timer.node))
		twheel_set_slack(&t->timer, div_u64(window, TICK_NSEC));
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

/* Creates the timer for @op, and its handle. Returns the result of @op. */
static __always_inline int
create_timer(struct timer_set *set, struct user_timer **created, struct twheel_op *op,
	     struct timer_extra *extra, struct admission *adm)
{
	struct user_timer *t;
	u64 generation;
	u32 index;
	int ret;

	if (!adm->places.left || (op->flags & CREATE_KINDS) != adm->kind) {
		ret = create_admit_more(set, op, adm);
		if (ret)
			return ret;
	}
	adm->admitted--;
	adm->wanted--;
	t = twheel_block_next(&adm->places, adm->lane, &index);
	generation = create_generation(set, op);
	t->generation = generation;
	t->state = USER_TIMER_NEW;
	t->clockid = op->clockid;
	t->flags = op->flags & TWHEEL_KEPT_FLAGS;
	t->cookie = op->cookie;
	t->extra = extra;
	create_set_slack(t);
	op->handle = generation << TWHEEL_INDEX_BITS | index;
	*created = t;
	return 0;
}

/*
 * Creates timers up to the first that needs an extra. Passes over operations that have
 * failed. Returns how many operations it has done with.
 */
static unsigned int create_plain(struct timer_set *set, struct user_timer **t,
				 struct twheel_op *op, unsigned int n, enum twheel_lane lane)
{
	struct admission adm = { .lane = lane, .wanted = n };
	unsigned int i;

	timer_set_lock(set);
	for (i = 0; i < n; i++) {
		t[i] = NULL;
		if (op[i].result)
			continue;
		if (create_wants_extra(&op[i]))
			break;
		op[i].result = create_timer(set, &t[i], &op[i], NULL, &adm);
	}
	create_admit_end(set, &adm);
	timer_set_unlock(set);
	return i;
}

static void create_with_extra(struct timer_set *set, struct user_timer **t,
			      struct twheel_op *op, enum twheel_lane lane)
{
	struct admission adm = { .lane = lane, .wanted = 1 };
	struct timer_extra *extra = create_extra(set, op);

	if (IS_ERR(extra)) {
		op->result = PTR_ERR(extra);
		return;
	}
	timer_set_lock(set);
	op->result = create_timer(set, t, op, extra, &adm);
	if (!op->result && extra->member)
		twheel_group_join(set, *t);
	create_admit_end(set, &adm);
	timer_set_unlock(set);
	if (op->result)
		create_free_extra(extra);
}

/**
 * twheel_create_timers - create timers and their handles
 * @set: The set.
 * @t: For the timers; %NULL for each operation that fails.
 * @op: The operations, one for each timer. Skips an operation whose result is set
 *	already. Fills in the results and handles of the others.
 * @n: How many operations there are.
 *
 * The caller writes the handles to the program's memory, and then calls
 * twheel_create_finish().
 *
 * Context: process, may sleep. Takes the set's lock.
 */
void twheel_create_timers(struct timer_set *set, struct user_timer **t,
			  struct twheel_op *op, unsigned int n)
{
	enum twheel_lane lane = twheel_share_lane(set);
	unsigned int i, done;

	for (i = 0; i < n; i += done) {
		done = 1;
		t[i] = NULL;
		if (op[i].result)
			continue;
		if (create_wants_extra(&op[i]))
			create_with_extra(set, &t[i], &op[i], lane);
		else
			done = create_plain(set, &t[i], &op[i], n - i, lane);
	}
}

/* Starts new timers. Returns how many. */
static unsigned int create_start(struct timer_set *set, struct user_timer **t,
				 const struct twheel_op *op, unsigned int n)
{
	/* The timers may have been created on another CPU. */
	bool strays = twheel_share_has_strays(set);
	unsigned int i, started = 0;
	struct twheel_phase phase;
	struct twheel_hold hold;

	static_assert(TWHEEL_CHUNK <= TWHEEL_HOLD_MAX);

	twheel_clock_read(&phase);
	twheel_api_hold_begin(&hold);
	for (i = 0; i < n; i++) {
		if (!t[i])
			continue;
		started++;
		if (likely(!t[i]->extra && !strays)) {
			twheel_user_timer_start_for(set, t[i], &op[i], &phase, &hold);
			continue;
		}
		/* This may take locks, of a clock or of another lane. */
		twheel_api_hold_end(&hold);
		twheel_user_timer_arm_for(set, t[i], &op[i], &phase, strays);
		if (user_timer_member(t[i]))
			twheel_group_enlist(t[i]);
		twheel_api_hold_begin(&hold);
	}
	twheel_api_hold_end(&hold);
	return started;
}

/* Removes new timers, whose handles the program does not get. Returns how many. */
static noinline unsigned int create_remove(struct timer_set *set, struct user_timer **t,
					   unsigned int n)
{
	unsigned int i, removed = 0;
	struct ended_timers ended;

	twheel_ended_init(&ended);
	for (i = 0; i < n; i++) {
		if (!t[i])
			continue;
		twheel_user_timer_remove(set, t[i], &ended);
		removed++;
	}
	twheel_ended_finish(set, &ended);
	return removed;
}

/**
 * twheel_create_finish - start new timers, or remove them
 * @set: The set.
 * @t: From twheel_create_timers().
 * @op: The operations that created the timers.
 * @n: How many operations there are; at most %TWHEEL_CHUNK.
 * @lost: The handles could not be written to the program's memory, so the timers are removed.
 *
 * Context: process. Takes the set's lock.
 */
void twheel_create_finish(struct timer_set *set, struct user_timer **t,
			  const struct twheel_op *op, unsigned int n, bool lost)
{
	timer_set_lock(set);
	create_count_down(set, lost ? create_remove(set, t, n) : create_start(set, t, op, n));
	timer_set_unlock(set);
}
