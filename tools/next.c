// SPDX-License-Identifier: GPL-2.0
/* twheelctl next: the coming times of a recurrence */
#include <libtwheel.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "cron.h"
#include "format.h"
#include "json.h"
#include "parse.h"
#include "report.h"
#include "status.h"

static void show(time_t time)
{
	const uint64_t ns = (uint64_t)time * NSEC_PER_SEC;
	char text[FORMAT_SIZE], weekday[8] = "";
	struct tm tm;

	format_time(ns, text);
	if (!json) {
		if (localtime_r(&time, &tm))
			strftime(weekday, sizeof(weekday), "%a", &tm);
		printf("%s %s\n", text, weekday);
		return;
	}
	json_open(NULL, '{');
	json_number("time_ns", ns);
	json_text("time", text);
	json_close('}');
	json_end();
}

int next_main(int argc, char **argv)
{
	uint64_t from = twheel_now(CLOCK_REALTIME), count = 1;
	struct cron cron;
	time_t time;
	int i;

	if (argc < 2) {
		report("next: when? \"MINUTE HOUR DAY MONTH WEEKDAY\"");
		return STATUS_USAGE;
	}
	if (!cron_parse(argv[1], &cron))
		return STATUS_USAGE;
	for (i = 2; i < argc; i += 2) {
		if (i + 1 < argc && !strcmp(argv[i], "--count")) {
			if (!parse_number(argv[i + 1], &count))
				return STATUS_USAGE;
		} else if (i + 1 < argc && !strcmp(argv[i], "--from")) {
			if (!parse_time(argv[i + 1], from, &from))
				return STATUS_USAGE;
		} else {
			report("next: only --count N and --from TIME may follow");
			return STATUS_USAGE;
		}
	}
	cron_report_uneven(&cron);
	for (time = (time_t)(from / NSEC_PER_SEC); count; count--) {
		time = cron_next(&cron, time);
		if (time < 0) {
			report("this recurrence never comes");
			return STATUS_FAILED;
		}
		show(time);
	}
	return STATUS_DONE;
}
