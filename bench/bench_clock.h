/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of all measurements: CPU time of this CPU.
 *
 * A CPU of user-mode Linux is a thread of the host, and may wait while the host runs other
 * threads. So the clock is the CPU time of that thread, from the host. Elsewhere it
 * is real time.
 */
#ifndef _TWHEEL_BENCH_CLOCK_H
#define _TWHEEL_BENCH_CLOCK_H

#include <linux/ktime.h>
#include <linux/types.h>

#ifdef CONFIG_UML
/* Numbers of the host's interface on x86-64, for which UML has no names. */
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
