/* SPDX-License-Identifier: GPL-2.0 */
/* The open files of the device, from /proc/PID/fdinfo. */
#ifndef _FOUND_H
#define _FOUND_H

/**
 * struct found - an open file of the device
 * @pid: The process that has it.
 * @fd: The descriptor.
 * @program: The name of the program, without characters that change what a terminal shows.
 * @text: The text of its fdinfo.
 */
struct found {
	const char	*pid;
	const char	*fd;
	char		program[32];
	const char	*text;
};

/*
 * Call @function for each descriptor of the device that this user may see. Returns their
 * number, or -1 after reporting that there is no /proc.
 */
long found_each(void (*function)(const struct found *found, void *data), void *data);

#endif /* _FOUND_H */
