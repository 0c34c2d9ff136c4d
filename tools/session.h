/* SPDX-License-Identifier: GPL-2.0 */
/* The jobs whose timers are on one descriptor. */
#ifndef _SESSION_H
#define _SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include "job.h"

/**
 * struct session - a descriptor and the jobs on it
 * @fd: The descriptor.
 * @jobs: In the order in which they came.
 * @last_id: Of the last one.
 * @watches: It is told when the clock is set.
 * @due: How often a job was due.
 * @status: What to end with.
 */
struct session {
	int		fd;
	struct job	*jobs;
	uint64_t	last_id;
	bool		watches;
	uint64_t	due;
	int		status;
};

/* Returns 0, or an exit status, having said why. */
int session_open(struct session *session);
void session_close(struct session *session);

/* Arms the job's timer, and takes the job. Returns 0, or an exit status. */
int session_add(struct session *session, struct job *job);

/* Forgets a job, whose timer is gone. */
void session_remove(struct session *session, struct job *job);
struct job *session_find(struct session *session, uint64_t id);
struct job *session_find_handle(struct session *session, uint64_t handle);

/* Does what is due. Returns 0 or an exit status: it cannot go on. */
int session_serve(struct session *session);

/* Goes on until no job is left. Returns an exit status. */
int session_run(struct session *session);

#endif /* _SESSION_H */
