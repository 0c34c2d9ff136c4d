// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "values.h"
#include "wheel.h"

const char *const wheel_rate_names[WHEEL_RATES] = { "armed", "fired", "cancelled",
	"replaced", "extended", "cascaded", "runs", "late" };

/* The lines late_1, late_2, late_4, and so on */
enum { LATE = WHEEL_RATES - 1, LATE_LINES = 20 };

static void parse_level(const char *text, struct wheel *wheel, unsigned int level)
{
	unsigned int i = 0;

	memset(wheel->slots[level], '.', WHEEL_SLOTS);
	for (; text && *text > ' ' && i < WHEEL_SLOTS; text++) {
		if (*text == '>')
			wheel->hand[level] = i;
		else
			wheel->slots[level][i++] = *text;
	}
}

static void parse(const char *text, struct wheel *wheel)
{
	uint64_t number;
	char name[16];
	unsigned int i;

	values_number(text, "online", &number);
	wheel->online = number;
	values_number(text, "now", &wheel->now);
	wheel->sleeps = !values_number(text, "next", &wheel->next);
	values_number(text, "pending", &wheel->pending);
	values_number(text, "run_max_ns", &wheel->run_max_ns);
	for (i = 0; i < LATE; i++)
		values_number(text, wheel_rate_names[i], &wheel->counts[i]);
	for (i = 0; i < LATE_LINES; i++) {
		snprintf(name, sizeof(name), "late_%u", 1U << i);
		values_number(text, name, &number);
		wheel->counts[LATE] += number;
	}
	for (i = 0; i < WHEEL_LEVELS; i++) {
		snprintf(name, sizeof(name), "level_%u", i);
		parse_level(values_text(text, name), wheel, i);
	}
}

int wheel_read(unsigned int cpu, struct wheel *wheel)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "/sys/kernel/debug/twheel/cpu%u", cpu);
	text = values_read(path);
	if (!text)
		return -errno;
	*wheel = (struct wheel){ .cpu = cpu };
	parse(text, wheel);
	free(text);
	return 0;
}

unsigned int wheel_occupied(const struct wheel *wheel, unsigned int level)
{
	unsigned int i, count = 0;

	for (i = 0; i < WHEEL_SLOTS; i++)
		count += wheel->slots[level][i] != '.';
	return count;
}
