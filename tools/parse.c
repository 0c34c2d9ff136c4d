// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "parse.h"
#include "report.h"
#include "zone.h"

struct unit {
	const char	*name;
	uint64_t	ns;
};

static const struct unit units[] = {
	{ "w", 7 * 86400 * NSEC_PER_SEC },
	{ "d", 86400 * NSEC_PER_SEC },
	{ "h", 3600 * NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ "m", 60 * NSEC_PER_SEC },
	{ "s", NSEC_PER_SEC },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
};

bool parse_number(const char *text, uint64_t *number)
{
	/* A number that begins with 0 is no octal one. */
	const int base = text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10;
	char *end;

	errno = 0;
	*number = strtoull(text, &end, base);
	if (isdigit((unsigned char)text[0]) && !*end && !errno)
		return true;
	report("'%s' is not a number", text);
	return false;
}

/* Parse the letters of a unit and move @text past them. No letters mean seconds. */
static const struct unit *parse_unit(const char **text)
{
	static const struct unit seconds = { "s", NSEC_PER_SEC };
	const char *start = *text;
	size_t i, length;

	while (isalpha((unsigned char)**text))
		(*text)++;
	length = (size_t)(*text - start);
	if (!length)
		return &seconds;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == length &&
		    !strncmp(units[i].name, start, length))
			return &units[i];
	return NULL;
}

/* Parse decimal places of a unit of @ns, and move @text past them. Returns ns. */
static uint64_t parse_places(const char **text, uint64_t ns)
{
	uint64_t sum = 0, weight = ns;

	for (; isdigit((unsigned char)**text); (*text)++) {
		weight /= 10;
		sum += weight * (uint64_t)(**text - '0');
	}
	return sum;
}

/*
 * Parse a number and its unit, such as "1.5h", add its length to @ns, and move @text past
 * them. If the sum is too long, it becomes UINT64_MAX.
 */
static bool parse_part(const char **text, uint64_t *ns)
{
	const struct unit *unit;
	const char *places;
	uint64_t whole, part;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	whole = strtoull(*text, &end, 10);
	places = *end == '.' ? end + 1 : end;
	*text = places + strspn(places, "0123456789");
	unit = parse_unit(text);
	if (!unit)
		return false;
	if (__builtin_mul_overflow(whole, unit->ns, &part) ||
	    __builtin_add_overflow(*ns, part, ns) ||
	    __builtin_add_overflow(*ns, parse_places(&places, unit->ns), ns))
		*ns = UINT64_MAX;
	return true;
}

bool parse_duration(const char *text, uint64_t *ns)
{
	const char *rest = text;

	*ns = 0;
	do {
		if (!parse_part(&rest, ns)) {
			report("'%s' is not a duration such as 250ms, 10s or 1h30m",
			       text);
			return false;
		}
	} while (*rest);
	if (*ns <= INT64_MAX)
		return true;
	report("'%s' is too long: a duration has at most 292 years", text);
	return false;
}

static bool same_wall_clock(const struct tm *a, const struct tm *b)
{
	return a->tm_min == b->tm_min && a->tm_hour == b->tm_hour &&
	       a->tm_mday == b->tm_mday && a->tm_mon == b->tm_mon;
}

/* The time at which clocks in UTC, or local clocks, show @wall; -1 if they never do. */
static time_t time_of(const struct tm *wall, bool utc)
{
	struct tm tm = *wall;
	const time_t time = timegm(&tm);

	if (!same_wall_clock(&tm, wall))
		return -1;
	return utc ? time : zone_first_time_of(time);
}

/* Put @tm one day later. */
static void next_day(struct tm *tm)
{
	tm->tm_mday++;
	timegm(tm);
}

/* Parse what may follow the minutes: ":SS", ".5", "Z". */
static bool parse_tail(const char *rest, struct tm *tm, uint64_t *places, bool *utc)
{
	int used = 0;

	if (*rest == ':') {
		if (sscanf(rest, ":%2d%n", &tm->tm_sec, &used) != 1 ||
		    tm->tm_sec < 0 || tm->tm_sec > 59)
			return false;
		rest += used;
		if (*rest == '.') {
			rest++;
			*places = parse_places(&rest, NSEC_PER_SEC);
		}
	}
	*utc = *rest == 'Z';
	return !rest[*utc];
}

static bool parse_wall_clock(const char *text, time_t now, struct tm *tm,
			     uint64_t *places, bool *utc, bool *dated)
{
	char between;
	int used = 0;

	*dated = sscanf(text, "%4d-%2d-%2d%c%2d:%2d%n", &tm->tm_year, &tm->tm_mon,
			&tm->tm_mday, &between, &tm->tm_hour, &tm->tm_min,
			&used) == 6;
	if (*dated) {
		if (between != 'T' && between != ' ')
			return false;
		tm->tm_year -= 1900;
		tm->tm_mon--;
	} else {
		localtime_r(&now, tm);
		tm->tm_sec = 0;
		used = 0;
		if (sscanf(text, "%2d:%2d%n", &tm->tm_hour, &tm->tm_min,
			   &used) != 2)
			return false;
	}
	return parse_tail(text + used, tm, places, utc) &&
	       tm->tm_hour >= 0 && tm->tm_hour < 24 && tm->tm_min >= 0 &&
	       tm->tm_min < 60 && tm->tm_mon >= 0 && tm->tm_mon < 12 &&
	       tm->tm_mday >= 1 && tm->tm_mday <= 31 && tm->tm_year >= 70 &&
	       (*dated || !*utc);
}

static bool parse_seconds(const char *text, uint64_t *s, uint64_t *places)
{
	const char *rest;
	char *end;

	*s = strtoull(text, &end, 10);
	rest = *end == '.' ? end + 1 : end;
	*places = parse_places(&rest, NSEC_PER_SEC);
	return isdigit((unsigned char)*text) && !*rest;
}

/* Parse a time into seconds and ns. */
static bool parse_any_time(const char *text, time_t now, uint64_t *s, uint64_t *places)
{
	struct tm tm = { 0 };
	bool utc, dated;
	time_t time;

	if (*text == '@' && parse_seconds(text + 1, s, places))
		return true;
	if (!parse_wall_clock(text, now, &tm, places, &utc, &dated)) {
		report("'%s' is not a time such as 2026-12-24T18:00, 18:00 or @1798131600",
		       text);
		return false;
	}
	time = time_of(&tm, utc);
	if (!dated && time <= now) {
		next_day(&tm);
		time = time_of(&tm, utc);
	}
	if (time < 0)
		report("'%s' does not exist: there is no such day, or the clocks skip it", text);
	*s = (uint64_t)time;
	return time >= 0;
}

bool parse_time(const char *text, uint64_t now, uint64_t *ns)
{
	uint64_t s, places = 0;

	if (!parse_any_time(text, (time_t)(now / NSEC_PER_SEC), &s, &places))
		return false;
	if (s <= INT64_MAX / NSEC_PER_SEC && s * NSEC_PER_SEC + places <= INT64_MAX) {
		*ns = s * NSEC_PER_SEC + places;
		return true;
	}
	report("'%s' is too late: a time is before the year 2262", text);
	return false;
}
