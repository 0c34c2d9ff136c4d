/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock to measure with: the CPU time of the CPU that asks.
 *
 * A CPU of user-mode Linux is a thread of the host, which may have to wait for
 * others; the host knows how long it did not. Elsewhere it is just time.
 */
#ifndef _TWHEEL_BENCH_CLOCK_H
#define _TWHEEL_BENCH_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>

#ifdef CONFIG_UML
/* The host's system calls, as the kernel has no name for this one. */
#define HOST_CLOCK_GETTIME		228
#define HOST_CLOCK_THREAD_CPUTIME_ID	3

static inline u64 bench_clock(void)
{
	struct { s64 sec, nsec; } now = { };
	long ret;

	asm volatile("syscall"
		     : "=a" (ret)
		     : "0" (HOST_CLOCK_GETTIME),
		       "D" (HOST_CLOCK_THREAD_CPUTIME_ID), "S" (&now)
		     : "rcx", "r11", "memory");
	return now.sec * NSEC_PER_SEC + now.nsec;
}
#else
static inline u64 bench_clock(void)
{
	return ktime_get_ns();
}
#endif

#endif /* _TWHEEL_BENCH_CLOCK_H */
