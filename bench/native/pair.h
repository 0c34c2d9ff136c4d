/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Native benchmark: one thread, and two threads on two cores, each a CPU of the engine
 */
#ifndef _NATIVE_PAIR_H
#define _NATIVE_PAIR_H

#include <pthread.h>

#define PAIR_OPERATIONS	3U
#define PAIR_CASES	3U
#define PAIR_SIDES	2U

/*
 * What two threads do. @work does the operations of a side on its CPU, writes to @took how
 * many ns each took, and waits for %pair_start before each of them.
 */
struct pair {
	const char	*column;	/* what the second column of the output says */
	const char	*operation[PAIR_OPERATIONS];
	const char	*name[PAIR_CASES];	/* in the first, only one thread works */
	void		(*prepare)(unsigned int side, unsigned int n);	/* @n timers */
	void		(*arrange)(unsigned int number);	/* both sides for a case */
	void		(*work)(unsigned int side, double *took);
};

extern pthread_barrier_t pair_start;

int pair_main(int argc, char **argv, const struct pair *pair);

#endif /* _NATIVE_PAIR_H */
