// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: timers as objects that debugobjects tracks
 */
#include <linux/debugobjects.h>
#include "objects.h"

static int (*objects_cancel)(struct twheel_timer *timer);

static const struct debug_obj_descr objects_descr;

static void *objects_hint(void *addr)
{
	struct twheel_timer *timer = addr;

	return timer->fn;
}

/* A timer of DEFINE_TWHEEL_TIMER() that has not been armed yet. */
static bool objects_is_static(void *addr)
{
	struct twheel_timer *timer = addr;

	return timer->fn && !atomic64_read(&timer->node.state) && !timer->node.entry.prev;
}

/* Disarms an armed timer, whose reuse would corrupt the wheel. */
static bool objects_take_off(struct twheel_timer *timer, enum debug_obj_state state)
{
	if (state != ODEBUG_STATE_ACTIVE)
		return false;
	objects_cancel(timer);
	return true;
}

static bool objects_fixup_init(void *addr, enum debug_obj_state state)
{
	if (!objects_take_off(addr, state))
		return false;
	debug_object_init(addr, &objects_descr);
	return true;
}

static bool objects_fixup_free(void *addr, enum debug_obj_state state)
{
	if (!objects_take_off(addr, state))
		return false;
	debug_object_free(addr, &objects_descr);
	return true;
}

static const struct debug_obj_descr objects_descr = {
	.name			= "twheel_timer",
	.debug_hint		= objects_hint,
	.is_static_object	= objects_is_static,
	.fixup_init		= objects_fixup_init,
	.fixup_free		= objects_fixup_free,
};

/**
 * twheel_objects_init - begin to repair what debugobjects reports
 * @cancel: twheel_cancel(). A pointer, because api.c lies above this file.
 */
void twheel_objects_init(int (*cancel)(struct twheel_timer *))
{
	objects_cancel = cancel;
}

/**
 * twheel_objects_setup - a timer is set up
 * @timer: The timer.
 */
void twheel_objects_setup(struct twheel_timer *timer)
{
	debug_object_init(timer, &objects_descr);
}

/**
 * twheel_objects_setup_onstack - a timer on the stack is set up
 * @timer: The timer.
 */
void twheel_objects_setup_onstack(struct twheel_timer *timer)
{
	debug_object_init_on_stack(timer, &objects_descr);
}

/**
 * twheel_objects_arm - a timer is armed
 * @timer: The timer.
 */
void twheel_objects_arm(struct twheel_timer *timer)
{
	debug_object_activate(timer, &objects_descr);
}

/**
 * twheel_objects_disarm - an arming of a timer ends
 * @timer: The timer.
 */
void twheel_objects_disarm(struct twheel_timer *timer)
{
	debug_object_deactivate(timer, &objects_descr);
}

/**
 * twheel_objects_destroy - a timer on the stack is destroyed
 * @timer: The timer.
 */
void twheel_objects_destroy(struct twheel_timer *timer)
{
	debug_object_free(timer, &objects_descr);
}
