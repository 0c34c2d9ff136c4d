// SPDX-License-Identifier: GPL-2.0
/*
 * twheel bench: twheel beside the kernel's own timers, in one run
 *
 * /sys/kernel/debug/twheel_bench/run takes a command, and returns when it is
 * done. results then has a line a sample, "metric,n,who,repetition,value", in
 * nanoseconds of CPU time unless the metric says otherwise.
 *
 *	ops N 0 REPS		add, rearm, rearm_later, cancel; and a pointer chase
 *	cpus N 0 REPS		two CPUs against one
 *	expire N SECONDS REPS	N timers spread over SECONDS
 *	burst N SECONDS REPS	N timers in one second, SECONDS ahead
 *	cost N 0 REPS		five designs, as data structures
 *
 * Everything is measured on the first CPU, which looks after the ticks.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "bench.h"

#define RESULTS_SIZE	(64 * 1024)

static const struct command {
	const char	*name;
	int		(*run)(u32 n, u32 seconds, unsigned int reps);
} commands[] = {
	{ "ops", bench_ops },
	{ "cpus", bench_cpus },
	{ "expire", bench_expire },
	{ "burst", bench_burst },
	{ "cost", bench_cost },
};

/**
 * struct request - a command on its way
 * @run: What to do.
 * @n: How many timers.
 * @seconds: A time.
 * @reps: How often.
 * @ret: What came of it.
 * @done: It is over.
 */
struct request {
	int			(*run)(u32 n, u32 seconds, unsigned int reps);
	u32			n;
	u32			seconds;
	u32			reps;
	int			ret;
	struct completion	done;
};

/* One command at a time; and its results. */
static DEFINE_MUTEX(lock);
static struct seq_buf results;
static struct dentry *directory;
static bool stopped;

/**
 * bench_stopped - does nobody wait for the result any more?
 *
 * Return: %true if so.
 */
bool bench_stopped(void)
{
	return READ_ONCE(stopped);
}

/**
 * bench_result - note a sample
 * @metric: What was measured.
 * @n: With how many timers.
 * @who: Of what.
 * @rep: The number of the repetition.
 * @total: Nanoseconds,
 * @count: for so many operations.
 */
void bench_result(const char *metric, u32 n, const char *who, unsigned int rep,
		  u64 total, u64 count)
{
	u64 value = div64_u64(total * 1000, max(count, 1ULL));
	u32 rest;

	value = div_u64_rem(value, 1000, &rest);
	seq_buf_printf(&results, "%s,%u,%s,%u,%llu.%03u\n", metric, n, who, rep,
		       value, rest);
}

static int bench_thread(void *arg)
{
	struct request *request = arg;

	request->ret = request->run(request->n, request->seconds, request->reps);
	complete(&request->done);
	return 0;
}

static int execute(struct request *request)
{
	struct task_struct *task;

	seq_buf_clear(&results);
	WRITE_ONCE(stopped, false);
	init_completion(&request->done);
	task = kthread_create(bench_thread, request, "twheel_bench");
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpumask_first(cpu_online_mask));
	wake_up_process(task);
	if (wait_for_completion_interruptible(&request->done)) {
		WRITE_ONCE(stopped, true);
		wait_for_completion(&request->done);
	}
	if (!request->ret && seq_buf_has_overflowed(&results))
		return -ENOSPC;
	return request->ret;
}

static int parse(const char *text, struct request *request)
{
	char name[16];
	unsigned int i;

	if (sscanf(text, "%15s %u %u %u", name, &request->n, &request->seconds,
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
	seq_write(m, results.buffer, seq_buf_used(&results));
	mutex_unlock(&lock);
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
	seq_buf_init(&results, buffer, RESULTS_SIZE);
	directory = debugfs_create_dir("twheel_bench", NULL);
	debugfs_create_file("run", 0200, directory, NULL, &run_fops);
	debugfs_create_file("results", 0400, directory, NULL, &results_fops);
	return 0;
}
module_init(bench_init);

static void __exit bench_exit(void)
{
	debugfs_remove(directory);
	kvfree(results.buffer);
}
module_exit(bench_exit);

MODULE_DESCRIPTION("Measures twheel beside the kernel's own timers");
MODULE_AUTHOR("The twheel authors");
MODULE_LICENSE("GPL");
