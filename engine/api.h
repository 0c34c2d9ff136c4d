/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the exported functions share
 */
#ifndef _TWHEEL_ENGINE_API_H
#define _TWHEEL_ENGINE_API_H

#include <linux/poison.h>
#include "twheel.h"

/* Instead of a CPU: the CPU that the caller runs on. */
#define TWHEEL_HERE		(-1)

/* The callback of a timer that has been destroyed. */
#define TWHEEL_POISON		((twheel_fn_t)(0x77 + POISON_POINTER_DELTA))

void twheel_api_report_unusable(const struct twheel_timer *timer);
unsigned int twheel_api_home(const struct twheel_timer *timer);
int twheel_api_arm_idle(struct twheel_timer *timer, u64 expires, int cpu, u32 period);

/* Whether @timer is set up and not destroyed. A timer that is not is reported once. */
static inline bool twheel_api_usable(const struct twheel_timer *timer)
{
	if (likely(timer->fn && timer->fn != TWHEEL_POISON))
		return true;
	twheel_api_report_unusable(timer);
	return false;
}

#endif /* _TWHEEL_ENGINE_API_H */
