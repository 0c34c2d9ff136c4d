/* SPDX-License-Identifier: GPL-2.0 */
/* Users without the capability to exceed limits, and what the module counts for them. */
#ifndef _USER_H
#define _USER_H

#include "device.h"

#define LONG (100 * NSEC_PER_SEC)

enum { ALICE = 31001, BOB, CAROL, DAVE, ERIN, FRANK, GRACE, HEIDI, IVAN, JUDY, KEVIN };

/*
 * Become @user, without the capability to exceed limits. The module charges the real
 * user. The effective user stays root, so that any mode of the device allows open().
 */
void become(uid_t user);

/* Run a test in a child while a parameter is @limit. Restores the old limit in any case. */
void with_limit(const char *parameter, unsigned int limit, void (*run)(void *data));

/* The same for max_timers_user. */
void with_user_limit(unsigned int limit, void (*run)(void *data));

/* Go on if the child with this wait status passed. Otherwise end as the child ended. */
void pass_on(int status);

#define USER_LIMIT_TEST(id, limit)		\
	static void run_##id(void *data);	\
	TEST_TIMEOUT(id, 300)			\
	{					\
		with_user_limit(limit, run_##id);	\
	}					\
	static void run_##id(void *data)

/*
 * A share of a CPU's softirqs that a few timers use up, in expiries a second. It is a value for
 * the parameter "share". The user may have the expiries of one second at once.
 */
enum { SHARE = 20 };

/*
 * Expire far more timers on this CPU than SHARE allows. A user who has used up the share already
 * may pay for all of them by calls, and then is not above the share for longer.
 */
void use_up_share(void);

/* On how many CPUs is the user above the share? */
unsigned long long cpus_above_share(void);

/*
 * Use up the share of this CPU until the user is above the share of a CPU. The host may stop the
 * machine until the user has a share again.
 */
void go_above_share(void);

/* Add timers that do not expire during the test. */
void add_timers(int fd, unsigned int count);

/* Check that the user holds @limit timers, and can add no timer. */
void check_user_full(int fd, unsigned int limit);

/* The memory of the user's blocks and shared pages, in KiB, from fdinfo. */
unsigned long user_memory_kb(int fd);

/* The same, once it is at most @most, or after many grace periods. */
unsigned long user_memory_kb_of(int fd, unsigned long most);

#endif /* _USER_H */
