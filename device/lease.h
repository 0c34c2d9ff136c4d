/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: leases, for those who hold them
 */
#ifndef _TWHEEL_DEVICE_LEASE_H
#define _TWHEEL_DEVICE_LEASE_H

struct timer_set;

long twheel_lease_create(struct timer_set *set, void __user *argp);

#endif /* _TWHEEL_DEVICE_LEASE_H */
