// SPDX-License-Identifier: GPL-2.0
/* Uses twheel, so that twheel cannot be unloaded. */
#include <linux/module.h>
#include "twheel.h"

static void holder_expired(struct twheel_timer *timer)
{
}

static DEFINE_TWHEEL_TIMER(holder_timer, holder_expired);

static int __init holder_init(void)
{
	return twheel_add_after(&holder_timer, 1);
}
module_init(holder_init);

static void __exit holder_exit(void)
{
	twheel_shutdown_sync(&holder_timer);
}
module_exit(holder_exit);

MODULE_DESCRIPTION("Uses twheel");
MODULE_LICENSE("GPL");
