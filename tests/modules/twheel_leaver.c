// SPDX-License-Identifier: GPL-2.0
/* Leaves its timers armed when it is unloaded, unless the parameter tidy is set. */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched.h>
#include "twheel.h"

static unsigned int timers = 3;
module_param(timers, uint, 0444);
MODULE_PARM_DESC(timers, "How many timers (default 3), on all CPUs in turn unless periodic");

static unsigned int delay = 10;
module_param(delay, uint, 0444);
MODULE_PARM_DESC(delay, "Ticks until the timers expire (default 10)");

static unsigned int period;
module_param(period, uint, 0444);
MODULE_PARM_DESC(period, "Period in ticks (default 0: the timers are not periodic)");

static bool process;
module_param(process, bool, 0444);
MODULE_PARM_DESC(process, "Callbacks run in process context");

static unsigned int sleep_ms;
module_param(sleep_ms, uint, 0444);
MODULE_PARM_DESC(sleep_ms, "Milliseconds that each callback sleeps (default 0); needs process");

static bool tidy;
module_param(tidy, bool, 0444);
MODULE_PARM_DESC(tidy, "Shut the timers down before unloading, as every module should");

static int begun;
module_param(begun, int, 0444);
MODULE_PARM_DESC(begun, "Counts callbacks: one when each begins and one when it ends; to be read");

/* The memory is freed with the module. */
static struct twheel_timer timer[1000];

static void leaver_expired(struct twheel_timer *t)
{
	WRITE_ONCE(begun, begun + 1);
	if (sleep_ms)
		msleep(sleep_ms);
	/* Touches the module after the sleep, during which it may be unloaded. */
	WRITE_ONCE(begun, begun + 1);
}

static unsigned int next_cpu(unsigned int cpu)
{
	cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

static int __init leaver_init(void)
{
	unsigned int i, cpu = raw_smp_processor_id();
	u64 expires;

	if (timers > ARRAY_SIZE(timer) || (sleep_ms && !process))
		return -EINVAL;
	expires = twheel_after(delay);
	for (i = 0; i < timers; i++) {
		twheel_setup(&timer[i], leaver_expired,
			     process ? TWHEEL_PROCESS : 0);
		cpu = next_cpu(cpu);
		if (period)
			twheel_add_periodic(&timer[i], expires, period);
		else
			twheel_add_on(&timer[i], expires, cpu);
	}
	return 0;
}
module_init(leaver_init);

static void __exit leaver_exit(void)
{
	unsigned int i;

	if (!tidy)
		return;
	for (i = 0; i < timers; i++)
		twheel_shutdown_sync(&timer[i]);
}
module_exit(leaver_exit);

MODULE_DESCRIPTION("Unloads with its timers armed");
MODULE_LICENSE("GPL");
