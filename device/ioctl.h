/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the calls on /dev/twheel, by ioctl() and as commands of io_uring
 */
#ifndef _TWHEEL_DEVICE_IOCTL_H
#define _TWHEEL_DEVICE_IOCTL_H

/* The most operations that a batch may have. */
#define TWHEEL_BATCH_MAX	65536U

struct file;
struct io_uring_cmd;

long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
#ifdef CONFIG_IO_URING
int twheel_uring_command(struct io_uring_cmd *command, unsigned int issue_flags);
#else
#define twheel_uring_command NULL
#endif

#endif /* _TWHEEL_DEVICE_IOCTL_H */
