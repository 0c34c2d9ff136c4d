// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: measures twheel beside the kernel's own timers
 *
 * A write of a command to /sys/kernel/debug/twheel_bench/run returns when the command
 * has run. The file results then has a line for each sample,
 * "metric,n,who,repetition,value". The value is nanoseconds of CPU time unless the metric
 * has another unit.
 *
 *	ops N 0 REPS		add, rearm, rearm_later, cancel: for --icount
 *	ticks N DUE REPS	ticks in which DUE timers are due: one CPU, --icount
 *	cost N 0 REPS		five designs, as data structures
 *
 * Commands run on the first CPU, which does the timekeeping.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "bench.h"

static const struct command {
	const char	*name;
	int		(*run)(u32 n, u32 due, unsigned int reps);
} commands[] = {
	{ "ops", bench_ops },
	{ "ticks", bench_ticks },
	{ "cost", bench_cost },
};

/**
 * struct request - a command that runs
 * @run: The function that measures.
 * @n: Number of timers.
 * @due: How many timers are due in a tick, for ticks.
 * @reps: Number of repetitions.
 * @ret: What @run returned.
 * @done: Completed when @run has returned.
 */
struct request {
	int			(*run)(u32 n, u32 due, unsigned int reps);
	u32			n;
	u32			due;
	u32			reps;
	int			ret;
	struct completion	done;
};

/* Held while a command runs, and while its results are read. */
static DEFINE_MUTEX(lock);
static struct dentry *directory;

static int bench_thread(void *arg)
{
	struct request *request = arg;

	request->ret = request->run(request->n, request->due, request->reps);
	complete(&request->done);
	return 0;
}

static int execute(struct request *request)
{
	struct task_struct *task;

	bench_result_begin();
	init_completion(&request->done);
	task = kthread_create(bench_thread, request, "twheel_bench");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpumask_first(cpu_online_mask));
	wake_up_process(task);
	if (wait_for_completion_interruptible(&request->done)) {
		bench_stop();
		wait_for_completion(&request->done);
	}
	if (!request->ret && bench_result_overflowed())
		return -ENOSPC;
	return request->ret;
}

static int parse(const char *text, struct request *request)
{
	char name[16];
	unsigned int i;

	if (sscanf(text, "%15s %u %u %u", name, &request->n, &request->due,
		   &request->reps) != 4 || !request->n || !request->reps)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i].name)) {
			request->run = commands[i].run;
			return 0;
		}
	}
	return -EINVAL;
}

static ssize_t run_write(struct file *file, const char __user *buf, size_t count,
			 loff_t *pos)
{
	struct request request = { };
	char text[64];
	int ret;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	text[count] = '\0';
	ret = parse(text, &request);
	if (ret)
		return ret;
	ret = mutex_lock_interruptible(&lock);
	if (ret)
		return ret;
	pr_info("%s", text);
	ret = execute(&request);
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
	int ret = mutex_lock_interruptible(&lock);

	if (ret)
		return ret;
	bench_result_show(m);
	mutex_unlock(&lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static int __init bench_init(void)
{
	int ret;

	static_assert(sizeof(struct bench_object) == 128);
	static_assert(sizeof(struct bench_op) == 16);

	ret = bench_result_init();
	if (ret)
		return ret;
	directory = debugfs_create_dir("twheel_bench", NULL);
	debugfs_create_file("run", 0200, directory, NULL, &run_fops);
	debugfs_create_file("results", 0400, directory, NULL, &results_fops);
	return 0;
}
module_init(bench_init);

static void __exit bench_exit(void)
{
	debugfs_remove(directory);
	bench_result_exit();
}
module_exit(bench_exit);

MODULE_DESCRIPTION("Measures twheel beside the kernel's own timers");
MODULE_AUTHOR("The twheel authors");
MODULE_LICENSE("GPL");
