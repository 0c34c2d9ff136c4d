// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers that have ended, until their memory is given back
 *
 * A caller that ends many timers under the set's lock collects them here, because some
 * work is cheaper for many timers at once: the engine disarms several of them under one
 * hold of its lock, and the counts of the set and of the user are lowered in one step. The
 * memory of an ended timer stays until twheel_ended_finish(). Until then the caller may
 * still look at the timer, and sees that it is USER_TIMER_DEAD.
 */
#include "block.h"
#include "ended.h"
#include "quota.h"

/**
 * twheel_ended_init - begin to collect timers that end
 * @ended: The collection.
 */
void twheel_ended_init(struct ended_timers *ended)
{
	ended->empty = NULL;
	ended->count = 0;
	ended->armed = 0;
}

/**
 * twheel_ended_finish - give back what the ended timers had
 * @set: Their set, which has been locked since the first of them ended.
 * @ended: The collection.
 */
void twheel_ended_finish(struct timer_set *set, struct ended_timers *ended)
{
	timer_set_assert_locked(set);

	if (ended->armed)
		twheel_api_cancel_some(ended->timer, ended->armed);
	if (ended->count) {
		WRITE_ONCE(set->count, set->count - ended->count);
		twheel_quota_uncharge(set->quota, ended->count);
	}
	twheel_block_free(set, ended->empty);
}
