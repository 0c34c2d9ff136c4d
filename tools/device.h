/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors of the device, and what to do if there are none. */
#ifndef _DEVICE_H
#define _DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Opens the device. If that fails, says why and what to do, and returns the
 * exit status as a negative number.
 */
int device_open(void);

/*
 * A descriptor of another process: "PID:FD". Returns the same. What is done to it
 * is done to the timers of that process.
 */
int device_of(const char *text);

/* The number after the "--of" of a subcommand, and @rest words after that. */
int device_of_arguments(int argc, char **argv, char ***rest);

/* Says that what was done failed with -errno, and returns the exit status. */
int device_failed(const char *what, long error);

#endif /* _DEVICE_H */
