/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers on the samples' command lines.
 */
#ifndef _NUMBER_H
#define _NUMBER_H

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <linux/types.h>

/* Exit statuses of the samples */
enum { ALL_WELL = 0, WENT_WRONG = 1, BAD_USAGE = 2, NO_DEVICE = 3 };

/* The number in @text, or the end of the program. */
static inline __u64 parse_number(const char *name, const char *text, __u64 low, __u64 high)
{
	__u64 value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < low || value > high)
		errx(BAD_USAGE, "--%s is a number from %llu to %llu, not '%s'", name,
		     low, high, text);
	return value;
}

/* The end of the program that has no device to work with. */
static inline void no_device(int error)
{
	const char *why = "";

	if (error == -ENOENT)
		why = ": is the module loaded? (insmod twheel.ko)";
	else if (error == -EACCES)
		why = ": its owner is root";
	else if (error == -EPROTO)
		why = ": the module has another version of the interface";
	errno = -error;
	err(NO_DEVICE, "cannot use /dev/twheel%s", why);
}

#endif /* _NUMBER_H */
