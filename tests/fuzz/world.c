// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptors, handles and mappings that the calls of a program share, and the
 * clock that a program may set.
 */
#include "world.h"

struct world world;

static __s64 real_offset;	/* of CLOCK_REALTIME from CLOCK_MONOTONIC, at the start */

int world_file(__u64 slot)
{
	return world.file[slot % WORLD_FILES];
}

/* Put a descriptor into a slot, and close the descriptor it replaces. */
void world_set_file(__u64 slot, int fd)
{
	const int old = atomic_exchange(&world.file[slot % WORLD_FILES], fd);

	if (old >= 0)
		close(old);
}

/* A small number is a slot; any other number is itself the handle. */
__u64 world_handle(__u64 slot)
{
	return slot < WORLD_HANDLES ? world.handle[slot] : slot;
}

void world_remember_handle(__u64 handle)
{
	world.handle[world.next_handle++ % WORLD_HANDLES] = handle;
}

/* The time that an ARG_TIME means on a clock, in ns. */
__u64 world_time(__u64 time, __u64 clockid)
{
	struct timespec now;

	if (!arg_is_near_now(time))
		return time;
	if (clockid > CLOCK_BOOTTIME || clock_gettime(clockid, &now))
		clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec + (time - ARG_NOW);
}

static __s64 offset_of_real_time(void)
{
	struct timespec real, mono;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	return (real.tv_sec - mono.tv_sec) * (__s64)NSEC_PER_SEC +
	       real.tv_nsec - mono.tv_nsec;
}

static void reset_clock(void)
{
	const __u64 time = world_time(ARG_NOW, CLOCK_MONOTONIC) + real_offset;
	const struct timespec to = { .tv_sec = time / NSEC_PER_SEC,
				     .tv_nsec = time % NSEC_PER_SEC };

	clock_settime(CLOCK_REALTIME, &to);
}

static void clear_slots(void)
{
	unsigned int n;

	for (n = 0; n < WORLD_FILES; n++)
		world.file[n] = -1;
	for (n = 0; n < WORLD_HANDLES; n++)
		world.handle[n] = 0;
	world.next_handle = 0;
	world.eventfd = -1;
	world.epoll = -1;
}

void world_init(void)
{
	real_offset = offset_of_real_time();
	clear_slots();
}

static void close_slot(atomic_int *slot)
{
	const int fd = atomic_exchange(slot, -1);

	if (fd >= 0)
		close(fd);
}

void world_close_all(void)
{
	unsigned int n;

	for (n = 0; n < WORLD_FILES; n++)
		close_slot(&world.file[n]);
	close_slot(&world.eventfd);
	close_slot(&world.epoll);
}

/* Needs root: the clock is set back if the program has set it. */
void world_reset(void)
{
	if (atomic_exchange(&world.clock_moved, false))
		reset_clock();
	clear_slots();
}
