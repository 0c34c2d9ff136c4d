// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * twheel: the wheel
 *
 * A hierarchical timing wheel that cascades, a few timers at a time, and finds the next occupied
 * slot in a bitmap. Documentation/design-wheel.rst has the reasons, and what windows and levels on
 * demand are. The wheel takes no lock, reads no clock and allocates no memory. The owner of a wheel
 * serialises the calls and passes in the time.
 *
 * Model
 *
 * Time is read as digits of base 64, one digit a level. A slot of level n covers 64^n ticks. A
 * level has 128 slots, which are two frames of 64: the current frame and the next one. A timer
 * goes to the lowest level whose two frames contain its deadline. As the hand comes near, the
 * timer is moved down to finer levels. In the end level 0 holds it in the slot of its own tick:
 *
 * Level  Slot           Reach     at HZ=1000          at HZ=250           at HZ=100
 *  0     1               127       1 ms -  127 ms      4 ms -  508 ms     10 ms -   1.3 s
 *  1     64             8127      64 ms -    8 s     256 ms -   33 s     640 ms -    81 s
 *  2     4096         520191       4 s  -    9 min    16 s  -   35 min    41 s  -    87 min
 *  3     262144        3.3e7       4 min -   9 h      17 min -  37 h      44 min -   92 h
 *  4     16777216      2.1e9       5 h  -   25 d      19 h  -   99 d      47 h  -  247 d
 *  5     1073741824    1.4e11     12 d  -  4.3 y      50 d  -   17 y     124 d  -   43 y
 *
 * A timer with a later deadline is filed in the last slot of level 5. When that slot
 * comes up, the timer is filed again by its deadline. So there is no maximum timeout,
 * and 64-bit ticks do not wrap.
 *
 * The coming slot of a level, the one that begins at the next boundary, is closed: a timer that
 * would go there has a place in the two frames of the level below. So the coming slot can be
 * emptied during the whole slot time before its boundary, a few timers on each tick that is
 * visited anyway. Nothing is left in the slot when the boundary comes.
 *
 * Rules (kunit/audit.c checks them)
 *
 * R1. The deadline of a timer in a slot is later than the hand. There are three
 *     exceptions: a timer of the current tick that has yet to be expired, a timer in its
 *     window, and a timer that came overdue from another wheel.
 * R2. A level holds slots 1 to 127 ahead of the hand. The current slot is empty, except
 *     on level 0 while its tick is worked on.
 * R3. A timer's slot begins no later than the timer's deadline. If the timer has not
 *     been extended, the slot also covers the deadline. On a level in @beyond it need not: the
 *     deadline may have been beyond the last slot. On the level of a timer's window the
 *     slot begins less than two slots after the deadline; if the timer has not been
 *     extended, at least one slot after it.
 * R4. The map has a bit for every occupied slot. The slot's count is at least the number
 *     of its timers. Removing a timer touches neither. Where the map has a bit for the
 *     coming slot of a level, @coming has the level. Where it has any bit, @occupied has it.
 * R5. No occupied slot needs a visit before @next.
 *
 * A due timer with TWHEEL_PROCESS does not expire at once. It is deferred, and stays
 * pending until the owner takes it. Timers of one tick run in no particular order.
 */
#include <linux/export.h>
#include <linux/math.h>
#include <linux/math64.h>
#include "twheel_compat.h"
#include "twheel_core.h"

static u64 wheel_current_slot(const struct twheel_wheel *w, unsigned int n)
{
	return w->clk >> TWHEEL_LVL_SHIFT(n);
}

/* The tick at which the coming slot of level @n begins. */
static u64 wheel_boundary(const struct twheel_wheel *w, unsigned int n)
{
	return (wheel_current_slot(w, n) + 1) << TWHEEL_LVL_SHIFT(n);
}

/*
 * The tick by which the wheel must be visited because of @slot. On level 0 that is the
 * timers' own tick. Above level 0 it is the last tick from which the slot can be emptied
 * before its boundary, at TWHEEL_CASCADE_MIN timers a tick.
 */
static u64 wheel_slot_visit_by(const struct twheel_wheel *w, unsigned int n, u64 slot)
{
	u64 ticks;

	if (!n)
		return slot;
	ticks = DIV_ROUND_UP_ULL((u64)w->level[n]->count[slot & TWHEEL_LVL_MASK],
				 TWHEEL_CASCADE_MIN);
	ticks = min(ticks, TWHEEL_LVL_GRAN(n));
	return max((slot << TWHEEL_LVL_SHIFT(n)) - ticks, w->clk + 1);
}

/*
 * This is list_add_tail(), and twheel_wheel_unlink() is list_del(), without the checks of
 * CONFIG_DEBUG_LIST, which distributions build in. The checks would read the neighbours and
 * wait for the cache misses. The lists of timer_list have no such checks either.
 */
static void wheel_link_tail(struct list_head *entry, struct list_head *chain)
{
	struct list_head *last = chain->prev;

	entry->next = chain;
	entry->prev = last;
	chain->prev = entry;
	last->next = entry;
}

/*
 * The count of @slot has passed a multiple of TWHEEL_CASCADE_MIN, or 0. Between two
 * multiples, a slot needs no earlier visit than before.
 */
static noinline void wheel_slot_grows(struct twheel_wheel *w, unsigned int n, u64 slot)
{
	unsigned int i = slot & TWHEEL_LVL_MASK;
	struct twheel_level *level = w->level[n];

	__set_bit(i, level->map);
	w->occupied |= BIT(n);
	if (unlikely(level->count[i] > U32_MAX - TWHEEL_CASCADE_MIN))
		level->count[i] -= TWHEEL_CASCADE_MIN;
	/* No slot needs a visit before the preceding slot begins. */
	if ((slot - 1) << TWHEEL_LVL_SHIFT(n) < w->next)
		w->next = min(w->next, wheel_slot_visit_by(w, n, slot));
}

/*
 * Puts @t, which is in no slot, into a slot. The slot's count picks the chain: a lone
 * timer is always in the first chain, and many timers are spread evenly.
 */
static __always_inline void wheel_put_in_slot(struct twheel_wheel *w, struct twheel_node *t,
					      unsigned int n, u64 slot)
{
	struct twheel_level *level = w->level[n];
	unsigned int i = slot & TWHEEL_LVL_MASK;
	u32 count = level->count[i]++;

	wheel_link_tail(&t->entry, wheel_chain(level, twheel_level_slot(level, i),
					       count * sizeof(struct list_head)));
	if (unlikely(count % TWHEEL_CASCADE_MIN == 0))
		wheel_slot_grows(w, n, slot);
}

/* Asks the owner for the level that a deadline at or after the hand wants. */
void twheel_wheel_want(struct twheel_wheel *w, u64 expires)
{
	u32 levels = (u32)(fls64((expires - w->clk) | 1) - 1) / TWHEEL_LVL_BITS + 1;

	WRITE_ONCE(w->wanted, max(w->wanted, min(levels, (u32)TWHEEL_LVL_DEPTH)));
}

/* The slot of the last level for a deadline that may lie beyond its reach. */
static noinline u64 wheel_last_slot(struct twheel_wheel *w, u64 expires)
{
	const unsigned int n = w->depth - 1;
	u64 here = wheel_current_slot(w, n);

	twheel_wheel_want(w, expires);
	w->beyond |= BIT(n);
	/* Near the end of time, here + TWHEEL_LVL_REACH may overflow. */
	return here + min_t(u64, (expires >> TWHEEL_LVL_SHIFT(n)) - here, TWHEEL_LVL_REACH);
}

/*
 * Files @t, which is in no slot, by @expires, which is later than the hand: on the lowest level
 * whose two frames contain @expires. The distance alone gives that level or the level above. It
 * gives the level above exactly if @expires lies in the coming slot there, which is closed.
 */
static __always_inline void wheel_file_by_deadline(struct twheel_wheel *w, struct twheel_node *t,
						   u64 expires)
{
	unsigned int n = (unsigned int)(fls64(expires - w->clk) - 1) / TWHEEL_LVL_BITS;
	u64 slot;

	if (unlikely(n >= w->depth)) {
		slot = wheel_last_slot(w, expires);
		n = w->depth - 1;
	} else {
		slot = expires >> TWHEEL_LVL_SHIFT(n);
		if (slot - wheel_current_slot(w, n) <= 1 && n)
			slot = expires >> TWHEEL_LVL_SHIFT(--n);
	}
	wheel_put_in_slot(w, t, n, slot);
}

/*
 * Files @t in the slot that is emptied in its window, or else by its deadline; and wants the level
 * for the next such timers. A timer whose slot is too far ahead for the level gets here again as it
 * moves down. A timer for the next tick has no window: perhaps its deadline has passed.
 */
static noinline void wheel_file_in_window(struct twheel_wheel *w, struct twheel_node *t,
					  u64 expires)
{
	unsigned int n = twheel_wheel_window_level(t);
	u64 slot = ((expires - 1) >> TWHEEL_LVL_SHIFT(n)) + 2;
	bool fits = expires - w->clk > 1 && expires <= S64_MAX &&
		    slot - wheel_current_slot(w, n) <= TWHEEL_LVL_REACH;

	if (fits)
		WRITE_ONCE(w->wanted, max(w->wanted, n + 1));
	if (fits && n < w->depth)
		wheel_put_in_slot(w, t, n, slot);
	else
		wheel_file_by_deadline(w, t, expires);
}

static __always_inline void wheel_file_timer(struct twheel_wheel *w, struct twheel_node *t,
					     u64 expires)
{
	if (unlikely(twheel_wheel_has_window(t)))
		wheel_file_in_window(w, t, expires);
	else
		wheel_file_by_deadline(w, t, expires);
}

/* Files a timer that moves down: mostly to level 0, without a search for the level. */
static __always_inline void wheel_file_lower(struct twheel_wheel *w, struct twheel_node *t,
					     u64 expires)
{
	if (expires - w->clk < TWHEEL_LVL_GRAN(1) && !twheel_wheel_has_window(t))
		wheel_put_in_slot(w, t, 0, expires);
	else
		wheel_file_timer(w, t, expires);
}

static struct twheel_node *wheel_slot_first(struct twheel_level *level, unsigned int i)
{
	struct list_head *slot = twheel_level_slot(level, i);
	unsigned int c;

	for (c = 0; c < level->chains; c++)
		if (!list_empty(&slot[c]))
			return list_first_entry(&slot[c], struct twheel_node, entry);
	return NULL;
}

/*
 * Makes an empty wheel, which has no level yet, and needs one for a timer. Its hand is at tick
 * @clk.
 */
void twheel_wheel_init(struct twheel_wheel *w, u64 clk)
{
	memset(w, 0, sizeof(*w));
	w->clk = clk;
	w->next = TWHEEL_NEVER;
	INIT_LIST_HEAD(&w->deferred);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_init);

/*
 * Gives a wheel its next level, @n; or the slots of its level @n more chains, where the timers of a
 * slot stay in one chain. @memory has %TWHEEL_LEVEL_BYTES(@chains) bytes, aligned to a cache line.
 * @chains is a power of two, at most %TWHEEL_SLOT_CHAINS. Returns the memory of the level as it
 * was, or NULL. @coming need not name a new level: its coming slot is empty, and stays so until the
 * hand enters another slot.
 */
void *twheel_wheel_set_level(struct twheel_wheel *w, unsigned int n, void *memory,
			     unsigned int chains)
{
	struct twheel_level *old = n < w->depth ? w->level[n] : NULL, *level = memory;
	unsigned int i, c;

	memset(level, 0, sizeof(*level));
	level->chains = chains;
	level->slot_bytes = chains * sizeof(struct list_head);
	level->chain_mask = (chains - 1) * sizeof(struct list_head);
	for (i = 0; i < TWHEEL_LVL_SIZE * chains; i++)
		INIT_LIST_HEAD(twheel_level_slot(level, 0) + i);
	if (old) {
		memcpy(level->map, old->map, sizeof(level->map));
		memcpy(level->count, old->count, sizeof(level->count));
		for (i = 0; i < TWHEEL_LVL_SIZE; i++)
			for (c = 0; c < old->chains; c++)
				list_splice_tail_init(twheel_level_slot(old, i) + c,
						      twheel_level_slot(level, i));
	} else {
		WRITE_ONCE(w->depth, w->depth + 1);
	}
	w->level[n] = level;
	return old;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_set_level);

/* Gives @t, which is in no slot, a deadline after the hand. */
static __always_inline void wheel_set_deadline(struct twheel_wheel *w, struct twheel_node *t,
					       u64 expires)
{
	expires = clamp(expires, w->clk + 1, TWHEEL_NEVER);
	atomic64_set(&t->state, expires);
	wheel_file_timer(w, t, expires);
}

/*
 * Arms an idle timer. A deadline at or before the hand means the tick after the hand. A deadline
 * above %TWHEEL_NEVER means %TWHEEL_NEVER.
 */
void twheel_wheel_insert(struct twheel_wheel *w, struct twheel_node *t, u64 expires)
{
	wheel_set_deadline(w, t, expires);
	w->pending++;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_insert);

/* Gives a pending timer another deadline. CPUs that only look at @t see it pending throughout. */
void twheel_wheel_change(struct twheel_wheel *w, struct twheel_node *t, u64 expires)
{
	twheel_wheel_unlink(t);
	wheel_set_deadline(w, t, expires);
}

/*
 * Finds the first occupied slot of a level. Returns how many slots ahead of the hand that
 * slot is, or 0 if there is none. Clears the bits of slots that removals have emptied.
 */
static unsigned int wheel_first_occupied(struct twheel_wheel *w, unsigned int n)
{
	unsigned int start = (wheel_current_slot(w, n) + 1) & TWHEEL_LVL_MASK;
	struct twheel_level *level = w->level[n];
	unsigned int i;

	while ((i = find_next_bit_wrap(level->map, TWHEEL_LVL_SIZE, start)) < TWHEEL_LVL_SIZE) {
		if (wheel_slot_first(level, i))
			return ((i - start) & TWHEEL_LVL_MASK) + 1;
		wheel_clear_slot(w, n, i);
	}
	w->occupied &= ~BIT(n);
	return 0;
}

/*
 * Returns the next tick after the hand at which timers expire or a slot must begin to be emptied;
 * the hand itself if its tick is not done; %TWHEEL_NEVER if no slot is occupied.
 */
u64 twheel_wheel_next(struct twheel_wheel *w)
{
	unsigned int n, ahead, i = w->clk & TWHEEL_LVL_MASK;
	u64 slot;

	/* The owner may have taken the last timer of the tick, and not have looked again. */
	if (w->todo == BIT(0) && !wheel_slot_first(w->level[0], i)) {
		wheel_clear_slot(w, 0, i);
		w->todo = 0;
	}
	if (w->todo)
		return w->clk;
	if (unlikely(!w->depth))
		return TWHEEL_NEVER;
	/* No visit comes earlier than the next tick. */
	w->next = w->clk + 1;
	i = (i + 1) & TWHEEL_LVL_MASK;
	if (test_bit(i, w->level[0]->map) && wheel_slot_first(w->level[0], i))
		return w->next;
	w->next = TWHEEL_NEVER;
	for (n = 0; w->occupied >> n; n++) {
		/* From here on, only a coming slot needs a visit before its level's boundary. */
		if (w->next <= wheel_boundary(w, n) && !(w->coming >> n))
			break;
		ahead = w->occupied & BIT(n) ? wheel_first_occupied(w, n) : 0;
		if (!ahead)
			continue;
		slot = wheel_current_slot(w, n) + ahead;
		w->next = min(w->next, wheel_slot_visit_by(w, n, slot));
	}
	return w->next;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_next);

/* Moves the hand to @clk and notes what is to be done at that tick. */
static void wheel_begin_tick(struct twheel_wheel *w, u64 clk)
{
	unsigned int n, i;

	twheel_wheel_set_hand(w, clk);
	w->cursor = 0;
	w->todo = w->depth && test_bit(clk & TWHEEL_LVL_MASK, w->level[0]->map) ? BIT(0) : 0;
	for (n = 1; w->coming >> n; n++) {
		i = (wheel_current_slot(w, n) + 1) & TWHEEL_LVL_MASK;
		if (!test_bit(i, w->level[n]->map)) {
			w->coming &= ~BIT(n);
			continue;
		}
		w->share[n] = max(TWHEEL_CASCADE_MIN, w->level[n]->count[i] /
				  (u32)(wheel_boundary(w, n) - clk) + 1);
		w->todo |= BIT(n);
	}
}

/*
 * Returns the first point after @now of the grid through @last, which is not later than @now; and
 * in @missed how many points are skipped. All in ticks.
 */
u64 twheel_wheel_next_point(u64 last, u64 period, u64 now, u64 *missed)
{
	now = min(now, TWHEEL_NEVER - 1);
	*missed = div64_u64(now - last, period);
	now = last + *missed * period;
	return period < TWHEEL_NEVER - now ? now + period : TWHEEL_NEVER;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_next_point);

/* wheel_file_timer(), out of line */
void twheel_wheel_file(struct twheel_wheel *w, struct twheel_node *t, u64 expires)
{
	wheel_file_timer(w, t, expires);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_file);

/*
 * Moves this tick's share of the coming slot's timers to where they now belong. Stops at a
 * timer that expires, and returns it. Out of line: most calls only take a timer of the tick.
 */
static noinline struct twheel_node *wheel_cascade(struct twheel_wheel *w, unsigned int n,
						  u64 now, unsigned int *budget)
{
	unsigned int i = (wheel_current_slot(w, n) + 1) & TWHEEL_LVL_MASK;
	struct twheel_level *level = w->level[n];
	u32 most = min(w->share[n], *budget), left, taken;
	struct list_head *slot = twheel_level_slot(level, i);
	struct twheel_node *t, *due = NULL;
	bool empty = false;

	for (left = most; left; left--) {
		empty = !wheel_next_in_slot(w, level, slot, &t);
		if (empty || wheel_visit_timer(w, t, now, wheel_file_lower, true))
			break;
	}
	taken = most - left;
	w->cascaded += taken;
	/* Otherwise the loop has ended at a timer that expires. */
	if (left && !empty) {
		due = t;
		taken++;
	}
	*budget -= taken;
	level->count[i] -= taken;
	w->share[n] -= taken;
	if (empty)
		wheel_clear_slot(w, n, i);
	if (!w->share[n] || empty)
		w->todo &= ~BIT(n);
	return due;
}

/* Does what twheel_wheel_expire() does not do in line. */
struct twheel_node *twheel_wheel_advance(struct twheel_wheel *w, u64 now, unsigned int *budget)
{
	struct twheel_node *t = NULL;
	unsigned int n;
	u64 next;

	now = min(now, TWHEEL_NEVER - 1);
	while (*budget) {
		if (!w->todo) {
			if (w->clk >= now)
				break;
			--*budget;
			/* A @next that is too early costs less than a search. */
			next = w->next > w->clk ? w->next : twheel_wheel_next(w);
			wheel_begin_tick(w, min(next, now));
		}
		while (w->todo & BIT(0) && *budget) {
			t = twheel_wheel_expire_next(w, now, budget);
			if (t)
				return t;
		}
		for (n = 1; !t && w->todo >> n; n++)
			if (w->todo & BIT(n))
				t = wheel_cascade(w, n, now, budget);
		if (t)
			break;
	}
	return t;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_advance);

/*
 * Takes a timer out of @w->deferred. Returns true if @t expires, as for twheel_wheel_expire(); or
 * false if @t was extended while it waited, and has been filed anew.
 */
bool twheel_wheel_take(struct twheel_wheel *w, struct twheel_node *t, u64 now)
{
	if (wheel_visit_timer(w, t, now, wheel_file_timer, false))
		return true;
	w->refiled++;
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_take);

/* Returns a pending timer that is in a slot, or NULL. Deferred timers do not count. */
struct twheel_node *twheel_wheel_first(struct twheel_wheel *w)
{
	struct twheel_node *t = NULL;
	unsigned int n, i, ahead;

	/* Only on level 0, while its tick is worked on, can the current slot hold timers. */
	if (w->todo & BIT(0))
		t = wheel_slot_first(w->level[0], w->clk & TWHEEL_LVL_MASK);
	for (n = 0; !t && n < w->depth; n++) {
		ahead = wheel_first_occupied(w, n);
		i = (wheel_current_slot(w, n) + ahead) & TWHEEL_LVL_MASK;
		if (ahead)
			t = wheel_slot_first(w->level[n], i);
	}
	return t;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_first);

/*
 * Moves a pending timer to another wheel. If the hand of @to has reached the timer's deadline, the
 * timer runs on the tick after that hand.
 */
void twheel_wheel_move(struct twheel_wheel *to, struct twheel_wheel *from, struct twheel_node *t)
{
	u64 expires = twheel_wheel_state(t);

	twheel_wheel_drop(from, t);
	to->pending++;
	/* An overdue timer keeps its deadline, which is a point of its grid. */
	if (expires <= to->clk)
		wheel_put_in_slot(to, t, 0, to->clk + 1);
	else
		wheel_file_timer(to, t, expires);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_move);
