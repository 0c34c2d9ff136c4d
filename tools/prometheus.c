// SPDX-License-Identifier: GPL-2.0
/* twheelctl stat --prometheus */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "found.h"
#include "prometheus.h"
#include "report.h"
#include "status.h"
#include "values.h"

/* The metrics of an open file: the name, the line of fdinfo, and what it is */
static const char *const metrics[][3] = {
	{ "timers", "twheel-timers", "Timers of an open file" },
	{ "unread_events", "twheel-unread",
	  "Timers of an open file with an unread event: above 1024 timers, those found so far" },
	{ "leases", "twheel-leases", "Timers of an open file that have a lease" },
	{ "user_timers", "twheel-user-timers", "Timers of the user of an open file" },
	{ "user_timers_limit", "twheel-max-user-timers", "How many the user may have" },
};

#define METRICS	(sizeof(metrics) / sizeof(*metrics))

static void show_head(const char *name, const char *type, const char *help)
{
	printf("# HELP twheel_%s %s.\n# TYPE twheel_%s %s\n", name, help, name, type);
}

static void show_counts(const char *text)
{
	static const char *const ends[] = { "fired", "cancelled", "replaced" };
	uint64_t value;
	size_t i;

	values_number(text, "armed", &value);
	show_head("module_armed_total", "counter", "Timers of kernel modules that were armed");
	printf("twheel_module_armed_total %" PRIu64 "\n", value);
	show_head("module_ended_total", "counter", "Timers of kernel modules that have ended");
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		values_number(text, ends[i], &value);
		printf("twheel_module_ended_total{how=\"%s\"} %" PRIu64 "\n", ends[i], value);
	}
	values_number(text, "pending", &value);
	show_head("module_pending", "gauge", "Timers of kernel modules that are pending");
	printf("twheel_module_pending %" PRIu64 "\n", value);
}

/* A label's value has a backslash before each backslash and quote. */
static void show_label(FILE *out, const char *value)
{
	for (; *value; value++)
		fprintf(out, "%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
}

/* Writes a line to the text of each metric that the open file has. */
static void show_found(const struct found *found, void *data)
{
	FILE **out = data;
	uint64_t value;
	size_t i;

	/* The tool's own file is another one each time, and has no timers. */
	if (atoi(found->pid) == getpid())
		return;
	for (i = 0; i < METRICS; i++) {
		if (!values_number(found->text, metrics[i][1], &value))
			continue;
		fprintf(out[i], "twheel_%s{pid=\"%s\",fd=\"%s\",program=\"", metrics[i][0],
			found->pid, found->fd);
		show_label(out[i], found->program);
		fprintf(out[i], "\"} %" PRIu64 "\n", value);
	}
}

/* The lines of a metric come together, and one look at all processes is enough. */
static int show_all_found(void)
{
	char *text[METRICS] = { };
	FILE *out[METRICS];
	size_t size, i;
	long count;

	for (i = 0; i < METRICS; i++) {
		out[i] = open_memstream(&text[i], &size);
		if (!out[i]) {
			report("there is no memory");
			return STATUS_FAILED;
		}
	}
	count = found_each(show_found, out);
	for (i = 0; i < METRICS; i++) {
		if (fclose(out[i])) {
			report("there is no memory");
			return STATUS_FAILED;
		}
		show_head(metrics[i][0], "gauge", metrics[i][2]);
		fputs(text[i], stdout);
		free(text[i]);
	}
	return count < 0 ? STATUS_FAILED : STATUS_DONE;
}

int prometheus_show(const struct twheel_info *info, const char *counts)
{
	show_head("info", "gauge", "The interface of the driver");
	printf("twheel_info{abi=\"%u.%u\"} 1\n", info->abi_major, info->abi_minor);
	show_head("tick_seconds", "gauge", "The length of a tick");
	printf("twheel_tick_seconds %.9f\n", (double)info->resolution_ns / 1e9);
	if (counts)
		show_counts(counts);
	return show_all_found();
}
