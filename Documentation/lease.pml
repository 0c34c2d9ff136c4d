/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model, for spin, of the life of a lease (device/lease.c and device/user_timer.c). Holders
 * push the deadline back and close their copies, while the timer expires, and while the owner
 * changes it, cancels it, arms it again after its expiry, and closes the set. Another timer then
 * gets the place of the first one. scripts/test-protocol runs the model.
 *
 * A step is one hold of the set's lock, or one access outside it. Time is a number that
 * grows. A ghost is a variable that only the assertions use.
 *
 *	-DKEEP		the lease lives on when the last copy is closed
 *
 * Each of these breaks a rule, and spin must find it:
 *
 *	-DSHORTEN	a push brings the deadline forward
 *	-DDANGLE	the lease does not forget its timer when the timer ends
 *	-DREVIVE	the lease goes on when the owner arms the expired timer again
 *	-DFORGET	the timer does not expire when the last copy is closed
 *	-DTWICE		a callback that has waited for the lock does not look at the state again
 *	-DLATE_WAIT	poll() looks before it waits
 */

#define CAP	2
#define LONG	3	/* more than the cap */
#define END	3	/* of time */
#define HOLDERS	2
#define TIMERS	2	/* one after the other, in the same place */

mtype = { NONE, PENDING, READY }

byte now;

/* The set. A hold of its lock is one step. */
mtype state = PENDING;
byte deadline = 1;
byte timer = 1;		/* the number of the timer in the place */
bool leased = true;	/* the timer has the lease */
byte named = 1;		/* the timer that the lease points to; 0: none */
bool armed = true;	/* the engine has the timer in a wheel */
bool by_close;		/* the flag of the event */

byte copies = HOLDERS;
bool open_set = true;
bool waiting, woken;	/* a holder that polls */

/* Ghosts */
byte outcomes[TIMERS + 1];	/* events read, and cancels */
bool over;			/* the lease of the first timer has ended */
bool told;			/* a holder was told so */
bool closed_in_time;		/* the last copy was closed while the lease lived */
bool withdrawn;			/* the owner has withdrawn an event */

/* twheel_user_timer_end_lease() */
inline end_lease()
{
	if
	:: leased ->
		leased = false;
		over = true;
#ifndef DANGLE
		named = 0;
#endif
		/* The work wakes the holders that wait by then. */
		woken = woken || waiting
	:: else
	fi
}

inline become_ready()
{
	assert(state == PENDING);
	state = READY
}

inline end_timer()
{
	state = NONE;
	armed = false;
	outcomes[timer]++;
	by_close = false;
	end_lease()
}

/*
 * The wheel takes the timer off at its deadline. The callback may then have to wait for
 * the lock.
 */
active proctype kernel()
{
	do
	:: atomic { armed && now >= deadline -> armed = false };
		d_step {
			if
#ifdef TWICE
			:: true ->
#else
			:: state == PENDING && !armed && now >= deadline ->
#endif
				become_ready();
#ifndef REVIVE
				end_lease()
#endif
			:: else
			fi
		}
	:: !open_set && !armed -> break
	od
}

active proctype clock()
{
	do
	:: now < END -> now++
	:: now == END -> break
	od
}

/* Pushes once, and closes its copy. */
active [HOLDERS] proctype holder()
{
	byte target, before;

	d_step {
		if
		:: named && open_set ->
			/* Whatever the holder does, it reaches no other timer. */
			assert(named == timer && timer == 1);
			assert(state == PENDING);
			assert(!told);
			before = deadline;
			target = now + CAP;
			if
#ifdef SHORTEN
			:: target != deadline -> deadline = target; armed = true
#else
			:: target > deadline -> deadline = target; armed = true
#endif
			:: else
			fi;
			assert(deadline >= before);
			assert(deadline <= before || deadline <= now + CAP)
		:: else -> told = true
		fi
	};
	/* The last close releases the file of the lease. */
	if
	:: atomic { copies > 1 -> copies-- }
	:: atomic { copies == 1 -> copies-- };
		d_step {
			closed_in_time = named && open_set;
			if
			:: named && open_set ->
				assert(named == timer && timer == 1);
#ifndef KEEP
#ifndef FORGET
				armed = false;
				become_ready();
				by_close = true;
#endif
#endif
				end_lease()
			:: else
			fi
		}
	fi
}

#ifndef DANGLE
/* Another holder waits in poll() for the end of the lease. */
active proctype poller()
{
#ifdef LATE_WAIT
	if
	:: !named -> goto out
	:: else
	fi;
	waiting = true;
#else
	waiting = true;
	if
	:: !named -> goto out
	:: else
	fi;
#endif
	woken;
	assert(over);
out:
	skip
}
#endif

inline add_timer()
{
	d_step {
		timer++;
		state = PENDING;
		deadline = now + 1;
		armed = true
	}
}

inline arm_again(delay)
{
	d_step {
		if
		:: state == NONE
		:: else ->
			withdrawn = withdrawn || state == READY;
			state = PENDING;
			by_close = false;
			deadline = now + delay;
			armed = true
		fi
	}
}

/* The event is read. Its flag says why the timer expired. */
inline read_event()
{
	d_step {
		if
		:: state == READY ->
#ifdef KEEP
			assert(!by_close);
#else
			/* Closed in time, and not withdrawn: the event says so. */
			assert(timer != 1 || withdrawn || by_close == closed_in_time);
#endif
			assert(!leased);
			end_timer()
		:: else
		fi
	}
}

inline cancel_timer()
{
	d_step {
		if
		:: state != NONE -> end_timer()
		:: else
		fi
	}
}

/* All timers end, and so do their leases. */
inline close_set()
{
	d_step {
		open_set = false;
		if
		:: state != NONE -> end_timer()
		:: else
		fi
	}
}

/* The first timer has the lease. The second timer gets the place of the first. */
init
{
	bool changed;

	do
	:: state == READY -> read_event(); break
	:: cancel_timer(); break
	:: !changed -> arm_again(1); changed = true
	:: !changed -> arm_again(LONG); changed = true
	:: goto out
	od;
	add_timer();
	do
	:: state == READY -> read_event(); break
	:: cancel_timer(); break
	od;
	assert(outcomes[1] == 1 && outcomes[2] == 1);
out:
	close_set()
}
