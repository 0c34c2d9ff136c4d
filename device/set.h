/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: open, release and fdinfo of a set
 */
#ifndef _TWHEEL_DEVICE_SET_H
#define _TWHEEL_DEVICE_SET_H

struct file;
struct inode;
struct seq_file;
struct timer_set;

int twheel_set_open(struct inode *inode, struct file *file);
int twheel_set_release(struct inode *inode, struct file *file);
void twheel_set_show_fdinfo(struct seq_file *m, struct file *file);
void twheel_set_put(struct timer_set *set);

#endif /* _TWHEEL_DEVICE_SET_H */
