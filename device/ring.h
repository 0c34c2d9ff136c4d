/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the ring of events in memory that a program shares
 */
#ifndef _TWHEEL_DEVICE_RING_H
#define _TWHEEL_DEVICE_RING_H

#include "timer_set.h"

bool twheel_ring_valid(size_t size);
void twheel_ring_init(struct timer_set *set);
u32 twheel_ring_room(const struct timer_set *set);
bool twheel_ring_empty(const struct timer_set *set);
struct twheel_event *twheel_ring_place(struct timer_set *set, u32 n);
void twheel_ring_publish(struct timer_set *set, u32 n);
void twheel_ring_more(struct timer_set *set, bool more);

#endif /* _TWHEEL_DEVICE_RING_H */
