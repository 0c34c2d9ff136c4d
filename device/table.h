/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: deadlines in memory that a program shares
 */
#ifndef _TWHEEL_DEVICE_TABLE_H
#define _TWHEEL_DEVICE_TABLE_H

#include "shared.h"
#include "timer_set.h"

void twheel_table_init(struct twheel_shared *table);
void twheel_table_open(struct user_timer *t);
void twheel_table_close(struct user_timer *t);
bool twheel_table_expire(struct user_timer *t, s64 now);
s64 twheel_table_deadline(const struct user_timer *t);

/**
 * twheel_table_words - count the words of the table
 * @set: The set, locked.
 *
 * Return: How many timers the table has room for; 0 if there is no table.
 */
static inline u32 twheel_table_words(const struct timer_set *set)
{
	timer_set_assert_locked(set);

	return set->table ? twheel_shared_size(set->table) / sizeof(struct twheel_word) : 0;
}

#endif /* _TWHEEL_DEVICE_TABLE_H */
