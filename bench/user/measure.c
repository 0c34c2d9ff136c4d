// SPDX-License-Identifier: GPL-2.0
/*
 * Time, memory, random numbers, and results.
 */
#include <stdarg.h>
#include <sys/utsname.h>
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

void print_result(const char *engine, const char *metric, size_t n, const char *peer,
		  double twheel, double theirs)
{
	struct utsname kernel;

	uname(&kernel);
	printf("%s,%s,%s,%zu,%s,%.1f,%.1f,%.4f\n", engine, kernel.release, metric, n, peer,
	       twheel, theirs, twheel / theirs);
	fflush(stdout);
}
