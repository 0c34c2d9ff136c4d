// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: exact timers by the million
 *
 * Module init and exit. The engine, which runs the wheels, starts first, and the device
 * on top of it second. Module parameters are defined beside the code that reads them.
 */
#include <linux/module.h>
#include "device/calls.h"
#include "engine/engine.h"

/* Parameters of older versions, which have no effect: see Documentation/stability.rst. */
static unsigned int twheel_ignored;
module_param_named(share, twheel_ignored, uint, 0644);
MODULE_PARM_DESC(share, "Ignored: programs' timers expire in their own time");
module_param_named(allowance, twheel_ignored, uint, 0644);
MODULE_PARM_DESC(allowance, "Ignored: see tick_budget");

static int __init twheel_init(void)
{
	int ret = twheel_engine_init();

	if (ret)
		return ret;
	ret = twheel_chardev_init();
	if (ret)
		twheel_engine_exit();
	return ret;
}
module_init(twheel_init);

static void __exit twheel_exit(void)
{
	twheel_chardev_exit();
	twheel_engine_exit();
}
module_exit(twheel_exit);

MODULE_DESCRIPTION("Exact timers by the million");
MODULE_AUTHOR("The twheel authors");
/* The version of the release. scripts/version finds it here. */
MODULE_VERSION("1.1.0");
MODULE_LICENSE("GPL");
