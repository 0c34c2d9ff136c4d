// SPDX-License-Identifier: GPL-2.0
/* twheelctl stat --prometheus */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "found.h"
#include "prometheus.h"
#include "status.h"
#include "values.h"

/* The metrics of an open file: the name, the line of fdinfo, and what it is */
static const char *const metrics[][3] = {
	{ "timers", "twheel-timers", "Timers of an open file" },
	{ "unread_events", "twheel-unread", "Timers of an open file that have an unread event" },
	{ "leases", "twheel-leases", "Timers of an open file that have a lease" },
};

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
static void show_label(const char *value)
{
	for (; *value; value++)
		printf("%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
}

static void show_found(const struct found *found, void *data)
{
	const char *const *metric = data;
	uint64_t value;

	/* The tool's own file is another one each time, and has no timers. */
	if (atoi(found->pid) == getpid())
		return;
	values_number(found->text, metric[1], &value);
	printf("twheel_%s{pid=\"%s\",fd=\"%s\",program=\"", metric[0], found->pid, found->fd);
	show_label(found->program);
	printf("\"} %" PRIu64 "\n", value);
}

int prometheus_show(const struct twheel_info *info, const char *counts)
{
	size_t i;

	show_head("info", "gauge", "The interface of the driver");
	printf("twheel_info{abi=\"%u.%u\"} 1\n", info->abi_major, info->abi_minor);
	show_head("tick_seconds", "gauge", "The length of a tick");
	printf("twheel_tick_seconds %.9f\n", (double)info->resolution_ns / 1e9);
	if (counts)
		show_counts(counts);
	for (i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		show_head(metrics[i][0], "gauge", metrics[i][2]);
		if (found_each(show_found, (void *)metrics[i]) < 0)
			return STATUS_FAILED;
	}
	return STATUS_DONE;
}
