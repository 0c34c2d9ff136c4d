// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers, and values worth trying for each kind of argument.
 */
#include <fcntl.h>
#include <linux/twheel.h>
#include <sys/mman.h>
#include <time.h>

#include "fuzz.h"
#include "world.h"

#define TICK	(10 * NSEC_PER_MSEC)	/* of UML; x86's is a part of it */

static __u64 state = 1;

__u64 mix(__u64 a, __u64 b)
{
	__u64 x = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xbf58476d1ce4e5b9ULL;

	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

void seed_random(__u64 seed)
{
	state = mix(seed, 0) | 1;
}

/* xorshift64* */
__u64 random64(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

unsigned int random_below(unsigned int bound)
{
	return (random64() >> 32) % bound;
}

bool one_in(unsigned int n)
{
	return !random_below(n);
}

#define ONE_OF(...)							\
	({								\
		static const __u64 values_[] = { __VA_ARGS__ };		\
									\
		values_[random_below(ARRAY_SIZE(values_))];		\
	})

static __u64 random_number(void)
{
	switch (random_below(4)) {
	case 0:
		return random_below(16);
	case 1:
		return ONE_OF(0, 1, 0x7fffffff, 0x80000000, 0xffffffff,
			      0x100000000, 0x7fffffffffffffff,
			      0x8000000000000000, 0xfffffffffffff000,
			      0xffffffffffffffff);
	case 2:
		return (1ULL << random_below(64)) - random_below(2);
	default:
		return random64() >> random_below(64);
	}
}

static __u64 random_time(void)
{
	switch (random_below(6)) {
	case 0:
	case 1:
		return ONE_OF(0, 1, TICK - 1, TICK, TICK + 1, 2 * TICK,
			      3 * TICK);
	case 2:
	case 3:
		return NOW + ONE_OF(0, 1, TICK, 2 * TICK, NSEC_PER_SEC,
				    3600 * NSEC_PER_SEC);
	case 4:
		return NOW - ONE_OF(1, TICK, NSEC_PER_SEC, 3600 * NSEC_PER_SEC);
	default:
		return one_in(2) ? random_number() :
		       ONE_OF(NSEC_PER_SEC, 3600 * NSEC_PER_SEC,
			      86400 * 365 * NSEC_PER_SEC);
	}
}

static __u64 random_period(void)
{
	if (!one_in(3))
		return 0;
	return one_in(6) ? random_number() :
	       ONE_OF(TICK - 1, TICK, TICK + 1, 5 * TICK, NSEC_PER_SEC);
}

static __u64 random_op_flags(void)
{
	if (one_in(24))
		return 1U << random_below(32);
	return one_in(3) ? random_below(2 * TWHEEL_SHARED) :
	       ONE_OF(0, TWHEEL_ABSTIME, TWHEEL_EACH, TWHEEL_RESTART,
		      TWHEEL_SHARED, TWHEEL_SHARED | TWHEEL_ABSTIME,
		      TWHEEL_RESTORE);
}

static __u64 random_map_value(enum kind kind)
{
	switch (kind) {
	case MAP_OFFSET:
		return one_in(12) ? random_number() :
		       ONE_OF(TWHEEL_MMAP_TABLE, TWHEEL_MMAP_RING);
	case PAGES:
		return one_in(12) ? random_number() :
		       ONE_OF(1, 1, 2, 2, 3, 3, 4, 5, 9);
	case PROT:
		return one_in(3) ? random_below(8) :
		       (__u64)(PROT_READ | PROT_WRITE);
	case MAP_FLAGS:
		return one_in(8) ? random_number() & (MAP_SHARED | MAP_PRIVATE |
			MAP_POPULATE | MAP_LOCKED | MAP_NORESERVE) :
		       (__u64)MAP_SHARED;
	default:
		return one_in(2) ? 8 * random_below(20) : random_below(5 * 4096);
	}
}

static __u64 random_where(void)
{
	return one_in(4) ? random_below(WHERE_COUNT) : WHERE_ROOM;
}

__u64 random_value(enum kind kind)
{
	switch (kind) {
	case FILE_SLOT:
		return one_in(3) ? random_below(FILES) : 0;
	case HANDLE:
		return one_in(12) ? random_number() : random_below(HANDLES);
	case OP_FLAGS:
		return random_op_flags();
	case CLOCK:
		return one_in(2) ? CLOCK_MONOTONIC :
		       one_in(12) ? random_number() :
		       ONE_OF(CLOCK_REALTIME, CLOCK_BOOTTIME);
	case TIME:
		return random_time();
	case PERIOD:
		return random_period();
	case GROUP:
		return one_in(2) ? 0 : random_below(4);
	case WHERE:
		return random_where();
	case COUNT:
		return one_in(8) ? random_number() :
		       ONE_OF(1, 2, 3, 8, 63, 64, 65, 100, 200, 65536, 65537);
	case SIZE:
		return one_in(8) ? random_number() :
		       ONE_OF(0, 63, 64, 65, 128, 640, 4096, 8192);
	case MAP_SLOT:
		return one_in(3) ? random_below(MAPS) : 0;
	case MAP_OFFSET:
	case PAGES:
	case PROT:
	case MAP_FLAGS:
	case WORD_OFFSET:
		return random_map_value(kind);
	case POKE:
		return one_in(12) ? 1 + random_below(128) : 0;
	case FD:
		return random_below(6);
	case SMALL:
		return random_below(6);
	case STEP:
		return NOW + (one_in(2) ? ONE_OF(NSEC_PER_SEC, -NSEC_PER_SEC) :
			      ONE_OF(3600 * NSEC_PER_SEC, -3600 * NSEC_PER_SEC,
				     1, 0, 86400 * 7 * NSEC_PER_SEC));
	case REQUEST:
		return one_in(2) ? _IOC(random_below(4), 't',
					0xa0 + random_below(16),
					one_in(2) ? 64 : random_below(256)) :
		       random_number();
	default:
		return random_number();
	}
}
