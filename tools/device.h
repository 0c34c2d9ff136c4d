/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors of the device. */
#ifndef _DEVICE_H
#define _DEVICE_H

/* The path of the device: --device. */
extern const char *device_path;

/*
 * Open the device. On failure, report why and what to do, and return the exit status as
 * a negative number.
 */
int device_open(void);

/* Report if there is no device, and return the exit status. Takes no right to open it. */
int device_present(void);

/* Copy a descriptor of another process. Returns it, or -errno. */
int device_copy(int pid, int number);

/*
 * Open a copy of another process's descriptor, given as "PID:FD". Calls on the copy act
 * on the timers of that process. Returns the same as device_open().
 */
int device_open_of(const char *text);

/*
 * Open the descriptor of a subcommand's "--of PID:FD". @rest is set to the words behind
 * that. Returns the same as device_open().
 */
int device_open_of_option(int argc, char **argv, char ***rest);

/*
 * Call @function with the descriptor of a subcommand's "--of PID:FD", behind which no word
 * may come. Returns an exit status.
 */
int device_with_option(int argc, char **argv, int (*function)(int fd));

/* Report that @what failed with -errno, and return the exit status. */
int device_report(const char *what, long error);

#endif /* _DEVICE_H */
