// SPDX-License-Identifier: GPL-2.0
/*
 * What a program has reached. A feature is a pair of blocks executed one after the
 * other, or a result of a call. KCOV traces the blocks that this thread executes. Of
 * the kernel, only the module is built with KCOV.
 */
#include <linux/kcov.h>

#include "fuzz.h"

enum { AREA = 1 << 16, BITS_OF_FEATURE = 20, LIST = 1 << 15 };

#define FEATURES (1U << BITS_OF_FEATURE)

static unsigned long *area;
static bool known[FEATURES];
static bool known_block[FEATURES];
static __u32 seen[FEATURES];	/* the run in which each was seen last */
static __u32 run;
static __u32 list[LIST];
static unsigned int listed, known_count, block_count;

bool cover_init(void)
{
	const int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	void *at;

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, AREA))
		return false;
	at = mmap(NULL, AREA * sizeof(*area), PROT_READ | PROT_WRITE, MAP_SHARED,
		  fd, 0);
	if (at == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return false;
	area = at;
	return true;
}

void cover_begin(void)
{
	run++;
	listed = 0;
	if (area)
		__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}

static void see_feature(__u64 what)
{
	const __u32 feature = what & (FEATURES - 1);

	if (seen[feature] == run || listed == LIST)
		return;
	seen[feature] = run;
	list[listed++] = feature;
}

static void see_block(unsigned long block)
{
	bool *known_before = &known_block[random_mix(block, 0) & (FEATURES - 1)];

	block_count += !*known_before;
	*known_before = true;
}

/* A call has returned: note the result, and the blocks it executed. */
void cover_call(unsigned int type, long result)
{
	unsigned long n, last = 0, blocks;

	see_feature(random_mix(type + 1, result));
	if (!area)
		return;
	blocks = __atomic_load_n(&area[0], __ATOMIC_RELAXED);
	for (n = 1; n <= blocks; n++) {
		see_feature(random_mix(area[n], last));
		see_block(area[n]);
		last = area[n];
	}
	__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}

unsigned int cover_features(const __u32 **features)
{
	*features = list;
	return listed;
}

bool cover_is_known(__u32 feature)
{
	return known[feature];
}

bool cover_has(__u32 feature)
{
	return seen[feature] == run;
}

/* The features of the last run are known from now on. Returns how many were new. */
unsigned int cover_learn(void)
{
	unsigned int n, more = 0;

	for (n = 0; n < listed; n++) {
		more += !known[list[n]];
		known[list[n]] = true;
	}
	known_count += more;
	return more;
}

unsigned int cover_known(void)
{
	return known_count;
}

/* How many different blocks have been executed since the start. */
unsigned int cover_blocks(void)
{
	return block_count;
}
