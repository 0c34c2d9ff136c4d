// SPDX-License-Identifier: GPL-2.0
/*
 * For scripts/test-port: CPU 1 arms a hundred timers of a second, at different phases. Each arms
 * itself again. How often CPU 1 wakes up depends on where and when they run.
 */
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include "twheel.h"

#define TIMERS	100

static char *kind = "none";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "none, timer_list or twheel");

static int cpu = -1;
module_param(cpu, int, 0444);
MODULE_PARM_DESC(cpu, "The CPU that CPU 1 passes to twheel_add_on(), instead of twheel_add()");

static uint slack;
module_param(slack, uint, 0444);
MODULE_PARM_DESC(slack, "Of a timer of twheel, in ticks");

static struct timer_list listed[TIMERS];
static struct twheel_timer timers[TIMERS];

static void idle_listed_expired(struct timer_list *timer)
{
	mod_timer(timer, jiffies + HZ);
}

static void idle_expired(struct twheel_timer *timer)
{
	twheel_mod_after(timer, HZ);
}

static void idle_arm_listed(void *unused)
{
	unsigned int i;

	for (i = 0; i < TIMERS; i++)
		mod_timer(&listed[i], jiffies + i * HZ / TIMERS);
}

static void idle_arm(void *unused)
{
	unsigned int i;
	u64 expires;

	for (i = 0; i < TIMERS; i++) {
		expires = twheel_after(i * HZ / TIMERS);
		if (cpu < 0)
			twheel_add(&timers[i], expires);
		else
			twheel_add_on(&timers[i], expires, cpu);
	}
}

static int __init idle_init(void)
{
	unsigned int i;

	for (i = 0; i < TIMERS; i++) {
		timer_setup(&listed[i], idle_listed_expired, 0);
		twheel_setup(&timers[i], idle_expired, 0);
		twheel_set_slack(&timers[i], slack);
	}
	if (!strcmp(kind, "timer_list"))
		return smp_call_function_single(1, idle_arm_listed, NULL, true);
	if (!strcmp(kind, "twheel"))
		return smp_call_function_single(1, idle_arm, NULL, true);
	return 0;
}
module_init(idle_init);

static void __exit idle_exit(void)
{
	unsigned int i;

	for (i = 0; i < TIMERS; i++) {
		timer_shutdown_sync(&listed[i]);
		twheel_shutdown_sync(&timers[i]);
	}
}
module_exit(idle_exit);

MODULE_DESCRIPTION("Arms timers on a CPU that is idle otherwise");
MODULE_LICENSE("GPL");
