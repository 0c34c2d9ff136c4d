// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: states of a small wheel
 */
#include <assert.h>
#include "state.h"

#define OVERDUE		32	/* how many ticks a deadline may lie behind the hand */
#define NEVER		255	/* in place of ticks from now */
#define LEVELS		TWHEEL_LVL_DEPTH
#define SLOTS		TWHEEL_LVL_SIZE
#define DEFERRED	(LEVELS * SLOTS)
#define LEAST		TWHEEL_CASCADE_MIN

/* How a timer is stored: 16 bits. */
struct place {
	u16	due : 8;	/* OVERDUE + ticks from the hand */
	u16	slot : 4;	/* level * SLOTS + slot, or DEFERRED */
	u16	kind : 4;
};

/* How a wheel is stored. The timers of a slot are in the order of their list. */
struct packed {
	u8		hand;
	u8		next;
	u16		todo : 4;
	u16		coming : 2;	/* of the levels above level 0 */
	u16		depth : 2;
	u16		share : 8;
	u16		count[LEVELS];	/* four bits a slot; 0: no bit in the map */
	struct place	place[STATE_TIMERS];
};

const char * const state_kind_names[STATE_KINDS] = {
	"exact", "window 1", "window 2", "process", "periodic",
};

static struct world empty;
static u64 base;
static bool wrap;

/* The hand begins at @start. @wraps: only its remainder is kept. */
void state_init(u64 start, bool wraps)
{
	static_assert(sizeof(struct packed) == sizeof(struct state));
	static_assert(LEVELS == 3 && SLOTS == 4 && TWHEEL_SLOT_CHAINS == 1);
	static_assert(STATE_COUNT(LEVELS - 1) + LEAST < 16);

	base = start;
	wrap = wraps;
	world_init(&empty, STATE_TIMERS, start);
}

void state_kind(struct subject *s, enum state_kind kind)
{
	world_kind(s, kind == STATE_WINDOW_1 ? 2 * TWHEEL_LVL_GRAN(1) :
		      kind == STATE_WINDOW_2 ? 2 * TWHEEL_LVL_GRAN(2) : 0,
		   kind == STATE_PROCESS ? TWHEEL_PROCESS : 0,
		   kind == STATE_PERIODIC ? 3 : 0);
}

static enum state_kind kind_of(const struct subject *s)
{
	if (s->timer.period)
		return STATE_PERIODIC;
	if (s->timer.flags & TWHEEL_PROCESS)
		return STATE_PROCESS;
	return twheel_wheel_window_level(&s->timer);
}

static u8 ticks_from(u64 from, u64 tick, unsigned int bias)
{
	return tick == TWHEEL_NEVER ? NEVER : tick - from + bias;
}

static u64 tick_at(u64 from, u8 ticks, unsigned int bias)
{
	return ticks == NEVER ? TWHEEL_NEVER : from + ticks - bias;
}

/* Whether @slot of level @n is where the wheel files a timer of this deadline. */
static bool covers(const struct world *w, const struct subject *s, unsigned int n, u64 slot)
{
	u64 ends = (slot - 1) << TWHEEL_LVL_SHIFT(n);

	if (n && n == twheel_wheel_window_level(&s->timer) &&
	    s->due <= ends && s->due > ends - TWHEEL_LVL_GRAN(n))
		return true;
	if (n == w->wheel.depth - 1)
		return s->due >> TWHEEL_LVL_SHIFT(n) >= slot;
	return s->due >> TWHEEL_LVL_SHIFT(n) == slot;
}

/*
 * The count that is kept of a slot with @timers timers: one that acts as the slot's own.
 * Above a limit, only the remainder by the least share matters. On level 0 the limit is @timers.
 */
static u32 count_of(const struct twheel_wheel *wheel, unsigned int n, unsigned int i,
		    unsigned int timers)
{
	u32 limit = n ? STATE_COUNT(n) : timers;
	u32 count = wheel->level[n]->count[i];

	return count > limit ? limit + (count - limit) % LEAST : count;
}

/* Packs the timers of a list. Returns how many there are. */
static unsigned int pack_list(const struct world *w, const struct list_head *list,
			      unsigned int slot, struct place *place)
{
	const struct subject *s;
	unsigned int n = 0;

	list_for_each_entry(s, list, timer.entry) {
		u64 due = slot == DEFERRED ? max(s->due, w->wheel.clk) : s->due;

		place[n].due = ticks_from(w->wheel.clk, due, OVERDUE);
		place[n].slot = slot;
		place[n].kind = kind_of(s);
		n++;
	}
	return n;
}

struct state state_of(const struct world *w)
{
	const struct twheel_wheel *wheel = &w->wheel;
	struct packed p = { .todo = wheel->todo, .coming = wheel->coming >> 1,
			    .depth = wheel->depth };
	unsigned int packed = 0, timers, n, i;
	struct state state;
	u32 share = 0;

	p.hand = wrap ? (wheel->clk - base) % STATE_PERIOD : wheel->clk - base;
	p.next = wheel->next > wheel->clk ? ticks_from(wheel->clk, wheel->next, 0) : 0;
	for (n = 0; n < wheel->depth; n++) {
		for (i = 0; i < SLOTS; i++) {
			timers = pack_list(w, twheel_level_slot(wheel->level[n], i), n * SLOTS + i,
					   p.place + packed);
			packed += timers;
			if (test_bit(i, wheel->level[n]->map))
				p.count[n] |= (count_of(wheel, n, i, timers) + 1) << 4 * i;
		}
		if (n && wheel->todo & BIT(n))
			share |= min(wheel->share[n], STATE_TIMERS + 1U) << 4 * (n - 1);
	}
	p.share = share;
	packed += pack_list(w, &wheel->deferred, DEFERRED, p.place + packed);
	while (packed < STATE_TIMERS)
		p.place[packed++].kind = STATE_IDLE;
	memcpy(&state, &p, sizeof(state));
	return state;
}

static unsigned int oddities_of_slot(const struct world *w, unsigned int n, unsigned int i)
{
	u64 here = w->wheel.clk >> TWHEEL_LVL_SHIFT(n);
	u64 slot = here + ((i - here) & TWHEEL_LVL_MASK);
	unsigned int odd = 0, timers = 0;
	const struct subject *s;

	list_for_each_entry(s, twheel_level_slot(w->wheel.level[n], i), timer.entry) {
		odd += !covers(w, s, n, slot);
		timers++;
	}
	if (!test_bit(i, w->wheel.level[n]->map))
		return odd;
	return odd + max(count_of(&w->wheel, n, i, timers) - timers, !n && !timers);
}

/*
 * How far a wheel is from the one in which the same timers have just been armed. An
 * oddity is a timer whose slot does not cover its deadline, because the timer was extended,
 * came overdue, or was filed when the wheel had fewer levels; a removed timer that a slot
 * still counts; a bit of an empty slot of level 0; or a @next that is too early. The wheel
 * changes: it searches.
 */
unsigned int state_oddities(struct world *w)
{
	u64 next = w->wheel.next;
	unsigned int odd = 0, n, i;

	for (n = 0; n < w->wheel.depth; n++)
		for (i = 0; i < SLOTS; i++)
			odd += oddities_of_slot(w, n, i);
	return odd + (next > w->wheel.clk && next < twheel_wheel_next(&w->wheel));
}

/* Puts a timer into the slot @i of level @n, and says what is expected of it there. */
static void restore_in_slot(struct world *w, struct subject *s, unsigned int n, unsigned int i)
{
	struct twheel_wheel *wheel = &w->wheel;
	u64 here = wheel->clk >> TWHEEL_LVL_SHIFT(n);
	u64 ahead = (i - here) & TWHEEL_LVL_MASK;

	list_add_tail(&s->timer.entry, twheel_level_slot(wheel->level[n], i));
	/* An overdue timer came from another wheel, and expires on the next tick. */
	s->end = s->due > U64_MAX - s->slack ? U64_MAX : s->due + s->slack;
	s->end = max(s->end, wheel->clk + (n || ahead));
	s->extended = !covers(w, s, n, here + ahead);
	if (s->due >> TWHEEL_LVL_SHIFT(n) != here + ahead && n == wheel->depth - 1)
		wheel->beyond = BIT(n);
}

void state_restore(struct world *w, const struct state *state)
{
	struct packed p;
	unsigned int n, i;

	memcpy(&p, state, sizeof(p));
	memcpy(w, &empty, sizeof(*w));
	twheel_wheel_init(&w->wheel, base + p.hand);
	while (w->wheel.depth < p.depth)
		world_add_level(w, 1);
	w->wheel.next = p.next ? tick_at(w->wheel.clk, p.next, 0) : w->wheel.clk;
	w->wheel.todo = p.todo;
	w->wheel.coming = p.coming << 1;
	for (n = 0; n < p.depth; n++) {
		w->wheel.share[n] = n ? p.share >> 4 * (n - 1) & 15 : 0;
		for (i = 0; i < SLOTS; i++) {
			u32 count = p.count[n] >> 4 * i & 15;

			if (!count)
				continue;
			__set_bit(i, w->wheel.level[n]->map);
			w->wheel.occupied |= BIT(n);
			w->wheel.level[n]->count[i] = count - 1;
		}
	}
	for (i = 0; i < STATE_TIMERS; i++) {
		struct subject *s = &w->subject[i];
		unsigned int slot = p.place[i].slot;

		if (p.place[i].kind == STATE_IDLE)
			continue;
		state_kind(s, p.place[i].kind);
		s->armed = true;
		s->due = tick_at(w->wheel.clk, p.place[i].due, OVERDUE);
		s->deferred = slot == DEFERRED;
		atomic64_set(&s->timer.state, s->due);
		w->wheel.pending++;
		if (s->deferred)
			list_add_tail(&s->timer.entry, &w->wheel.deferred);
		else
			restore_in_slot(w, s, slot / SLOTS, slot % SLOTS);
	}
}
