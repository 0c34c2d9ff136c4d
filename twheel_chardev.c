// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the device, /dev/twheel
 *
 * The interface is described in include/uapi/linux/twheel.h. twheel_set.c has
 * the timers of an open file, twheel_life.c how they live, twheel_event.c what is
 * read, twheel_ioctl.c the calls.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include "device/init.h"
#include "device/timer_set.h"

static int twheel_open(struct inode *inode, struct file *file)
{
	struct timer_set *set = twheel_set_open();

	if (!set)
		return -ENOMEM;
	file->private_data = set;
	/* Reading waits where it is asked to, and nowhere else. */
	file->f_mode |= FMODE_NOWAIT;
	return nonseekable_open(inode, file);
}

static int twheel_release(struct inode *inode, struct file *file)
{
	twheel_set_release(file->private_data);
	return 0;
}

static void twheel_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct timer_set *set = file->private_data;
	u64 next = twheel_set_next_deadline(set);
	unsigned int timers, unread, user_timers;

	lock_set(set);
	timers = set->count;
	unread = set->unread;
	user_timers = twheel_quota_timers(set->quota);
	unlock_set(set);

	seq_printf(m, "twheel-timers:\t%u\n", timers);
	seq_printf(m, "twheel-unread:\t%u\n", unread);
	seq_printf(m, "twheel-max-timers:\t%u\n", set->limit);
	seq_printf(m, "twheel-user-timers:\t%u\n", user_timers);
	if (set->limited)
		seq_printf(m, "twheel-max-user-timers:\t%u\n",
			   twheel_quota_limit(true));
	if (next <= S64_MAX)
		seq_printf(m, "twheel-next-deadline-ns:\t%llu\n",
			   program_time(set, CLOCK_MONOTONIC, next));
}

static const struct file_operations twheel_fops = {
	.owner		= THIS_MODULE,
	.open		= twheel_open,
	.release	= twheel_release,
	.read_iter	= twheel_event_read,
	.poll		= twheel_event_poll,
	.mmap		= twheel_map,
	.fasync		= twheel_event_fasync,
	.unlocked_ioctl	= twheel_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.show_fdinfo	= twheel_show_fdinfo,
};

/* For root, unless the machine's owner decides otherwise. */
static struct miscdevice twheel_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "twheel",
	.fops	= &twheel_fops,
	.mode	= 0600,
};

/**
 * twheel_chardev_init - make the device
 *
 * Return: 0 or a negative errno.
 */
int twheel_chardev_init(void)
{
	int ret;

	static_assert(sizeof(struct twheel_info) == 128);
	static_assert(sizeof(struct twheel_op) == 64);
	static_assert(sizeof(struct twheel_batch) == 64);
	static_assert(sizeof(struct twheel_event) == 64);
	static_assert(sizeof(struct twheel_drain) == 64);
	static_assert(sizeof(struct twheel_eventfd) == 64);

	ret = twheel_block_init();
	if (ret)
		return ret;
	ret = misc_register(&twheel_misc);
	if (ret)
		goto out_block_exit;
	return 0;

out_block_exit:
	twheel_block_exit();
	return ret;
}

/**
 * twheel_chardev_exit - remove the device; no file of it is open any more
 */
void twheel_chardev_exit(void)
{
	misc_deregister(&twheel_misc);
	twheel_block_exit();
}
