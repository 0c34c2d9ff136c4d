/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hierarchical timing wheel for programs, to compare twheel with. Timers expire at
 * exactly their tick, and a change moves a timer at once.
 *
 * A tick is a number with six digits of base 64, one for each level. Find the highest
 * digit in which a timer's tick differs from the current tick: it says the level of the
 * timer, and its value says the slot. So every timer of a level lies ahead within the
 * current turn of that level, and timers of a lower level expire before those of a
 * higher one. When the current tick gets to a slot of a higher level, the timers of the
 * slot move down.
 */
#ifndef _HWHEEL_H
#define _HWHEEL_H

#include <stddef.h>
#include <stdint.h>

#define HWHEEL_BITS	6
#define HWHEEL_SLOTS	(1u << HWHEEL_BITS)
#define HWHEEL_LEVELS	6

#define HWHEEL_NEVER	UINT64_MAX

/* A timer, or the head of a list of timers */
struct hwheel_node {
	uint64_t	expires;	/* a tick */
	void		*data;		/* the owner's */
	uint32_t	next;		/* or the next unused timer */
	uint32_t	prev;
	uint32_t	slot;		/* the head of the list */
};

struct hwheel {
	uint64_t		now;				/* the current tick */
	/* a bit for each slot that has timers */
	uint64_t		occupied[HWHEEL_LEVELS];
	/* the heads of the slots and of the due timers, then the timers */
	struct hwheel_node	*node;
	uint32_t		free;				/* the first unused timer, or 0 */
};

/* Makes an empty wheel for up to @count timers. Returns 0 or -ENOMEM. */
int hwheel_open(struct hwheel *w, size_t count);
void hwheel_close(struct hwheel *w);

/* Returns the timer's number, or 0 if the wheel is full or @expires is too far ahead. */
uint32_t hwheel_add(struct hwheel *w, uint64_t expires, void *data);
/* Returns 0, or -ERANGE if @expires is too far ahead. */
int hwheel_change(struct hwheel *w, uint32_t timer, uint64_t expires);
void hwheel_remove(struct hwheel *w, uint32_t timer);

/* Returns a tick such that no timer is due before it: HWHEEL_NEVER if there is no timer. */
uint64_t hwheel_next(const struct hwheel *w);

void hwheel_advance(struct hwheel *w, uint64_t tick);

/* Removes a timer that is due, and returns its @data; or NULL if no timer is due. */
void *hwheel_take(struct hwheel *w);

#endif /* _HWHEEL_H */
