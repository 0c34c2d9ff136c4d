// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: CPUs that come and go
 *
 * While a CPU comes or goes, its timers may move to another CPU. The model asks for a
 * generation to learn whether that may have happened.
 */
#include "torture.h"

static DEFINE_PER_CPU(bool, in_transit);
static atomic_t transits, generation = ATOMIC_INIT(1);

/* A CPU begins to come or go, unless its transit has begun before. One CPU at a time. */
int torture_hotplug_begin(unsigned int cpu)
{
	if (per_cpu(in_transit, cpu))
		return 0;
	per_cpu(in_transit, cpu) = true;
	atomic_inc(&transits);
	atomic_inc_return(&generation);
	return 0;
}

/* A CPU has come or gone, if it was in transit. */
int torture_hotplug_end(unsigned int cpu)
{
	if (!per_cpu(in_transit, cpu))
		return 0;
	per_cpu(in_transit, cpu) = false;
	atomic_inc_return(&generation);
	atomic_dec(&transits);
	return 0;
}

/*
 * The generation changes before a CPU's timers move and again afterwards. Between the two changes
 * there is none.
 */
unsigned int torture_hotplug_generation(void)
{
	unsigned int now = atomic_read_acquire(&generation);

	return atomic_read(&transits) ? TORTURE_NO_GENERATION : now;
}
