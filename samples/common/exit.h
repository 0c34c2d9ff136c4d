/* SPDX-License-Identifier: MIT */
/*
 * How a sample ends, and what it says then. EXIT_SUCCESS and EXIT_FAILURE are those of
 * <stdlib.h>.
 */
#ifndef _EXIT_H
#define _EXIT_H

#include <err.h>
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdlib.h>

enum { EXIT_USAGE = 2, EXIT_NO_DEVICE = 3 };

/* End the program, as /dev/twheel could not be opened: @error is a negative errno. */
static inline void exit_without_device(int error)
{
	const char *hint = "";

	if (error == -ENOENT)
		hint = ": is the module loaded? (insmod twheel.ko)";
	else if (error == -EACCES)
		hint = ": by default only root may open it";
	else if (error == -EPROTO)
		hint = ": the module has another version of the interface";
	errno = -error;
	err(EXIT_NO_DEVICE, "cannot use /dev/twheel%s", hint);
}

/* If @count is not 0, print a warning and return true. */
static inline bool found_fault(__u64 count, const char *what)
{
	if (count)
		warnx("%llu %s", count, what);
	return count;
}

#endif /* _EXIT_H */
