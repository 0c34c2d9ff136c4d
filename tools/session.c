// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include "device.h"
#include "format.h"
#include "parse.h"
#include "report.h"
#include "run.h"
#include "session.h"
#include "status.h"

/*
 * If the clock is set back by less than this, cron jobs do not repeat the times in
 * between. If it is set forward by at most this, they make up for them. If it is set
 * further, the clock was wrong before.
 */
#define SMALL_STEP	(3 * 3600 * NSEC_PER_SEC)

int session_open(struct session *session)
{
	*session = (struct session){ .fd = device_open() };
	return session->fd < 0 ? -session->fd : STATUS_DONE;
}

void session_close(struct session *session)
{
	while (session->jobs)
		session_remove(session, session->jobs);
	twheel_close(session->fd);
}

/* Ask for an event whenever CLOCK_REALTIME is set, for cron jobs. */
static int watch_clock(struct session *session)
{
	int ret = session->watches_clock ? 0 : twheel_watch_clock(session->fd);

	session->watches_clock |= !ret;
	return ret;
}

/* Report that the job's period is too short. Returns whether it is. */
static bool report_short_period(int fd, const struct job *job)
{
	struct twheel_info info;
	char text[FORMAT_SIZE];

	if (!job->op.period_ns || twheel_get_info(fd, &info) ||
	    job->op.period_ns >= info.min_period_ns)
		return false;
	report("%s: the shortest period is %s", job->what,
	       format_duration(info.min_period_ns, text));
	return true;
}

int session_add(struct session *session, struct job *job)
{
	struct job **end = &session->jobs;
	int ret = job->is_cron ? watch_clock(session) : 0;

	if (!ret)
		ret = twheel_add(session->fd, &job->op);
	if (ret) {
		if (ret != -EINVAL || !report_short_period(session->fd, job))
			device_report(job->what, ret);
		job_free(job);
		return STATUS_FAILED;
	}
	job->id = ++session->last_id;
	while (*end)
		end = &(*end)->next;
	*end = job;
	return STATUS_DONE;
}

void session_remove(struct session *session, struct job *job)
{
	struct job **place = &session->jobs;

	while (*place != job)
		place = &(*place)->next;
	*place = job->next;
	job_free(job);
}

struct job *session_find(struct session *session, uint64_t id)
{
	struct job *job = session->jobs;

	while (job && job->id != id)
		job = job->next;
	return job;
}

struct job *session_find_handle(struct session *session, uint64_t handle)
{
	struct job *job = session->jobs;

	while (job && job->op.handle != handle)
		job = job->next;
	return job;
}

/* Arm a cron job for its next time. A clock that was set back a little runs it no second time. */
static int arm_next(struct session *session, struct job *job, uint64_t now)
{
	const uint64_t after = job->last > now && job->last - now < SMALL_STEP ? job->last : now;
	int ret;

	if (!job_set_next(job, after))
		return STATUS_FAILED;
	ret = twheel_upsert(session->fd, &job->op);
	return ret < 0 ? device_report(job->what, ret) : STATUS_DONE;
}

/* Remove a job that is done, and its timer, which may be periodic. */
static void end_job(struct session *session, struct job *job)
{
	twheel_cancel(session->fd, job->op.handle);
	session_remove(session, job);
}

/*
 * Whether the timer of a cron job expired only because a clock that was wrong was set forward.
 * Reports that the job does not run then.
 */
static bool report_correction(const struct job *job, const struct twheel_event *event,
			      uint64_t now)
{
	const int64_t set_by = job_clock_set_by(job);
	char time[FORMAT_SIZE], length[FORMAT_SIZE];

	if (!job->is_cron || job->makes_up || set_by <= (int64_t)SMALL_STEP)
		return false;
	/* The timer was due without the change, or expired before the change. */
	if (event->expired_ns - event->deadline_ns >= (uint64_t)set_by ||
	    now - event->expired_ns >= (uint64_t)set_by)
		return false;
	report("timer %" PRIu64 ": %s does not run for %s: the clock was set forward by %s",
	       job->id, job->what, format_time(event->deadline_ns, time),
	       format_duration((uint64_t)set_by, length));
	return true;
}

static int serve_event(struct session *session, const struct twheel_event *event)
{
	struct job *job = session_find_handle(session, event->handle);
	const uint64_t now = twheel_now(CLOCK_REALTIME);
	int armed = STATUS_DONE, status;
	bool over;

	/* Another process that has the descriptor may have added or cancelled the timer. */
	if (!job)
		return STATUS_DONE;
	if (report_correction(job, event, now))
		return arm_next(session, job, now);
	session->expired++;
	job->last = event->deadline_ns;
	over = !job_periodic(job) || (job->limited && !--job->left);
	/* Arm the timer before the command runs, which may take long. */
	if (job->is_cron && !over)
		armed = arm_next(session, job, now);
	status = run_job(job, event) ?: armed;
	if (status)
		session->status = status;
	/* If a job cannot be armed, the other jobs go on. */
	if (over || armed)
		end_job(session, job);
	return STATUS_DONE;
}

/* Whether the job's timer has not expired. */
static bool pending(struct session *session, const struct job *job)
{
	struct twheel_op op;

	return !twheel_query(session->fd, job->op.handle, &op, 0);
}

/*
 * Arm the cron jobs anew: the clock was set. A job whose event waits is armed when the event
 * is read.
 */
static int rearm_cron_jobs(struct session *session)
{
	const uint64_t now = twheel_now(CLOCK_REALTIME);
	struct job *job;
	int ret = STATUS_DONE;

	for (job = session->jobs; job && !ret; job = job->next)
		if (job->is_cron && pending(session, job))
			ret = arm_next(session, job, now);
	return ret;
}

int session_serve(struct session *session)
{
	struct twheel_event event;
	const long ret = twheel_read(session->fd, &event, 1);

	if (ret == -EAGAIN || ret == -EINTR)
		return STATUS_DONE;
	if (ret < 0)
		return device_report("reading", ret);
	return event.type == TWHEEL_EVENT_CLOCK_SET ? rearm_cron_jobs(session) :
						      serve_event(session, &event);
}

int session_run(struct session *session)
{
	int ret = STATUS_DONE;

	while (session->jobs && !ret) {
		int ready = twheel_wait(session->fd, -1);

		if (ready < 0 && ready != -EINTR)
			return device_report("waiting", ready);
		ret = session_serve(session);
	}
	return ret ? ret : session->status;
}
