// SPDX-License-Identifier: GPL-2.0
/* The commands of a script's lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "device.h"
#include "drain.h"
#include "format.h"
#include "json.h"
#include "line.h"
#include "parse.h"
#include "report.h"
#include "stat.h"
#include "status.h"
#include "suggest.h"

static int usage(const char *text)
{
	report("%s", text);
	return STATUS_USAGE;
}

static void show_added(const struct job *job)
{
	if (!json) {
		printf("timer %" PRIu64 ": %s\n", job->id, job->what);
		fflush(stdout);
		return;
	}
	json_open(NULL, '{');
	json_text("event", "added");
	json_number("id", job->id);
	json_text("what", job->what);
	json_number("handle", job->op.handle);
	json_close('}');
	json_end();
}

static int line_add(struct script *script, int argc, char **argv)
{
	struct job *job = job_new(argc, argv);
	int ret;

	if (!job)
		return STATUS_USAGE;
	ret = session_add(&script->session, job);
	if (!ret)
		show_added(job);
	return ret;
}

static struct job *find(struct script *script, const char *text)
{
	struct job *job;
	uint64_t id;

	if (!parse_number(text, &id))
		return NULL;
	job = session_find(&script->session, id);
	if (!job)
		report("there is no timer %s", text);
	return job;
}

static int line_change(struct script *script, int argc, char **argv)
{
	struct job *job;
	uint64_t ns;
	int ret;

	if (argc != 3)
		return usage("change ID DURATION");
	job = find(script, argv[1]);
	if (!job)
		return STATUS_FAILED;
	if (!parse_duration(argv[2], &ns))
		return STATUS_USAGE;
	if (job->op.clockid == CLOCK_REALTIME)
		return usage("a timer with a time of day cannot be changed by a duration");
	ret = twheel_change(script->session.fd, job->op.handle, ns, 0);
	return ret < 0 ? device_report("change", ret) : STATUS_DONE;
}

/* Remove the jobs whose timers are gone. */
static void remove_gone(struct script *script)
{
	struct session *session = &script->session;
	struct job *job, *next;
	struct twheel_op op;

	for (job = session->jobs; job; job = next) {
		next = job->next;
		if (twheel_query(session->fd, job->op.handle, &op, 0) == -ENOENT)
			session_remove(session, job);
	}
}

static int cancel_group(struct script *script, const char *text)
{
	uint64_t group;
	int ret;

	if (!parse_number(text, &group))
		return STATUS_USAGE;
	ret = twheel_cancel_group(script->session.fd, group, NULL);
	remove_gone(script);
	return ret < 0 ? device_report("cancel", ret) : STATUS_DONE;
}

static int line_cancel(struct script *script, int argc, char **argv)
{
	struct job *job;
	int ret;

	if (argc == 3 && !strcmp(argv[1], "--group"))
		return cancel_group(script, argv[2]);
	if (argc != 2)
		return usage("cancel ID, or --group TAG");
	job = find(script, argv[1]);
	if (!job)
		return STATUS_FAILED;
	ret = twheel_cancel(script->session.fd, job->op.handle);
	session_remove(&script->session, job);
	return ret < 0 ? device_report("cancel", ret) : STATUS_DONE;
}

/* The time until the deadline of @op. */
static uint64_t left_of(const struct twheel_op *op)
{
	const uint64_t now = twheel_now((clockid_t)op->clockid);

	return op->time_ns > now ? op->time_ns - now : 0;
}

static void show_job_json(const struct job *job, const struct twheel_op *op, bool expired)
{
	json_open(NULL, '{');
	json_text("event", "listed");
	json_number("id", job->id);
	json_text("what", job->what);
	json_text("state", expired ? "expired" : "pending");
	json_number("handle", job->op.handle);
	json_number("cookie", op->cookie);
	json_text("clock", format_clock(op->clockid));
	json_number("deadline_ns", op->time_ns);
	json_number("left_ns", left_of(op));
	json_number("period_ns", op->period_ns);
	json_number("window_ns", op->window_ns);
	json_number("group", op->group);
	json_close('}');
	json_end();
}

static void show_job(const struct job *job, const struct twheel_op *op, bool expired)
{
	char left[FORMAT_SIZE];

	printf("timer %" PRIu64 ": %s, ", job->id, job->what);
	if (expired)
		puts("expired");
	else
		printf("due in %s\n", format_duration(left_of(op), left));
}

static int line_list(struct script *script, int argc, char **argv)
{
	struct twheel_op op;
	struct job *job;
	int ret;

	(void)argv;
	if (argc != 1)
		return usage("list has no arguments");
	for (job = script->session.jobs; job; job = job->next) {
		ret = twheel_query(script->session.fd, job->op.handle, &op,
				   TWHEEL_ABSTIME);
		if (ret < 0)
			continue;
		if (json)
			show_job_json(job, &op, ret == TWHEEL_EXPIRED);
		else
			show_job(job, &op, ret == TWHEEL_EXPIRED);
	}
	fflush(stdout);
	return STATUS_DONE;
}

static int line_stat(struct script *script, int argc, char **argv)
{
	(void)argv;
	return argc == 1 ? stat_show(script->session.fd) :
			   usage("stat has no arguments here");
}

static int line_drain(struct script *script, int argc, char **argv)
{
	int ret;

	(void)argv;
	if (argc != 1)
		return usage("drain has no arguments here");
	ret = drain_show(script->session.fd);
	remove_gone(script);
	return ret;
}

static int line_resume(struct script *script, int argc, char **argv)
{
	int ret;

	(void)argv;
	if (argc != 1)
		return usage("resume has no arguments here");
	ret = twheel_resume(script->session.fd);
	return ret ? device_report("resume", ret) : STATUS_DONE;
}

static int line_wait(struct script *script, int argc, char **argv)
{
	uint64_t count = 0;

	if (argc > 2)
		return usage("wait, or wait COUNT");
	if (argc == 2 && !parse_number(argv[1], &count))
		return STATUS_USAGE;
	script->waits = true;
	script->until = argc == 2 ? script->session.expired + count : UINT64_MAX;
	return STATUS_DONE;
}

static int line_quit(struct script *script, int argc, char **argv)
{
	(void)argv;
	if (argc != 1)
		return usage("quit has no arguments");
	script->quits = true;
	return STATUS_DONE;
}

static const struct {
	const char	*name;
	int		(*run)(struct script *script, int argc, char **argv);
} lines[] = {
	{ "add", line_add },
	{ "at", line_add },
	{ "every", line_add },
	{ "cron", line_add },
	{ "change", line_change },
	{ "cancel", line_cancel },
	{ "list", line_list },
	{ "stat", line_stat },
	{ "drain", line_drain },
	{ "resume", line_resume },
	{ "wait", line_wait },
	{ "quit", line_quit },
};

int line_run(struct script *script, int argc, char **argv)
{
	struct suggest suggest = { .word = argv[0] };
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strcmp(argv[0], lines[i].name))
			return lines[i].run(script, argc, argv);
	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		suggest_offer(&suggest, lines[i].name);
	suggest_report(&suggest, "command",
		       "commands: add at every cron change cancel list stat drain resume wait quit");
	return STATUS_USAGE;
}
