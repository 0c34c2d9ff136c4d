/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the server wants of a timeout, whatever keeps it. To try something else
 * than /dev/twheel, write another file like timeout_twheel.c, and put its types
 * into the table of options.c.
 */
#ifndef _TIMEOUT_H
#define _TIMEOUT_H

#include <stddef.h>
#include <linux/types.h>

/**
 * struct timeout - one timeout, embedded in what it is of
 * @deadline: When it comes, in ns of CLOCK_MONOTONIC.
 * @handle: Its keeper's: where it is. 0 if it is not there.
 */
struct timeout {
	__u64	deadline;
	__u64	handle;
};

struct timeouts;

/**
 * struct timeouts_type - something that keeps timeouts
 * @name: For the command line.
 * @open: Make room for so many, and set @fd. 0, or a negative errno.
 * @close: Give back what @open took.
 * @start: @deadline is set: have it come then. 0, or a negative errno.
 * @push_back: Have it come later than @deadline. 0, and @deadline is the new one; 1 if
 *	it has come, which @expired will tell; or a negative errno.
 * @stop: It is not to come. 0, or a negative errno.
 * @flush: Whatever @start, @push_back and @stop have put off is to be done. 0, or a
 *	negative errno. May be %NULL.
 * @expired: Fill in some that have come, and are not running any more. How many; 0 if
 *	there are no more, a negative errno. Called after @flush.
 * @running: How many there are now, whether they have come or not; -1 if it is
 *	not known.
 */
struct timeouts_type {
	const char	*name;
	int		(*open)(struct timeouts *all, size_t count);
	void		(*close)(struct timeouts *all);
	int		(*start)(struct timeouts *all, struct timeout *timeout);
	int		(*push_back)(struct timeouts *all, struct timeout *timeout,
				     __u64 deadline);
	int		(*stop)(struct timeouts *all, struct timeout *timeout);
	int		(*flush)(struct timeouts *all);
	int		(*expired)(struct timeouts *all, struct timeout **some,
				   int room);
	long long	(*running)(struct timeouts *all);
};

/**
 * struct timeouts - all timeouts of the server
 * @type: What keeps them.
 * @fd: For epoll: readable when some have come.
 * @private: The keeper's.
 * @early: Timeouts that were seen to come before their deadline.
 * @wrong: Those of which something else was not as it had been set.
 * @lost: Those that the keeper did not know any more.
 */
struct timeouts {
	const struct timeouts_type	*type;
	int				fd;
	void				*private;
	__u64				early;
	__u64				wrong;
	__u64				lost;
};

static inline int timeouts_flush(struct timeouts *all)
{
	return all->type->flush ? all->type->flush(all) : 0;
}

/* timeout_twheel.c */
extern const struct timeouts_type timeouts_twheel_table;
extern const struct timeouts_type timeouts_twheel_batch;
extern const struct timeouts_type timeouts_twheel_single;

#endif /* _TIMEOUT_H */
