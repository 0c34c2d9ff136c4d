// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "flag.h"
#include "format.h"
#include "job.h"
#include "parse.h"
#include "report.h"

static bool set_clock(struct job *job, const char *text)
{
	static const uint32_t clocks[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME };
	unsigned int i;

	for (i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (!strcmp(text, format_clock(clocks[i])) &&
		    job->op.clockid != CLOCK_REALTIME) {
			job->op.clockid = clocks[i];
			return true;
		}
	report("the clock cannot be '%s' here", text);
	return false;
}

static bool set_missed(struct job *job, const char *text)
{
	job->op.flags &= ~(TWHEEL_EACH | TWHEEL_RESTART);
	if (!strcmp(text, "skip"))
		return true;
	if (!strcmp(text, "each"))
		job->op.flags |= TWHEEL_EACH;
	if (!strcmp(text, "restart"))
		job->op.flags |= TWHEEL_RESTART;
	if (job->op.flags & (TWHEEL_EACH | TWHEEL_RESTART))
		return true;
	report("--missed is skip, each or restart, not '%s'", text);
	return false;
}

static bool set_correction(struct job *job, const char *text)
{
	job->makes_up = !strcmp(text, "run");
	if (job->makes_up || !strcmp(text, "skip"))
		return true;
	report("--correction is skip or run, not '%s'", text);
	return false;
}

static bool set_count(struct job *job, const char *text)
{
	if (!parse_number(text, &job->left))
		return false;
	job->limited = true;
	if (!job->left)
		report("--count has to be at least 1");
	return job->left;
}

/* __u64 and uint64_t may be different types: store by way of a variable. */
static bool set_field(bool (*parse)(const char *text, uint64_t *value),
		      const char *text, __u64 *field)
{
	uint64_t value;

	if (!parse(text, &value))
		return false;
	*field = value;
	return true;
}

/* Store the value of an option. */
static bool set_option(struct job *job, const char *name, const char *value)
{
	if (!value) {
		report("%s needs a value", name);
		return false;
	}
	if (!strcmp(name, "--cookie"))
		return set_field(parse_number, value, &job->op.cookie);
	if (!strcmp(name, "--group"))
		return set_field(parse_number, value, &job->op.group);
	if (!strcmp(name, "--count"))
		return set_count(job, value);
	if (!strcmp(name, "--clock"))
		return set_clock(job, value);
	if (!strcmp(name, "--missed"))
		return set_missed(job, value);
	if (!strcmp(name, "--correction") && job->is_cron)
		return set_correction(job, value);
	if (!strcmp(name, "--period") && !job->is_cron)
		return set_field(parse_duration, value, &job->op.period_ns);
	if (!strcmp(name, "--window"))
		return set_field(parse_duration, value, &job->op.window_ns);
	if (!strcmp(name, "--first") && job->op.period_ns && !(job->op.flags & TWHEEL_ABSTIME))
		return set_field(parse_duration, value, &job->op.time_ns);
	report("%s needs a --period before it", name);
	return false;
}

static bool set_time(struct job *job, const char *kind, const char *text)
{
	const uint64_t now = twheel_now(CLOCK_REALTIME);
	uint64_t ns;

	if (!strcmp(kind, "at")) {
		job->op = twheel_at(CLOCK_REALTIME, 0, 0);
		if (!parse_time(text, now, &ns))
			return false;
		job->op.time_ns = ns;
		return true;
	}
	if (!strcmp(kind, "cron")) {
		job->op = twheel_at(CLOCK_REALTIME, 0, 0);
		job->is_cron = true;
		return cron_parse(text, &job->cron) && job_set_next(job, now);
	}
	if (!parse_duration(text, &ns))
		return false;
	job->op = strcmp(kind, "every") ? twheel_after(ns, 0) : twheel_every(ns, 0);
	if (strcmp(kind, "every") || ns)
		return true;
	report("a period cannot be 0");
	return false;
}

static bool copy_command(struct job *job, int argc, char **argv)
{
	int i;

	job->command = calloc((size_t)argc + 1, sizeof(*job->command));
	for (i = 0; job->command && i < argc; i++) {
		job->command[i] = strdup(argv[i]);
		if (!job->command[i])
			return false;
	}
	return job->command;
}

static bool fill_in(struct job *job, int argc, char **argv)
{
	const struct flag *flag;
	int i;

	if (argc < 2) {
		report("%s: when?", argv[0]);
		return false;
	}
	if (!set_time(job, argv[0], argv[1]))
		return false;
	for (i = 2; i < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		flag = flag_find(argv[0], argv[i]);
		if (!flag || !flag->commands) {
			flag_unknown(argv[0], argv[i]);
			return false;
		}
		if (!set_option(job, argv[i], i + 1 < argc ? argv[i + 1] : NULL))
			return false;
	}
	if (job->op.flags & (TWHEEL_EACH | TWHEEL_RESTART) && !job->op.period_ns) {
		report("--missed needs a period");
		return false;
	}
	if (asprintf(&job->what, "%s %s", argv[0], argv[1]) < 0 ||
	    !copy_command(job, argc - i, argv + i)) {
		report("out of memory");
		return false;
	}
	return true;
}

struct job *job_new(int argc, char **argv)
{
	struct job *job = calloc(1, sizeof(*job));

	if (job && fill_in(job, argc, argv))
		return job;
	job_free(job);
	return NULL;
}

void job_free(struct job *job)
{
	size_t i;

	if (!job)
		return;
	for (i = 0; job->command && job->command[i]; i++)
		free(job->command[i]);
	free(job->command);
	free(job->what);
	free(job);
}

bool job_periodic(const struct job *job)
{
	return job->op.period_ns || job->is_cron;
}

static int64_t clock_offset(void)
{
	return (int64_t)(twheel_now(CLOCK_REALTIME) - twheel_now(CLOCK_BOOTTIME));
}

int64_t job_clock_set_by(const struct job *job)
{
	return clock_offset() - job->clock_offset;
}

bool job_set_next(struct job *job, uint64_t time)
{
	time_t next = cron_next(&job->cron, (time_t)(time / NSEC_PER_SEC));

	job->op.time_ns = (uint64_t)next * NSEC_PER_SEC;
	job->clock_offset = clock_offset();
	if (next < 0)
		report("this recurrence never comes");
	return next >= 0;
}
