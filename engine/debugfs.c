// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the files in /sys/kernel/debug/twheel; and the tracepoints
 *
 *	counts	how all armings ended, and whether the counts add up
 *	cpuN	the base of CPU N: counts, statistics, and a picture of the wheel
 *	reset	a write of a number sets the statistics (not the counts) to 0
 *
 * The base is locked while its picture is printed, so that all of it is of one moment.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include "engine.h"
#define CREATE_TRACE_POINTS
#include "trace.h"

/* What "counts" and the files of CPUs have in common */
static void debugfs_show_counts(struct seq_file *m, const struct twheel_counts *counts)
{
	seq_printf(m, "armed %llu\n", counts->armed);
	seq_printf(m, "fired %llu\n", counts->fired);
	seq_printf(m, "cancelled %llu\n", counts->cancelled);
	seq_printf(m, "replaced %llu\n", counts->replaced);
}

static void debugfs_show_tick(struct seq_file *m, const char *name, u64 tick)
{
	if (tick >= TWHEEL_NEVER)
		seq_printf(m, "%s never\n", name);
	else
		seq_printf(m, "%s %llu\n", name, tick);
}

/* One character a slot: '.' if it is empty, else the number of digits of its count. */
static char debugfs_slot_picture(const struct twheel_level *level, unsigned int i)
{
	u32 count = test_bit(i, level->map) ? level->count[i] : 0;
	char picture = count ? '0' : '.';

	for (; count; count /= 10)
		picture++;
	return picture;
}

static void debugfs_show_level(struct seq_file *m, const struct twheel_wheel *w, unsigned int n)
{
	unsigned int hand = w->clk >> TWHEEL_LVL_SHIFT(n) & TWHEEL_LVL_MASK;
	unsigned int i;

	seq_printf(m, "level_%u ", n);
	for (i = 0; i < TWHEEL_LVL_SIZE; i++) {
		if (i == hand)
			seq_putc(m, '>');
		seq_putc(m, debugfs_slot_picture(w->level[n], i));
	}
	seq_putc(m, '\n');
}

/* Prints to memory of seq_file. Interrupts are off for 35,000 instructions. */
static int debugfs_cpu_show(struct seq_file *m, void *unused)
{
	struct twheel_base *base = m->private;
	const struct twheel_stats *stats = &base->stats;
	const struct twheel_wheel *w = &base->wheel;
	unsigned int i, n;

	raw_spin_lock_irq(&base->lock);
	seq_printf(m, "online %d\n", base->online);
	seq_printf(m, "now %llu\n", get_jiffies_64());
	seq_printf(m, "hand %llu\n", w->clk);
	/* The @next of an empty wheel may be out of date. */
	debugfs_show_tick(m, "next", w->pending ? w->next : TWHEEL_NEVER);
	debugfs_show_tick(m, "wake", base->wake);
	seq_printf(m, "pending %llu\n", w->pending);
	seq_printf(m, "deferred %d\n", !list_empty(&w->deferred));
	seq_printf(m, "busy_workers %lu\n",
		   TWHEEL_PROCESS_MAX - hweight_long(base->idle_workers));
	debugfs_show_counts(m, &base->counts);
	seq_printf(m, "extended %llu\n", READ_ONCE(per_cpu(twheel_extended, base->cpu)));
	seq_printf(m, "cascaded %llu\n", w->cascaded);
	seq_printf(m, "refiled %llu\n", w->refiled);
	seq_printf(m, "runs %llu\n", stats->runs);
	seq_printf(m, "migrated %llu\n", stats->migrated);
	seq_printf(m, "run_max_ns %llu\n", stats->run_max_ns);
	seq_printf(m, "early %llu\n", stats->early);
	seq_printf(m, "in_window %llu\n", stats->windowed);
	/* Bucket i holds the numbers of i binary digits. */
	for (i = 0; i < TWHEEL_LATE_BUCKETS; i++)
		if (stats->late[i])
			seq_printf(m, "late_%u %llu\n", i ? 1U << (i - 1) : 0, stats->late[i]);
	for (n = 0; n < TWHEEL_LVL_DEPTH; n++)
		debugfs_show_level(m, w, n);
	raw_spin_unlock_irq(&base->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_cpu);

/* CPU after CPU is read: "unaccounted" is 0 if no timer is armed or ends meanwhile. */
static int debugfs_counts_show(struct seq_file *m, void *unused)
{
	struct twheel_counts counts;
	u64 ended;

	twheel_base_read_counts(&counts);
	ended = counts.fired + counts.cancelled + counts.replaced;
	debugfs_show_counts(m, &counts);
	seq_printf(m, "pending %llu\n", counts.pending);
	seq_printf(m, "unaccounted %lld\n",
		   (s64)(counts.armed - ended - counts.pending));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_counts);

static int debugfs_reset(void *unused, u64 value)
{
	struct twheel_base *base;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		base = twheel_base_of(cpu);
		raw_spin_lock_irq(&base->lock);
		memset(&base->stats, 0, sizeof(base->stats));
		raw_spin_unlock_irq(&base->lock);
	}
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(debugfs_reset_fops, NULL, debugfs_reset, "%llu\n");

/* Errors are ignored: everything else works without the files. */
void twheel_debugfs_init(void)
{
	struct dentry *directory = debugfs_create_dir("twheel", NULL);
	unsigned int cpu;
	char name[16];

	debugfs_create_file("counts", 0444, directory, NULL, &debugfs_counts_fops);
	debugfs_create_file_unsafe("reset", 0200, directory, NULL, &debugfs_reset_fops);
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		debugfs_create_file(name, 0444, directory, twheel_base_of(cpu),
				    &debugfs_cpu_fops);
	}
}

void twheel_debugfs_exit(void)
{
	debugfs_lookup_and_remove("twheel", NULL);
}
