/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the operations on timers, for one timer or for all of a set
 */
#ifndef _TWHEEL_DEVICE_OPS_H
#define _TWHEEL_DEVICE_OPS_H

#include "timer_set.h"

/* create.c */
unsigned int twheel_create(struct timer_set *set, struct twheel_op *op,
			   struct twheel_op __user *to, unsigned int n, bool batch);

/* lease.c */
long twheel_lease_create(struct timer_set *set, void __user *argp);

/* list.c */
long twheel_list(struct timer_set *set, void __user *argp);
long twheel_list_drain(struct timer_set *set, void __user *argp);

/* ops.c */
unsigned int twheel_ops_add(struct timer_set *set, struct twheel_op *op,
			    struct twheel_op __user *to, unsigned int n, bool batch);
bool twheel_ops_run_short(struct timer_set *set, struct twheel_op *op, unsigned int n);
int twheel_ops_run(struct timer_set *set, struct twheel_op *op, u32 opcode,
		   struct twheel_op __user *to);
void twheel_ops_record(const struct user_timer *t, struct twheel_op *op, u32 flags,
		       const struct twheel_phase *phase);

#endif /* _TWHEEL_DEVICE_OPS_H */
