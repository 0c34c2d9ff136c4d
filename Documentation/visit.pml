/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model, for spin, of how the kernel wakes a program whose timers expire. The calls of the program
 * turn the wheel and ask for a visit (device/turn.h). The visit wakes the program
 * (device/visit.c), part by part (device/waiters.c). A reader waits for events. Another thread arms
 * timers, and turns the wheel by that. scripts/test-protocol runs the model.
 *
 * A visit comes at its tick or later: the credit of a user and the turns of users
 * (device/user_cpu.c) are not in the model. A step is one hold of a lock, or one access outside it.
 * A ghost is a variable that only the assertions use. spin also reports a reader that sleeps beside
 * an event for ever.
 *
 *	-DEDGE		a wake-up is an edge: the reader looks again only after the next one, and
 *			leaves events unread, but for the last ones
 *	-DCLOSE		the file is closed while visits and wake-ups are under way
 *
 * Each of these breaks a rule, and spin must find it:
 *
 *	-DLATE_WAIT	a reader looks for events before it begins to wait
 *	-DSTAY_WOKEN	a call does not let the visit wake the program again
 *	-DNO_REST	a call does not ask for a visit
 *	-DREST_NOW	a call with more due than it has steps does not ask for a visit
 *	-DKEEP_AT	a visit that wakes leaves @visit_at as it was
 *	-DONLY_WHEEL	the visit does not ask for events that a call has found
 *	-DLATE_CLEAR	a visit that is asked for while one is under way is lost
 *	-DNO_ENDED	with CLOSE: a visit asks for the next one, though the set has ended
 *	-DNO_LEAVE	with CLOSE: the close leaves the set among those to be visited
 *	-DNO_GRACE	with CLOSE: the close does not wait for what is under way
 */

#define NEVER	255
#ifdef CLOSE
#define TIMERS	2
#else
#define TIMERS	3
#endif

byte now;

/* The set. A hold of its lock is one step. */
byte armed;		/* timers so far; timer i is due at due_at[i] */
byte due_at[TIMERS];
byte taken;		/* timers that have left the wheel, in the order of their ticks */
byte unread;
byte visit_at = NEVER;
bool woken;
bool wanted;		/* readers are to be woken: twheel_waiters_left() */
bool ended;

bool visits;		/* the set is among those to be visited: user_cpu.c */
#ifdef CLOSE
bool again = true;	/* the holders of a lease are to be woken */
#else
bool again;
#endif

bool visiting;		/* the visit has begun */
bool waits;		/* the reader is in the queue of those who wait */
bool edge;		/* the reader has been woken */
bool finished;

byte at;		/* of rest() */

/* Ghosts */
byte got;		/* events that were read */
bool quota_freed, set_freed;

#define is_due	(taken < armed && due_at[taken] <= now)

/* twheel_turn_ask_visit() */
inline rest()
{
	if
	:: taken == armed -> at = NEVER
	:: taken < armed && due_at[taken] > now -> at = due_at[taken]
#ifdef REST_NOW
	:: is_due -> at = NEVER
#else
	:: is_due -> at = now + 1
#endif
	fi;
	/* twheel_user_cpu_visit_by() */
	if
	:: at < visit_at ->
		visit_at = at;
		visits = true
	:: else
	fi;
	at = 0
}

/* twheel_turn_call(), and the hold of the lock that it begins. */
inline begin_call()
{
	assert(!set_freed);
#ifndef STAY_WOKEN
	woken = false;
#endif
	skip
}

/* twheel_turn_end() */
inline end_call()
{
#ifndef NO_REST
	rest();
#endif
	skip
}

/* Lets up to @steps timers expire. */
inline turn(steps)
{
	do
	:: steps > 0 && is_due -> taken++; unread++; steps--
	:: else -> break
	od
}

/* Time goes on while a visit is to come. */
active proctype clock()
{
	do
	:: visits && now < visit_at -> now++
	:: finished -> break
	od
}

/* twheel_visit_set(), which may have no budget left. It wakes one part of those who are to be woken. */
inline visit_set()
{
	if
	:: steps = 0
	:: steps = 1
	:: steps = 2
	fi;
	d_step {
		assert(!set_freed);
		if
#ifndef NO_ENDED
		:: ended
#endif
		:: else ->
#ifndef KEEP_AT
			visit_at = NEVER;
#endif
			if
			:: steps > 0 && is_due -> taken++; unread++; steps--
			:: else
			fi;
			if
#ifdef ONLY_WHEEL
			:: steps > 0 && !is_due ->
#else
			:: steps > 0 && !is_due && !unread ->
#endif
				rest()
			:: else ->
				if
				:: !woken -> woken = true; wanted = true
				:: else
				fi
			fi;
			/* twheel_waiters_wake_part() */
			found = wanted;
			part = found || again;
			again = again && found;
			wanted = false
		fi;
		steps = 0
	};
	if
	:: found ->
		d_step {
			assert(!set_freed);
			if
			:: waits -> edge = true; waits = false
			:: else
			fi
		}
	:: else
	fi;
	if
	:: part ->
		d_step {
			assert(!set_freed);
			if
#ifndef NO_ENDED
			:: ended
#endif
			:: else ->
				if
				:: again ->
					assert(!quota_freed);
					visit_at = now;
					visits = true
				:: else
				fi
			fi
		}
	:: else
	fi;
	found = false;
	part = false
}

/* user_cpu_turn(), in a softirq, or twheel_user_cpu_help() */
active proctype visit()
{
	byte steps;
	bool found, part;

	do
	:: atomic { visits && visit_at <= now -> visits = false; visiting = true };
		visit_set();
#ifdef LATE_CLEAR
		visits = false;
#endif
		visiting = false
	:: finished -> break
	od
}

/* Another thread arms the timers, and turns the wheel. */
active proctype armer()
{
	byte steps;

	do
	:: armed < TIMERS ->
		if
		:: steps = 0
		:: steps = 1
		fi;
		d_step {
			begin_call();
			turn(steps);
			due_at[armed] = now + 1;
			armed++;
			steps = 0;
			end_call()
		}
	:: else -> break
	od
	skip;
#ifdef CLOSE
	ended = true;
#ifndef NO_LEAVE
	/* twheel_user_cpu_remove() */
	visits = false;
#endif
#ifndef NO_GRACE
	!visiting;
#endif
	quota_freed = true;
	set_freed = true;
	finished = true
#endif
}

#ifndef CLOSE
/* The reader joins the queue. With EDGE, it is there already. */
inline join()
{
	waits = true
}

/* poll(): sets @found if there is an event, or may be one. Up to @steps timers are looked at. */
inline poll()
{
#ifndef LATE_WAIT
	join();
#endif
	if
	:: steps = 1
	:: steps = 2
	fi;
	d_step {
		begin_call();
		if
		:: unread > 0
		:: unread == 0 && is_due -> taken++; unread++; steps--
		:: else
		fi;
		found = unread > 0 || (steps == 0 && is_due);
		steps = 0;
		end_call()
	};
#ifdef LATE_WAIT
	join()
#endif
	skip
}

/* read() of up to @steps events */
inline read()
{
	d_step {
		begin_call();
		do
		:: steps > 0 && unread > 0 -> unread--; got++; steps--
		:: steps > 0 && unread == 0 && is_due -> taken++; got++; steps--
		:: else -> break
		od;
		steps = 0;
		end_call()
	}
}

active proctype reader()
{
	byte steps;
	bool found;

	do
	:: got < TIMERS ->
		poll();
		if
		:: found ->
			found = false;
			do
			:: true ->
				if
				:: steps = 1
				:: steps = 2
				fi;
				read();
				if
				:: got == TIMERS -> break
#ifdef EDGE
				:: armed < TIMERS || due_at[TIMERS - 1] > now -> break
#else
				:: true -> break
#endif
				:: else
				fi
			od;
#ifdef EDGE
			if
			:: got < TIMERS -> atomic { edge -> edge = false }
			:: else
			fi
#endif
		:: else -> atomic { edge -> edge = false }
		fi
	:: else -> break
	od;
	assert(got == TIMERS && !unread && taken == TIMERS);
	finished = true
}
#endif
