/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what a user may hold, over all descriptors
 */
#ifndef _TWHEEL_DEVICE_QUOTA_H
#define _TWHEEL_DEVICE_QUOTA_H

#include <linux/types.h>

struct timer_set;
struct user_quota;

/* What is counted. */
enum quota_what {
	QUOTA_TIMERS,
	/* Memory that grows with the timers, in %TIMER_BLOCK_SIZE. */
	QUOTA_BLOCKS,
	/* Pages that are shared with programs. */
	QUOTA_PAGES,
	QUOTA_LEASES,
	QUOTA_COUNTS,
};

bool twheel_quota_get(struct timer_set *set);
void twheel_quota_put(struct user_quota *quota);
bool twheel_quota_charge(struct timer_set *set, enum quota_what what, unsigned int n);
unsigned int twheel_quota_charge_timers(struct timer_set *set, unsigned int timers);
void twheel_quota_uncharge(struct user_quota *quota, enum quota_what what, unsigned int n);
unsigned int twheel_quota_count(const struct user_quota *quota, enum quota_what what);
u64 twheel_quota_shown_limit(const struct timer_set *set);

#endif /* _TWHEEL_DEVICE_QUOTA_H */
