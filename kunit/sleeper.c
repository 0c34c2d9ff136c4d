// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers in process context whose callback sleeps
 */
#include "sleeper.h"

static void sleep_until_told(struct probe *probe)
{
	struct sleeper *sleeper = sleeper_of(probe);

	if (atomic_inc_return(&sleeper->inside) != 1)
		sleeper->overlaps = true;
	if (sleeper->rearm && !probe->pending &&
	    twheel_mod(&probe->timer, 0) == -ESHUTDOWN)
		sleeper->refused = true;
	complete(&sleeper->begun);
	wait_for_completion_timeout(sleeper->go, ENGINE_TEST_PATIENCE);
	atomic_dec(&sleeper->inside);
	WRITE_ONCE(probe->ret, 1);
}

/* A case may put another callback into @probe.act. */
struct sleeper *sleeper_new(struct kunit *test, u32 flags, struct completion *go)
{
	struct sleeper *sleeper = kunit_kzalloc(test, sizeof(*sleeper), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sleeper);
	probe_init(test, &sleeper->probe, sleep_until_told);
	twheel_setup(&sleeper->probe.timer, probe_fn, TWHEEL_PROCESS | flags);
	init_completion(&sleeper->begun);
	sleeper->go = go;
	return sleeper;
}

void sleeper_expect_begun(struct kunit *test, struct sleeper *sleeper)
{
	KUNIT_ASSERT_NE(test, 0UL,
			wait_for_completion_timeout(&sleeper->begun,
						    ENGINE_TEST_PATIENCE));
}
