/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the calls on /dev/twheel, and what they do to timers; creating and removing the device
 */
#ifndef _TWHEEL_DEVICE_CALLS_H
#define _TWHEEL_DEVICE_CALLS_H

#include <linux/poll.h>
#include "timer_set.h"

/* create.c */
unsigned int twheel_create(struct timer_set *set, struct twheel_op *op,
			   struct twheel_op __user *to, unsigned int n, bool batch);

/* deliver.c */
void twheel_deliver_to_ring(struct timer_set *set);
ssize_t twheel_deliver_read(struct kiocb *iocb, struct iov_iter *to);
__poll_t twheel_deliver_poll(struct file *file, poll_table *wait);
int twheel_deliver_fasync(int fd, struct file *file, int on);
long twheel_deliver_eventfd(struct timer_set *set, void __user *argp);

/* ioctl.c */
long twheel_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/* lease.c */
long twheel_lease_create(struct timer_set *set, void __user *argp);

/* list.c */
long twheel_list(struct timer_set *set, void __user *argp);
long twheel_list_drain(struct timer_set *set, void __user *argp);

/* map.c */
int twheel_map(struct file *file, struct vm_area_struct *vma);

/* ops.c */
unsigned int twheel_ops_add(struct timer_set *set, struct twheel_op *op,
			    struct twheel_op __user *to, unsigned int n, bool batch);
bool twheel_ops_run_short(struct timer_set *set, struct twheel_op *op, unsigned int n);
int twheel_ops_run(struct timer_set *set, struct twheel_op *op, u32 opcode,
		   struct twheel_op __user *to);
void twheel_ops_record(const struct user_timer *t, struct twheel_op *op, u32 flags,
		       const struct twheel_phase *phase);

/* set.c */
int twheel_set_open(struct inode *inode, struct file *file);
int twheel_set_flush(struct file *file, fl_owner_t id);
int twheel_set_release(struct inode *inode, struct file *file);
void twheel_set_show_fdinfo(struct seq_file *m, struct file *file);
void twheel_set_put(struct timer_set *set);

/* twheel_chardev.c */
int twheel_chardev_init(void);
void twheel_chardev_exit(void);

/* uring.c */
#ifdef CONFIG_IO_URING
int twheel_uring_command(struct io_uring_cmd *command, unsigned int issue_flags);
#else
#define twheel_uring_command NULL
#endif

#endif /* _TWHEEL_DEVICE_CALLS_H */
