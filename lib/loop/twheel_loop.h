/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * libtwheel-loop: the timers of an event loop
 *
 * A loop that polls descriptors makes these calls in each of its turns:
 *
 *	twheel_loop_prepare(timers, now());
 *	n = poll(descriptors, count, twheel_loop_timeout(timers, now()));
 *	twheel_loop_dispatch(timers, now(), whether twheel_loop_fd(timers) is readable);
 *
 * and its users start, restart and stop timers at any time in between:
 *
 *	twheel_loop_timer_init(&timer, callback);
 *	twheel_loop_timer_start(timers, &timer, now() + 5000000000);
 *
 *  - A timer is a part of the program's own object. Starting, restarting and stopping
 *    allocate nothing and cannot fail.
 *  - The timers are in /dev/twheel if the program may use it. Otherwise the same wheel in the
 *    process has them. A timer that the device refuses, or that is due within two of its ticks,
 *    is in the process, too. twheel_loop_backend() says where timers are, and why.
 *  - Changes are collected. twheel_loop_prepare() makes one system call for up to 256 of them.
 *    A timer that starts and stops before it costs none, and neither does a restart that makes
 *    the deadline later.
 *  - No callback runs early. Callbacks of one dispatch run in the order of deadlines, and with
 *    equal deadlines in the order of their starts.
 *  - A stopped timer is the program's own again at once: its callback does not run, and its
 *    memory may be freed.
 *  - Times are readings of CLOCK_MONOTONIC in ns, as from twheel_now(). A time above
 *    2^63 - 1 counts as 2^63 - 1.
 *  - One thread at a time may use a loop and its timers. Loops know nothing of each other.
 *
 * Link with -ltwheel-loop -ltwheel. The page "Timers for an event loop" of the documentation
 * has an example, and what an author of event loops wants to know.
 */
#ifndef _TWHEEL_LOOP_H
#define _TWHEEL_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twheel_loop;
struct twheel_loop_timer;

/**
 * typedef twheel_loop_fn - callback of a timer
 * @loop: The loop that runs the callback.
 * @timer: The timer, which is stopped. The callback may start it again, or free it. It may start
 *	and stop any other timer, too.
 */
typedef void (*twheel_loop_fn)(struct twheel_loop *loop, struct twheel_loop_timer *timer);

/**
 * struct twheel_loop_timer - a timer, embedded in an object of the program
 * @fn: The callback. The program may change it at any time.
 * @deadline_ns: The deadline, for the program to read.
 *
 * Every other field is private. The memory must stay in place while the timer runs, that is,
 * until its callback begins or until it is stopped.
 */
struct twheel_loop_timer {
	twheel_loop_fn	fn;
	uint64_t	deadline_ns;
	/* private: */
	uint64_t	order;
	uint64_t	handle;
	void		*link[2];
	uint64_t	filed;
	uint32_t	state;
	uint32_t	unused;
};

/*
 * Flags of twheel_loop_open()
 */
#define TWHEEL_LOOP_DEVICE	(1U << 0)
#define TWHEEL_LOOP_PROCESS	(1U << 1)
#define TWHEEL_LOOP_ONE_FD	(1U << 2)

/**
 * twheel_loop_open - make the timers of an event loop
 * @loop: Set to the new loop.
 * @flags: 0, or some of these:
 *	%TWHEEL_LOOP_DEVICE: fail if the device cannot be used.
 *	%TWHEEL_LOOP_PROCESS: do not use the device.
 *	%TWHEEL_LOOP_ONE_FD: twheel_loop_fd() becomes readable for every timer, and
 *	twheel_loop_timeout() is always -1. This is for a loop that can wait for a descriptor, but
 *	that lets no library choose its timeout.
 *
 * Without the first two flags, the user of the program may choose by the environment variable
 * TWHEEL_LOOP: "device" or "process". Programs with more privileges than their user ignore it.
 *
 * Return: 0 or a negative errno: -EINVAL if @flags or the variable has another value; -ENOMEM;
 * -EMFILE or -ENFILE with %TWHEEL_LOOP_ONE_FD; an error of twheel_open() if the device was
 * demanded.
 */
int twheel_loop_open(struct twheel_loop **loop, unsigned int flags);

/**
 * twheel_loop_close - end the timers of an event loop
 * @loop: The loop, or %NULL. Not from a callback of one of its timers.
 *
 * No callback runs. The program initialises a timer of the loop again before using it again.
 */
void twheel_loop_close(struct twheel_loop *loop);

/**
 * twheel_loop_fork - go on in a child process
 * @loop: The loop.
 *
 * After fork(), a child that goes on with its copy of the loop calls this function before any
 * other. Its timers run on with the deadlines that they had. Those of the parent are not touched.
 * The descriptor is another one afterwards: the child polls twheel_loop_fd() anew. A child that
 * calls exec() need not do anything. Another child that does not use the loop closes it by
 * twheel_loop_close(): otherwise the parent's timers in the device outlive the parent.
 *
 * Return: 0, or an error of twheel_loop_open(). After an error the timers are in the process,
 * and there is no descriptor.
 */
int twheel_loop_fork(struct twheel_loop *loop);

/**
 * enum twheel_loop_place - where timers are
 * @TWHEEL_LOOP_IN_DEVICE: In the device. Some may be in the process nevertheless.
 * @TWHEEL_LOOP_IN_PROCESS: In the process.
 */
enum twheel_loop_place {
	TWHEEL_LOOP_IN_DEVICE	= 0,
	TWHEEL_LOOP_IN_PROCESS	= 1
};

/**
 * twheel_loop_backend - ask where timers are, and why
 * @loop: The loop.
 * @reason: If not %NULL: set to 0 if the timers are where the program or its user wants them.
 *	Otherwise a negative errno: of opening the device; or, with %TWHEEL_LOOP_IN_DEVICE, of the
 *	last timer that the device refused.
 *
 * Return: One of &enum twheel_loop_place.
 */
enum twheel_loop_place twheel_loop_backend(const struct twheel_loop *loop, int *reason);

/**
 * twheel_loop_fd - the descriptor to poll for input
 * @loop: The loop.
 *
 * Return: The descriptor, which belongs to the loop; or -1 if there is none, because the timers
 * are in the process and twheel_loop_timeout() is enough. It changes in twheel_loop_fork() only,
 * except that it becomes -1 if the device fails. With %TWHEEL_LOOP_ONE_FD it stays.
 */
int twheel_loop_fd(const struct twheel_loop *loop);

/**
 * twheel_loop_prepare - carry out what has changed; before every poll
 * @loop: The loop.
 * @now_ns: The time.
 */
void twheel_loop_prepare(struct twheel_loop *loop, uint64_t now_ns);

/**
 * twheel_loop_timeout - how long the next poll may wait
 * @loop: The loop, after twheel_loop_prepare().
 * @now_ns: The time.
 *
 * Return: The time in ms, rounded up; -1 if the descriptor is enough, or no timer runs.
 */
int twheel_loop_timeout(struct twheel_loop *loop, uint64_t now_ns);

/**
 * twheel_loop_dispatch - run the callbacks of the timers that are due; after every poll
 * @loop: The loop.
 * @now_ns: The time. Not before a reading that the program used for an earlier call.
 * @readable: Whether the descriptor may be readable. If not, the call saves a read().
 *
 * Callbacks run until no timer is left whose deadline had come when the call began. A timer that
 * a callback starts runs in a later call, even if its deadline has passed.
 *
 * Return: The number of callbacks.
 */
unsigned int twheel_loop_dispatch(struct twheel_loop *loop, uint64_t now_ns, bool readable);

/**
 * twheel_loop_timer_init - initialise a timer
 * @timer: The timer, which does not run.
 * @fn: The callback.
 */
static inline void twheel_loop_timer_init(struct twheel_loop_timer *timer, twheel_loop_fn fn)
{
	memset(timer, 0, sizeof(*timer));
	timer->fn = fn;
}

/**
 * twheel_loop_timer_running - ask whether a timer runs
 * @timer: The timer.
 *
 * Return: Whether it runs: it was started, its callback has not begun since, and it was not
 * stopped.
 */
static inline bool twheel_loop_timer_running(const struct twheel_loop_timer *timer)
{
	return timer->state != 0;
}

/**
 * twheel_loop_timer_start - start or restart a timer
 * @loop: The loop. A running timer stays with its loop.
 * @timer: The timer.
 * @deadline_ns: The deadline. It may have passed: then the next dispatch runs the callback.
 */
void twheel_loop_timer_start(struct twheel_loop *loop, struct twheel_loop_timer *timer,
			     uint64_t deadline_ns);

/**
 * twheel_loop_timer_again - restart a timer if it runs
 * @loop: The loop.
 * @timer: The timer.
 * @deadline_ns: The new deadline.
 *
 * Return: Whether the timer ran. Otherwise nothing changes.
 */
bool twheel_loop_timer_again(struct twheel_loop *loop, struct twheel_loop_timer *timer,
			     uint64_t deadline_ns);

/**
 * twheel_loop_timer_stop - stop a timer
 * @loop: The loop.
 * @timer: The timer, which need not run.
 *
 * Return: Whether the timer ran.
 */
bool twheel_loop_timer_stop(struct twheel_loop *loop, struct twheel_loop_timer *timer);

#ifdef __cplusplus
}
#endif

#endif /* _TWHEEL_LOOP_H */
