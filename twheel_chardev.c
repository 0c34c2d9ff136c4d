// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the device, /dev/twheel
 *
 * include/uapi/linux/twheel.h describes the interface for programs. The files in device/ carry it
 * out: Documentation/design.rst has a map.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include "device/calls.h"
#include "device/user_cpu.h"
#include "device/user_timer.h"

static const struct file_operations twheel_fops = {
	.owner		= THIS_MODULE,
	.open		= twheel_set_open,
	.flush		= twheel_set_flush,
	.release	= twheel_set_release,
	.read_iter	= twheel_deliver_read,
	.poll		= twheel_deliver_poll,
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

/* Frees what all sets share. No set is left. */
static void chardev_free(void)
{
	twheel_clock_exit();
	twheel_user_cpu_exit();
	/* The quotas of users are freed after a grace period. */
	rcu_barrier();
	twheel_levels_exit();
	twheel_block_exit();
}

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

	twheel_user_cpu_init(twheel_visit_set);
	ret = twheel_block_init() ?: twheel_levels_init() ?: class_register(&twheel_class);
	if (ret)
		goto out_free;
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
out_free:
	chardev_free();
	return ret;
}

/* Removes the device, which no program has open any more. */
void twheel_chardev_exit(void)
{
	device_destroy(&twheel_class, MKDEV(twheel_major, 0));
	__unregister_chrdev(twheel_major, 0, 1, "twheel");
	class_unregister(&twheel_class);
	chardev_free();
}
