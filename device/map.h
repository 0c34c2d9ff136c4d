/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: mmap() of the device
 */
#ifndef _TWHEEL_DEVICE_MAP_H
#define _TWHEEL_DEVICE_MAP_H

struct file;
struct timer_set;
struct vm_area_struct;

int twheel_map(struct file *file, struct vm_area_struct *vma);
void twheel_map_release(struct timer_set *set);

#endif /* _TWHEEL_DEVICE_MAP_H */
