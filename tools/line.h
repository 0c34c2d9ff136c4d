/* SPDX-License-Identifier: GPL-2.0 */
/* A script: commands for the timers of one descriptor, one command a line. */
#ifndef _LINE_H
#define _LINE_H

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

/* Carry out the command of a script's line. Returns an exit status. */
int line_run(struct script *script, int argc, char **argv);

#endif /* _LINE_H */
