/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: how many timers, blocks of timers, leases and shared pages a user may hold
 */
#ifndef _TWHEEL_DEVICE_QUOTA_H
#define _TWHEEL_DEVICE_QUOTA_H

#include <linux/types.h>

struct cred;
struct timer_set;
struct user_quota;
struct user_cpu;

struct user_quota *twheel_quota_get(const struct cred *cred);
struct user_cpu __percpu *twheel_quota_cpus(const struct user_quota *quota);
void twheel_quota_put(struct user_quota *quota);
unsigned int twheel_quota_limit(void);
bool twheel_quota_exempt(struct timer_set *set);
bool twheel_quota_seems_exempt(const struct timer_set *set);
u64 twheel_quota_shown_limit(const struct timer_set *set);
unsigned int twheel_quota_charge(struct timer_set *set, unsigned int timers);
void twheel_quota_uncharge(struct user_quota *quota, unsigned int timers);
bool twheel_quota_charge_blocks(struct timer_set *set, unsigned int blocks);
void twheel_quota_uncharge_blocks(struct user_quota *quota, unsigned int blocks);
bool twheel_quota_charge_lease(struct timer_set *set);
void twheel_quota_uncharge_lease(struct user_quota *quota);
bool twheel_quota_charge_pages(struct timer_set *set, unsigned int pages);
void twheel_quota_uncharge_pages(struct user_quota *quota, unsigned int pages);
unsigned int twheel_quota_timers(const struct user_quota *quota);
u64 twheel_quota_memory(const struct user_quota *quota);

#endif /* _TWHEEL_DEVICE_QUOTA_H */
