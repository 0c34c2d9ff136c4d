// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the device, /dev/twheel
 *
 * include/uapi/linux/twheel.h describes the interface for programs. The files in
 * device/ carry it out: ioctl.c has the calls, ops.c the operations, user_timer.c the
 * life of a timer, deliver.c the events, lease.c the descriptors of leases.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include "device/block.h"
#include "device/clock_watch.h"
#include "device/clocks.h"
#include "device/deliver.h"
#include "device/init.h"
#include "device/ioctl.h"
#include "device/map.h"
#include "device/quota.h"
#include "device/set.h"
#include "device/share.h"
#include "device/uring.h"
#include "device/user_timer.h"

static int twheel_open(struct inode *inode, struct file *file)
{
	struct timer_set *set = twheel_set_open(file);

	if (!set)
		return -ENOMEM;
	file->private_data = set;
	/* read() honours IOCB_NOWAIT, so io_uring need not use a worker thread to read. */
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
	u64 user_limit = twheel_quota_shown_limit(set);
	unsigned int timers, unread, leases, user_timers;

	timer_set_lock(set);
	timers = set->count;
	unread = set->unread;
	leases = set->leases;
	user_timers = twheel_quota_timers(set->quota);
	timer_set_unlock(set);

	seq_printf(m, "twheel-timers:\t%u\n", timers);
	seq_printf(m, "twheel-unread:\t%u\n", unread);
	seq_printf(m, "twheel-leases:\t%u\n", leases);
	seq_printf(m, "twheel-max-timers:\t%u\n", set->limit);
	seq_printf(m, "twheel-user-timers:\t%u\n", user_timers);
	if (user_limit != U64_MAX)
		seq_printf(m, "twheel-max-user-timers:\t%llu\n", user_limit);
	seq_printf(m, "twheel-user-memory-kb:\t%llu\n",
		   twheel_quota_memory(set->quota) >> 10);
	seq_printf(m, "twheel-cpus-above-share:\t%u\n", twheel_share_cpus_used_up(set));
	if (next <= S64_MAX)
		seq_printf(m, "twheel-next-deadline-ns:\t%llu\n", next);
}

static const struct file_operations twheel_fops = {
	.owner		= THIS_MODULE,
	.open		= twheel_open,
	.release	= twheel_release,
	.read_iter	= twheel_deliver_read,
	.poll		= twheel_deliver_poll,
	.mmap		= twheel_map,
	.fasync		= twheel_deliver_fasync,
	.unlocked_ioctl	= twheel_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.uring_cmd	= twheel_uring_command,
	.show_fdinfo	= twheel_show_fdinfo,
};

/* Only root may open the device, unless the administrator decides otherwise. */
static struct miscdevice twheel_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "twheel",
	.fops	= &twheel_fops,
	.mode	= 0600,
};

/**
 * twheel_chardev_init - create the device
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
	static_assert(sizeof(struct twheel_list) == 64);
	static_assert(sizeof(struct twheel_eventfd) == 64);
	static_assert(sizeof(struct twheel_lease) == 64);
	static_assert(sizeof(struct twheel_uring_cmd) == 16);

	ret = twheel_block_init(twheel_user_timer_expired);
	if (ret)
		return ret;
	twheel_run_set_charge(twheel_user_timer_moved);
	twheel_clocks_init();
	ret = misc_register(&twheel_misc);
	if (ret)
		goto out_block_exit;
	return 0;

out_block_exit:
	twheel_clocks_exit();
	twheel_block_exit();
	return ret;
}

/**
 * twheel_chardev_exit - remove the device, which no program has open any more
 */
void twheel_chardev_exit(void)
{
	misc_deregister(&twheel_misc);
	twheel_clock_watch_exit();
	twheel_clocks_exit();
	twheel_block_exit();
	twheel_quota_exit();
}
