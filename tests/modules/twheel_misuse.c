// SPDX-License-Identifier: GPL-2.0
/*
 * Misuses a timer that is armed, or not set up. A kernel with DEBUG_OBJECTS must report each
 * misuse, name the callback, and survive.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "twheel.h"

static char *how = "no";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "The misuse: no, free, setup, stack, unannotated or unset");

#define FAR	(60 * HZ)

static void misuse_expired(struct twheel_timer *timer)
{
}

static noinline void use_on_stack(bool armed)
{
	struct twheel_timer timer;

	twheel_setup_onstack(&timer, misuse_expired, 0);
	twheel_add_after(&timer, FAR);
	if (!armed)
		twheel_cancel_sync(&timer);
	twheel_destroy_onstack(&timer);
}

/* The timer is on the stack, but is set up as if it were not. */
static noinline void setup_unannotated(void)
{
	struct twheel_timer timer;

	twheel_setup(&timer, misuse_expired, 0);
	twheel_destroy_onstack(&timer);
}

static void use_on_heap(struct twheel_timer *timer, bool armed, bool setup_again)
{
	twheel_setup(timer, misuse_expired, 0);
	twheel_add_after(timer, FAR);
	if (setup_again)
		twheel_setup(timer, misuse_expired, 0);
	if (!armed)
		twheel_cancel_sync(timer);
}

static int __init misuse_init(void)
{
	struct twheel_timer *timer = kzalloc(sizeof(*timer), GFP_KERNEL);
	int ret = 0;

	if (!timer)
		return -ENOMEM;
	if (!strcmp(how, "no")) {
		use_on_stack(false);
		use_on_heap(timer, false, false);
	} else if (!strcmp(how, "free")) {
		use_on_heap(timer, true, false);
	} else if (!strcmp(how, "setup")) {
		use_on_heap(timer, false, true);
	} else if (!strcmp(how, "unset")) {
		memset(timer, 0x5a, sizeof(*timer));
		ret = twheel_add(timer, 0) == -EINVAL ? 0 : -EIO;
		memset(timer, 0, sizeof(*timer));
	} else if (!strcmp(how, "stack")) {
		use_on_stack(true);
	} else if (!strcmp(how, "unannotated")) {
		setup_unannotated();
	} else {
		ret = -EINVAL;
	}
	kfree(timer);
	return ret;
}
module_init(misuse_init);

static void __exit misuse_exit(void)
{
}
module_exit(misuse_exit);

MODULE_DESCRIPTION("Misuses timers");
MODULE_LICENSE("GPL");
