/* SPDX-License-Identifier: GPL-2.0 */
/* Users without the capability to exceed limits, and what the module counts for them. */
#ifndef _USER_H
#define _USER_H

#include "device.h"
#include "parameter.h"

enum { ALICE = 31001, BOB, CAROL, DAVE, ERIN, FRANK, GRACE, HEIDI, IVAN, JUDY, KEVIN };

/*
 * Become @user, without the capability to exceed limits. The module charges the real
 * user. The effective user stays root, so that any mode of the device allows open().
 */
void become(uid_t user);

/* The same, and open the device. */
int open_as(uid_t user);

/* Run a test in a child while a parameter is @limit. Restores the old limit in any case. */
void with_limit(const char *parameter, unsigned int limit, void (*run)(void *data));

/* A case with such a limit. */
#define PARAMETER_TEST(id, parameter, limit)			\
	static void run_##id(void *data);			\
	TEST_CALL(id, with_limit(parameter, limit, run_##id))	\
	static void run_##id(void *data)

#define USER_LIMIT_TEST(id, limit) PARAMETER_TEST(id, "max_timers_user", limit)

void allow_files(unsigned int count);

/* Add timers that do not expire during the test. */
void add_timers(int fd, unsigned int count);

/* Check that the user holds @limit timers, and can add no timer. */
void check_user_full(int fd, unsigned int limit);

/* The memory of the user's blocks and shared pages, in KiB, from fdinfo. */
unsigned long user_memory_kb(int fd);

/* The same, once it is at most @most, or after many grace periods. */
unsigned long user_memory_kb_of(int fd, unsigned long most);

#endif /* _USER_H */
