/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test program is one file of TEST() functions: its cases. harness.c has the
 * main() of every program. It runs each case in a process of its own, with a
 * time limit, and prints TAP.
 *
 *   PROGRAM                  run all cases
 *   PROGRAM --list           print the names of the cases
 *   PROGRAM CASE...          run these cases only; CASE may be a pattern, as
 *                            for file names: PROGRAM 'deadline_*'
 *   PROGRAM --long           run cases that take minutes as well
 *   PROGRAM --time-travel    the machine runs in virtual time
 *   PROGRAM --tag TAG        add [TAG] to the name of each case
 *
 * In a virtual machine: scripts/selftests uml PROGRAM:CASE...
 *
 * The exit status is 0 if a case passed and none failed, 1 if a case failed, 77
 * if all cases were skipped, and 2 if the arguments are wrong or cannot be obeyed.
 */
#ifndef _HARNESS_H
#define _HARNESS_H

#include <errno.h>
#include <linux/types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

#define __printf(format, first)	__attribute__((__format__(printf, format, first)))
#define __noreturn		__attribute__((__noreturn__))

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

enum { EXIT_PASS = 0, EXIT_FAIL = 1, EXIT_SKIP = 77 };

/*
 * --time-travel: the machine runs in virtual time. Waiting costs no real time,
 * and code takes no virtual time.
 */
extern bool time_travel;

/* Skip the case where long times are real. */
void need_time_travel(void);

/* --long: run cases that take minutes as well. */
extern bool long_tests;

struct test {
	const char	*name;
	void		(*run)(void);
	/* if not NULL, called with @data instead of @run */
	void		(*run_row)(const void *data);
	const void	*data;
	unsigned int	timeout;	/* in s; none in time travel */
	struct test	*next;
};

void register_test(struct test *test);

#define TEST_TIMEOUT(id, seconds)					\
	static void id(void);						\
	static struct test test_##id = {				\
		.name = #id, .run = id, .timeout = (seconds),		\
	};								\
	static __attribute__((constructor)) void register_##id(void)	\
	{								\
		register_test(&test_##id);				\
	}								\
	static void id(void)

/* The limit is for tests that hang. On a busy host, a slow kernel may need minutes. */
#define TEST(id) TEST_TIMEOUT(id, 300)

/* A case that is one call. */
#define TEST_CALL(id, call)						\
	static void id(void);						\
	TEST(id)							\
	{								\
		call;							\
	}

/* Print a line for the reader of the results. */
__printf(1, 2)
void note(const char *format, ...);

/* End the case: it cannot run here. Not for children of the case's process. */
__printf(1, 2) __noreturn
void skip(const char *format, ...);

/* End the case: it failed. */
__printf(3, 4) __noreturn
void fail(const char *file, int line, const char *format, ...);

#define FAIL(...) fail(__FILE__, __LINE__, __VA_ARGS__)

#define ASSERT(condition)						\
	do {								\
		if (!(condition))					\
			FAIL("not true: %s", #condition);			\
	} while (0)

#define ASSERT_OP(a, op, b)						\
	do {								\
		long long a_ = (long long)(a);				\
		long long b_ = (long long)(b);				\
									\
		if (!(a_ op b_))					\
			FAIL("not true: %s (%lld) %s %s (%lld)",		\
			     #a, a_, #op, #b, b_);			\
	} while (0)

#define ASSERT_EQ(a, b)	ASSERT_OP(a, ==, b)
#define ASSERT_NE(a, b)	ASSERT_OP(a, !=, b)
#define ASSERT_LT(a, b)	ASSERT_OP(a, <, b)
#define ASSERT_LE(a, b)	ASSERT_OP(a, <=, b)
#define ASSERT_GE(a, b)	ASSERT_OP(a, >=, b)
#define ASSERT_GT(a, b)	ASSERT_OP(a, >, b)

#define ASSERT_WITHIN(value, least, most)				\
	do {								\
		long long value_ = (long long)(value);			\
		long long least_ = (long long)(least);			\
		long long most_ = (long long)(most);			\
									\
		if (value_ < least_ || value_ > most_)			\
			FAIL("%s (%lld) is not within %lld and %lld",	\
			     #value, value_, least_, most_);		\
	} while (0)

/* The value of a call that must not return -1, which means failure. */
#define CALL(call)							\
	({								\
		__auto_type call_ = (call);				\
									\
		if ((long)call_ == -1)					\
			FAIL("%s: %s", #call, strerror(errno));		\
		call_;							\
	})

/* Make a call that must return -1 and set errno to @expected. */
#define ASSERT_ERRNO(call, expected)					\
	do {								\
		long call_;						\
									\
		errno = 0;						\
		call_ = (long)(call);					\
		if (call_ != -1 || errno != (expected))			\
			FAIL("%s: %ld, %s, not %s", #call, call_,	\
			     strerror(errno), #expected);		\
	} while (0)

/* Run a function in a child process. join() waits for it; it must succeed. */
pid_t start(void (*run)(void *data), void *data);
void join(pid_t child);

/* The same for a child that may skip the case, or fail it: once the parent has cleaned up. */
int status_of(pid_t child);
void pass_on(int status);

/* Kill a child that runs, or waits to be killed, and wait until it has ended. */
void kill_child(pid_t child);
void __noreturn wait_to_be_killed(void *data);

/* Write a byte into a pipe or socket; wait for one that another process writes. */
void tell(int fd);
void hear(int fd);

/*
 * Run a function in a thread, or in @count threads. join_threads() waits until all of them have
 * returned, join_oldest() until those have that were started first.
 */
void start_thread(void (*run)(void *data), void *data);
void start_threads(unsigned int count, void (*run)(void *data), void *data);
void join_threads(void);
void join_oldest(unsigned int count);

/* Threads may run until it is set. stop_threads() sets it for as long as it joins them. */
extern atomic_bool stopping;
void stop_threads(void);

/*
 * Threads that work in rounds, numbered from 0. begin_round() lets each of them work once, and
 * end_round() waits until all have. stop_rounds() ends them, and joins all threads.
 */
void start_rounds(unsigned int count, void (*work)(unsigned int number));
void begin_round(void);
void end_round(void);
void stop_rounds(void);

/* For random numbers: a seed that no other thread has. */
unsigned int thread_seed(void);

#endif /* _HARNESS_H */
