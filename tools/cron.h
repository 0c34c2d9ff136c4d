/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recurrences as crontab(5) writes them: minute, hour, day of the month, month, day
 * of the week, in local time.
 *
 * When daylight saving time begins, a job that names its hours runs once for the
 * minutes that are left out, right after them. When it ends, such a job runs only in
 * the first of the two hours that look the same. A job whose hour field begins with
 * '*' goes by real time. Debian's cron treats the hour field alike; there a '*' for
 * the minute exempts a job as well, here it does not.
 */
#ifndef _CRON_H
#define _CRON_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/**
 * struct cron - when something is due; bit n stands for the number n
 * @minutes: Of the hour.
 * @hours: Of the day.
 * @days: Of the month.
 * @months: Of the year, January being 1.
 * @weekdays: Sunday being 0.
 * @any_hour: The hour field begins with '*'.
 * @either_day: The days of both kinds were given: one that matches is enough.
 */
struct cron {
	uint64_t	minutes;
	uint32_t	hours;
	uint32_t	days;
	uint32_t	months;
	uint32_t	weekdays;
	bool		any_hour;
	bool		either_day;
};

/* Returns false, having said why, if @text is no such thing. */
bool cron_parse(const char *text, struct cron *cron);

/* The first time it is due after @time; -1 if never. */
time_t cron_next(const struct cron *cron, time_t time);

#endif /* _CRON_H */
