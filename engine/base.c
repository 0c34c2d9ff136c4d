// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the variables that the whole engine reads
 *
 * cpu.c writes twheel_cpus, and debugfs.c switches twheel_timing.
 */
#include "base.h"

DEFINE_PER_CPU(struct twheel_cpu, twheel_cpus);

DEFINE_STATIC_KEY_FALSE(twheel_timing);
atomic64_t twheel_set_hold_max;
