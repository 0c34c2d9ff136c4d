// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: starting and stopping the engine; CPUs come and go
 *
 * Every possible CPU has a base, for as long as the module is loaded.
 */
#include <linux/cpu.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/smpboot.h>
#include "engine.h"
#include "twheel_compat.h"

static enum cpuhp_state cpu_hotplug_state;

static int cpu_comes_online(unsigned int cpu)
{
	struct twheel_base *base = twheel_base_of(cpu);

	per_cpu(twheel_base_home, cpu) = housekeeping_test_cpu(cpu, HK_TYPE_TIMER) ?
		cpu : housekeeping_any_cpu(HK_TYPE_TIMER);
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->online, true);
	base->wake = TWHEEL_NEVER;
	/* A callback in process context may have armed its own timer here meanwhile. */
	twheel_tick_wake_by(base, twheel_wheel_next(&base->wheel));
	raw_spin_unlock_irq(&base->lock);
	return 0;
}

/*
 * Runs on the CPU that goes offline. Once the base is not online, a timer can be armed there only
 * while its own callback runs. This function waits for callbacks in softirq context. Those in
 * process context may sleep for long: see twheel_arm_evacuate().
 */
static int cpu_goes_offline(unsigned int cpu)
{
	struct twheel_base *base = twheel_base_of(cpu);

	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->online, false);
	raw_spin_unlock_irq(&base->lock);
	/* Else the kernel moves both to another CPU, where they may run this wheel later. */
	timer_delete_sync(&base->tick);
	hrtimer_cancel(&base->sleeper);
	while (READ_ONCE(base->running))
		twheel_callback_wait(base);
	twheel_arm_evacuate(base);
	return 0;
}

static void cpu_free_bases(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		kvfree(xchg(per_cpu_ptr(&twheel_bases, cpu), NULL));
}

/* Allocates an empty base for each CPU, not online yet. The caller frees those of a failure. */
static int cpu_alloc_bases(void)
{
	struct twheel_base *base;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		base = kvzalloc_node(sizeof(*base), GFP_KERNEL | __GFP_NOWARN, cpu_to_node(cpu));
		if (!base)
			return -ENOMEM;
		raw_spin_lock_init(&base->lock);
		spin_lock_init(&base->expiry_lock);
		base->cpu = cpu;
		base->wake = TWHEEL_NEVER;
		twheel_process_init_base(base);
		twheel_wheel_init(&base->wheel, get_jiffies_64());
		twheel_wheel_add_all_levels(&base->wheel, base->levels);
		twheel_run_init_base(base);
		per_cpu(twheel_bases, cpu) = base;
	}
	return 0;
}

/* Starts the engine. Returns 0 or a negative errno. */
int twheel_engine_init(void)
{
	int ret;

	static_assert(IS_ENABLED(CONFIG_LOCKDEP) || sizeof(struct twheel_timer) <= 40);

	twheel_process_wq = alloc_workqueue("twheel", WQ_PERCPU | WQ_MEM_RECLAIM, 0);
	if (!twheel_process_wq)
		return -ENOMEM;
	ret = cpu_alloc_bases() ?: smpboot_register_percpu_thread(&twheel_run_threads);
	if (ret)
		goto out_free_bases;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "twheel:online",
				cpu_comes_online, cpu_goes_offline);
	if (ret < 0)
		goto out_unregister_threads;
	cpu_hotplug_state = ret;
	twheel_debugfs_init();
	return 0;

out_unregister_threads:
	smpboot_unregister_percpu_thread(&twheel_run_threads);
out_free_bases:
	cpu_free_bases();
	destroy_workqueue(twheel_process_wq);
	return ret;
}

/* Stops the engine: no timer is pending, and no caller can arm a timer any more. */
void twheel_engine_exit(void)
{
	struct twheel_base *base;
	unsigned int cpu;

	twheel_debugfs_exit();
	cpuhp_remove_state_nocalls(cpu_hotplug_state);
	for_each_possible_cpu(cpu) {
		base = twheel_base_of(cpu);
		raw_spin_lock_irq(&base->lock);
		WARN(base->wheel.pending, "%llu timers were never cancelled\n",
		     base->wheel.pending);
		WRITE_ONCE(base->online, false);
		raw_spin_unlock_irq(&base->lock);
		timer_delete_sync(&base->tick);
		hrtimer_cancel(&base->sleeper);
	}
	/* Waits until each thread has run: a real-time task that never sleeps can delay that. */
	smpboot_unregister_percpu_thread(&twheel_run_threads);
	/* Waits for the workers. */
	destroy_workqueue(twheel_process_wq);
	cpu_free_bases();
}
