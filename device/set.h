/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: open and release of a set
 */
#ifndef _TWHEEL_DEVICE_SET_H
#define _TWHEEL_DEVICE_SET_H

struct file;
struct timer_set;

struct timer_set *twheel_set_open(struct file *file);
void twheel_set_release(struct timer_set *set);
void twheel_set_put(struct timer_set *set);
u64 twheel_set_look(struct timer_set *set, unsigned int *unread);

#endif /* _TWHEEL_DEVICE_SET_H */
