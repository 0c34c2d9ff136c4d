/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * The turns of an event loop, for tests. With timers in the process, time is a variable, and
 * waiting costs nothing. With timers in the device, it is CLOCK_MONOTONIC. The environment
 * variable TWHEEL_LOOP chooses.
 */
#ifndef _TURN_H
#define _TURN_H

#include <stdbool.h>
#include <stdint.h>
#include <twheel_loop.h>

#define MSEC	1000000ULL
#define SEC	1000000000ULL

/* Whether the timers are in the device, and the length of its ticks; or else 0. */
extern bool in_device;
extern uint64_t tick_ns;

/* How many ioctl()s the loop has made. */
extern unsigned int calls;
/* If not 0: the next TWHEEL_IOC_BATCH fails with this errno. */
extern int batch_error;

uint64_t now(void);
/* The time of the last dispatch. */
extern uint64_t dispatched;
/* How many dispatches have begun. */
extern unsigned int dispatches;

struct twheel_loop *open_loop(unsigned int flags);

/* One turn: prepare, wait, dispatch. Returns how many callbacks ran. */
unsigned int turn(struct twheel_loop *loop);

/* Turns until a time has come. */
void turn_until(struct twheel_loop *loop, uint64_t time);

#endif /* _TURN_H */
