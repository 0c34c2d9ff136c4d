// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "report.h"
#include "zone.h"

/* No zone has changed twice in so short a time. */
#define STEP	3600
#define DAY	86400

#define LOCALTIME	"/etc/localtime"

/* A time zone in the form of POSIX, such as CET-1CEST,M3.5.0,M10.5.0/3. */
#define NAME	"([A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
#define LENGTH	"[+-]?[0-9]{1,3}(:[0-9]{1,2}(:[0-9]{1,2})?)?"
#define DATE	",(J?[0-9]{1,3}|M[0-9]{1,2}\\.[1-5]\\.[0-6])(/" LENGTH ")?"
#define POSIX	"^(UTC|GMT|" NAME LENGTH "(" NAME "(" LENGTH ")?(" DATE DATE ")?)?)$"

static bool is_posix(const char *zone)
{
	regex_t regex;
	bool found;

	if (regcomp(&regex, POSIX, REG_EXTENDED | REG_NOSUB))
		return true;
	found = !regexec(&regex, zone, 0, NULL, 0);
	regfree(&regex);
	return found;
}

static bool is_zone_file(const char *path)
{
	char magic[4] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (fread(magic, sizeof(magic), 1, file) != 1)
		magic[0] = 0;
	fclose(file);
	return !memcmp(magic, "TZif", sizeof(magic));
}

/* Whether the C library knows the time zone @zone, a value of TZ. */
static bool known(const char *zone)
{
	const char *folder = getenv("TZDIR") ?: "/usr/share/zoneinfo";
	char path[4096];

	if (!*zone || is_posix(zone))
		return true;
	zone += *zone == ':';
	if (*zone == '/')
		return is_zone_file(zone);
	snprintf(path, sizeof(path), "%s/%s", folder, zone);
	return is_zone_file(path);
}

/* Whether the machine has the zone @zone, or, for NULL, what /etc/localtime says. */
static bool available(const char *zone)
{
	char target[1];

	if (zone)
		return known(zone);
	/* A machine without /etc/localtime is in UTC. A link that leads nowhere is a mistake. */
	return is_zone_file(LOCALTIME) ||
	       (readlink(LOCALTIME, target, sizeof(target)) < 0 && errno == ENOENT);
}

/* Report that the zone is not there. The C library then takes local time for UTC. */
static void check(const char *zone)
{
	static bool reported;
	const time_t now = time(NULL);
	char offset[16] = "";
	struct tm tm;

	if (reported || available(zone))
		return;
	reported = true;
	if (localtime_r(&now, &tm))
		strftime(offset, sizeof(offset), "%z", &tm);
	report("warning: there is no time zone '%s' on this machine; local time is UTC%s",
	       zone ?: LOCALTIME, offset);
}

void zone_refresh(void)
{
	char *zone = getenv("TZ");

	zone = zone ? strdup(zone) : NULL;
	if (zone) {
		/* tzset() reads the file of a zone only if TZ has changed. */
		setenv("TZ", "UTC0", 1);
		tzset();
		setenv("TZ", zone, 1);
	}
	tzset();
	check(zone);
	free(zone);
}

long zone_offset(time_t time)
{
	struct tm tm;

	return localtime_r(&time, &tm) ? tm.tm_gmtoff : 0;
}

time_t zone_run_end(time_t time)
{
	const long offset = zone_offset(time);
	const time_t day_after = time + DAY;
	time_t middle, end = time + STEP;

	for (; zone_offset(end) == offset; end += STEP) {
		if (end == day_after)
			return end;
		time = end;
	}
	/* The offset is the old one at @time, and another one at @end. */
	while (end - time > 1) {
		middle = time + (end - time) / 2;
		if (zone_offset(middle) == offset)
			time = middle;
		else
			end = middle;
	}
	return end;
}

time_t zone_first_time_of(time_t wall)
{
	time_t begin, end, time;

	zone_refresh();
	for (begin = wall - ZONE_LONGEST_CHANGE; begin <= wall + ZONE_LONGEST_CHANGE; begin = end) {
		end = zone_run_end(begin);
		time = wall - zone_offset(begin);
		if (time >= begin && time < end)
			return time;
	}
	return -1;
}
