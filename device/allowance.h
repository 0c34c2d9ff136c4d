/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: how much softirqs do for programs that no program is charged for
 */
#ifndef _TWHEEL_DEVICE_ALLOWANCE_H
#define _TWHEEL_DEVICE_ALLOWANCE_H

unsigned int twheel_allowance_take(unsigned int wanted);

#endif /* _TWHEEL_DEVICE_ALLOWANCE_H */
