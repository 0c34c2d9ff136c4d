/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Long times. They pass at once in time travel, where the machine's clock leaps over
 * all idle time.
 */
#ifndef _VIRTUAL_H
#define _VIRTUAL_H

#include "device.h"

/* Skip the test where these times are real. */
void need_time_travel(void);

/* Let time pass without any timer of twheel. */
void sleep_for(__u64 delay_ns);

#endif /* _VIRTUAL_H */
