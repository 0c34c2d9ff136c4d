/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model, for spin, of the protocol in heartbeat.rst. A kernel and a program share one
 * word of the table. Threads of the program push the deadline back while its timer
 * expires, is changed or cancelled, and while its index is used again.
 * scripts/test-protocol runs the model.
 *
 * A step is one access to the word; all other shared state is under the set's lock. Time
 * is a number that grows. A ghost is a variable that only the assertions use.
 *
 *	-DHOSTILE	instead of pushing, the program writes anything, all the time
 *
 * Each of these breaks a rule, and spin must find it:
 *
 *	-DPLAIN_STORE	the kernel closes a word by a store
 *	-DPLAIN_PUSH	the program pushes by a store
 *	-DFORGETFUL	the kernel expires without a second look at the word
 *	-DSTALE		the program uses an index again while a thread still pushes
 */

#define CLOSED		16
#define FOREVER		15	/* beyond the end of the run */
#define LATEST		3	/* no deadline of an honest program is later */
#define END		4	/* of time */
#define TRIES		2
#define TIMERS		2	/* one after the other, at the same index */
#define PUSHERS		2
#ifndef PUSHES
#define PUSHES		1	/* of each pusher */
#endif

mtype = { NONE, PENDING, READY }

byte word = CLOSED;
byte now;

/* The set: all of this is under its lock. */
bool locked;
mtype state = NONE;
byte known;		/* the deadline that the kernel knows */

/* The program */
byte timer;		/* its handle; 0: none */
byte users;		/* threads that use the timer */
bool finished;

/* Ghosts */
byte made;		/* timers armed so far */
byte promised;		/* the deadline that was set or pushed last */
bool ended[TIMERS + 1];	/* the word was closed */
byte outcomes[TIMERS + 1];	/* events read, and cancels */

inline lock_set() { atomic { !locked -> locked = true } }
inline unlock_set() { locked = false }

/* twheel_table_open() */
inline arm(deadline)
{
	atomic {
		word = deadline;
		known = deadline;
		promised = deadline;
		state = PENDING
	}
}

/* twheel_table_close() */
inline end_timer()
{
	atomic {
		word = CLOSED;
		ended[made] = true;
		state = NONE
	}
}

/* The timer becomes an event; asserts what the event must have. */
inline expire(at)
{
	d_step {
		ended[made] = true;
		assert(state == PENDING);
		state = READY;
		if
		:: seen < CLOSED && seen > known -> known = seen
		:: else
		fi;
		assert(known <= at);
#ifndef HOSTILE
		/* Never early, and with the deadline that was pushed last. */
		assert(promised <= at);
		assert(known == promised);
#endif
	}
}

/* turn_let_expire() and twheel_table_expire(), in a call of the program or in a visit */
active proctype kernel()
{
	byte at, seen, tries;

	do
	:: state == PENDING && now >= known ->
		lock_set();
		if
		:: state == PENDING && now >= known ->
			/* One look at the clock serves several timers: it may be old. */
			at = known;
			do
			:: at < now -> at++
			:: break
			od
		:: else -> goto out_unlock
		fi;
		seen = word;
		tries = 0;
		do
		:: tries == TRIES ->
			/* The kernel looks again on the next tick. */
			break
		:: tries < TRIES && seen < CLOSED && seen > at ->
			known = seen;
			break
		:: tries < TRIES && !(seen < CLOSED && seen > at) ->
			tries++;
#ifdef PLAIN_STORE
			atomic { word = seen | CLOSED; expire(at) };
			break
#else
#ifdef FORGETFUL
			atomic { seen = known; word = CLOSED; expire(at) };
			break
#else
			atomic {
				if
				:: word == seen ->
					word = seen | CLOSED;
					expire(at);
					break
				:: else -> seen = word
				fi
			}
#endif
#endif
		od;
		assert(tries <= TRIES);
out_unlock:
		at = 0; seen = 0; tries = 0;
		unlock_set()
	:: finished && state != PENDING -> break
	od
}

active proctype clock()
{
	do
	:: now < END -> now++
	:: now == END -> break
	od
}

#ifdef HOSTILE
/* Writes every value that makes a difference, at any time. */
active proctype hostile()
{
	do
	:: word = 0
	:: word = 1
	:: word = now
	:: word = LATEST
	:: word = FOREVER
	:: word = CLOSED
	:: word = CLOSED | 1
	:: word = CLOSED | FOREVER
	:: finished -> break
	od
}
#else
/* A thread that pushes the deadline back. */
active [PUSHERS] proctype pusher()
{
	byte mine, seen, later, n;

	do
	:: n < PUSHES ->
		/* A thread pushes only with a valid handle. */
		atomic {
			timer || finished;
			if
			:: timer -> mine = timer; users++
			:: else -> break
			fi
		}
		seen = word;
again:
		if
		:: seen & CLOSED ->
			/* The timer had ended when the thread looked. */
			assert(ended[mine])
		:: !(seen & CLOSED) && seen < LATEST ->
			later = seen + 1;
			do
			:: later < LATEST -> later++
			:: break
			od;
			atomic {
#ifdef PLAIN_PUSH
				if
				:: true ->
#else
				if
				:: word == seen ->
#endif
					word = later;
					/* The push won: the timer is this one, and is pending. */
					assert(made == mine);
					assert(state == PENDING);
					promised = later
				:: else -> seen = word; goto again
				fi
			}
		:: !(seen & CLOSED) && seen >= LATEST -> skip
		fi;
		atomic { users--; mine = 0; seen = 0; later = 0; n++ }
	:: n == PUSHES -> break
	od
}
#endif

inline add_timer()
{
	lock_set();
	atomic {
		made++;
		if
		:: arm(1)
		:: arm(2)
		fi
	};
	unlock_set();
	timer = made
}

inline change_timer()
{
	lock_set();
	if
	:: state == PENDING || state == READY ->
		/* Earlier or later; an unread event is withdrawn. */
		if
		:: arm(1)
		:: arm(3)
		fi
	:: else
	fi;
	unlock_set()
}

inline cancel_timer()
{
	lock_set();
	if
	:: state == PENDING || state == READY ->
		end_timer();
		outcomes[made]++
	:: else
	fi;
	unlock_set();
}

inline read_event()
{
	lock_set();
	if
	:: state == READY ->
		end_timer();
		outcomes[made]++
	:: else
	fi;
	unlock_set();
}

/* The thread that adds timers, reads events and cancels. */
active proctype owner()
{
	bool changed;

	do
	:: made < TIMERS ->
		add_timer();
		changed = false;
		do
		:: state == READY -> read_event(); break
		:: cancel_timer(); break
		:: !changed -> change_timer(); changed = true
		od;
		timer = 0;
#ifndef STALE
		users == 0
#endif
	:: made == TIMERS -> break
	od;
	finished = true;
	/* Each timer has ended, once. */
	assert(state == NONE);
	assert(outcomes[1] == 1 && outcomes[2] == 1)
}
