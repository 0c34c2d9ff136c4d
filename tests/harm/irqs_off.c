// SPDX-License-Identifier: GPL-2.0
#include "harm.h"

#define LONGEST "/sys/module/twheel_irqs_off/parameters/longest"

/* 100,000 instructions, where the clock counts them. */
#define BOUND_US 100.0

bool irqs_off_are_measured(void)
{
	return !access(LONGEST, R_OK | W_OK);
}

/* In each measurement, twheel turns interrupts off at least for a timer that is armed here. */
static void begin(void)
{
	const int fd = open_device(0);

	ASSERT(write_file(LONGEST, "0"));
	add(fd, NSEC_PER_SEC, 0);
	close(fd);
}

/*
 * A line has the kind, the time in ns, and the stack with the innermost function first. The
 * module does not look at times of less than a microsecond, but it has looked at one of twheel's
 * and at one of the others.
 */
static bool judge(const char *mode, const char *line)
{
	char kind[16], time[32] = "less than 1 us";
	unsigned long long ns;
	int stack;
	bool bad = false;

	if (sscanf(line, "%15s %llu%n", kind, &ns, &stack) != 2)
		FAIL("the module says %s", line);
	if (!strcmp(kind, "own") || !strcmp(kind, "called"))
		bad = ns / 1e3 > BOUND_US;
	if ((!strcmp(kind, "own") || !strcmp(kind, "other")) && !ns)
		FAIL("the module sees nothing of the kind \"%s\"", kind);
	if (ns)
		snprintf(time, sizeof(time), "%.1f us", ns / 1e3);
	note("%s %s: %s%s%s", mode, kind, time, bad ? ": EXCEEDED" : "", line + stack);
	return !bad;
}

static bool are_bounded(const char *mode)
{
	char text[16384], *line, *rest;
	bool good = true;

	read_file(LONGEST, text, sizeof(text));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		good &= judge(mode, line);
	return good;
}

/* All of the attack counts: its preparation, a step at least, and the end of its process. */
static bool attack_is_bounded(const struct attack *attack)
{
	pid_t attacker;

	begin();
	attacker = start_attack(attack);
	do
		sleep_for(200 * NSEC_PER_MSEC);
	while (!atomic_load(&work->steps));
	end_attack(attacker);
	return are_bounded(attack->name);
}

/* Only that the attacked CPU goes offline counts. */
static bool hotplug_is_bounded(const struct attack *attack)
{
	const pid_t attacker = start_attack(attack);
	char path[64];
	bool bounded;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", attacked_cpu);
	begin();
	ASSERT(write_file(path, "0"));
	ASSERT(!go_to_cpu(attacked_cpu));
	bounded = are_bounded(attack->name);
	ASSERT(write_file(path, "1"));
	end_attack(attacker);
	return bounded;
}

/*
 * On more CPUs than one, the clock also counts the instructions of the other CPUs, whose turn
 * may come while interrupts are off. Too long is what is too long each time.
 */
void irqs_off_measure(const struct attack *attack)
{
	unsigned int tries = 1;
	bool bounded;

	if (attack->waiters)
		skip("the kernel wakes all who wait, or get a signal, with interrupts off");
	set_up();
	if (!attacked_cpu)
		bounded = attack_is_bounded(attack);
	else
		while (!(bounded = hotplug_is_bounded(attack)) && tries++ < 5)
			;
	set_back();
	if (!bounded)
		FAIL("%s keeps interrupts off for too long", attack->name);
}
