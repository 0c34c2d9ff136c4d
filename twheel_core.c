// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the wheel
 *
 * A hierarchical timing wheel that cascades, as the kernel's own did until it
 * was rewritten in 2016, with the two faults taken out for which it was. No
 * lock, no clock and no allocation is in here: the owner of a wheel serialises
 * the calls and says what time it is.
 *
 * Model
 *
 * Time is read as digits of base 64, one digit a level. A slot of level n
 * covers 64^n ticks, and a level has slots for two frames, the current one and
 * the one after it, 128 in all. A timer goes to the lowest level in whose two
 * frames its deadline lies; when the hand comes near, its slot is moved down
 * to finer levels, until level 0 holds it in the slot of its very tick:
 *
 * Level  Slot           Reach     at HZ=1000          at HZ=250           at HZ=100
 *  0     1               127       1 ms -  127 ms      4 ms -  508 ms     10 ms -   1.3 s
 *  1     64             8127      64 ms -    8 s     256 ms -   33 s     640 ms -    81 s
 *  2     4096         520191       4 s  -    9 min    16 s  -   35 min    41 s  -    87 min
 *  3     262144        3.3e7       4 min -   9 h      17 min -  37 h      44 min -   92 h
 *  4     16777216      2.1e9       5 h  -   25 d      19 h  -   99 d      47 h  -  247 d
 *  5     1073741824    1.4e11     12 d  -  4.3 y      50 d  -   17 y     124 d  -   43 y
 *
 * A deadline beyond that is filed in the last slot of level 5, and by its own
 * deadline again when that slot comes up. So there is no maximum timeout, and
 * with 64-bit ticks no wrap.
 *
 * Why cascade, and what it costs
 *
 * The kernel's timer wheel leaves a timer in the slot it was filed in, and
 * pays with lateness: up to an eighth of the distance. Here a timer runs on its
 * tick, and pays with being moved: up to once a level, on average three times
 * for a timer an hour away that is never pushed back. Most are pushed back or
 * cancelled first and never pay. Where being an eighth late is welcome,
 * timer_list is the better tool.
 *
 * The classic cascade moved a whole slot at once when the hand crossed its
 * boundary, half a million timers in one tick if so many lay in the slot. This
 * is what the second frame is for. The coming slot of a level, the one that
 * begins at the next boundary, is closed: what would go there fits the two
 * frames of the level below. So it can be emptied early, during the whole slot
 * time before it, a few timers on each tick that is visited anyway, and nothing
 * is left when the boundary comes.
 *
 * Windows
 *
 * A timer that may run late, within a window, need not be moved to level 0. It
 * goes to the slot that is moved down during the window, on the highest level
 * whose slots are narrow enough, and runs when its turn to be moved comes:
 *
 *	            deadline                        deadline + slack
 *	               |<------------------------------->|
 *	|         |         | runs here |               level n
 *	  slot s-2   slot s-1             slot s: filed here
 *
 * Two slots of the level fit into the window, so one lies wholly in it, and
 * slot s is the one after that. Nobody runs late for it: the slot time before
 * it is when slot s is emptied.
 *
 * Rules (twheel_wheel_audit() checks them)
 *
 * R1. A pending timer's deadline is later than the hand, but for those of the
 *     current tick that still wait to be expired, those in their window, and
 *     those that came overdue from another wheel and wait for the next tick.
 * R2. A level holds slots 1 to 127 ahead of the hand. The current slot is
 *     empty, but for the one of level 0 while its tick is worked on.
 * R3. A timer's slot begins no later than its deadline; without an extension
 *     it covers its deadline, but on the top level, where the deadline may have
 *     been beyond the last slot. On the level of its window, the slot before
 *     begins no later than two slots after the deadline.
 * R4. The map has a bit for every occupied slot, and the slot's count is at
 *     least the number of its timers. Removing a timer touches neither.
 * R5. No occupied slot needs a visit before @next.
 *
 * A timer whose callback needs process context is not ended when it is due: it
 * is deferred, and still pending until the owner takes it.
 *
 * No order is promised among timers of one tick.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/prefetch.h>
#include "twheel_compat.h"
#include "twheel_core.h"

static u64 current_slot(const struct twheel_wheel *w, unsigned int n)
{
	return w->clk >> TWHEEL_LVL_SHIFT(n);
}

/*
 * The lowest level in whose two frames @expires lies. The distance alone finds
 * it, or the one above; it is the one above just where that would mean the
 * coming slot, which is closed.
 */
static unsigned int level_of(const struct twheel_wheel *w, u64 expires)
{
	unsigned int n = (unsigned int)(fls64((expires - w->clk) | 1) - 1) / TWHEEL_LVL_BITS;

	if (n >= TWHEEL_LVL_DEPTH)
		return TWHEEL_LVL_DEPTH - 1;
	if (n && (expires >> TWHEEL_LVL_SHIFT(n)) - current_slot(w, n) <= 1)
		n--;
	return n;
}

/*
 * The latest tick for which the wheel must be visited on account of @slot: the
 * timers' own tick on level 0, above it the last that leaves enough ticks
 * before the boundary to empty the slot at TWHEEL_CASCADE_MIN a tick.
 */
static u64 slot_visit(const struct twheel_wheel *w, unsigned int n, u64 slot)
{
	u64 ticks;

	if (!n)
		return slot;
	ticks = DIV_ROUND_UP_ULL((u64)w->count[n][slot & TWHEEL_LVL_MASK], TWHEEL_CASCADE_MIN);
	ticks = min(ticks, TWHEEL_LVL_GRAN(n));
	return max((slot << TWHEEL_LVL_SHIFT(n)) - ticks, w->clk + 1);
}

/*
 * list_add_tail() and list_del() without their checks of the neighbours, which
 * distributions build in, and timer_list's kind of list does not have: what is
 * cold is not to be waited for.
 */
static void link_tail(struct list_head *entry, struct list_head *chain)
{
	struct list_head *last = chain->prev;

	entry->next = chain;
	entry->prev = last;
	chain->prev = entry;
	last->next = entry;
}

static void unlink(struct twheel_timer *t)
{
	__list_del(t->entry.prev, t->entry.next);
}

/*
 * Puts @t, which is in no slot, into one. The slot's count picks the chain, so
 * that a lone timer is always in the first one and many are spread evenly.
 */
static __always_inline void put(struct twheel_wheel *w, struct twheel_timer *t,
				unsigned int n, u64 slot)
{
	unsigned int i = slot & TWHEEL_LVL_MASK;
	u32 count = w->count[n][i];

	link_tail(&t->entry, &w->slot[n][i].chain[count % TWHEEL_SLOT_CHAINS]);
	w->count[n][i] = count + (count != U32_MAX);
	__set_bit(i, w->map[n]);
	/* No slot is visited earlier than the one before it begins. */
	if ((slot - 1) << TWHEEL_LVL_SHIFT(n) < w->next)
		w->next = min(w->next, slot_visit(w, n, slot));
}

/* The slot of level @n that is moved down in the window of a timer; 0: of no use. */
static u64 window_slot(const struct twheel_wheel *w, unsigned int n, u64 expires)
{
	u64 slot = ((expires - 1) >> TWHEEL_LVL_SHIFT(n)) + 2;

	/* If it is too far, what is moved down gets here later. */
	if (expires > S64_MAX || slot - current_slot(w, n) > TWHEEL_LVL_REACH)
		return 0;
	return slot;
}

/* Files @t, which is in no slot, for @expires, a tick after the hand. */
static void file(struct twheel_wheel *w, struct twheel_timer *t, u64 expires)
{
	unsigned int n = twheel_wheel_window_level(t);
	u64 slot = 0, here;

	if (unlikely(n))
		slot = window_slot(w, n, expires);
	if (!slot) {
		n = level_of(w, expires);
		here = current_slot(w, n);
		/* The distance, not the slot, is what has room near the end of time. */
		slot = here + min_t(u64, (expires >> TWHEEL_LVL_SHIFT(n)) - here, TWHEEL_LVL_REACH);
	}
	put(w, t, n, slot);
}

static struct twheel_timer *slot_first(struct twheel_slot *slot)
{
	unsigned int c;

	for (c = 0; c < TWHEEL_SLOT_CHAINS; c++)
		if (!list_empty(&slot->chain[c]))
			return list_first_entry(&slot->chain[c],
						struct twheel_timer, entry);
	return NULL;
}

static void clear_slot(struct twheel_wheel *w, unsigned int n, unsigned int i)
{
	__clear_bit(i, w->map[n]);
	w->count[n][i] = 0;
}

/**
 * twheel_wheel_init - make an empty wheel
 * @w: Memory for it.
 * @clk: The hand.
 */
void twheel_wheel_init(struct twheel_wheel *w, u64 clk)
{
	unsigned int n, i, c;

	memset(w, 0, offsetof(struct twheel_wheel, slot));
	w->clk = clk;
	w->next = TWHEEL_NEVER;
	INIT_LIST_HEAD(&w->deferred);
	for (n = 0; n < TWHEEL_LVL_DEPTH; n++)
		for (i = 0; i < TWHEEL_LVL_SIZE; i++)
			for (c = 0; c < TWHEEL_SLOT_CHAINS; c++)
				INIT_LIST_HEAD(&w->slot[n][i].chain[c]);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_init);

/* Gives @t, which is in no slot, a deadline after the hand. */
static void set_deadline(struct twheel_wheel *w, struct twheel_timer *t,
			 u64 expires)
{
	expires = clamp(expires, w->clk + 1, TWHEEL_NEVER);
	atomic64_set(&t->state, expires);
	file(w, t, expires);
}

/**
 * twheel_wheel_insert - arm a timer
 * @w: The wheel.
 * @t: An idle timer.
 * @expires: Its deadline. One that has come or gone by means the next tick.
 */
void twheel_wheel_insert(struct twheel_wheel *w, struct twheel_timer *t,
			 u64 expires)
{
	set_deadline(w, t, expires);
	w->pending++;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_insert);

/**
 * twheel_wheel_change - give a pending timer another deadline
 * @w: The wheel that @t is in.
 * @t: A pending timer; it is pending throughout, for those who only look.
 * @expires: Its deadline, as for twheel_wheel_insert().
 */
void twheel_wheel_change(struct twheel_wheel *w, struct twheel_timer *t,
			 u64 expires)
{
	unlink(t);
	set_deadline(w, t, expires);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_change);

/**
 * twheel_wheel_remove - disarm a timer
 * @w: The wheel that @t is in, if it is pending.
 * @t: The timer.
 * @state: TWHEEL_IDLE, or TWHEEL_DEAD for one never to be armed again.
 *
 * Return: whether @t was pending.
 */
bool twheel_wheel_remove(struct twheel_wheel *w, struct twheel_timer *t,
			 u64 state)
{
	u64 expires = twheel_wheel_state(t);

	if (!twheel_wheel_state_pending(expires)) {
		if (state == TWHEEL_DEAD)
			atomic64_set(&t->state, state);
		return false;
	}
	/* It may be extended meanwhile, but not cease to be pending. */
	atomic64_set(&t->state, state);
	unlink(t);
	t->last = expires;
	w->pending--;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_remove);

/*
 * How many slots ahead of the hand the first occupied one of a level is, or 0.
 * Clears the bits of slots that have been emptied by removals.
 */
static unsigned int first_occupied(struct twheel_wheel *w, unsigned int n)
{
	unsigned int start = (current_slot(w, n) + 1) & TWHEEL_LVL_MASK;
	unsigned int i;

	for (;;) {
		i = find_next_bit(w->map[n], TWHEEL_LVL_SIZE, start);
		if (i == TWHEEL_LVL_SIZE)
			i = find_first_bit(w->map[n], TWHEEL_LVL_SIZE);
		if (i == TWHEEL_LVL_SIZE)
			return 0;
		if (slot_first(&w->slot[n][i]))
			return ((i - start) & TWHEEL_LVL_MASK) + 1;
		clear_slot(w, n, i);
	}
}

/**
 * twheel_wheel_next - find the next tick that needs a visit
 * @w: The wheel.
 *
 * Return: A tick later than the hand, for which a timer waits or a slot must
 * begin to move; the hand itself if its tick is not done; TWHEEL_NEVER if
 * nothing is pending.
 */
u64 twheel_wheel_next(struct twheel_wheel *w)
{
	unsigned int n, ahead;

	if (w->todo)
		return w->clk;
	w->next = TWHEEL_NEVER;
	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		ahead = first_occupied(w, n);
		if (ahead)
			w->next = min(w->next, slot_visit(w, n, current_slot(w, n) + ahead));
	}
	return w->next;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_next);

/* Moves the hand to @clk and lays out the work of that tick. */
static void begin_tick(struct twheel_wheel *w, u64 clk)
{
	unsigned int n, i;
	u64 coming;

	w->clk = clk;
	w->cursor = 0;
	w->todo = test_bit(clk & TWHEEL_LVL_MASK, w->map[0]) ? BIT(0) : 0;
	for (n = 1; n < TWHEEL_LVL_DEPTH; n++) {
		coming = current_slot(w, n) + 1;
		i = coming & TWHEEL_LVL_MASK;
		if (!test_bit(i, w->map[n]))
			continue;
		w->share[n] = max(TWHEEL_CASCADE_MIN, w->count[n][i] /
				  (u32)((coming << TWHEEL_LVL_SHIFT(n)) - clk) + 1);
		w->todo |= BIT(n);
	}
}

/*
 * The next timer of a slot. The chains are walked side by side: each is a list
 * of cold timers, and four cache misses at a time cost little more than one. A
 * lock or a callback would end that, so the next of a chain is fetched when its
 * turn is three timers away.
 */
static struct twheel_timer *next_in(struct twheel_wheel *w,
				    struct twheel_slot *slot)
{
	struct twheel_timer *t;
	struct list_head *chain;
	unsigned int c;

	for (c = 0; c < TWHEEL_SLOT_CHAINS; c++) {
		chain = &slot->chain[w->cursor++ % TWHEEL_SLOT_CHAINS];
		if (list_empty(chain))
			continue;
		t = list_first_entry(chain, struct twheel_timer, entry);
		prefetch(t->entry.next);
		return t;
	}
	return NULL;
}

/* Ends the waiting of @t, which is in no slot, if its deadline has come. */
static bool try_expire(struct twheel_wheel *w, struct twheel_timer *t)
{
	s64 state = twheel_wheel_state(t);

	while ((u64)state <= w->clk) {
		if (!atomic64_try_cmpxchg(&t->state, &state, TWHEEL_DUE))
			continue;
		t->last = state;
		w->pending--;
		return true;
	}
	return false;
}

/* The tick to visit after the hand; what is known of it is good enough. */
static u64 next_visit(struct twheel_wheel *w)
{
	return w->next > w->clk ? w->next : twheel_wheel_next(w);
}

/**
 * struct expiry - what a call of twheel_wheel_expire() does
 * @budget: How many timers it may still move or expire, and ticks visit.
 * @room: How many timers may still go to @due.
 * @due: Where the next one goes.
 */
struct expiry {
	unsigned int		budget;
	unsigned int		room;
	struct twheel_timer	**due;
};

/*
 * Takes @t off its slot, whose time has come: the timer expires, is deferred, or
 * filed anew. Returns whether it expires.
 */
static inline bool visit(struct twheel_wheel *w, struct twheel_timer *t,
			 struct expiry *e)
{
	e->budget--;
	unlink(t);
	if (t->flags & TWHEEL_PROCESS && twheel_wheel_state(t) <= w->clk) {
		list_add_tail(&t->entry, &w->deferred);
		return false;
	}
	if (!try_expire(w, t)) {
		file(w, t, twheel_wheel_state(t));
		return false;
	}
	*e->due++ = t;
	e->room--;
	return true;
}

/* Moves this tick's share of a coming slot to where its timers now belong. */
static void cascade(struct twheel_wheel *w, unsigned int n, struct expiry *e)
{
	unsigned int i = (current_slot(w, n) + 1) & TWHEEL_LVL_MASK;
	struct twheel_timer *t;

	while (w->todo & BIT(n) && e->budget && e->room) {
		t = next_in(w, &w->slot[n][i]);
		if (!t) {
			clear_slot(w, n, i);
			w->todo &= ~BIT(n);
			break;
		}
		w->count[n][i]--;
		if (!--w->share[n])
			w->todo &= ~BIT(n);
		if (!visit(w, t, e))
			w->cascaded++;
	}
}

/* Expires the current tick's timers; those extended are filed anew. */
static void expire_tick(struct twheel_wheel *w, struct expiry *e)
{
	unsigned int i = w->clk & TWHEEL_LVL_MASK;
	struct twheel_timer *t;

	while (e->budget && e->room) {
		t = next_in(w, &w->slot[0][i]);
		if (!t) {
			clear_slot(w, 0, i);
			w->todo &= ~BIT(0);
			break;
		}
		if (!visit(w, t, e))
			w->refiled++;
	}
}

/**
 * twheel_wheel_expire - advance the wheel, and take timers off it that are due
 * @w: The wheel.
 * @now: How far the hand may move.
 * @budget: How many timers may be moved or expired and ticks visited; what is
 *	left of it is stored back.
 * @due: For the timers.
 * @max: How many there is room for.
 *
 * Timers come tick by tick. A call goes on where the one before it stopped.
 * Between calls any timer may be inserted, removed or extended.
 *
 * A timer that is returned is in no slot, and TWHEEL_DUE: nobody can push it
 * back any more. Its @last is its deadline. twheel_wheel_begin() must follow, or
 * twheel_wheel_return(). Timers with %TWHEEL_PROCESS are not returned but put into
 * @w->deferred, for twheel_wheel_take().
 *
 * Return: How many timers. If less than @max, all that is due at @now has been
 * returned if some of @budget is left, and there is more to do if none is.
 */
unsigned int twheel_wheel_expire(struct twheel_wheel *w, u64 now,
				 unsigned int *budget,
				 struct twheel_timer **due, unsigned int max)
{
	struct expiry e = { .budget = *budget, .room = max, .due = due };
	unsigned int n;

	now = min(now, TWHEEL_NEVER - 1);
	while (e.budget && e.room) {
		if (!w->todo) {
			if (w->clk >= now)
				break;
			e.budget--;
			begin_tick(w, min(next_visit(w), now));
		}
		if (w->todo & BIT(0))
			expire_tick(w, &e);
		for (n = 1; w->todo >> n; n++)
			cascade(w, n, &e);
	}
	*budget = e.budget;
	return max - e.room;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_expire);

/**
 * twheel_wheel_take - take a timer that was deferred to process context
 * @w: The wheel.
 * @t: A timer in @w->deferred.
 *
 * Return: %true if @t was due, as from twheel_wheel_expire(); %false if it was
 * extended while it waited, and has been filed anew.
 */
bool twheel_wheel_take(struct twheel_wheel *w, struct twheel_timer *t)
{
	unlink(t);
	if (try_expire(w, t))
		return true;
	file(w, t, twheel_wheel_state(t));
	w->refiled++;
	return false;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_take);

/* The first point after @now of the grid that a periodic timer runs on. */
static u64 next_period(const struct twheel_timer *t, u64 now, u64 *missed)
{
	*missed = div_u64(now - t->last, t->period);
	now = t->last + *missed * t->period;
	return now < TWHEEL_NEVER - t->period ? now + t->period : TWHEEL_NEVER;
}

/**
 * twheel_wheel_begin - say that the callback of a timer begins
 * @w: The wheel.
 * @t: A timer that was due.
 * @now: The current tick.
 *
 * The timer becomes idle. One that is periodic is armed again instead, and never
 * seen idle.
 *
 * Return: How many points of its grid a periodic timer has passed over.
 */
u64 twheel_wheel_begin(struct twheel_wheel *w, struct twheel_timer *t, u64 now)
{
	u64 next, missed;

	if (!t->period) {
		twheel_wheel_end_due(t);
		return 0;
	}
	next = next_period(t, clamp(now, w->clk, TWHEEL_NEVER - 1), &missed);
	twheel_wheel_insert(w, t, next);
	return missed;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_begin);

/**
 * twheel_wheel_return - make a timer that was due pending again
 * @w: The wheel.
 * @t: The timer. The caller removes it or changes its deadline next: it is in no
 *	slot.
 */
void twheel_wheel_return(struct twheel_wheel *w, struct twheel_timer *t)
{
	u64 expires = t->last;

	INIT_LIST_HEAD(&t->entry);
	atomic64_set(&t->state, expires);
	w->pending++;
}

/**
 * twheel_wheel_first - find some pending timer that is in a slot
 * @w: The wheel.
 *
 * Return: A pending timer, or %NULL if there is none but in @w->deferred.
 */
struct twheel_timer *twheel_wheel_first(struct twheel_wheel *w)
{
	unsigned int n, i, ahead;

	/* Nothing but level 0 of a tick in progress has timers in a current slot. */
	i = w->clk & TWHEEL_LVL_MASK;
	if (w->todo & BIT(0) && slot_first(&w->slot[0][i]))
		return slot_first(&w->slot[0][i]);

	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		ahead = first_occupied(w, n);
		i = (current_slot(w, n) + ahead) & TWHEEL_LVL_MASK;
		if (ahead)
			return slot_first(&w->slot[n][i]);
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_first);

/**
 * twheel_wheel_move - move a pending timer to another wheel
 * @to: Where to.
 * @from: Where from.
 * @t: A timer pending in @from.
 *
 * A timer that should have run by the hand of @to runs on its next tick.
 */
void twheel_wheel_move(struct twheel_wheel *to, struct twheel_wheel *from,
		       struct twheel_timer *t)
{
	u64 expires = twheel_wheel_state(t);

	unlink(t);
	from->pending--;
	to->pending++;
	/* Overdue, it keeps its deadline, which is a point of its grid. */
	if (expires <= to->clk)
		put(to, t, 0, to->clk + 1);
	else
		file(to, t, expires);
}
EXPORT_SYMBOL_IF_KUNIT(twheel_wheel_move);
