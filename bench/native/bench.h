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

/*
 * A structure of timers. All calls go through these pointers. A design of designs.c may lack
 * @mod and @extend.
 */
struct peer {
	const char	*name;
	bool		late;		/* timers expire up to an eighth late, not on their tick */
	size_t		size;		/* bytes a timer */
	size_t		beside;		/* of a design: bytes a timer elsewhere */
	size_t		fixed;		/* of a design: bytes when empty */
	uint32_t	most;		/* with more, a design takes too long; 0: no limit */
	size_t		fn;		/* where a timer has its callback */
	void		(*open)(uint64_t now);	/* empty, at tick @now; one at a time */
	void		(*setup)(void *timer, fired_fn fn);	/* NULL: see bench_setup() */
	void		(*add)(void *timer, uint64_t expires);	/* arms an idle one */
	void		(*mod)(void *timer, uint64_t expires);	/* of a pending one */
	void		(*extend)(void *timer, uint64_t expires);	/* to a later one */
	void		(*cancel)(void *timer);	/* of a pending one */
	void		(*tick)(uint64_t now);	/* for each tick in turn */
};

extern const struct peer peer_twheel;
extern const struct peer peer_engine;
extern const struct peer peer_timer_list;
extern const struct peer peer_rbtree;
extern const struct peer peer_wahern;
extern const struct peer peer_ratas;
extern const struct peer design_scan;
extern const struct peer design_heap;
extern const struct peer design_simple_wheel;
extern const struct peer design_hashed_wheel;
extern const struct peer *const peers[];
extern const struct peer *const designs[];

/* Sets up a timer that is not armed. Without a setup() of its own, all but the callback is 0. */
void bench_setup(const struct peer *peer, void *timer, fired_fn fn);

/* Objects, in huge pages as far as the system has them, as in the kernel's own memory. */
void *bench_memory(size_t bytes);
/* The CPU time of the thread, in ns. */
uint64_t bench_cpu_time(void);
uint64_t bench_random(void);
/* The numbers from 0 to @n - 1 in a random order. */
uint32_t *bench_order(uint32_t n);
double bench_median(double *value, unsigned int n);

/* Checks all structures against a model, and prints TAP. Returns an exit status. */
int check_all(void);

#endif /* _NATIVE_BENCH_H */
