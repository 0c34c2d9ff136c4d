/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults in the calls of this process, injected by the kernel:
 * Documentation/fault-injection in its sources.
 */
#ifndef _INJECT_H
#define _INJECT_H

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

#endif /* _INJECT_H */
