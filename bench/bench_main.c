// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: measures twheel beside the kernel's own timers
 *
 * For machines with one CPU whose clock counts instructions (scripts/vm --icount). A write of
 * a command to /sys/kernel/debug/twheel_bench/run returns when the command has run. The file
 * results then has a line for each sample, "metric,who,instructions,count".
 *
 *	ops N 0		add, rearm, rearm_later, cancel
 *	ticks N DUE	ticks in which DUE timers are due
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "bench.h"

#define RESULTS_SIZE	(64 * 1024)

/* Held while a command runs. */
static DEFINE_MUTEX(lock);
static struct dentry *directory;

static int execute(const char *text)
{
	u32 n, due;
	char name[16];
	int ret;

	if (sscanf(text, "%15s %u %u", name, &n, &due) != 3 || !n)
		return -EINVAL;
	seq_buf_clear(&bench_results);
	if (!strcmp(name, "ops"))
		ret = bench_ops(n);
	else if (!strcmp(name, "ticks"))
		ret = bench_ticks(n, due);
	else
		ret = -EINVAL;
	return ret ?: seq_buf_has_overflowed(&bench_results) ? -ENOSPC : 0;
}

static ssize_t run_write(struct file *file, const char __user *buf, size_t count,
			 loff_t *pos)
{
	char text[64];
	int ret;

	if (count >= sizeof(text))
		return -EINVAL;
	if (num_online_cpus() != 1)
		return -EOPNOTSUPP;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	text[count] = '\0';
	mutex_lock(&lock);
	pr_info("%s", text);
	ret = execute(text);
	mutex_unlock(&lock);
	return ret ?: count;
}

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= run_write,
	.llseek	= noop_llseek,
};

static int results_show(struct seq_file *m, void *unused)
{
	seq_write(m, bench_results.buffer, seq_buf_used(&bench_results));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static int __init bench_init(void)
{
	char *buffer = kvmalloc(RESULTS_SIZE, GFP_KERNEL);

	static_assert(sizeof(struct bench_object) == 128);
	static_assert(sizeof(struct bench_op) == 16);

	if (!buffer)
		return -ENOMEM;
	seq_buf_init(&bench_results, buffer, RESULTS_SIZE);
	directory = debugfs_create_dir("twheel_bench", NULL);
	debugfs_create_file("run", 0200, directory, NULL, &run_fops);
	debugfs_create_file("results", 0400, directory, NULL, &results_fops);
	return 0;
}
module_init(bench_init);

static void __exit bench_exit(void)
{
	debugfs_remove(directory);
	kvfree(bench_results.buffer);
}
module_exit(bench_exit);

MODULE_DESCRIPTION("Measures twheel beside the kernel's own timers");
MODULE_AUTHOR("The twheel authors");
MODULE_LICENSE("GPL");
