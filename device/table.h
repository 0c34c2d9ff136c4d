/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: deadlines in memory that a program shares
 */
#ifndef _TWHEEL_DEVICE_TABLE_H
#define _TWHEEL_DEVICE_TABLE_H

#include "timer_set.h"

void twheel_table_init(struct twheel_shared *table);
u32 twheel_table_words(const struct timer_set *set);
void twheel_table_open(struct user_timer *t);
void twheel_table_close(struct user_timer *t);
bool twheel_table_expire(struct user_timer *t, s64 now);
s64 twheel_table_deadline(const struct user_timer *t);

#endif /* _TWHEEL_DEVICE_TABLE_H */
