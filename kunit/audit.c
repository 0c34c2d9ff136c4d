// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: a check of the wheel's rules, for KUnit and tests/explore
 *
 * The opening of twheel_core.c lists the rules R1 to R5.
 */
#include "audit.h"

struct audit {
	struct twheel_wheel *w;
	bool extended;		/* timers in the wheel may have been extended */
	u64 pending;
};

/* Whether @slot of level @n is right for the window of @t: see R3. */
static bool audit_in_window(struct audit *a, const struct twheel_node *t,
			    unsigned int n, u64 slot)
{
	u64 state = twheel_wheel_state(t);

	if (!n || n != twheel_wheel_window_level(t) || slot < 2)
		return false;
	return state > (slot - 2) << TWHEEL_LVL_SHIFT(n) &&
	       (a->extended || state <= (slot - 1) << TWHEEL_LVL_SHIFT(n));
}

static const char *audit_timer(struct audit *a, const struct twheel_node *t,
			       unsigned int n, unsigned int ahead, u64 slot)
{
	u64 state = twheel_wheel_state(t);

	if (!twheel_wheel_state_pending(state))
		return "a timer in a slot is not pending";
	if (audit_in_window(a, t, n, slot) && (state > a->w->clk || ahead == 1 || ahead == 2))
		return NULL;
	/* A timer that came overdue from another wheel waits for the next tick. */
	if (!n && ahead <= 1 && state <= a->w->clk)
		return NULL;
	if (state <= a->w->clk && ahead)
		return "R1: a timer has been passed over";
	if (state < slot << TWHEEL_LVL_SHIFT(n))
		return "R3: a timer's slot begins after its deadline";
	if (a->extended || a->w->beyond & BIT(n))
		return NULL;
	if (state >> TWHEEL_LVL_SHIFT(n) != slot)
		return "R3: a timer's slot does not cover its deadline";
	return NULL;
}

/* @ahead: how many slots ahead of the hand the slot is; 0: the current slot. */
static const char *audit_slot(struct audit *a, unsigned int n, unsigned int ahead)
{
	struct twheel_wheel *w = a->w;
	u64 slot = (w->clk >> TWHEEL_LVL_SHIFT(n)) + ahead;
	struct twheel_level *level = w->level[n];
	unsigned int i = slot & TWHEEL_LVL_MASK, c;
	struct twheel_node *t;
	const char *wrong;
	u64 timers = 0, visit;

	for (c = 0; c < level->chains; c++) {
		list_for_each_entry(t, twheel_level_slot(level, i) + c, entry) {
			if (t->entry.next->prev != &t->entry ||
			    t->entry.prev->next != &t->entry)
				return "a chain's links do not match";
			wrong = audit_timer(a, t, n, ahead, slot);
			if (wrong)
				return wrong;
			timers++;
		}
	}
	a->pending += timers;
	if (n && ahead == 1 && test_bit(i, level->map) && !(w->coming & BIT(n)))
		return "R4: a level with a coming slot is not noted";
	if (!timers)
		return NULL;
	if (!ahead && !(n == 0 && w->todo & BIT(0)))
		return "R2: a current slot is occupied";
	if (!test_bit(i, level->map))
		return "R4: an occupied slot has no bit";
	if (!(w->occupied & BIT(n)))
		return "R4: an occupied level is not noted";
	if (level->count[i] < timers)
		return "R4: a slot holds more than its count";
	if (w->todo)
		return NULL;
	visit = n ? (slot << TWHEEL_LVL_SHIFT(n)) - 1 : slot;
	if (visit < w->next)
		return "R5: a slot needs a visit before the next one";
	return NULL;
}

/**
 * twheel_wheel_audit - check all rules of the wheel
 * @w: The wheel, whose owner makes no other call meanwhile.
 * @extended: Whether timers in the wheel may have been extended.
 *
 * Return: %NULL, or a text that names the broken rule.
 */
const char *twheel_wheel_audit(struct twheel_wheel *w, bool extended)
{
	struct audit a = { .w = w, .extended = extended };
	unsigned int n, ahead;
	struct twheel_node *t;
	const char *wrong;

	list_for_each_entry(t, &w->deferred, entry) {
		if (!twheel_wheel_pending(t))
			return "a deferred timer is not pending";
		a.pending++;
	}
	for (n = 0; n < w->depth; n++) {
		for (ahead = 0; ahead < TWHEEL_LVL_SIZE; ahead++) {
			wrong = audit_slot(&a, n, ahead);
			if (wrong)
				return wrong;
		}
	}
	return a.pending == w->pending ? NULL : "the number of timers is wrong";
}
