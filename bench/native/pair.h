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

/**
 * struct pair - what two threads do
 * @program: The name of the program.
 * @column: What the second column of the output says.
 * @operation: The names of the operations.
 * @name: The names of the cases. In the first, only one thread works.
 * @prepare: Prepares the side of a thread, with so many timers.
 * @arrange: Prepares both sides for a case.
 * @work: Does the operations of a side on its CPU. Writes to @took how many ns each took, and
 *	waits for %pair_start before each of them.
 */
struct pair {
	const char	*program;
	const char	*column;
	const char	*operation[PAIR_OPERATIONS];
	const char	*name[PAIR_CASES];
	void		(*prepare)(unsigned int side, unsigned int n);
	void		(*arrange)(unsigned int number);
	void		(*work)(unsigned int side, double *took);
};

extern pthread_barrier_t pair_start;

int pair_main(int argc, char **argv, const struct pair *pair);

#endif /* _NATIVE_PAIR_H */
