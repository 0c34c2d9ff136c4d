// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: a wheel with a few timers in a program, next to a model of it
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "world.h"

/* Another wheel, from which timers arrive. */
static struct twheel_wheel elsewhere;
static u8 elsewhere_memory[TWHEEL_LEVEL_BYTES(1)] ____cacheline_aligned;

void world_fail(struct world *w, const char *format, ...)
{
	const char *wrong = twheel_wheel_audit(&w->wheel, true);
	va_list args;

	world_show_history();
	printf("# hand %llu, todo %x: ", w->wheel.clk, w->wheel.todo);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n# audit: %s\n", wrong ?: "nothing");
	exit(1);
}

/* The wheel has no level yet. */
void world_init(struct world *w, unsigned int timers, u64 clk)
{
	memset(w, 0, sizeof(*w));
	w->timers = timers;
	twheel_wheel_init(&w->wheel, clk);
	twheel_wheel_init(&elsewhere, clk);
	twheel_wheel_set_level(&elsewhere, 0, elsewhere_memory, 1);
}

void world_add_level(struct world *w, unsigned int chains)
{
	unsigned int n = w->wheel.depth;

	twheel_wheel_set_level(&w->wheel, n, w->memory[0][n], chains);
	world_expect(w, w->wheel.depth == n + 1, "set_level() makes it %u levels", n);
}

static void do_widen_level(struct world *w, unsigned int n, unsigned int chains)
{
	void *old = w->wheel.level[n];
	bool first = old == w->memory[0][n];

	world_expect(w, twheel_wheel_set_level(&w->wheel, n, w->memory[first][n], chains) == old,
		     "set_level() returns other memory");
	/* Nothing may use it any more. */
	memset(old, 0xa5, sizeof(w->memory[0][n]));
}

void world_kind(struct subject *s, u64 slack, u32 flags, u32 period)
{
	s->slack = slack;
	s->timer.flags = flags | twheel_wheel_window_flags(slack);
	s->timer.period = period;
}

/* The timer has a new place in the wheel, and the deadline @due. */
static void note_filed(struct subject *s, u64 due)
{
	s->armed = true;
	s->extended = false;
	s->deferred = false;
	s->due = due;
	s->end = world_later(due, s->slack);
}

/* The deadline that the wheel gives to a timer which is armed for @expires. */
static u64 deadline(const struct world *w, u64 expires)
{
	return clamp(expires, w->wheel.clk + 1, TWHEEL_NEVER);
}

/* The wheel has noted how many levels would serve the timer: for its distance, and its window. */
static void expect_wanted(struct world *w, const struct subject *s, u32 before)
{
	const unsigned int n = twheel_wheel_window_level(&s->timer), shift = TWHEEL_LVL_SHIFT(n);
	u64 distance = s->due - w->wheel.clk;
	u64 slots = ((s->due - 1) >> shift) - (w->wheel.clk >> shift) + 2;
	u32 wanted = 1;

	/* The next tick may stand for a deadline whose window is over. */
	if (n && distance > 1 && s->due <= S64_MAX && slots <= TWHEEL_LVL_REACH)
		before = max(before, n + 1);
	while (wanted < TWHEEL_LVL_DEPTH && distance >> TWHEEL_LVL_SHIFT(wanted))
		wanted++;
	/* A timer with a window may be served on a lower level. */
	if (!(distance >> TWHEEL_LVL_SHIFT(w->wheel.depth)) ||
	    (w->wheel.wanted == before && twheel_wheel_has_window(&s->timer)))
		wanted = before;
	world_expect(w, w->wheel.wanted == max(wanted, before), "%u levels are wanted, not %u",
		     w->wheel.wanted, max(wanted, before));
}

/* Arms a timer, or changes its deadline. */
static void do_file(struct world *w, struct subject *s, u64 expires,
		    void (*file)(struct twheel_wheel *w, struct twheel_node *t, u64 expires))
{
	u32 wanted = w->wheel.wanted;

	file(&w->wheel, &s->timer, expires);
	note_filed(s, deadline(w, expires));
	expect_wanted(w, s, wanted);
}

static void do_extend(struct world *w, struct subject *s, u64 expires)
{
	bool may = s->armed && expires >= s->due;
	bool did = twheel_wheel_extend(&s->timer, expires);

	world_expect(w, did == may, "extend() to %llu returns %d", expires, did);
	if (!did)
		return;
	s->extended = true;
	s->due = min_t(u64, expires, TWHEEL_NEVER);
	s->end = max(s->end, world_later(s->due, s->slack));
}

static void do_remove(struct world *w, struct subject *s)
{
	bool did = twheel_wheel_remove(&w->wheel, &s->timer, TWHEEL_IDLE);

	world_expect(w, did == s->armed, "remove() returns %d", did);
	world_expect(w, !did || s->timer.last == s->due, "remove() loses the deadline");
	s->armed = false;
	s->deferred = false;
}

/* Moves an idle timer here from a wheel whose hand is behind. */
static void do_arrive(struct world *w, struct subject *s, u64 expires)
{
	elsewhere.clk = expires - 1;
	twheel_wheel_insert(&elsewhere, &s->timer, expires);
	twheel_wheel_move(&w->wheel, &elsewhere, &s->timer);
	note_filed(s, expires);
	s->end = max(s->end, w->wheel.clk + 1);
}

/* A timer has expired. */
static void begin(struct world *w, struct subject *s, u64 now)
{
	struct twheel_node *t = &s->timer;
	u64 missed, was = w->wheel.missed;

	world_expect(w, s->armed, "a timer expires that is not armed");
	world_expect(w, s->due <= w->wheel.clk, "a timer of %llu is early", s->due);
	world_expect(w, w->wheel.last == s->due, "the deadline is %llu, not %llu",
		     w->wheel.last, s->due);
	s->armed = false;
	s->deferred = false;
	w->expired++;
	if (!t->period) {
		world_expect(w, !was, "a timer that runs once missed points");
		world_expect(w, t->last == s->due, "a timer forgets its deadline");
		world_expect(w, !twheel_wheel_extend(t, U64_MAX), "an idle timer is extended");
		return;
	}
	now = clamp(now, w->wheel.clk, TWHEEL_NEVER - 1);
	missed = (now - s->due) / t->period;
	world_expect(w, was == missed, "%llu points missed, not %llu", was, missed);
	note_filed(s, min(world_later(s->due + missed * t->period, t->period), TWHEEL_NEVER));
}

static void do_take(struct world *w, struct subject *s, u64 now)
{
	bool due = s->due <= w->wheel.clk;

	world_expect(w, twheel_wheel_take(&w->wheel, &s->timer, now) == due,
		     "take() does not return %d", due);
	if (due)
		begin(w, s, now);
	else
		note_filed(s, s->due);
}

static struct subject *subject_of(struct twheel_node *t)
{
	return container_of(t, struct subject, timer);
}

/* No timer in a slot may be older than the hand, and none as old once the tick is done. */
static void expect_no_late_timer(struct world *w)
{
	bool done = !w->wheel.todo;
	struct subject *s;

	for (s = w->subject; s < w->subject + w->timers; s++)
		world_expect(w, !s->armed || s->deferred || s->end >= w->wheel.clk + done,
			     "a timer of %llu has been passed over", s->due);
}

/* Deferred timers have left the slots. */
static void note_deferred(struct world *w)
{
	struct twheel_node *t;

	list_for_each_entry(t, &w->wheel.deferred, entry) {
		struct subject *s = subject_of(t);

		world_expect(w, t->flags & TWHEEL_PROCESS, "a timer is deferred");
		if (s->deferred)
			continue;
		world_expect(w, s->due <= w->wheel.clk, "a timer of %llu is early", s->due);
		s->deferred = true;
	}
}

/* What holds after a call that has used @used of @budget. */
static void expect_advanced(struct world *w, u64 before, u64 now, unsigned int left,
			    unsigned int budget)
{
	world_expect(w, left <= budget, "a budget of %u becomes %u", budget, left);
	note_deferred(w);
	expect_no_late_timer(w);
	if (!left) {
		world_expect(w, budget != WORLD_UNLIMITED, "the work does not end");
		return;
	}
	now = max(before, min(now, TWHEEL_NEVER - 1));
	world_expect(w, w->wheel.clk == now, "the hand is not at %llu", now);
	world_expect(w, !w->wheel.todo, "work is left, and budget");
}

/* Advances to @now, as far as the budget allows. */
static void do_expire(struct world *w, u64 now, unsigned int budget)
{
	u64 before = w->wheel.clk;
	unsigned int left = budget, had;
	struct twheel_node *t;

	while (had = left, (t = twheel_wheel_expire(&w->wheel, now, &left))) {
		struct subject *s = subject_of(t);

		world_expect(w, left < had, "a timer costs no budget");
		world_expect(w, w->wheel.clk <= s->end, "a timer of %llu is late", s->due);
		begin(w, s, now);
	}
	expect_advanced(w, before, now, left, budget);
}

/* The tick by which some timer must have left its slot. */
static u64 first_end(const struct world *w)
{
	const struct subject *s;
	u64 first = TWHEEL_NEVER;

	for (s = w->subject; s < w->subject + w->timers; s++)
		if (s->armed && !s->deferred)
			first = min(first, s->end);
	return first;
}

static bool slots_are_empty(const struct world *w)
{
	const struct subject *s;

	for (s = w->subject; s < w->subject + w->timers; s++)
		if (s->armed && !s->deferred)
			return false;
	return true;
}

static void do_next(struct world *w)
{
	u64 next = twheel_wheel_next(&w->wheel);

	world_expect(w, next > w->wheel.clk || w->wheel.todo, "next is %llu", next);
	world_expect(w, next <= max(w->wheel.clk, first_end(w)),
		     "next is %llu, a timer must expire by %llu", next, first_end(w));
	world_expect(w, !slots_are_empty(w) || w->wheel.todo || next == TWHEEL_NEVER,
		     "next is %llu, no timer is armed", next);
}

static void do_first(struct world *w)
{
	struct twheel_node *t = twheel_wheel_first(&w->wheel);

	world_expect(w, !t == slots_are_empty(w), "first() is wrong");
	world_expect(w, !t || (subject_of(t)->armed && !subject_of(t)->deferred),
		     "first() is in no slot");
}

static void do_forward(struct world *w, u64 now)
{
	u64 before = w->wheel.clk;

	twheel_wheel_forward(&w->wheel, now);
	world_expect(w, w->wheel.clk == before || w->wheel.clk == now,
		     "forward() moves the hand elsewhere");
}

const char * const world_verb_names[WORLD_VERBS] = {
	"arm", "arrive", "change", "extend", "remove", "take", "expire", "forward", "next",
	"first", "add a level", "widen a level",
};

void world_do(struct world *w, enum world_verb verb, unsigned int which, u64 tick, unsigned int n)
{
	struct subject *s = &w->subject[which];

	switch (verb) {
	case WORLD_ARM:
		do_file(w, s, tick, twheel_wheel_insert);
		break;
	case WORLD_ARRIVE:
		do_arrive(w, s, tick);
		break;
	case WORLD_CHANGE:
		do_file(w, s, tick, twheel_wheel_change);
		break;
	case WORLD_EXTEND:
		do_extend(w, s, tick);
		break;
	case WORLD_REMOVE:
		do_remove(w, s);
		break;
	case WORLD_TAKE:
		do_take(w, s, tick);
		break;
	case WORLD_EXPIRE:
		do_expire(w, tick, n);
		break;
	case WORLD_FORWARD:
		do_forward(w, tick);
		break;
	case WORLD_NEXT:
		do_next(w);
		break;
	case WORLD_FIRST:
		do_first(w);
		break;
	case WORLD_ADD_LEVEL:
		world_add_level(w, n);
		break;
	default:
		do_widen_level(w, which, n);
	}
}

/* The wheel agrees with the model. */
void world_check(struct world *w)
{
	struct subject *s;
	u64 armed = 0;

	expect_no_late_timer(w);
	for (s = w->subject; s < w->subject + w->timers; s++) {
		u64 state = twheel_wheel_state(&s->timer);

		armed += s->armed;
		world_expect(w, state == (s->armed ? s->due : TWHEEL_IDLE),
			     "the state of a timer of %llu is %llu", s->due, state);
	}
	world_expect(w, w->wheel.pending == armed, "%llu timers are pending, not %llu",
		     w->wheel.pending, armed);
	world_expect(w, w->wheel.todo || w->wheel.next <= first_end(w),
		     "R5: no visit before %llu, a timer must expire by %llu", w->wheel.next,
		     first_end(w));
}

/* The wheel keeps its rules. */
void world_audit(struct world *w)
{
	const struct subject *s;
	bool extended = false;
	const char *wrong;

	for (s = w->subject; s < w->subject + w->timers; s++)
		extended |= s->armed && s->extended;
	wrong = twheel_wheel_audit(&w->wheel, extended);
	world_expect(w, !wrong, "%s", wrong);
}
