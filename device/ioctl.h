/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the calls on /dev/twheel
 */
#ifndef _TWHEEL_DEVICE_IOCTL_H
#define _TWHEEL_DEVICE_IOCTL_H

/* The most operations that a batch may have. */
#define TWHEEL_BATCH_MAX	65536U

struct file;

long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

#endif /* _TWHEEL_DEVICE_IOCTL_H */
