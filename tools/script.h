/* SPDX-License-Identifier: GPL-2.0 */
/* Commands, a line each, for the timers of one descriptor. */
#ifndef _SCRIPT_H
#define _SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "session.h"

/**
 * struct script - where the commands come from
 * @session: The timers.
 * @fd: The file.
 * @text: What was read of it and not taken yet.
 * @used: How much of that there is.
 * @ended: The file has.
 * @quits: It was said that this is enough.
 * @waits: No line is taken before @until times something was due, or no job is left.
 * @until: See there.
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

/* Does what the words of a line say. Returns an exit status. */
int script_line(struct script *script, int argc, char **argv);

#endif /* _SCRIPT_H */
