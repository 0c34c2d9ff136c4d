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

#define BLANKS		" \t\n\v\f\r"

struct field {
	const char		*name;
	int			low;
	int			high;
	int			size;		/* of the period in which the field starts anew */
	const char		*period;
	const char *const	*names;		/* the names of low, low + 1, ... */
};

static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun",
	"jul", "aug", "sep", "oct", "nov", "dec", NULL };
static const char *const weekdays[] = { "sun", "mon", "tue", "wed", "thu", "fri",
	"sat", NULL };

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY };

static const struct field fields[CRON_FIELDS] = {
	{ "minute", 0, 59, 60, "hour", NULL },
	{ "hour", 0, 23, 24, "day", NULL },
	{ "day of the month", 1, 31, 31, "month", NULL },
	{ "month", 1, 12, 12, "year", months },
	{ "day of the week", 0, 7, 7, "week", weekdays },
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
	if (value >= field->low && value <= field->high)
		return (int)value;
	if (field->names)
		report("the %s is %d to %d, or %s to %s", field->name, field->low, field->high,
		       field->names[0], field->names[field->size - 1]);
	else
		report("the %s is %d to %d", field->name, field->low, field->high);
	return -1;
}

/* Report a range that goes past the end of its field, and what to write instead. */
static void report_backwards(const struct field *field, int low, int high, int step)
{
	const int last = field->low + field->size - 1;
	const int first = field->low + (step - (last + 1 - low) % step) % step;
	char by[16] = "", rest[32] = "";

	if (step > 1)
		snprintf(by, sizeof(by), "/%d", step);
	if (first <= high)
		snprintf(rest, sizeof(rest), ",%d-%d%s", first, high, by);
	report("%d-%d%s goes down: write %d-%d%s%s", low, high, by, low, last, by, rest);
}

/* Sunday is 7 at the end of a week, and 0 at the beginning of one. */
static void fit_sunday(int *low, int *high)
{
	if (*low && !*high)
		*high = 7;
	if (*low == 7 && *high < 7)
		*low = 0;
}

/* Parse the step behind a range, if any, and move @text past it. Returns 0 on failure. */
static int parse_step(const char **text)
{
	unsigned long step;
	char *end;

	if (**text != '/')
		return 1;
	step = isdigit((unsigned char)(*text)[1]) ? strtoul(*text + 1, &end, 10) : 0;
	if (step >= 1 && step <= 60) {
		*text = end;
		return (int)step;
	}
	report("a step is 1 to 60; \"twheelctl every\" knows any period");
	return 0;
}

/*
 * Parse "*", "5", "5/2", "1-5" or "1-5/2" and move @text past it. A step without a
 * range ("5/2") runs to the end of the field; a range with a step ends where it says.
 */
static bool parse_range(const char **text, const struct field *field,
			uint64_t *bits, int *uneven)
{
	int i, step, low = field->low, high = field->high;
	bool open = true;

	if (**text == '*') {
		(*text)++;
	} else {
		low = parse_value(text, field);
		if (low < 0)
			return false;
		open = **text == '/';
		if (**text == '-') {
			(*text)++;
			high = parse_value(text, field);
			if (high < 0)
				return false;
			if (field->names == weekdays)
				fit_sunday(&low, &high);
		} else if (!open) {
			high = low;
		}
	}
	step = parse_step(text);
	if (!step)
		return false;
	if (high < low) {
		report_backwards(field, low, high, step);
		return false;
	}
	if (open && field->size % step)
		*uneven = step;
	for (i = low; i <= high; i += step)
		*bits |= 1ULL << i;
	return true;
}

/* Parse a field and move @text past it. */
static bool parse_field(const char **text, const struct field *field, uint64_t *bits,
			int *uneven)
{
	const char *const start = *text;

	*bits = 0;
	*uneven = 0;
	while (parse_range(text, field, bits, uneven)) {
		if (!**text || isspace((unsigned char)**text))
			return true;
		if (**text != ',') {
			report("there is a stray '%c'", **text);
			break;
		}
		(*text)++;
	}
	report("'%.*s' is not a valid %s", (int)strcspn(start, BLANKS), start, field->name);
	return false;
}

static int count_words(const char *text)
{
	int count = 0;

	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		text += strcspn(text, BLANKS);
		count++;
	}
	return count;
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
	const char *word[CRON_FIELDS], *rest = text;
	uint64_t bits[CRON_FIELDS];
	int count;
	size_t i;

	for (i = 0; i < sizeof(nicknames) / sizeof(*nicknames); i++)
		if (!strcmp(text, nicknames[i][0]))
			rest = nicknames[i][1];
	count = count_words(rest);
	if (count != CRON_FIELDS) {
		report("'%s' does not have five fields, but %d: minute hour day month weekday",
		       text, count);
		return false;
	}
	for (i = 0; i < CRON_FIELDS; i++) {
		rest += strspn(rest, BLANKS);
		word[i] = rest;
		if (!parse_field(&rest, &fields[i], &bits[i], &cron->uneven[i]))
			return false;
	}
	cron->minutes = bits[MINUTE];
	cron->hours = (uint32_t)bits[HOUR];
	cron->days = (uint32_t)bits[DAY];
	cron->months = (uint32_t)bits[MONTH];
	/* Sunday is 0 or 7. */
	cron->weekdays = (uint32_t)(bits[WEEKDAY] | bits[WEEKDAY] >> 7) & 0x7f;
	cron->any_hour = *word[HOUR] == '*';
	cron->either_day = *word[DAY] != '*' && *word[WEEKDAY] != '*';
	if (possible(cron))
		return true;
	report("'%s' never comes", text);
	return false;
}

void cron_report_uneven(const struct cron *cron)
{
	const struct field *field;

	for (field = fields; field < fields + CRON_FIELDS; field++)
		if (cron->uneven[field - fields])
			report("note: a step of %d does not divide %d: the %s starts anew each %s",
			       cron->uneven[field - fields], field->size, field->name,
			       field->period);
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
