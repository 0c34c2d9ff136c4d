/* SPDX-License-Identifier: GPL-2.0 */
/* A session: a descriptor, and the jobs whose timers are on it. */
#ifndef _SESSION_H
#define _SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include "job.h"

/**
 * struct session - a descriptor and its jobs
 * @fd: The descriptor.
 * @jobs: The jobs, in the order in which they were added.
 * @last_id: The number of the job added last.
 * @watches_clock: The descriptor has an event whenever CLOCK_REALTIME is set.
 * @expired: The number of events of jobs so far.
 * @status: The exit status of the job that failed last.
 */
struct session {
	int		fd;
	struct job	*jobs;
	uint64_t	last_id;
	bool		watches_clock;
	uint64_t	expired;
	int		status;
};

/* Open the device. Returns an exit status, and has reported an error then. */
int session_open(struct session *session);
void session_close(struct session *session);

/* Arm the job's timer. The session owns the job from then on. Returns an exit status. */
int session_add(struct session *session, struct job *job);

/* Free a job whose timer is gone. */
void session_remove(struct session *session, struct job *job);
struct job *session_find(struct session *session, uint64_t id);
struct job *session_find_handle(struct session *session, uint64_t handle);

/*
 * Handle the event that waits, if any: one at a time, because a job may cancel other timers
 * that have expired, and because more may expire while the job runs. Returns an exit status
 * if the session cannot go on. The failure of a job goes to @status instead.
 */
int session_serve(struct session *session);

/* Handle events until no job is left. Returns an exit status. */
int session_run(struct session *session);

#endif /* _SESSION_H */
