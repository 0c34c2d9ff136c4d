/* SPDX-License-Identifier: GPL-2.0 */
/* A job: a timer, and what is to be done when it is due. */
#ifndef _JOB_H
#define _JOB_H

#include <libtwheel.h>
#include <stdbool.h>
#include <stdint.h>
#include "cron.h"

/**
 * struct job - a timer, and what is to be done
 * @next: In the session.
 * @id: Its number there.
 * @what: What was asked for, in words.
 * @op: The operation that adds the timer; its handle is valid while that is armed.
 * @is_cron: It is armed anew for each time that @cron is due.
 * @cron: When.
 * @last: Of a cron job, the time that was due last, in ns.
 * @limited: It ends when it has been due @left times more.
 * @left: See there.
 * @command: To be run, or empty: a line is printed. Ends with %NULL.
 */
struct job {
	struct job		*next;
	uint64_t		id;
	char			*what;
	struct twheel_op	op;
	bool			is_cron;
	struct cron		cron;
	uint64_t		last;
	bool			limited;
	uint64_t		left;
	char			**command;
};

/*
 * Makes a job from "add", "at", "every" or "cron" and what follows. Returns NULL,
 * having said why, if that makes no sense.
 */
struct job *job_new(int argc, char **argv);
void job_free(struct job *job);

/* Whether its timer is one. */
bool job_periodic(const struct job *job);

/* Sets the next deadline of a cron job after @time in ns. False: there is none. */
bool job_next(struct job *job, uint64_t time);

/* Does what is due. Returns an exit status. */
int job_due(const struct job *job, const struct twheel_event *event);

const char *clock_name(uint32_t clockid);

#endif /* _JOB_H */
