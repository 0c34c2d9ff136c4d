// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the device, /dev/twheel
 *
 * include/uapi/linux/twheel.h describes the interface for programs. The files in device/ carry it
 * out: Documentation/design.rst has a map.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include "device/block.h"
#include "device/deliver.h"
#include "device/init.h"
#include "device/ioctl.h"
#include "device/shared.h"
#include "device/timer_set.h"
#include "device/user_timer.h"
#include "device/visit.h"

static ssize_t twheel_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct timer_set *set = iocb->ki_filp->private_data;
	ssize_t ret;

	twheel_visit_call(set);
	ret = twheel_deliver_read(iocb, to);
	twheel_levels_keep_up(set);
	return ret;
}

static __poll_t twheel_poll(struct file *file, poll_table *wait)
{
	struct timer_set *set = file->private_data;
	__poll_t ret;

	twheel_visit_call(set);
	ret = twheel_deliver_poll(file, wait);
	twheel_levels_keep_up(set);
	return ret;
}

static const struct file_operations twheel_fops = {
	.owner		= THIS_MODULE,
	.open		= twheel_set_open,
	.release	= twheel_set_release,
	.read_iter	= twheel_read,
	.poll		= twheel_poll,
	.mmap		= twheel_map,
	.fasync		= twheel_deliver_fasync,
	.unlocked_ioctl	= twheel_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.uring_cmd	= twheel_uring_command,
	.show_fdinfo	= twheel_set_show_fdinfo,
};

/*
 * The device has a class and a major number of its own, and not those of miscellaneous devices.
 * open() of such a device holds a lock that open() of each other such device needs.
 *
 * The class names no mode, so devtmpfs makes the node with mode 0600: only root may open the
 * device, unless the administrator decides otherwise.
 */
static struct class twheel_class = { .name = "twheel" };
static int twheel_major;

/* Creates the device, with minor number 0. Returns 0 or a negative errno. */
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

	ret = twheel_block_init();
	if (ret)
		return ret;
	ret = twheel_levels_init();
	if (ret)
		goto out_block_exit;
	twheel_visit_init();
	ret = class_register(&twheel_class);
	if (ret)
		goto out_visit_exit;
	ret = __register_chrdev(0, 0, 1, "twheel", &twheel_fops);
	if (ret < 0)
		goto out_unregister_class;
	twheel_major = ret;
	ret = PTR_ERR_OR_ZERO(device_create(&twheel_class, NULL, MKDEV(twheel_major, 0), NULL,
					    "twheel"));
	if (!ret)
		return 0;

	__unregister_chrdev(twheel_major, 0, 1, "twheel");
out_unregister_class:
	class_unregister(&twheel_class);
out_visit_exit:
	twheel_visit_exit();
	twheel_levels_exit();
out_block_exit:
	twheel_block_exit();
	return ret;
}

/* Removes the device, which no program has open any more. */
void twheel_chardev_exit(void)
{
	device_destroy(&twheel_class, MKDEV(twheel_major, 0));
	__unregister_chrdev(twheel_major, 0, 1, "twheel");
	class_unregister(&twheel_class);
	twheel_clock_exit();
	twheel_visit_exit();
	twheel_levels_exit();
	twheel_block_exit();
}
