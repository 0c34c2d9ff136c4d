/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: from the number of a block to the block
 */
#ifndef _TWHEEL_DEVICE_LEAF_H
#define _TWHEEL_DEVICE_LEAF_H

#include <linux/bitmap.h>
#include <linux/nospec.h>
#include "timer_set.h"

/* With these, a leaf has 512 bytes on a 64-bit kernel. */
#define TWHEEL_LEAF_BLOCKS	62U

/**
 * struct timer_leaf - the blocks with consecutive numbers
 * @room: The places in @block without a block, or with a block that is not full.
 * @count: How many blocks there are.
 * @block: The blocks, or %NULL.
 */
struct timer_leaf {
	DECLARE_BITMAP(room, TWHEEL_LEAF_BLOCKS);
	u32			count;
	struct timer_block	*block[TWHEEL_LEAF_BLOCKS];
};

int twheel_leaf_grow(struct timer_set *set, u32 number);
void twheel_leaf_trim(struct timer_set *set, u32 number);
void twheel_leaf_put(struct timer_set *set, u32 number, struct timer_block *block);
void twheel_leaf_set_room(struct timer_set *set, u32 number, bool room);
u32 twheel_leaf_find_room(struct timer_set *set, u32 number);
struct timer_block *twheel_leaf_next(const struct timer_set *set, unsigned long *number);
void twheel_leaf_free(struct timer_set *set);

/* Whether there is a leaf for the block with a number. The set is locked. */
static inline bool twheel_leaf_exists(const struct timer_set *set, u32 number)
{
	u32 i = number / TWHEEL_LEAF_BLOCKS;

	return i < set->leaves && set->leaf[i];
}

/* Returns the block with a number, or %NULL. The set is locked. */
static inline struct timer_block *twheel_leaf_get(const struct timer_set *set, u32 number)
{
	u32 i = number / TWHEEL_LEAF_BLOCKS;

	if (i >= set->leaves)
		return NULL;
	/* The number may come from a program's handle. */
	i = array_index_nospec(i, set->leaves);
	if (!set->leaf[i])
		return NULL;
	return set->leaf[i]->block[number % TWHEEL_LEAF_BLOCKS];
}

#endif /* _TWHEEL_DEVICE_LEAF_H */
