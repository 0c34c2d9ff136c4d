// SPDX-License-Identifier: GPL-2.0
/*
 * Values worth trying for each kind of argument.
 */
#include "world.h"

#define TICK	(10 * NSEC_PER_MSEC)	/* of UML; a multiple of x86's tick */

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
		return random_64() >> random_below(64);
	}
}

static __u64 random_time(void)
{
	switch (random_below(6)) {
	case 0 ... 1:
		return ONE_OF(0, 1, TICK - 1, TICK, TICK + 1, 2 * TICK,
			      3 * TICK);
	case 2 ... 3:
		return ARG_NOW + ONE_OF(0, 1, TICK, 2 * TICK, NSEC_PER_SEC,
					3600 * NSEC_PER_SEC);
	case 4:
		return ARG_NOW - ONE_OF(1, TICK, NSEC_PER_SEC, 3600 * NSEC_PER_SEC);
	default:
		return random_one_in(2) ? random_number() :
		       ONE_OF(NSEC_PER_SEC, 3600 * NSEC_PER_SEC,
			      86400 * 365 * NSEC_PER_SEC);
	}
}

static __u64 random_period(void)
{
	if (!random_one_in(3))
		return 0;
	return random_one_in(6) ? random_number() :
	       ONE_OF(TICK - 1, TICK, TICK + 1, 5 * TICK, NSEC_PER_SEC);
}

static __u64 random_op_flags(void)
{
	if (random_one_in(24))
		return 1U << random_below(32);
	return random_one_in(3) ? random_below(ALL_OP_FLAGS + 1) :
	       ONE_OF(0, TWHEEL_ABSTIME, TWHEEL_EACH, TWHEEL_RESTART,
		      TWHEEL_SHARED, TWHEEL_SHARED | TWHEEL_ABSTIME,
		      TWHEEL_RESTORE, TWHEEL_RESTORE | TWHEEL_KEEP_HANDLE,
		      TWHEEL_RESTORE | TWHEEL_LEASED);
}

__u64 value_random(enum arg_kind kind)
{
	switch (kind) {
	case ARG_FILE:
		return random_one_in(3) ? random_below(WORLD_FILES) : 0;
	case ARG_HANDLE:
		return random_one_in(12) ? random_number() : random_below(WORLD_HANDLES);
	case ARG_OP_FLAGS:
		return random_op_flags();
	case ARG_CLOCK:
		return random_one_in(2) ? CLOCK_MONOTONIC :
		       random_one_in(12) ? random_number() :
		       ONE_OF(CLOCK_REALTIME, CLOCK_BOOTTIME);
	case ARG_TIME:
		return random_time();
	case ARG_PERIOD:
		return random_period();
	case ARG_GROUP:
		return random_one_in(2) ? 0 : random_below(4);
	case ARG_WHERE:
		return random_one_in(4) ? random_below(WHERE_COUNT) : WHERE_ROOM;
	case ARG_COUNT:
		return random_one_in(8) ? random_number() :
		       ONE_OF(1, 2, 3, 8, 63, 64, 65, 100, 200, 65536, 65537);
	case ARG_SIZE:
		return random_one_in(8) ? random_number() :
		       ONE_OF(0, 63, 64, 65, 128, 640, 4096, 8192);
	case ARG_MAP:
		return random_one_in(3) ? random_below(WORLD_MAPS) : 0;
	case ARG_MAP_OFFSET:
		return random_one_in(12) ? random_number() :
		       ONE_OF(TWHEEL_MMAP_TABLE, TWHEEL_MMAP_RING);
	case ARG_PAGES:
		return random_one_in(12) ? random_number() :
		       ONE_OF(1, 1, 2, 2, 3, 3, 4, 5, 9);
	case ARG_PROT:
		return random_one_in(3) ? random_below(8) :
		       (__u64)(PROT_READ | PROT_WRITE);
	case ARG_MAP_FLAGS:
		return random_one_in(8) ?
		       random_number() & (MAP_SHARED | MAP_PRIVATE | MAP_POPULATE |
					  MAP_LOCKED | MAP_NORESERVE) :
		       (__u64)MAP_SHARED;
	case ARG_WORD_OFFSET:
		return random_one_in(2) ? 8 * random_below(20) : random_below(5 * 4096);
	case ARG_POKE:
		return random_one_in(12) ? 1 + random_below(128) : 0;
	case ARG_FD:
	case ARG_SMALL:
		return random_below(6);
	case ARG_STEP:
		return ARG_NOW + (random_one_in(2) ? ONE_OF(NSEC_PER_SEC, -NSEC_PER_SEC) :
				  ONE_OF(3600 * NSEC_PER_SEC, -3600 * NSEC_PER_SEC,
					 1, 0, 86400 * 7 * NSEC_PER_SEC));
	case ARG_REQUEST:
		return random_one_in(2) ? _IOC(random_below(4), 't',
					       0xa0 + random_below(16),
					       random_one_in(2) ? 64 : random_below(256)) :
		       random_number();
	default:
		return random_number();
	}
}
