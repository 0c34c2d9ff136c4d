/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model, for spin, of the ring of events. The kernel fills the ring from a softirq and
 * from poll(), and wakes the program. The program consumes the events in place.
 * scripts/test-protocol runs the model.
 *
 * A step is one access to the memory that kernel and program share; all other shared state
 * is under the set's lock. A ghost is a variable that only the assertions use. spin also
 * reports a program that sleeps for ever.
 *
 *	-DEDGE		a wake-up is an edge: the program sleeps until the next one, and
 *			calls poll() again only if the kernel says that more events wait
 *	-DHOSTILE	instead of consuming, the program writes anything, for some time
 *
 * Each of these breaks a rule, and spin must find it:
 *
 *	-DEARLY_TAIL	the kernel publishes an event before it has written it
 *	-DEARLY_HEAD	the program gives a place back before it has read the event
 *	-DFULL		the kernel does not look for room
 *	-DLATE_WAIT	poll() looks for events before it begins to wait
 *	-DLATE_CLEAR	a visit can be asked for again only when the one under way ends
 *	-DNO_FILL	poll() does not fill the ring
 *	-DNO_MORE	with EDGE: the kernel does not say that more events wait
 *	-DTRUST		with HOSTILE: the kernel believes any head
 *	-DTWICE		with HOSTILE: the kernel reads the head twice
 */

#define ENTRIES		2
#define EVENTS		5

/* The ring, which program and kernel share */
byte event[ENTRIES];
byte head;
byte ring_tail;
bool more;

/* The set: all of this is under its lock. */
bool locked;
byte tail;		/* the kernel's own copy */
byte unread;		/* events in the list */
byte made;		/* events so far */

bool queued;		/* a visit is to come */
bool waits;		/* the program is in the queue of those who wait */
bool woken;
bool finished;

/* Ghost */
bool working;		/* a visit is under way */

inline lock_set() { atomic { !locked -> locked = true } }
inline unlock_set() { locked = false }

/* twheel_ring_room() */
inline look_for_room()
{
	d_step {
		room = tail - head;
#ifndef TRUST
		room = (room > ENTRIES -> ENTRIES : room);
#endif
		room = ENTRIES - room
	}
#ifdef TWICE
	if
	:: room > 0 -> room = ENTRIES - (tail - head)
	:: else
	fi;
#endif
#ifdef FULL
	room = ENTRIES;
#endif
	assert(room <= ENTRIES)
}

/* twheel_deliver_fill_ring(): moves up to @max events into the ring. */
inline fill(max)
{
	look_for_room();
	room = (room > max -> max : room);
	room = (room > unread -> unread : room);
	n = 0;
#ifdef EARLY_TAIL
	ring_tail = tail + room;
#endif
	do
	:: n < room ->
		event[(tail + n) % ENTRIES] = made - unread + 1;
		unread--;
		n++
	:: else -> break
	od;
#ifndef NO_MORE
	more = unread > 0;
#endif
	tail = tail + n;
	ring_tail = tail;
	room = 0;
	n = 0
}

/* A timer comes due, and its visit is to come. */
active proctype expiry()
{
	do
	:: made < EVENTS ->
		lock_set();
		d_step { made++; unread++ };
		queued = true;
		unlock_set()
	:: else -> break
	od
}

/* The visit and its wake-up, in one; visit.pml has them in steps. */
active proctype worker()
{
	byte room, n, allowed;

	do
	:: atomic {
		queued ->
#ifndef LATE_CLEAR
		queued = false;
#endif
		working = true
	   }
		lock_set();
		/* The budget of the tick may be used up. */
		if
		:: allowed = 0
		:: allowed = 1
		:: allowed = ENTRIES
		fi;
		fill(allowed);
		unlock_set();
		atomic { woken = woken || waits; waits = false };
#ifdef LATE_CLEAR
		queued = false;
#endif
		d_step { working = false; allowed = 0 }
	:: finished && made == EVENTS && !queued -> break
	od
}

/* deliver_look(): sets @ready if there is an event. */
inline poll()
{
#ifndef LATE_WAIT
	waits = true;
#endif
	lock_set();
#ifndef NO_FILL
	fill(EVENTS);
#endif
	ready = tail != head || unread;
	unlock_set();
#ifdef LATE_WAIT
	waits = true
#endif
}

inline sleep() { atomic { woken -> woken = false } }

#ifdef HOSTILE
active proctype hostile()
{
	byte room, n, before, i;
	bool ready;

	do
	:: i < 3 ->
		if
		:: head = 0
		:: head = 1
		:: head = tail + 1
		:: head = 255
		:: ring_tail = 255
		:: event[0] = 255
		fi;
		i++
	:: break
	od;
	made == EVENTS && !queued && !working && !locked;
	/* Nothing is lost once the head is right again. */
	do
	:: unread > 0 ->
		before = unread;
		head = tail;
		poll();
		assert(unread < before)
	:: else -> break
	od;
	finished = true
}
#else
/* twheel_ring_peek() and twheel_ring_advance(), until the ring is empty */
inline consume()
{
	do
	:: ring_tail != head ->
#ifdef EARLY_HEAD
		head++;
		assert(event[(head - 1) % ENTRIES] == consumed + 1);
#else
		assert(event[head % ENTRIES] == consumed + 1);
		head++;
#endif
		consumed++
	:: else -> break
	od
}

active proctype program()
{
	byte room, n, consumed;
	bool ready;

	poll();
	do
	:: consumed < EVENTS ->
		consume();
		if
		:: consumed == EVENTS -> break
#ifdef EDGE
		:: consumed < EVENTS && more -> poll()
		:: consumed < EVENTS && !more -> sleep(); poll()
#else
		:: consumed < EVENTS ->
			poll();
			assert(!ready || ring_tail != head);
			if
			:: ready
			:: !ready -> sleep()
			fi
#endif
		fi
	:: else -> break
	od;
	finished = true;
	assert(consumed == EVENTS)
}
#endif
