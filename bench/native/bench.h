/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Native benchmark: what a structure of timers offers to it
 */
#ifndef _NATIVE_BENCH_H
#define _NATIVE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An object has one timer, at its beginning. The callback gets the timer's address. */
#define OBJECT_SIZE	128
#define TIMER_SIZE	96

/* A callback of the benchmark. All structures call it through a pointer in the timer. */
typedef void (*fired_fn)(void *timer);

/**
 * struct peer - a structure of timers
 * @name: Its name.
 * @exact: Timers expire on their tick. Otherwise they may be late.
 * @size: Bytes a timer.
 * @beside: For a design: bytes that each timer has elsewhere.
 * @fixed: For a design: bytes of the empty structure.
 * @most: Above so many timers, a design takes too long to measure; 0: no limit.
 * @open: Makes an empty structure at tick @now. There is one at a time.
 * @setup: Sets up a timer.
 * @add: Arms an idle timer.
 * @mod: Gives a pending timer another deadline.
 * @extend: Gives a pending timer a later deadline.
 * @cancel: Disarms a pending timer.
 * @tick: Runs the callbacks of all timers that are due at tick @now. Called for each
 *	tick in turn.
 *
 * All calls go through these pointers. A design of designs.c may lack @mod and @extend.
 */
struct peer {
	const char	*name;
	bool		exact;
	size_t		size;
	size_t		beside;
	size_t		fixed;
	uint32_t	most;
	void		(*open)(uint64_t now);
	void		(*setup)(void *timer, fired_fn fn);
	void		(*add)(void *timer, uint64_t expires);
	void		(*mod)(void *timer, uint64_t expires);
	void		(*extend)(void *timer, uint64_t expires);
	void		(*cancel)(void *timer);
	void		(*tick)(uint64_t now);
};

extern const struct peer peer_twheel;
extern const struct peer peer_engine;
extern const struct peer peer_timer_list;
extern const struct peer peer_rbtree;
extern const struct peer peer_wahern;
extern const struct peer peer_ratas;
extern const struct peer peer_hwheel;
extern const struct peer design_scan;
extern const struct peer design_heap;
extern const struct peer design_simple_wheel;
extern const struct peer design_hashed_wheel;
extern const struct peer *const peers[];
extern const struct peer *const designs[];

/* Objects, in huge pages as far as the system has them, as in the kernel's own memory. */
void *bench_memory(size_t bytes);
/* The CPU time of the thread, in ns. */
uint64_t bench_cpu_time(void);
uint64_t bench_random(void);
/* The numbers from 0 to @n - 1 in a random order. */
uint32_t *bench_order(uint32_t n);
/* Sorts the values, and prints the median, the least and the most. */
void bench_print_spread(double *value, unsigned int n);

/* Checks all structures against a model, and prints TAP. Returns an exit status. */
int check_all(void);

#endif /* _NATIVE_BENCH_H */
