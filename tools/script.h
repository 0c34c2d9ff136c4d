/* SPDX-License-Identifier: GPL-2.0 */
/* A script: commands for the timers of one descriptor, one command a line. */
#ifndef _SCRIPT_H
#define _SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "session.h"

/**
 * struct script - a script that runs
 * @session: The timers.
 * @fd: The file that the lines come from.
 * @text: What was read from the file and has not been run yet.
 * @used: The length of @text.
 * @ended: The end of the file has been read.
 * @quits: The script said "quit".
 * @waits: The script said "wait": no line is run before the session has had @until
 *	events, or no job is left.
 * @until: The count that "wait" waits for.
 */
struct script {
	struct session	session;
	int		fd;
	char		text[65536];
	size_t		used;
	bool		ended;
	bool		quits;
	bool		waits;
	uint64_t	until;
};

#endif /* _SCRIPT_H */
