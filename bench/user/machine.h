/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine: memory, CPU time and limits.
 */
#ifndef _MACHINE_H
#define _MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* In bytes: MemAvailable of /proc/meminfo, plus free pages in per-CPU lists. */
int64_t available_memory(void);

/* The same, once the kernel has freed memory that it frees with a delay. */
int64_t settled_memory(void);

/*
 * CPU time of all CPUs since boot in ns, interrupts included. The unit of /proc/stat is
 * 10 ms. The figure is only meaningful if idle_is_exact().
 */
uint64_t busy_ns(void);

/*
 * Whether the kernel measures idle time. If it samples at each tick instead, it never sees
 * the work that the tick itself causes.
 */
bool idle_is_exact(void);

/* Raises a resource limit of the process to at least @value. */
void raise_limit(int resource, uint64_t value);

/*
 * Binds the process to the CPU that it runs on. Then its timers are on the same CPU with
 * every mechanism, and no figure includes the wake-up of another CPU.
 */
void stay_on_this_cpu(void);

#endif /* _MACHINE_H */
