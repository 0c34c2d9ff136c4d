// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: what stands behind tests/stub/kernel.h
 *
 * Each CPU but the first has a copy of the section of per-CPU variables. The tick's softirq
 * calls the tick sources that have come due, and then the thread that continues runs.
 */
#include "bench.h"
#include "engine/base.h"

u64 jiffies_64;
long native_offsets[NR_CPUS];
__thread unsigned int native_cpu;
__thread long native_offset;
__thread struct task_struct native_task;
__thread int native_preempt_count;
struct smp_hotplug_thread *native_thread;

static int (*cpu_online)(unsigned int cpu);

/* Called before any per-CPU variable has been written to. */
void native_init(void)
{
	size_t size = __stop_percpu - __start_percpu;
	unsigned int cpu;
	char *copy;

	for_each_possible_cpu(cpu) {
		if (!cpu)
			continue;
		copy = bench_memory(size);
		memcpy(copy, __start_percpu, size);
		native_offsets[cpu] = copy - __start_percpu;
	}
}

void native_become_cpu(unsigned int cpu)
{
	native_cpu = cpu;
	native_offset = native_offsets[cpu];
}

int cpuhp_setup_state(enum cpuhp_state state, const char *name,
		      int (*online)(unsigned int), int (*offline)(unsigned int))
{
	cpu_online = online;
	return 0;
}

void native_online(unsigned int cpu)
{
	cpu_online(cpu);
}

void *native_zalloc(size_t size)
{
	return bench_memory(size);
}

static void call_tick_sources(struct twheel_base *base)
{
	/* timer_list runs a timer one tick after its ->expires. */
	if (base->tick.pending && time_after64(get_jiffies_64(), base->tick.expires)) {
		base->tick.pending = false;
		base->tick.function(&base->tick);
	}
	if (base->sleeper.pending && ktime_get() >= base->sleeper.expires) {
		base->sleeper.pending = false;
		base->sleeper.function(&base->sleeper);
	}
}

void native_softirq(void)
{
	call_tick_sources(twheel_base_of(native_cpu));
	while (native_thread->thread_should_run(native_cpu))
		native_thread->thread_fn(native_cpu);
}

/* Nobody looks at debugfs here. */
void twheel_debugfs_init(void)
{
}

void twheel_debugfs_exit(void)
{
}
