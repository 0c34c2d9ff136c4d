// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: CPUs that come and go
 *
 * While a CPU comes or goes, its timers may move to another CPU. The model asks for a
 * generation to learn whether that may have happened.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include "torture.h"

static bool *in_transit;
static atomic_t transits, generation = ATOMIC_INIT(1);

/**
 * torture_hotplug_begin - note that a CPU begins to come or go
 * @cpu: The CPU. Nothing happens if its transit has begun before.
 *
 * Context: CPU hotplug, which handles one CPU at a time.
 * Return: 0.
 */
int torture_hotplug_begin(unsigned int cpu)
{
	if (in_transit[cpu])
		return 0;
	in_transit[cpu] = true;
	atomic_inc(&transits);
	atomic_inc_return(&generation);
	return 0;
}

/**
 * torture_hotplug_end - note that a CPU has come or gone
 * @cpu: The CPU. Nothing happens if it is not in transit.
 *
 * Context: CPU hotplug, which handles one CPU at a time.
 * Return: 0.
 */
int torture_hotplug_end(unsigned int cpu)
{
	if (!in_transit[cpu])
		return 0;
	in_transit[cpu] = false;
	atomic_inc_return(&generation);
	atomic_dec(&transits);
	return 0;
}

/**
 * torture_hotplug_generation - tell whether CPUs come and go
 *
 * The generation changes before a CPU's timers move and again afterwards. Between the
 * two changes there is none.
 *
 * Return: The generation, or %TORTURE_NO_GENERATION.
 */
unsigned int torture_hotplug_generation(void)
{
	unsigned int now = atomic_read_acquire(&generation);

	return atomic_read(&transits) ? TORTURE_NO_GENERATION : now;
}

/**
 * torture_hotplug_init - allocate what the other functions need
 *
 * Return: 0 or -ENOMEM.
 */
int torture_hotplug_init(void)
{
	in_transit = kcalloc(nr_cpu_ids, sizeof(*in_transit), GFP_KERNEL);
	return in_transit ? 0 : -ENOMEM;
}

/**
 * torture_hotplug_exit - undo torture_hotplug_init()
 */
void torture_hotplug_exit(void)
{
	kfree(in_transit);
}
