// SPDX-License-Identifier: GPL-2.0
/*
 * Time, memory, random numbers, and the machine.
 */
#include <stdarg.h>
#include <sys/resource.h>
#include "measure.h"

void die(int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fflush(stdout);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	if (error)
		fprintf(stderr, ": %s", strerror(error));
	fputc('\n', stderr);
	exit(1);
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC + (uint64_t)ts.tv_nsec;
}

struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec) {
		.tv_sec = (time_t)(ns / NSEC),
		.tv_nsec = (long)(ns % NSEC),
	};
}

void *allocate(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		die(0, "no memory for %zu bytes", size);
	/* Not 0: the compiler would replace malloc() and memset() by calloc(). */
	return memset(memory, 0x55, size);
}

void *allocate_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die(errno, "no shared memory of %zu bytes", size);
	return memory;
}

/* splitmix64 */
static uint64_t next_random(void)
{
	static uint64_t state = 1;
	uint64_t z = state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

uint64_t random_below(uint64_t limit)
{
	return (uint64_t)(((__uint128_t)next_random() * limit) >> 64);
}

uint32_t *permutation(size_t n)
{
	uint32_t *order = allocate(n * sizeof(*order));
	size_t i, j;

	for (i = 0; i < n; i++) {
		j = random_below(i + 1);
		order[i] = order[j];
		order[j] = (uint32_t)i;
	}
	return order;
}

uint64_t busy_ns(void)
{
	FILE *file = fopen("/proc/timer_list", "r");
	unsigned long long value, idle = 0;
	bool measured = false;
	char line[256], *at;

	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, "_sleeptime");
		if (at && sscanf(at, "_sleeptime : %llu nsecs", &value) == 1) {
			measured = true;
			idle += value;
		}
	}
	if (!measured)
		die(0, "no idle time in /proc/timer_list");
	fclose(file);
	return now_ns() * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) - idle;
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
