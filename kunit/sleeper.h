/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers in process context whose callback sleeps until the case lets it go on.
 */
#ifndef _TWHEEL_KUNIT_SLEEPER_H
#define _TWHEEL_KUNIT_SLEEPER_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include "engine_test.h"

/**
 * struct sleeper - a timer whose callback sleeps
 * @probe: The timer. The callback sets @probe.ret to 1 just before it ends.
 * @begun: Completed by each callback when it begins.
 * @go: What the callback waits for.
 * @inside: Callbacks that run now.
 * @overlaps: Two callbacks ran at the same time.
 * @rearm: Each callback arms the timer for the next tick when it begins.
 * @refused: The timer was shut down when a callback tried to do so.
 */
struct sleeper {
	struct probe		probe;
	struct completion	begun;
	struct completion	*go;
	atomic_t		inside;
	bool			overlaps;
	bool			rearm;
	bool			refused;
};

static inline struct sleeper *sleeper_of(struct probe *probe)
{
	return container_of(probe, struct sleeper, probe);
}

struct sleeper *sleeper_new(struct kunit *test, u32 flags, struct completion *go);
void sleeper_expect_begun(struct kunit *test, struct sleeper *sleeper);

#endif /* _TWHEEL_KUNIT_SLEEPER_H */
