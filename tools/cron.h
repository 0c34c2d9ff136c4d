/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recurrences in the syntax of crontab(5): minute, hour, day of the month, month, day of
 * the week, in local time.
 *
 * When daylight saving time begins, a job that names its hours runs once for the
 * minutes that are left out, right after them. When it ends, such a job runs only in
 * the first of the two hours that look the same. A job whose hour field begins with
 * '*' goes by real time. Debian's cron treats the hour field alike, but also lets a job
 * go by real time if its minute field begins with '*'.
 */
#ifndef _CRON_H
#define _CRON_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { CRON_FIELDS = 5 };

/**
 * struct cron - the times of a recurrence; bit n stands for the value n
 * @minutes: Minutes of the hour.
 * @hours: Hours of the day.
 * @days: Days of the month.
 * @months: Months; January is 1.
 * @weekdays: Days of the week; Sunday is 0.
 * @any_hour: The hour field begins with '*'.
 * @either_day: A day matches if its day of the month or its day of the week does;
 *	otherwise both have to.
 * @uneven: For each field, a step that does not divide the field, or 0.
 */
struct cron {
	uint64_t	minutes;
	uint32_t	hours;
	uint32_t	days;
	uint32_t	months;
	uint32_t	weekdays;
	bool		any_hour;
	bool		either_day;
	int		uneven[CRON_FIELDS];
};

/* Parse the five fields, or a nickname. Reports an error and returns false on failure. */
bool cron_parse(const char *text, struct cron *cron);

/* Report the steps that do not divide their fields. */
void cron_report_uneven(const struct cron *cron);

/* The first time after @time at which the job runs; -1 if there is none. */
time_t cron_next(const struct cron *cron, time_t time);

#endif /* _CRON_H */
