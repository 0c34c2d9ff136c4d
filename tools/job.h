/* SPDX-License-Identifier: GPL-2.0 */
/* A job: a timer, and what to do when it expires. */
#ifndef _JOB_H
#define _JOB_H

#include <libtwheel.h>
#include <stdbool.h>
#include <stdint.h>
#include "cron.h"

/**
 * struct job - a timer, and what to do when it expires
 * @next: The next job of the session.
 * @id: The job's number in the session.
 * @what: The user's request, as text.
 * @op: The operation that adds the timer. Its handle is valid while the timer exists.
 * @is_cron: The timer is armed anew for each time of @cron.
 * @cron: The recurrence of a cron job.
 * @makes_up: A cron job runs if the clock is corrected past its time.
 * @clock_offset: CLOCK_REALTIME minus CLOCK_BOOTTIME when the cron job was armed.
 * @last: The deadline of a cron job's latest event.
 * @limited: The job ends after @left more events.
 * @left: The number of events that remain, if @limited.
 * @command: The command to run, ended by %NULL. If it is empty, a line is printed.
 */
struct job {
	struct job		*next;
	uint64_t		id;
	char			*what;
	struct twheel_op	op;
	bool			is_cron;
	struct cron		cron;
	bool			makes_up;
	int64_t			clock_offset;
	uint64_t		last;
	bool			limited;
	uint64_t		left;
	char			**command;
};

/*
 * Make a job from the words of an "add", "at", "every" or "cron" command. Reports an
 * error and returns NULL if the words make no sense.
 */
struct job *job_new(int argc, char **argv);
void job_free(struct job *job);

/* Whether the job goes on after an event. */
bool job_periodic(const struct job *job);

/*
 * Set the deadline of a cron job to its first time after @time, in ns. Reports an error
 * and returns false if there is none.
 */
bool job_set_next(struct job *job, uint64_t time);

/*
 * By how many ns the clock was set forward, or back, since the cron job was armed. A machine
 * that was suspended has set no clock.
 */
int64_t job_clock_set_by(const struct job *job);

#endif /* _JOB_H */
