/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: timers that are due, from the wheel to their callbacks
 */
#ifndef _TWHEEL_ENGINE_DUE_H
#define _TWHEEL_ENGINE_DUE_H

#include "base.h"

unsigned int twheel_due_take(struct twheel_base *base, unsigned int left);
void twheel_due_run(struct twheel_base *base);
void twheel_due_close(struct twheel_base *base);
unsigned int twheel_due_unclaimed(const struct twheel_base *base);
void twheel_due_take_back(struct twheel_base *base, struct twheel_timer *t);
bool twheel_due_has_begun(struct twheel_base *base, const struct twheel_timer *t);
bool twheel_due_has_module(const struct twheel_base *base, const struct module *mod);

/**
 * twheel_due_settle - end the state TWHEEL_DUE of a timer
 * @base: The base that @t belongs to, locked.
 * @t: The timer.
 *
 * Called before @t is disarmed or gets a new deadline. If @t is %TWHEEL_DUE and its
 * callback has not begun, the function puts @t back into the wheel. If the callback has
 * begun, @t becomes idle.
 */
static inline void twheel_due_settle(struct twheel_base *base,
				     struct twheel_timer *t)
{
	lockdep_assert_held(&base->lock);

	if (unlikely(twheel_wheel_state(t) == TWHEEL_DUE))
		twheel_due_take_back(base, t);
}

#endif /* _TWHEEL_ENGINE_DUE_H */
