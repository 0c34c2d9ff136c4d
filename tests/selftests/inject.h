/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in the calls of this process, injected by the kernel:
 * Documentation/fault-injection in its sources.
 */
#ifndef _INJECT_H
#define _INJECT_H

#include <stdbool.h>

/* What fails once the chosen point is reached. */
enum fault_mode {
	FAULT_ONE,	/* one allocation or user copy */
	FAULT_SLABS,	/* it, and all later allocations of slab memory */
	FAULT_ALL,	/* it, and all later allocations of slab memory and pages */
};

/* Choose a mode. Skips the case if the kernel cannot inject such faults. */
void prepare_faults(enum fault_mode mode);

/*
 * Let the @nth allocation or user copy from now on fail; 0: none. Only the call
 * under test may come between inject_fault() and withdraw_fault().
 *
 * withdraw_fault() returns how many more allocations and user copies it would
 * have taken: 0 if the fault was injected.
 */
void inject_fault(unsigned int nth);
unsigned int withdraw_fault(void);

/* Progress through the faults of a call. A fault counts once for all its rounds. */
extern struct faults {
	unsigned int nth;	/* the next fault; 0: none, to warm up */
	unsigned int round;
	unsigned int injected;
	unsigned int failed;	/* faults that made the call fail */
	unsigned int no_memory;	/* the same, with ENOMEM */
	bool was_injected;	/* the same for the current fault */
	bool has_failed;
	bool had_no_memory;
} faults;

/*
 * One round without a fault, then some for each fault, until none is injected: returns
 * false then. In each round, UNDER_FAULT() makes the call under test. It returns what the call
 * returns, or a negative errno if that is -1.
 */
bool next_fault(enum fault_mode mode);
#define UNDER_FAULT(call)						\
	({								\
		inject_fault(faults.nth);				\
		withdraw(call);						\
	})

long withdraw(long result);

#endif /* _INJECT_H */
