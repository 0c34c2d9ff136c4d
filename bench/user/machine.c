// SPDX-License-Identifier: GPL-2.0
#include <sys/resource.h>
#include "measure.h"

static FILE *open_file(const char *name)
{
	FILE *file = fopen(name, "r");

	if (!file)
		die(errno, "%s", name);
	return file;
}

/* Free pages in per-CPU lists, in bytes. MemAvailable does not include them. */
static int64_t free_in_cpu_lists(void)
{
	FILE *file = open_file("/proc/zoneinfo");
	long long pages, sum = 0;
	char line[128];

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %lld", &pages) == 1)
			sum += pages;
	fclose(file);
	return sum * sysconf(_SC_PAGESIZE);
}

static int64_t available_memory(void)
{
	FILE *file = open_file("/proc/meminfo");
	long long kib = -1;
	char line[128];

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lld", &kib) == 1)
			break;
	fclose(file);
	if (kib < 0)
		die(0, "/proc/meminfo has no MemAvailable");
	return kib * 1024 + free_in_cpu_lists();
}

void settle_memory(void)
{
	int64_t before, memory = available_memory();
	int tries, still = 0;

	for (tries = 0; tries < 100 && still < 3; tries++) {
		before = memory;
		usleep(30000);
		memory = available_memory();
		still = llabs(memory - before) < 65536 ? still + 1 : 0;
	}
}

uint64_t busy_ns(void)
{
	FILE *file = open_file("/proc/timer_list");
	unsigned long long value, idle = 0;
	char line[256], *at;

	while (fgets(line, sizeof(line), file)) {
		at = strstr(line, "_sleeptime");
		if (at && sscanf(at, "_sleeptime : %llu nsecs", &value) == 1)
			idle += value;
	}
	fclose(file);
	return now_ns() * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) - idle;
}

bool idle_is_exact(void)
{
	FILE *file = open_file("/proc/timer_list");
	char line[256];
	bool exact = false;

	while (!exact && fgets(line, sizeof(line), file))
		exact = strstr(line, ".idle_sleeptime");
	fclose(file);
	return exact;
}

void raise_limit(int resource, uint64_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		die(errno, "getrlimit");
	if (limit.rlim_cur >= value)
		return;
	limit.rlim_cur = value;
	if (limit.rlim_max < value)
		limit.rlim_max = value;
	if (setrlimit(resource, &limit))
		die(errno, "cannot raise resource limit %d to %llu", resource,
		    (unsigned long long)value);
}
