/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the machine says about itself.
 */
#ifndef _MACHINE_H
#define _MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct memory - from /proc/meminfo, in bytes
 * @available: MemAvailable, and what waits to be used again in lists of CPUs.
 * @slab: Slab.
 */
struct memory {
	int64_t available;
	int64_t slab;
};

struct memory read_memory(void);

/* Waits until memory that is freed with a delay has been freed. */
struct memory settled_memory(void);

/*
 * Time that all CPUs together were busy since the machine booted, interrupts
 * included, in ns; exact to some 10 ms, which is the unit of /proc/stat. It
 * means something only where idle_is_exact().
 */
uint64_t busy_ns(void);

/*
 * Whether the kernel measures idle time, rather than see at each tick what it has
 * interrupted: what is done because of a tick is never seen that way.
 */
bool idle_is_exact(void);

/* Raises a resource limit of the process to @value at least. */
void raise_limit(int resource, uint64_t value);

/*
 * Binds the process to the CPU that it runs on. Its timers are there too, whatever
 * keeps them, and what a wake-up of another CPU costs is no part of what is measured.
 */
void stay_on_this_cpu(void);

/* The kernel's release. */
const char *kernel_name(void);

#endif /* _MACHINE_H */
