// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: starting and stopping the engine
 */
#include <linux/build_bug.h>
#include "cpu.h"
#include "debugfs.h"
#include "engine.h"
#include "objects.h"
#include "twheel.h"

/**
 * twheel_engine_init - start the engine
 *
 * Return: 0 or a negative errno.
 */
int twheel_engine_init(void)
{
	int ret;

	static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct twheel_timer) <= 40);

	twheel_objects_init(twheel_cancel);
	ret = twheel_cpu_init();
	if (ret)
		return ret;
	twheel_debugfs_init();
	return 0;
}

/**
 * twheel_engine_exit - stop the engine
 *
 * No timer is pending, and no caller can arm a timer any more.
 */
void twheel_engine_exit(void)
{
	twheel_debugfs_exit();
	twheel_cpu_exit();
}
