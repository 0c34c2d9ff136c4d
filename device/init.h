/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: creating and removing the device, for twheel_main.c
 */
#ifndef _TWHEEL_DEVICE_INIT_H
#define _TWHEEL_DEVICE_INIT_H

int twheel_chardev_init(void);
void twheel_chardev_exit(void);

#endif /* _TWHEEL_DEVICE_INIT_H */
