// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers as objects that the kernel keeps track of
 */
#include <linux/debugobjects.h>
#include "objects.h"

static const struct debug_obj_descr twheel_debug_descr;

static void *debug_hint(void *addr)
{
	struct twheel_timer *timer = addr;

	return timer->fn;
}

/* One of DEFINE_TWHEEL_TIMER() that has not been armed yet. */
static bool is_static_object(void *addr)
{
	struct twheel_timer *timer = addr;

	return timer->fn && !atomic64_read(&timer->state) && !timer->entry.prev;
}

/* Takes the armed timer off the wheel, lest that be corrupted. */
static bool disarm(struct twheel_timer *timer, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	twheel_cancel(timer);
	return true;
}

static bool fixup_init(void *addr, enum debug_obj_state state)
{
	if (!disarm(addr, state))
		return false;
	debug_object_init(addr, &twheel_debug_descr);
	return true;
}

static bool fixup_free(void *addr, enum debug_obj_state state)
{
	if (!disarm(addr, state))
		return false;
	debug_object_free(addr, &twheel_debug_descr);
	return true;
}

static const struct debug_obj_descr twheel_debug_descr = {
	.name			= "twheel_timer",
	.debug_hint		= debug_hint,
	.is_static_object	= is_static_object,
	.fixup_init		= fixup_init,
	.fixup_free		= fixup_free,
};

void twheel_debug_init(struct twheel_timer *timer)
{
	debug_object_init(timer, &twheel_debug_descr);
}

void twheel_debug_init_onstack(struct twheel_timer *timer)
{
	debug_object_init_on_stack(timer, &twheel_debug_descr);
}

void twheel_debug_arm(struct twheel_timer *timer)
{
	debug_object_activate(timer, &twheel_debug_descr);
}

void twheel_debug_disarm(struct twheel_timer *timer)
{
	debug_object_deactivate(timer, &twheel_debug_descr);
}

void twheel_debug_destroy(struct twheel_timer *timer)
{
	debug_object_free(timer, &twheel_debug_descr);
}
