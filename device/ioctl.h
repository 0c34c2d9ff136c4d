/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the calls on /dev/twheel
 */
#ifndef _TWHEEL_DEVICE_IOCTL_H
#define _TWHEEL_DEVICE_IOCTL_H

struct file;

long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

#endif /* _TWHEEL_DEVICE_IOCTL_H */
