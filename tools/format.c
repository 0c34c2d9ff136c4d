// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <time.h>
#include "format.h"
#include "parse.h"

const char *format_duration(uint64_t ns, char *text)
{
	const uint64_t s = ns / NSEC_PER_SEC;

	if (ns < 1000000)
		snprintf(text, FORMAT_SIZE, "%.0f us", ns / 1e3);
	else if (s < 1)
		snprintf(text, FORMAT_SIZE, "%.1f ms", ns / 1e6);
	else if (s < 60)
		snprintf(text, FORMAT_SIZE, "%.2f s", ns / 1e9);
	else if (s < 3600)
		snprintf(text, FORMAT_SIZE, "%u min %02u s", (unsigned int)(s / 60),
			 (unsigned int)(s % 60));
	else if (s < 86400)
		snprintf(text, FORMAT_SIZE, "%u h %02u min", (unsigned int)(s / 3600),
			 (unsigned int)(s / 60 % 60));
	else
		snprintf(text, FORMAT_SIZE, "%llu d %02u h",
			 (unsigned long long)(s / 86400),
			 (unsigned int)(s / 3600 % 24));
	return text;
}

const char *format_time(uint64_t ns, char *text)
{
	const time_t s = (time_t)(ns / NSEC_PER_SEC);
	char date[32] = "", zone[16] = "";
	struct tm tm;

	if (localtime_r(&s, &tm)) {
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
		strftime(zone, sizeof(zone), "%z", &tm);
	}
	snprintf(text, FORMAT_SIZE, "%s.%03u%s", date,
		 (unsigned int)(ns % NSEC_PER_SEC / 1000000), zone);
	return text;
}

const char *format_clock(uint32_t clockid)
{
	switch (clockid) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_BOOTTIME:
		return "boottime";
	default:
		return "monotonic";
	}
}
