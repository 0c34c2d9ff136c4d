/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hierarchical timing wheel as programs have them: exact, eager, in
 * memory of its own. Written to compare with.
 *
 * Time is in ticks, as digits of base 64, one a level. A timer is in the level of
 * the highest digit in which its tick differs from the current one, in the slot
 * that this digit names. So a slot that is occupied lies ahead within the current
 * turn of its level, what is in a lower level comes before all that is in a higher
 * one, and when the hand comes to a slot of a higher level, its timers move down.
 */
#ifndef _HWHEEL_H
#define _HWHEEL_H

#include <stddef.h>
#include <stdint.h>

#define HWHEEL_BITS	6
#define HWHEEL_SLOTS	(1u << HWHEEL_BITS)
#define HWHEEL_LEVELS	6

#define HWHEEL_NEVER	UINT64_MAX

/**
 * struct hwheel_node - a timer, or the head of a list of them
 * @expires: Its tick.
 * @data: The owner's.
 * @next: In its list; of one that is not used, among those.
 * @prev: In its list.
 * @slot: The head of the list.
 */
struct hwheel_node {
	uint64_t	expires;
	void		*data;
	uint32_t	next;
	uint32_t	prev;
	uint32_t	slot;
};

/**
 * struct hwheel - the wheel
 * @now: The current tick.
 * @occupied: Slots that have timers, a bit each.
 * @node: Heads of slots, that of those which are due, and timers.
 * @free: The first that is not used, or 0.
 */
struct hwheel {
	uint64_t		now;
	uint64_t		occupied[HWHEEL_LEVELS];
	struct hwheel_node	*node;
	uint32_t		free;
};

/* Room for @count timers. 0 or -ENOMEM. */
int hwheel_open(struct hwheel *w, size_t count);
void hwheel_close(struct hwheel *w);

/* The timer's number, never 0; or 0 if there is no room or it is too far ahead. */
uint32_t hwheel_add(struct hwheel *w, uint64_t expires, void *data);
/* 0, or -ERANGE if that is too far ahead. */
int hwheel_change(struct hwheel *w, uint32_t timer, uint64_t expires);
void hwheel_remove(struct hwheel *w, uint32_t timer);

/* No timer is due before that tick. */
uint64_t hwheel_next(const struct hwheel *w);

/* Lets time pass up to @tick. */
void hwheel_advance(struct hwheel *w, uint64_t tick);

/* Takes a timer that is due, and gives its @data; NULL if there is none. */
void *hwheel_take(struct hwheel *w);

#endif /* _HWHEEL_H */
