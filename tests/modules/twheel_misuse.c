// SPDX-License-Identifier: GPL-2.0
/*
 * What must not be done to a timer that is armed. A kernel with DEBUG_OBJECTS is
 * to report each of them and name the callback, and must survive.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "twheel.h"

static char *how = "no";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "no, free, setup, stack or unannotated");

#define FAR	(60 * HZ)

static void misuse_expired(struct twheel_timer *timer)
{
}

static noinline void on_stack(bool armed)
{
	struct twheel_timer timer;

	twheel_setup_onstack(&timer, misuse_expired, 0);
	twheel_add_after(&timer, FAR);
	if (!armed)
		twheel_cancel_sync(&timer);
	twheel_destroy_onstack(&timer);
}

/* Set up as if it were not on the stack. */
static noinline void unannotated(void)
{
	struct twheel_timer timer;

	twheel_setup(&timer, misuse_expired, 0);
	twheel_destroy_onstack(&timer);
}

static void on_heap(struct twheel_timer *timer, bool armed, bool again)
{
	twheel_setup(timer, misuse_expired, 0);
	twheel_add_after(timer, FAR);
	if (again)
		twheel_setup(timer, misuse_expired, 0);
	if (!armed)
		twheel_cancel_sync(timer);
	kfree(timer);
}

static int __init misuse_init(void)
{
	struct twheel_timer *timer;
	int ret = 0;

	timer = kzalloc(sizeof(*timer), GFP_KERNEL);
	if (!timer)
		return -ENOMEM;
	if (!strcmp(how, "no")) {
		on_stack(false);
		on_heap(timer, false, false);
		return 0;
	}
	if (!strcmp(how, "free")) {
		on_heap(timer, true, false);
		return 0;
	}
	if (!strcmp(how, "setup")) {
		on_heap(timer, false, true);
		return 0;
	}
	kfree(timer);
	if (!strcmp(how, "stack"))
		on_stack(true);
	else if (!strcmp(how, "unannotated"))
		unannotated();
	else
		ret = -EINVAL;
	return ret;
}
module_init(misuse_init);

static void __exit misuse_exit(void)
{
}
module_exit(misuse_exit);

MODULE_DESCRIPTION("Misuses timers that are armed");
MODULE_LICENSE("GPL");
