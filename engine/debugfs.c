// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: /sys/kernel/debug/twheel, for those who want to look inside
 *
 *	counts	what became of all armings, and whether that adds up
 *	cpuN	the wheel of CPU N, what its engine has done, and a picture;
 *		of all its lanes in one
 *	timing	1: note how long callbacks and stretches with interrupts off last
 *	reset	anything written sets the statistics (not the counts) to 0
 *
 * A reader takes a copy of a few KiB under the base's lock and formats that, so
 * the wheel is held up no longer than by the arming of a few timers.
 */
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include "counts.h"
#include "debugfs.h"
#include "twheel_compat.h"

/* A wheel without its slots: those hold pointers, and most of the memory. */
#define WHEEL_HEAD	offsetof(struct twheel_wheel, slot)

/**
 * struct snapshot - a CPU's bases, each at one moment
 * @now: The current tick.
 * @lanes: How many bases there are.
 * @wake: See &struct twheel_base.
 * @online: Likewise.
 * @counts: Likewise; all but those of the extensions.
 * @stats: Likewise.
 * @busy: Workers that run callbacks in process context.
 * @extended: Extensions made on the CPU.
 * @deferred: Timers wait for process context.
 * @wheel: The wheel but for its slots; of several, sums, and the latest hand.
 */
struct snapshot {
	u64			now;
	unsigned int		lanes;
	u64			wake;
	bool			online;
	struct twheel_counts	counts;
	struct twheel_stats	stats;
	unsigned int		busy;
	u64			extended;
	bool			deferred;
	unsigned long		wheel[BITS_TO_LONGS(WHEEL_HEAD * BITS_PER_BYTE)];
};

static struct dentry *directory;

static void add_stats(struct twheel_stats *sum, const struct twheel_stats *stats)
{
	unsigned int i;

	sum->runs += stats->runs;
	sum->early += stats->early;
	for (i = 0; i < TWHEEL_LATE_BUCKETS; i++)
		sum->late[i] += stats->late[i];
	sum->windowed += stats->windowed;
	sum->processed += stats->processed;
	sum->migrated += stats->migrated;
	twheel_stats_max(&sum->cascade_max, stats->cascade_max);
	twheel_stats_max(&sum->run_max_ns, stats->run_max_ns);
	twheel_stats_max(&sum->hold_max_ns, stats->hold_max_ns);
	if (stats->callback_max_ns > sum->callback_max_ns) {
		sum->callback_max_ns = stats->callback_max_ns;
		sum->callback_max_fn = stats->callback_max_fn;
	}
}

static void add_wheel(struct twheel_wheel *sum, const struct twheel_wheel *w)
{
	unsigned int n, i;

	sum->clk = max(sum->clk, w->clk);
	/* With nothing pending it is what is not looked at until it comes. */
	if (w->pending)
		sum->next = min(sum->next, w->next);
	sum->cascaded += w->cascaded;
	sum->refiled += w->refiled;
	for (n = 0; n < TWHEEL_LVL_DEPTH; n++) {
		bitmap_or(sum->map[n], sum->map[n], w->map[n], TWHEEL_LVL_SIZE);
		for (i = 0; i < TWHEEL_LVL_SIZE; i++)
			sum->count[n][i] += w->count[n][i];
	}
}

static void add_base(struct snapshot *s, struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	s->lanes++;
	s->wake = min(s->wake, base->wake);
	s->online = base->online;
	twheel_counts_add(base, &s->counts);
	add_stats(&s->stats, &base->stats);
	s->busy += TWHEEL_PROCESS_MAX - hweight_long(base->idle_workers);
	s->deferred |= !list_empty(&base->wheel.deferred);
	add_wheel((void *)s->wheel, &base->wheel);
	raw_spin_unlock_irq(&base->lock);
}

static void take_snapshot(struct snapshot *s, unsigned int cpu)
{
	struct twheel_wheel *w = (void *)s->wheel;
	unsigned int lane;

	memset(s, 0, sizeof(*s));
	s->wake = TWHEEL_NEVER;
	w->next = TWHEEL_NEVER;
	s->now = get_jiffies_64();
	s->extended = local64_read(&per_cpu(twheel_extended, cpu));
	for_each_twheel_lane(lane)
		add_base(s, twheel_base_of(cpu, lane));
}

static void show_tick(struct seq_file *m, const char *name, u64 tick)
{
	if (tick >= TWHEEL_NEVER)
		seq_printf(m, "%s never\n", name);
	else
		seq_printf(m, "%s %llu\n", name, tick);
}

static void show_stats(struct seq_file *m, const struct twheel_stats *stats)
{
	unsigned int i;

	seq_printf(m, "runs %llu\n", stats->runs);
	seq_printf(m, "processed %llu\n", stats->processed);
	seq_printf(m, "migrated %llu\n", stats->migrated);
	seq_printf(m, "cascade_max %llu\n", stats->cascade_max);
	seq_printf(m, "run_max_ns %llu\n", stats->run_max_ns);
	seq_printf(m, "lock_max_ns %llu\n", stats->hold_max_ns);
	seq_printf(m, "callback_max_ns %llu\n", stats->callback_max_ns);
	seq_printf(m, "callback_max_fn %ps\n", stats->callback_max_fn);
	seq_printf(m, "early %llu\n", stats->early);
	seq_printf(m, "in_window %llu\n", stats->windowed);
	for (i = 0; i < TWHEEL_LATE_BUCKETS; i++) {
		/* Bucket i holds the numbers of i binary digits. */
		if (stats->late[i])
			seq_printf(m, "late_%u %llu\n", i ? 1U << (i - 1) : 0,
				   stats->late[i]);
	}
}

/* One character a slot, by the number of digits of what it has taken in. */
static char slot_picture(const struct twheel_wheel *w, unsigned int n,
			 unsigned int i)
{
	u32 count = test_bit(i, w->map[n]) ? w->count[n][i] : 0;
	char picture = '.';

	if (count)
		picture = '0';
	for (; count; count /= 10)
		picture++;
	return picture;
}

static void show_level(struct seq_file *m, const struct twheel_wheel *w,
		       unsigned int n)
{
	unsigned int hand = w->clk >> TWHEEL_LVL_SHIFT(n) & TWHEEL_LVL_MASK;
	unsigned int i;

	seq_printf(m, "level_%u ", n);
	for (i = 0; i < TWHEEL_LVL_SIZE; i++) {
		if (i == hand)
			seq_putc(m, '>');
		seq_putc(m, slot_picture(w, n, i));
	}
	seq_putc(m, '\n');
}

static void show_snapshot(struct seq_file *m, const struct snapshot *s)
{
	const struct twheel_wheel *w = (const void *)s->wheel;
	unsigned int n;

	seq_printf(m, "online %d\n", s->online);
	seq_printf(m, "lanes %u\n", s->lanes);
	seq_printf(m, "now %llu\n", s->now);
	seq_printf(m, "hand %llu\n", w->clk);
	show_tick(m, "next", w->next);
	show_tick(m, "wake", s->wake);
	seq_printf(m, "pending %llu\n", s->counts.pending);
	seq_printf(m, "deferred %d\n", s->deferred);
	seq_printf(m, "busy_workers %u\n", s->busy);
	seq_printf(m, "armed %llu\n", s->counts.armed);
	seq_printf(m, "fired %llu\n", s->counts.fired);
	seq_printf(m, "cancelled %llu\n", s->counts.cancelled);
	seq_printf(m, "replaced %llu\n", s->counts.replaced);
	seq_printf(m, "extended %llu\n", s->extended);
	seq_printf(m, "cascaded %llu\n", w->cascaded);
	seq_printf(m, "refiled %llu\n", w->refiled);
	show_stats(m, &s->stats);
	for (n = 0; n < TWHEEL_LVL_DEPTH; n++)
		show_level(m, w, n);
}

static int cpu_show(struct seq_file *m, void *unused)
{
	struct snapshot *s = kmalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	take_snapshot(s, (unsigned long)m->private);
	show_snapshot(m, s);
	kfree(s);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpu);

/* The sums are taken CPU by CPU: they balance when nothing goes on meanwhile. */
static int counts_show(struct seq_file *m, void *unused)
{
	struct twheel_counts counts;
	u64 ended;

	twheel_counts_read(&counts);
	ended = counts.fired + counts.cancelled + counts.replaced;
	seq_printf(m, "armed %llu\n", counts.armed);
	seq_printf(m, "fired %llu\n", counts.fired);
	seq_printf(m, "cancelled %llu\n", counts.cancelled);
	seq_printf(m, "replaced %llu\n", counts.replaced);
	seq_printf(m, "pending %llu\n", counts.pending);
	seq_printf(m, "unaccounted %lld\n",
		   (s64)(counts.armed - ended - counts.pending));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static void reset_stats(struct twheel_base *base)
{
	raw_spin_lock_irq(&base->lock);
	memset(&base->stats, 0, sizeof(base->stats));
	raw_spin_unlock_irq(&base->lock);
}

static ssize_t reset_write(struct file *file, const char __user *buf,
			   size_t count, loff_t *pos)
{
	unsigned int cpu, lane;

	for_each_possible_cpu(cpu)
		for_each_twheel_lane(lane)
			reset_stats(twheel_base_of(cpu, lane));
	return count;
}

static const struct file_operations reset_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= reset_write,
	.llseek	= noop_llseek,
};

static int timing_get(void *data, u64 *value)
{
	*value = static_key_enabled(&twheel_timing);
	return 0;
}

static int timing_set(void *data, u64 value)
{
	if (value > 1)
		return -EINVAL;
	if (value)
		static_branch_enable(&twheel_timing);
	else
		static_branch_disable(&twheel_timing);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(timing_fops, timing_get, timing_set, "%llu\n");

/**
 * twheel_debugfs_init - make the files; without them all the rest works
 */
void twheel_debugfs_init(void)
{
	unsigned long cpu;
	char name[16];

	directory = debugfs_create_dir("twheel", NULL);
	debugfs_create_file("counts", 0444, directory, NULL, &counts_fops);
	debugfs_create_file("reset", 0200, directory, NULL, &reset_fops);
	debugfs_create_file_unsafe("timing", 0644, directory, NULL, &timing_fops);
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%lu", cpu);
		debugfs_create_file(name, 0444, directory, (void *)cpu, &cpu_fops);
	}
}

/**
 * twheel_debugfs_exit - remove the files
 */
void twheel_debugfs_exit(void)
{
	debugfs_remove(directory);
}
