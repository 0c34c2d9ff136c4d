// SPDX-License-Identifier: GPL-2.0
/* twheelctl stat: what the driver can do, and its statistics */
#include <inttypes.h>
#include <libtwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "device.h"
#include "format.h"
#include "json.h"
#include "prometheus.h"
#include "report.h"
#include "stat.h"
#include "status.h"
#include "values.h"

#define COUNTS	"/sys/kernel/debug/twheel/counts"

/* The names of TWHEEL_FEATURE_ flags, from bit 0 on. */
static const char *const features[] = { "batch", "periodic", "retract", "upsert",
	"group", "missed", "drain", "eventfd", "sigio", "table", "ring",
	"clock_set", "lease", "window", "list", "keep_handle", "uring" };

static const char *const counts[] = { "armed", "fired", "cancelled", "replaced",
	"pending" };

static const uint32_t clocks[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME };

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof(*(array)))

/* Of a feature that this tool does not know, the number of its bit is the name. */
static const char *feature_name(unsigned int bit)
{
	static char number[16];

	if (bit < ARRAY_SIZE(features))
		return features[bit];
	snprintf(number, sizeof(number), "bit%u", bit);
	return number;
}

static void number_or_null(const char *name, uint64_t number)
{
	if (number == UINT64_MAX)
		json_null(name);
	else
		json_number(name, number);
}

static void names_json(const struct twheel_info *info)
{
	unsigned int i;

	json_open("features", '[');
	for (i = 0; i < 64; i++)
		if (info->features & 1ULL << i)
			json_text(NULL, feature_name(i));
	json_close(']');
	json_open("clocks", '[');
	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		if (info->clocks & 1ULL << clocks[i])
			json_text(NULL, format_clock(clocks[i]));
	json_close(']');
}

static void counts_json(const char *text)
{
	uint64_t value;
	size_t i;

	if (!text)
		return;
	json_open("all", '{');
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (values_number(text, counts[i], &value))
			json_number(counts[i], value);
	json_close('}');
}

static void show_json(const struct twheel_info *info, const char *text)
{
	char abi[24];

	snprintf(abi, sizeof(abi), "%u.%u", info->abi_major, info->abi_minor);
	json_open(NULL, '{');
	json_text("abi", abi);
	json_number("resolution_ns", info->resolution_ns);
	json_number("min_period_ns", info->min_period_ns);
	json_number("max_batch", info->max_batch);
	json_number("timers", info->timers);
	json_number("unread", info->unread);
	json_number("max_timers", info->max_timers);
	json_number("timers_user", info->timers_user);
	number_or_null("max_timers_user", info->max_timers_user);
	json_number("table_entries", info->table_entries);
	json_number("ring_entries", info->ring_entries);
	names_json(info);
	counts_json(text);
	json_close('}');
	json_end();
}

static void show_names(const struct twheel_info *info)
{
	unsigned int i;

	printf("features   ");
	for (i = 0; i < 64; i++)
		if (info->features & 1ULL << i)
			printf(" %s", feature_name(i));
	printf("\nclocks     ");
	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		if (info->clocks & 1ULL << clocks[i])
			printf(" %s", format_clock(clocks[i]));
	putchar('\n');
}

static void show_counts(const char *text)
{
	uint64_t value;
	size_t i;

	if (!text) {
		puts("all timers  (cannot read " COUNTS ": needs root and a mounted debugfs)");
		return;
	}
	printf("all timers ");
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (values_number(text, counts[i], &value))
			printf(" %s %" PRIu64, counts[i], value);
	putchar('\n');
}

static void show(const struct twheel_info *info, const char *text)
{
	char tick[FORMAT_SIZE], period[FORMAT_SIZE], limit[32] = "no limit";

	if (info->max_timers_user != UINT64_MAX)
		snprintf(limit, sizeof(limit), "at most %" PRIu64,
			 (uint64_t)info->max_timers_user);
	printf("interface   %u.%u\n", info->abi_major, info->abi_minor);
	printf("tick        %s, shortest period %s\n",
	       format_duration(info->resolution_ns, tick),
	       format_duration(info->min_period_ns, period));
	printf("descriptor  %" PRIu64 " timers, %" PRIu64 " unread, at most %" PRIu64 "\n",
	       (uint64_t)info->timers, (uint64_t)info->unread,
	       (uint64_t)info->max_timers);
	printf("user        %" PRIu64 " timers, %s\n", (uint64_t)info->timers_user,
	       limit);
	printf("batch       %u operations\n", info->max_batch);
	show_names(info);
	show_counts(text);
}

/* Has @show print what the driver can do, and its counts. Returns an exit status. */
static int show_by(int fd, int (*show)(const struct twheel_info *info, const char *text))
{
	struct twheel_info info;
	int ret = twheel_get_info(fd, &info);
	char *text;

	if (ret)
		return device_report("stat", ret);
	text = values_read(COUNTS);
	ret = show(&info, text);
	free(text);
	return ret;
}

static int show_all(const struct twheel_info *info, const char *text)
{
	if (json)
		show_json(info, text);
	else
		show(info, text);
	return STATUS_DONE;
}

int stat_show(int fd)
{
	return show_by(fd, show_all);
}

int stat_main(int argc, char **argv)
{
	int (*function)(const struct twheel_info *info, const char *text) = show_all;
	char **rest = argv + 1;
	int ret, fd;

	if (argc == 2 && !strcmp(argv[1], "--prometheus")) {
		function = prometheus_show;
		argc = 1;
		rest++;
	}
	fd = argc > 1 ? device_open_of_option(argc, argv, &rest) : device_open();
	if (fd < 0)
		return -fd;
	if (*rest) {
		report("stat: unexpected argument '%s'", *rest);
		ret = STATUS_USAGE;
	} else {
		ret = show_by(fd, function);
	}
	twheel_close(fd);
	return ret;
}
