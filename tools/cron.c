// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cron.h"
#include "report.h"
#include "zone.h"

/*
 * How far ahead to search. 29 February on a given weekday is 28 years away at most, or 40
 * where a year such as 2100 has no leap day.
 */
#define HORIZON		((time_t)41 * 366 * 86400)

struct field {
	const char		*name;
	int			low;
	int			high;
	const char *const	*names;		/* the names of low, low + 1, ... */
};

static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun",
	"jul", "aug", "sep", "oct", "nov", "dec", NULL };
static const char *const weekdays[] = { "sun", "mon", "tue", "wed", "thu", "fri",
	"sat", NULL };

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY, FIELDS };

static const struct field fields[FIELDS] = {
	{ "minute", 0, 59, NULL },
	{ "hour", 0, 23, NULL },
	{ "day of the month", 1, 31, NULL },
	{ "month", 1, 12, months },
	{ "day of the week", 0, 7, weekdays },
};

static const char *const nicknames[][2] = {
	{ "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" },
	{ "@monthly", "0 0 1 * *" }, { "@weekly", "0 0 * * 0" },
	{ "@daily", "0 0 * * *" }, { "@midnight", "0 0 * * *" },
	{ "@hourly", "0 * * * *" },
};

/* Parse a number or name and move @text past it. Returns -1 if there is none. */
static int parse_value(const char **text, const struct field *field)
{
	long value = -1;
	char *end;
	int i;

	if (isdigit((unsigned char)**text)) {
		value = strtol(*text, &end, 10);
		*text = end;
	}
	for (i = 0; field->names && field->names[i] && value < 0; i++)
		if (!strncasecmp(*text, field->names[i], 3)) {
			value = field->low + i;
			*text += 3;
		}
	return value >= field->low && value <= field->high ? (int)value : -1;
}

/*
 * Parse "*", "5", "5/2", "1-5" or "1-5/2" and move @text past it. A step without a
 * range ("5/2") runs to the end of the field; a range with a step ends where it says.
 */
static bool parse_range(const char **text, const struct field *field,
			uint64_t *bits)
{
	int low = field->low, high = field->high;
	long i, step = 1;
	char *end;

	if (**text == '*') {
		(*text)++;
	} else {
		low = parse_value(text, field);
		if (**text == '-') {
			(*text)++;
			high = parse_value(text, field);
		} else if (**text != '/') {
			high = low;
		}
	}
	if (**text == '/') {
		step = strtol(*text + 1, &end, 10);
		if (end == *text + 1)
			return false;
		*text = end;
	}
	if (low < 0 || high < low || step < 1 || step > 60)
		return false;
	for (i = low; i <= high; i += step)
		*bits |= 1ULL << i;
	return true;
}

static bool parse_field(const char *text, const struct field *field, uint64_t *bits)
{
	const char *rest = text;

	*bits = 0;
	for (;;) {
		if (!parse_range(&rest, field, bits))
			break;
		if (!*rest)
			return true;
		if (*rest++ != ',')
			break;
	}
	report("'%s' is not a valid %s", text, field->name);
	return false;
}

/* Whether a day matches in any year: 30 February does not. */
static bool possible(const struct cron *cron)
{
	static const int length[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int month;

	if (cron->either_day)
		return true;
	for (month = 1; month <= 12; month++)
		if (cron->months & 1u << month &&
		    cron->days & ((1ULL << (length[month - 1] + 1)) - 2))
			return true;
	return false;
}

bool cron_parse(const char *text, struct cron *cron)
{
	char word[FIELDS][64], rest;
	uint64_t bits[FIELDS];
	size_t i;

	for (i = 0; i < sizeof(nicknames) / sizeof(*nicknames); i++)
		if (!strcmp(text, nicknames[i][0]))
			text = nicknames[i][1];
	if (sscanf(text, "%63s %63s %63s %63s %63s %c", word[MINUTE], word[HOUR],
		   word[DAY], word[MONTH], word[WEEKDAY], &rest) != FIELDS) {
		report("'%s' does not have five fields: minute hour day month weekday", text);
		return false;
	}
	for (i = 0; i < FIELDS; i++)
		if (!parse_field(word[i], &fields[i], &bits[i]))
			return false;
	*cron = (struct cron){
		.minutes = bits[MINUTE],
		.hours = (uint32_t)bits[HOUR],
		.days = (uint32_t)bits[DAY],
		.months = (uint32_t)bits[MONTH],
		/* Sunday is 0 or 7. */
		.weekdays = (uint32_t)(bits[WEEKDAY] | bits[WEEKDAY] >> 7) & 0x7f,
		.any_hour = *word[HOUR] == '*',
		.either_day = *word[DAY] != '*' && *word[WEEKDAY] != '*',
	};
	if (possible(cron))
		return true;
	report("'%s' never comes", text);
	return false;
}

static bool day_matches(const struct cron *cron, const struct tm *tm)
{
	bool day = cron->days & 1u << tm->tm_mday;
	bool weekday = cron->weekdays & 1u << tm->tm_wday;

	if (!(cron->months & 1u << (tm->tm_mon + 1)))
		return false;
	return cron->either_day ? day || weekday : day && weekday;
}

static time_t round_up(time_t wall, time_t unit)
{
	return wall + (unit - wall % unit) % unit;
}

/* The first minute from @wall on, and before @end, that matches; otherwise @end or later. */
static time_t first_match(const struct cron *cron, time_t wall, time_t end)
{
	struct tm tm;

	for (wall = round_up(wall, 60); wall < end; wall = round_up(wall, 60)) {
		gmtime_r(&wall, &tm);
		if (!day_matches(cron, &tm))
			wall = round_up(wall + 1, 86400);
		else if (!(cron->hours & 1u << tm.tm_hour))
			wall = round_up(wall + 1, 3600);
		else if (!(cron->minutes & 1ULL << tm.tm_min))
			wall++;
		else
			break;
	}
	return wall;
}

static time_t later_of(time_t a, time_t b)
{
	return a > b ? a : b;
}

/*
 * A job that goes by real time runs whenever local clocks show a minute that matches. Any
 * other job runs when clocks first show such a minute or, if they skip it, a later time.
 */
time_t cron_next(const struct cron *cron, time_t time)
{
	time_t begin = time - ZONE_LONGEST_CHANGE, end, match, shown;
	long offset;

	zone_refresh();
	/* Local clocks have shown all times before @shown, or skipped them. */
	shown = begin + zone_offset(begin);
	for (; begin <= time; begin = end) {
		end = zone_run_end(begin);
		if (end > time)
			end = time + 1;
		shown = later_of(shown, end + zone_offset(begin));
	}
	for (; begin < time + HORIZON; begin = end) {
		offset = zone_offset(begin);
		end = zone_run_end(begin);
		if (cron->any_hour)
			shown = begin + offset;
		match = first_match(cron, shown, end + offset);
		if (match < end + offset)
			return later_of(match - offset, begin);
		shown = later_of(shown, end + offset);
	}
	return -1;
}
