/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: delivering events to the program
 */
#ifndef _TWHEEL_DEVICE_DELIVER_H
#define _TWHEEL_DEVICE_DELIVER_H

#include <linux/poll.h>
#include "timer_set.h"

bool twheel_deliver_fill_ring(struct timer_set *set, const struct twheel_phase *phase,
			      unsigned int *steps);
void twheel_deliver_to_ring(struct timer_set *set);
ssize_t twheel_deliver_read(struct kiocb *iocb, struct iov_iter *to);
__poll_t twheel_deliver_poll(struct file *file, poll_table *wait);
int twheel_deliver_fasync(int fd, struct file *file, int on);
long twheel_deliver_eventfd(struct timer_set *set, void __user *argp);

#endif /* _TWHEEL_DEVICE_DELIVER_H */
