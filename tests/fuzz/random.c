// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers. The same seed gives the same numbers.
 */
#include "fuzz.h"

static __u64 state = 1;

__u64 random_mix(__u64 a, __u64 b)
{
	__u64 x = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xbf58476d1ce4e5b9ULL;

	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

void random_seed(__u64 seed)
{
	state = random_mix(seed, 0) | 1;
}

/* xorshift64* */
__u64 random_64(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

unsigned int random_below(unsigned int bound)
{
	return (random_64() >> 32) % bound;
}

bool random_one_in(unsigned int n)
{
	return !random_below(n);
}
