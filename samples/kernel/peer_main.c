// SPDX-License-Identifier: MIT
/*
 * A sample of twheel.h: the module, and its files in debugfs
 *
 * twheel_peer/stats	statistics, one per line
 * twheel_peer/control	takes commands; FIRST is the number of the first of COUNT peers:
 *	add FIRST COUNT		add peers
 *	heard FIRST COUNT	simulate a packet from each
 *	remove FIRST COUNT	remove peers
 *	start, stop		open or close the table
 *	load, unload		start or stop simulated traffic, from all contexts
 */
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "peer.h"

static struct dentry *directory;

/* Serialises commands, and protects the two variables below. */
static DEFINE_MUTEX(control_lock);
static bool started;
static bool loaded;

static int start(void)
{
	if (started)
		return -EBUSY;
	peer_table_start();
	started = true;
	return 0;
}

static int stop(void)
{
	if (!started)
		return -EINVAL;
	peer_table_stop();
	started = false;
	return 0;
}

static int load(void)
{
	int ret = loaded ? -EBUSY : peer_load_start();

	loaded |= !ret;
	return ret;
}

static int unload(void)
{
	if (!loaded)
		return -EINVAL;
	peer_load_stop();
	loaded = false;
	return 0;
}

static int heard(u32 id)
{
	return peer_heard(id) ? 0 : -ENOENT;
}

static int remove(u32 id)
{
	return peer_remove(id) ? 0 : -ENOENT;
}

static int call_for_range(int (*function)(u32 id), u32 first, u32 count)
{
	int ret = 0;

	for (; count && !ret; first++, count--) {
		ret = function(first);
		cond_resched();
	}
	return ret;
}

static int do_command(const char *text)
{
	u32 first, count;
	char word[8];
	int words = sscanf(text, "%7s %u %u", word, &first, &count);

	switch (words) {
	case 1:
		if (!strcmp(word, "start"))
			return start();
		if (!strcmp(word, "stop"))
			return stop();
		if (!strcmp(word, "load"))
			return load();
		if (!strcmp(word, "unload"))
			return unload();
		break;
	case 3:
		if (!strcmp(word, "add"))
			return call_for_range(peer_add, first, count);
		if (!strcmp(word, "heard"))
			return call_for_range(heard, first, count);
		if (!strcmp(word, "remove"))
			return call_for_range(remove, first, count);
		break;
	}
	return -EINVAL;
}

static ssize_t control_write(struct file *file, const char __user *from,
			     size_t size, loff_t *offset)
{
	char text[40] = "";
	int ret;

	if (size >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, size))
		return -EFAULT;
	mutex_lock(&control_lock);
	ret = do_command(text);
	mutex_unlock(&control_lock);
	return ret ?: size;
}

static const struct file_operations control_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= control_write,
};

static int stats_show(struct seq_file *file, void *unused)
{
	long added = atomic_long_read(&peer_stats.added);
	long expired = atomic_long_read(&peer_stats.expired);
	long removed = atomic_long_read(&peer_stats.removed);
	long stopped = atomic_long_read(&peer_stats.stopped);

	seq_printf(file, "added %ld\nexpired %ld\nremoved %ld\nstopped %ld\n",
		   added, expired, removed, stopped);
	seq_printf(file, "live %ld\nfreed %ld\n",
		   added - expired - removed - stopped,
		   atomic_long_read(&peer_stats.freed));
	seq_printf(file, "heard %ld\nkeepalives %ld\nprobed %ld\n",
		   atomic_long_read(&peer_stats.heard),
		   atomic_long_read(&peer_stats.keepalives),
		   atomic_long_read(&peer_stats.probed));
	seq_printf(file, "surveys %ld\nmissed %ld\nlongest %ld\n",
		   atomic_long_read(&peer_stats.surveys),
		   atomic_long_read(&peer_stats.missed),
		   peer_survey_longest());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int __init peer_init(void)
{
	start();
	directory = debugfs_create_dir("twheel_peer", NULL);
	debugfs_create_file("control", 0200, directory, NULL, &control_fops);
	debugfs_create_file("stats", 0400, directory, NULL, &stats_fops);
	return 0;
}
module_init(peer_init);

/*
 * The order matters. First end the commands, then the timers, then the packets: the table
 * can be stopped while packets still come in. The code goes away last.
 */
static void __exit peer_exit(void)
{
	debugfs_remove(directory);
	stop();
	unload();
	WARN_ON(atomic_long_read(&peer_stats.added) !=
		atomic_long_read(&peer_stats.freed));
}
module_exit(peer_exit);

MODULE_DESCRIPTION("A sample of twheel.h: peers that time out");
MODULE_AUTHOR("The twheel authors");
MODULE_LICENSE("Dual MIT/GPL");
