// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the visit, by which the kernel looks at the wheel of a set
 *
 * When a call ends, it says at which tick the wheel of its open file needs attention next. At that
 * tick the kernel visits the wheel, in softirq, in time that nobody owns: user_cpu.c says how many
 * visits a user gets. So a visit does little: what is left of the budget that all programs of the
 * CPU have in a tick. It moves timers down, looks at deadlines that may have been pushed back, ends
 * leases, and puts events into the ring. If something is due then, or the budget did not suffice,
 * it has the program woken.
 *
 *	call	turns the wheel, asks for a visit
 *	visit	nothing is due: asks for the next visit
 *		something is due, or the budget did not suffice: wakes the program, once
 *	call	turns the wheel, asks for a visit
 *
 * A program is woken once until it has called again. So a wake-up is paid by a call, and a program
 * that does not come costs nothing. A signal may kill a process, so it waits for an event: the set
 * is visited at each tick, and its program woken again when there is one.
 *
 * A program that consumes a ring need not call while the budget suffices: there is a next visit
 * also after one that has put events into the ring.
 */
#include "turn.h"

/* What a visit of a set that sends signals or has leases may do at least, beyond the budget. */
#define VISIT_LEAST 4U

/*
 * Does what the budget allows. Returns whether the wheel has caught up with the clock, and no event
 * waits in the kernel; and in @moved whether anything was done.
 */
static bool visit_turn(struct timer_set *set, const struct twheel_phase *phase, bool *moved)
{
	unsigned int left = twheel_turn_allowed(), allowed, steps;
	bool found;

	/* The visit is a step, too. */
	if (left)
		left--;
	steps = READ_ONCE(set->fasync) || set->leases ? max(left, VISIT_LEAST) : left;
	allowed = steps;
	if (set->ring)
		twheel_deliver_fill_ring(set, phase, &steps);
	/* Holders of leases wait for all timers that have expired, the program for one. */
	do {
		found = (!set->ring || set->leases) && twheel_turn_expire(set, phase, &steps);
	} while (found && set->leases);
	*moved = steps < allowed;
	twheel_turn_return(left - min(left, allowed - steps));
	return steps && !twheel_turn_any(set);
}

/*
 * Visits a set, which may have ended. Wakes the next part of the waiters that are to be woken:
 * holders of leases only if @holders is %true. Stores there whether the waiters were holders.
 * Bottom halves are off.
 */
void twheel_visit_set(struct timer_set *set, bool *holders)
{
	unsigned int reason = WOKEN_EVENT;
	bool wake, event, done, moved, woke;
	struct twheel_phase phase;

	spin_lock(&set->lock);
	if (set->ended) {
		*holders = false;
		goto out_unlock;
	}
	/* A call may have asked for another visit since the set was taken: it is in the tree. */
	if (!data_race(timerqueue_node_queued(&set->visit)))
		set->visit.expires = TWHEEL_NEVER;
	twheel_clock_read(&phase);
	/* Events that the program has consumed meanwhile wake nobody. */
	if (set->fresh && twheel_ring_room(set) == set->entries)
		set->fresh = false;
	done = visit_turn(set, &phase, &moved);
	event = twheel_turn_any(set) || set->fresh;
	wake = event || !done;
	if (set->ring)
		wake = wake && (wq_has_sleeper(&set->wait.queue) || READ_ONCE(set->eventfd) ||
				READ_ONCE(set->fasync));
	if (wake && !event && READ_ONCE(set->fasync)) {
		reason = WOKEN_DOUBT;
		twheel_user_cpu_visit_by(set, phase.tick + 1);
	}
	/* A ring is served on while something moves, and holders wait for the ends of leases. */
	if (done || set->leases || (set->ring && moved))
		twheel_turn_ask_visit(set, &phase);
	if (set->ring && moved && twheel_turn_any(set))
		twheel_user_cpu_visit_by(set, phase.tick + 1);
	wake = wake && set->woken < reason;
	if (wake && twheel_waiters_left(set, false)) {
		/* First the wake-up that is under way: its later parts wait already. */
		twheel_user_cpu_visit_by(set, phase.tick + 1);
	} else {
		set->fresh = false;
		if (wake) {
			set->woken = reason;
			set->signal |= event;
			set->notify = true;
			/* A program that has been woken is to call. */
			if (set->ring)
				twheel_ring_more(set, true);
		}
	}
	woke = twheel_waiters_wake_part(set, holders);
	/* The visit for the next part comes behind those of other users. */
	if (!set->ended && twheel_waiters_left(set, true))
		twheel_user_cpu_visit_by(set, phase.tick + !woke);
out_unlock:
	spin_unlock(&set->lock);
}
