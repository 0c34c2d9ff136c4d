/* SPDX-License-Identifier: MIT */
/*
 * What the server needs of timeouts: the interface of a backend. To try anything else
 * than /dev/twheel, write another file like timeout_twheel.c and add its backends to
 * the table in options.c.
 */
#ifndef _TIMEOUT_H
#define _TIMEOUT_H

#include <stddef.h>
#include <linux/types.h>

/**
 * struct timeout - one timeout, embedded in the object that it belongs to
 * @deadline: When it expires, in ns of CLOCK_MONOTONIC.
 * @handle: The backend's name for it; 0 while it is not running.
 */
struct timeout {
	__u64	deadline;
	__u64	handle;
};

struct timeouts;

/**
 * struct timeout_backend - an implementation of timeouts
 * @name: Its name on the command line.
 * @open: Allocate what @count timeouts need, and set the fd of @timeouts.
 *	Returns 0 or a negative errno.
 * @close: Free what @open allocated.
 * @start: Start a timeout; the caller has set its deadline. Returns 0 or a negative
 *	errno.
 * @push_back: Move a timeout to a later @deadline. Returns 0 and stores the new
 *	deadline; or 1 if the timeout has expired, which @expired reports later; or a
 *	negative errno.
 * @stop: Stop a timeout. Returns 0 or a negative errno.
 * @flush: Carry out what @start, @push_back and @stop have queued. Returns 0 or a
 *	negative errno. May be %NULL.
 * @expired: Store up to @room timeouts that have expired in @list; they are not running
 *	any more. The caller has called @flush. Returns their number, 0 if there are
 *	none, or a negative errno.
 * @running: Return the number of timeouts, pending ones and expired ones that @expired
 *	has not reported; or -1 if the backend cannot tell.
 */
struct timeout_backend {
	const char	*name;
	int		(*open)(struct timeouts *timeouts, size_t count);
	void		(*close)(struct timeouts *timeouts);
	int		(*start)(struct timeouts *timeouts, struct timeout *timeout);
	int		(*push_back)(struct timeouts *timeouts, struct timeout *timeout,
				     __u64 deadline);
	int		(*stop)(struct timeouts *timeouts, struct timeout *timeout);
	int		(*flush)(struct timeouts *timeouts);
	int		(*expired)(struct timeouts *timeouts, struct timeout **list,
				   int room);
	long long	(*running)(struct timeouts *timeouts);
};

/**
 * struct timeouts - all timeouts of the server
 * @backend: What keeps them.
 * @fd: A descriptor for epoll: readable when a timeout has expired.
 * @private: The backend's own data.
 * @early: How many timeouts expired before their deadline.
 * @wrong: How many expired with a deadline or a handle other than the one set.
 * @lost: How many the backend no longer knew, though they were running.
 *
 * The last three count faults: a backend that works leaves them at 0.
 */
struct timeouts {
	const struct timeout_backend	*backend;
	int				fd;
	void				*private;
	__u64				early;
	__u64				wrong;
	__u64				lost;
};

static inline int timeouts_flush(struct timeouts *timeouts)
{
	return timeouts->backend->flush ? timeouts->backend->flush(timeouts) : 0;
}

/* timeout_twheel.c */
extern const struct timeout_backend timeouts_twheel_table;
extern const struct timeout_backend timeouts_twheel_batch;
extern const struct timeout_backend timeouts_twheel_single;

#endif /* _TIMEOUT_H */
