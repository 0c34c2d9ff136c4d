// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the bases of CPUs, which come and go
 *
 * Every possible CPU has a base in each lane for as long as the module is there.
 * On a CPU that goes offline nothing can be armed any more, and what is there is moved
 * to the same lane of another CPU, some timers at a time.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "twheel_compat.h"
#include "expiry.h"
#include "base.h"
#include "trace.h"

DEFINE_PER_CPU(struct twheel_cpu, twheel_cpus);
unsigned int twheel_lanes;

static enum cpuhp_state hotplug_state;

/* In the order of CPUs, since either may be the one that is offline. */
static void lock_two(struct twheel_base *a, struct twheel_base *b)
{
	if (a->cpu > b->cpu)
		swap(a, b);
	raw_spin_lock_irq(&a->lock);
	raw_spin_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

static void unlock_two(struct twheel_base *a, struct twheel_base *b)
{
	if (a->cpu > b->cpu)
		swap(a, b);
	raw_spin_unlock(&b->lock);
	raw_spin_unlock_irq(&a->lock);
}

/*
 * A timer whose callback runs stays, or nobody would know that it does. The
 * worker that runs it looks again when it is done.
 */
static struct twheel_timer *first_to_move(struct twheel_base *from)
{
	struct twheel_timer *t;

	while ((t = twheel_wheel_first(&from->wheel))) {
		if (!twheel_base_callback(from, t))
			return t;
		list_move_tail(&t->entry, &from->wheel.deferred);
	}
	return twheel_process_first(from);
}

/* Moves some timers. Returns whether any are left on a CPU that is offline. */
static bool move_timers(struct twheel_base *to, struct twheel_base *from)
{
	struct twheel_timer *t = NULL;
	unsigned int i;

	lock_two(to, from);
	for (i = 0; i < TWHEEL_LOCK_HOLD && !from->online; i++) {
		t = first_to_move(from);
		if (!t || !to->online)
			break;
		if (!i)
			twheel_wheel_forward(&to->wheel, get_jiffies_64());
		trace_twheel_migrate(t, from->cpu, to->cpu);
		twheel_wheel_move(&to->wheel, &from->wheel, t);
		WRITE_ONCE(t->flags, (t->flags & ~TWHEEL_CPU_MASK) | to->cpu);
		twheel_stats_inc(&to->stats.migrated);
	}
	twheel_base_wake_at(to, to->wheel.next);
	unlock_two(to, from);
	return t;
}

/**
 * twheel_cpu_evacuate - move what was armed on a CPU that is offline
 * @base: The CPU's base, not locked.
 *
 * For those who may arm timers there: see twheel_base_switch().
 *
 * Context: process.
 */
void twheel_cpu_evacuate(struct twheel_base *base)
{
	unsigned int to;

	while (!READ_ONCE(base->online)) {
		to = cpumask_any(cpu_active_mask);
		/* Active and not online: the module is going. */
		if (to == base->cpu ||
		    !move_timers(twheel_base_of(to, base->lane), base))
			break;
		cond_resched();
	}
}

static void lane_online(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	WRITE_ONCE(base->online, true);
	base->wake = TWHEEL_NEVER;
	/* A callback may have armed something that is not evacuated yet. */
	twheel_base_wake_at(base, twheel_wheel_next(&base->wheel));
	raw_spin_unlock_irq(&base->lock);
}

static int base_online(unsigned int cpu)
{
	unsigned int lane;

	for_each_twheel_lane(lane)
		lane_online(twheel_base_of(cpu, lane));
	return 0;
}

/*
 * From here on nothing is armed on this base but by a callback that still runs,
 * and that is waited for.
 */
static void lane_offline(struct twheel_base *base, unsigned int to)
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

	while (move_timers(twheel_base_of(to, base->lane), base))
		cond_resched();
}

/* Runs on the CPU that goes offline. */
static int base_offline(unsigned int cpu)
{
	unsigned int to = cpumask_any_but(cpu_active_mask, cpu);
	unsigned int lane;

	/* The last CPU: only where the set-up is undone, and nothing is armed. */
	if (to >= nr_cpu_ids)
		return 0;

	for_each_twheel_lane(lane)
		lane_offline(twheel_base_of(cpu, lane), to);
	return 0;
}

static void free_lane(unsigned int lane)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(twheel_base_of(cpu, lane));
		per_cpu(twheel_cpus, cpu).lane[lane] = NULL;
	}
}

static void free_lanes(void)
{
	while (twheel_lanes)
		free_lane(--twheel_lanes);
}

static void base_init(struct twheel_base *base, unsigned int cpu,
		      unsigned int lane)
{
	raw_spin_lock_init(&base->lock);
	twheel_expiry_init(base);
	base->cpu = cpu;
	base->lane = lane;
	base->wake = TWHEEL_NEVER;
	twheel_process_init_base(base);
	twheel_wheel_init(&base->wheel, get_jiffies_64());
	twheel_run_init(base);
}

/* A base of each CPU, with nothing in it; which are online is not known yet. */
static int alloc_lane(unsigned int lane)
{
	struct twheel_base *base;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		base = kvzalloc_node(sizeof(*base), GFP_KERNEL | __GFP_NOWARN,
				     cpu_to_node(cpu));
		if (!base) {
			free_lane(lane);
			return -ENOMEM;
		}
		base_init(base, cpu, lane);
		per_cpu(twheel_cpus, cpu).lane[lane] = base;
	}
	return 0;
}

/**
 * twheel_cpu_add_lane - give every CPU another base
 *
 * Context: process; not concurrently with itself.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if there are as many as there can be.
 */
int twheel_cpu_add_lane(void)
{
	unsigned int lane = twheel_lanes;
	unsigned int cpu;
	int ret;

	if (lane == TWHEEL_LANES)
		return -ENOSPC;
	ret = alloc_lane(lane);
	if (ret)
		return ret;
	cpus_read_lock();
	for_each_possible_cpu(cpu)
		twheel_base_of(cpu, lane)->online = twheel_base_of(cpu, 0)->online;
	/* Whoever sees it sees the bases. */
	smp_store_release(&twheel_lanes, lane + 1);
	cpus_read_unlock();
	return 0;
}

/* No timer is pending and nobody can arm one any more. */
static void base_stop(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	WARN(base->wheel.pending, "%llu timers were never cancelled\n",
	     base->wheel.pending);
	WRITE_ONCE(base->online, false);
	raw_spin_unlock_irq(&base->lock);
	twheel_run_stop(base);
}

/**
 * twheel_cpu_init - set up the engine of every CPU
 *
 * Return: 0 or -ENOMEM, or an error of CPU hotplug.
 */
int twheel_cpu_init(void)
{
	int ret;

	ret = twheel_process_init();
	if (ret)
		return ret;
	ret = alloc_lane(0);
	if (ret)
		goto out_process_exit;
	twheel_lanes = 1;
	/* Whoever has so many has as much memory in them as a lane takes. */
	twheel_lane_threshold = min(512 * num_possible_cpus(), 8192U);
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "twheel:online",
				base_online, base_offline);
	if (ret < 0)
		goto out_free_lanes;
	hotplug_state = ret;
	return 0;

out_free_lanes:
	free_lanes();
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

	cpuhp_remove_state_nocalls(hotplug_state);
	for_each_twheel_lane(lane)
		for_each_possible_cpu(cpu)
			base_stop(twheel_base_of(cpu, lane));
	twheel_process_exit();
	free_lanes();
}
