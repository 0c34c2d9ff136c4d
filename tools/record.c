// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include "format.h"
#include "json.h"
#include "parse.h"
#include "record.h"

static const char *missed_name(uint32_t flags)
{
	return flags & TWHEEL_EACH ? "each" :
	       flags & TWHEEL_RESTART ? "restart" : "skip";
}

void record_show_json(const struct twheel_op *op, const char *state)
{
	json_open(NULL, '{');
	if (state)
		json_text("state", state);
	json_number("handle", op->handle);
	json_number("cookie", op->cookie);
	json_text("clock", format_clock(op->clockid));
	json_number(op->flags & TWHEEL_ABSTIME ? "deadline_ns" : "left_ns",
		    op->time_ns);
	if (op->period_ns) {
		json_number("period_ns", op->period_ns);
		json_text("missed", missed_name(op->flags));
	}
	if (op->window_ns)
		json_number("window_ns", op->window_ns);
	if (op->group)
		json_number("group", op->group);
	json_close('}');
	json_end();
}

void record_show_line(const struct twheel_op *op)
{
	if (op->flags & TWHEEL_ABSTIME)
		printf("at @%" PRIu64 ".%09" PRIu64, (uint64_t)(op->time_ns / NSEC_PER_SEC),
		       (uint64_t)(op->time_ns % NSEC_PER_SEC));
	else
		printf("add %" PRIu64 "ns", (uint64_t)op->time_ns);
	if (op->clockid == CLOCK_BOOTTIME)
		printf(" --clock boottime");
	if (op->period_ns)
		printf(" --period %" PRIu64 "ns --missed %s",
		       (uint64_t)op->period_ns, missed_name(op->flags));
	if (op->window_ns)
		printf(" --window %" PRIu64 "ns", (uint64_t)op->window_ns);
	if (op->cookie)
		printf(" --cookie %" PRIu64, (uint64_t)op->cookie);
	if (op->group)
		printf(" --group %" PRIu64, (uint64_t)op->group);
	putchar('\n');
}

/* A duration, or "-" instead of 0. */
static const char *duration_or_none(uint64_t ns, char *text)
{
	return ns ? format_duration(ns, text) : "-";
}

void record_show_header(void)
{
	printf("%-20s %-9s %-16s %-16s %-16s %-10s %s\n", "HANDLE", "CLOCK", "DUE IN",
	       "PERIOD", "WINDOW", "COOKIE", "GROUP");
}

void record_show_row(const struct twheel_op *op, const char *state)
{
	char left[FORMAT_SIZE], period[FORMAT_SIZE], window[FORMAT_SIZE];
	uint64_t left_ns = op->time_ns, now;

	if (op->flags & TWHEEL_ABSTIME) {
		now = twheel_now((clockid_t)op->clockid);
		left_ns = op->time_ns > now ? op->time_ns - now : 0;
	}
	printf("%-20" PRIu64 " %-9s %-16s %-16s %-16s %-10" PRIu64 " %" PRIu64 "\n",
	       (uint64_t)op->handle, format_clock(op->clockid),
	       state ? state : format_duration(left_ns, left),
	       duration_or_none(op->period_ns, period),
	       duration_or_none(op->window_ns, window), (uint64_t)op->cookie,
	       (uint64_t)op->group);
}
