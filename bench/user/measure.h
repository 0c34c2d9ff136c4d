/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all benchmarks need: time, memory, random numbers, and statistics.
 */
#ifndef _MEASURE_H
#define _MEASURE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NSEC	1000000000ull

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Ends the program with a message, and that of the errno @error unless it is 0. */
void die(int error, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* CLOCK_MONOTONIC in ns. */
uint64_t now_ns(void);

/* Returns at @when or a little later. */
void sleep_until(uint64_t when);

struct timespec to_timespec(uint64_t ns);

/* Allocates memory with all its pages. Its content is undefined. */
void *allocate(size_t size);

/* Allocates zeroed memory that child processes share with this one. */
void *allocate_shared(size_t size);

/* Random numbers: the same in every run. */
uint64_t random_below(uint64_t limit);

/* The numbers from 0 to @n - 1 in random order. */
uint32_t *permutation(size_t n);

/* Sorts the values. */
double median_of(double *value, size_t n);

/* Prints the line that scripts/bench reads: twheel's figure beside a peer's. */
void print_result(const char *engine, const char *metric, size_t n, const char *peer,
		  double twheel, double theirs);

#endif /* _MEASURE_H */
