/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the operations on timers
 */
#ifndef _TWHEEL_DEVICE_OPS_H
#define _TWHEEL_DEVICE_OPS_H

#include "timer_set.h"

void twheel_ops_add(struct timer_set *set, struct user_timer **added,
		    struct twheel_op *op, unsigned int n);
int twheel_ops_change(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op,
		      const struct twheel_phase *phase);
int twheel_ops_cancel(struct timer_set *set, struct user_timer *t,
		      const struct twheel_op *op, struct ended_timers *ended);
int twheel_ops_query(struct timer_set *set, struct twheel_op *op);
int twheel_ops_upsert(struct timer_set *set, struct twheel_op *op,
		      struct user_timer **added);
int twheel_ops_cancel_group(struct timer_set *set, struct twheel_op *op);
void twheel_ops_describe(const struct user_timer *t, struct twheel_op *op);

#endif /* _TWHEEL_DEVICE_OPS_H */
