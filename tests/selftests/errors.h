/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the calls with a struct twheel_op refuse: errors.c has one table of call,
 * field, value and errno, and one loop over it.
 */
#ifndef _ERRORS_H
#define _ERRORS_H

#include "device.h"

/*
 * Make a case of this program of each name that the table has for a call, as
 * TEST() would. Each case makes the calls of its rows. All must fail, and must
 * change neither the operation nor any timer.
 */
#define TEST_REFUSALS(id, call)						\
	static __attribute__((constructor)) void register_refusals_##id(void) \
	{								\
		register_refusals(call);				\
	}

void register_refusals(unsigned long call);

/*
 * Make an operation that must be refused with @error. @call says which one it
 * is: @op->op is 0, except where the row of the table is about that field.
 */
typedef void refuse_fn(int fd, unsigned long call, const struct twheel_op *op, int error);

/* Make the operations of all rows in another way. */
void try_refusals(refuse_fn *refuse);

/* The operation of a batch that does what a call does. */
__u32 opcode_of(unsigned long call);

#endif /* _ERRORS_H */
