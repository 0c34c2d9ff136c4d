// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: CPUs come and go
 *
 * Every possible CPU has one base in each lane, for as long as the module is loaded.
 * When a CPU goes offline, its bases accept no timers any more. The timers that they have
 * move to the same lanes of another CPU, some at a time.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "cpu.h"
#include "expiry.h"
#include "move.h"
#include "process.h"
#include "run.h"
#include "tick.h"
#include "twheel_compat.h"
#include "work.h"

static enum cpuhp_state cpu_hotplug_state;

static void cpu_lane_online(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->online, true);
	base->wake = TWHEEL_NEVER;
	/* A callback in process context may have armed its own timer here meanwhile. */
	twheel_tick_wake_by(base, twheel_wheel_next(&base->wheel));
	raw_spin_unlock_irq(&base->lock);
}

static int cpu_comes_online(unsigned int cpu)
{
	unsigned int lane;

	twheel_work_online(cpu);
	for_each_twheel_lane(lane)
		cpu_lane_online(twheel_base_of(cpu, lane));
	return 0;
}

/*
 * Once the base is not online, a timer can be armed there only while its own callback
 * runs. This function waits for callbacks in softirq context; process.c deals with the
 * others.
 */
static void cpu_lane_offline(struct twheel_base *base, unsigned int to)
{
	bool running;

	do {
		raw_spin_lock_irq(&base->lock);
		WRITE_ONCE(base->online, false);
		running = base->runner;
		raw_spin_unlock_irq(&base->lock);
		if (running)
			twheel_expiry_wait(base);
	} while (running);

	while (twheel_move_some(twheel_base_of(to, base->lane), base))
		cond_resched();
}

/* Runs on the CPU that goes offline. */
static int cpu_goes_offline(unsigned int cpu)
{
	unsigned int to = cpumask_any_but(cpu_active_mask, cpu);
	unsigned int lane;

	/* No other CPU is left: a failed set-up is being undone, and no timer is armed. */
	if (to >= nr_cpu_ids)
		return 0;

	for_each_twheel_lane(lane)
		cpu_lane_offline(twheel_base_of(cpu, lane), to);
	twheel_work_offline(cpu, to);
	return 0;
}

static void cpu_free_lane(unsigned int lane)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(twheel_base_of(cpu, lane));
		per_cpu(twheel_cpus, cpu).lane[lane] = NULL;
	}
}

static void cpu_free_lanes(void)
{
	unsigned int lane;

	for_each_twheel_lane(lane)
		cpu_free_lane(lane);
}

static void cpu_init_base(struct twheel_base *base, unsigned int cpu,
			  unsigned int lane)
{
	raw_spin_lock_init(&base->lock);
	twheel_expiry_init(base);
	base->cpu = cpu;
	base->lane = lane;
	base->place = cpu | lane << TWHEEL_LANE_SHIFT;
	base->wake = TWHEEL_NEVER;
	twheel_process_init_base(base);
	twheel_wheel_init(&base->wheel, get_jiffies_64());
	twheel_wheel_add_all_levels(&base->wheel, base->levels);
	twheel_run_init(base);
}

/* Allocates an empty base for each CPU; none of them is online yet. */
static int cpu_alloc_lane(unsigned int lane)
{
	struct twheel_base *base;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		base = kvzalloc_node(sizeof(*base), GFP_KERNEL | __GFP_NOWARN,
				     cpu_to_node(cpu));
		if (!base)
			return -ENOMEM;
		cpu_init_base(base, cpu, lane);
		per_cpu(twheel_cpus, cpu).lane[lane] = base;
	}
	return 0;
}

/* No timer is pending, and no caller can arm a timer any more. */
static void cpu_stop_base(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	WARN(base->wheel.pending, "%llu timers were never cancelled\n",
	     base->wheel.pending);
	WRITE_ONCE(base->online, false);
	raw_spin_unlock_irq(&base->lock);
	twheel_run_stop(base);
}

static int cpu_alloc_lanes(void)
{
	unsigned int lane;
	int ret = 0;

	for_each_twheel_lane(lane)
		ret = ret ?: cpu_alloc_lane(lane);
	if (ret)
		cpu_free_lanes();
	return ret;
}

/**
 * twheel_cpu_init - start the engine of every CPU
 *
 * Return: 0 or -ENOMEM, or an error of CPU hotplug.
 */
int twheel_cpu_init(void)
{
	int ret;

	ret = twheel_process_init();
	if (ret)
		return ret;
	ret = cpu_alloc_lanes();
	if (ret)
		goto out_process_exit;
	ret = twheel_work_init();
	if (ret)
		goto out_free_lanes;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "twheel:online",
				cpu_comes_online, cpu_goes_offline);
	if (ret < 0)
		goto out_work_exit;
	cpu_hotplug_state = ret;
	return 0;

out_work_exit:
	twheel_work_exit();
out_free_lanes:
	cpu_free_lanes();
out_process_exit:
	twheel_process_exit();
	return ret;
}

/**
 * twheel_cpu_exit - stop the engine of every CPU
 */
void twheel_cpu_exit(void)
{
	unsigned int cpu, lane;

	cpuhp_remove_state_nocalls(cpu_hotplug_state);
	for_each_twheel_lane(lane)
		for_each_possible_cpu(cpu)
			cpu_stop_base(twheel_base_of(cpu, lane));
	twheel_work_exit();
	twheel_process_exit();
	cpu_free_lanes();
}
