// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: from the number of a block to the block
 *
 * A set has an array of leaves, and a leaf has the blocks of 62 consecutive numbers. So
 * two loads find a block, for any number of timers. An xarray of as many blocks has up to
 * four levels. A leaf is freed with its last block.
 *
 * Each array is followed by a bitmap, and the two have a power of two of bytes together, at most
 * 64 KiB. The allocator gives no less.
 *
 * A program may ask for the handle with the highest index as its first one. So the user is
 * charged for an array of more than a page, as for blocks.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "leaf.h"
#include "quota.h"

/* An array and its bitmap have this many words at first. */
#define LEAF_FIRST	8U

/* Behind the array: the leaves that do not exist or have room, one bit each. */
static unsigned long *leaf_room(struct timer_leaf **array, u32 leaves)
{
	return (unsigned long *)(array + leaves);
}

/* Returns how many words an array for @leaves leaves has, with its bitmap. */
static u32 leaf_array_words(u32 leaves)
{
	return max_t(u32, roundup_pow_of_two(leaves + BITS_TO_LONGS(leaves)), LEAF_FIRST);
}

static u32 leaf_array_blocks(u32 leaves)
{
	return leaf_array_words(leaves) * sizeof(long) / TIMER_BLOCK_SIZE;
}

static void leaf_free_array(struct user_quota *quota, struct timer_leaf **array, u32 leaves)
{
	if (!array)
		return;
	kvfree(array);
	twheel_quota_uncharge(quota, QUOTA_BLOCKS, leaf_array_blocks(leaves));
}

/* Returns a new array that has @i, or an ERR_PTR(). */
static struct timer_leaf **leaf_new_array(struct timer_set *set, u32 i, u32 *leaves)
{
	u32 words = leaf_array_words(i + 1);
	struct timer_leaf **array;

	/* One word in BITS_PER_LONG + 1 is for the bitmap. */
	*leaves = words - DIV_ROUND_UP(words, BITS_PER_LONG + 1);
	if (!twheel_quota_charge(set, QUOTA_BLOCKS, leaf_array_blocks(*leaves)))
		return ERR_PTR(-EDQUOT);
	array = kvcalloc(words, sizeof(*array), GFP_KERNEL_ACCOUNT);
	if (!array) {
		twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, leaf_array_blocks(*leaves));
		return ERR_PTR(-ENOMEM);
	}
	bitmap_fill(leaf_room(array, *leaves), *leaves);
	return array;
}

/* Replaces the array by a larger one. Returns the old array, and in @leaves its size. */
static struct timer_leaf **leaf_use_array(struct timer_set *set, struct timer_leaf **array,
					  u32 *leaves)
{
	struct timer_leaf **old = set->leaf;
	u32 old_leaves = set->leaves;

	timer_set_assert_locked(set);

	memcpy(array, old, old_leaves * sizeof(*array));
	memcpy(leaf_room(array, *leaves), leaf_room(old, old_leaves),
	       BITS_TO_LONGS(old_leaves) * sizeof(long));
	set->leaf = array;
	WRITE_ONCE(set->leaves, *leaves);
	*leaves = old_leaves;
	return old;
}

static struct timer_leaf *leaf_new(void)
{
	struct timer_leaf *leaf = kzalloc(sizeof(*leaf), GFP_KERNEL_ACCOUNT);

	if (leaf)
		bitmap_fill(leaf->room, TWHEEL_LEAF_BLOCKS);
	return leaf;
}

/**
 * twheel_leaf_grow - make room for the block with a number
 * @set: The set, locked. The function may release the lock.
 * @number: The number.
 *
 * Return: 0, -ENOMEM, or -EDQUOT if the user may have no more memory.
 */
int twheel_leaf_grow(struct timer_set *set, u32 number)
	__must_hold(&set->lock)
{
	u32 i = number / TWHEEL_LEAF_BLOCKS, leaves = 0;
	struct timer_leaf **array = NULL, *leaf;
	bool done;

	timer_set_assert_locked(set);

	if (twheel_leaf_exists(set, number))
		return 0;
	timer_set_unlock(set);
	if (i >= READ_ONCE(set->leaves))
		array = leaf_new_array(set, i, &leaves);
	if (IS_ERR(array)) {
		timer_set_lock(set);
		return PTR_ERR(array);
	}
	leaf = leaf_new();
	timer_set_lock(set);
	if (array && leaves > set->leaves)
		array = leaf_use_array(set, array, &leaves);
	if (i < set->leaves && !set->leaf[i])
		swap(leaf, set->leaf[i]);
	done = twheel_leaf_exists(set, number);
	timer_set_unlock(set);
	leaf_free_array(set->quota, array, leaves);
	kfree(leaf);
	timer_set_lock(set);
	return done ? 0 : -ENOMEM;
}

/**
 * twheel_leaf_trim - free a leaf in which no block is left
 * @set: The set, locked.
 * @number: The number of a block that may have been the last one of its leaf.
 */
void twheel_leaf_trim(struct timer_set *set, u32 number)
{
	struct timer_leaf **leaf = &set->leaf[number / TWHEEL_LEAF_BLOCKS];

	timer_set_assert_locked(set);

	if (!*leaf || (*leaf)->count)
		return;
	kfree(*leaf);
	*leaf = NULL;
}

/**
 * twheel_leaf_put - enter or remove a block
 * @set: The set, locked.
 * @number: The number, after twheel_leaf_grow().
 * @block: The block, which has room; or %NULL.
 */
void twheel_leaf_put(struct timer_set *set, u32 number, struct timer_block *block)
{
	struct timer_leaf *leaf = set->leaf[number / TWHEEL_LEAF_BLOCKS];
	struct timer_block **place = &leaf->block[number % TWHEEL_LEAF_BLOCKS];

	timer_set_assert_locked(set);

	leaf->count += !!block - !!*place;
	*place = block;
}

/**
 * twheel_leaf_set_room - note whether a block is full
 * @set: The set, locked.
 * @number: The number of the block.
 * @room: Whether the block has room.
 */
void twheel_leaf_set_room(struct timer_set *set, u32 number, bool room)
{
	struct timer_leaf *leaf = set->leaf[number / TWHEEL_LEAF_BLOCKS];

	timer_set_assert_locked(set);

	__assign_bit(number % TWHEEL_LEAF_BLOCKS, leaf->room, room);
	__assign_bit(number / TWHEEL_LEAF_BLOCKS, leaf_room(set->leaf, set->leaves),
		     !bitmap_empty(leaf->room, TWHEEL_LEAF_BLOCKS));
	if (room)
		set->first_room = min(set->first_room, number);
}

/**
 * twheel_leaf_find_room - find a block that is not full
 * @set: The set, locked.
 * @number: The lowest number allowed.
 *
 * Return: The lowest number of a block with room, or without a block.
 */
u32 twheel_leaf_find_room(struct timer_set *set, u32 number)
{
	bool first = number <= set->first_room;
	u32 i, slot, next;

	timer_set_assert_locked(set);

	number = max(number, set->first_room);
	slot = number % TWHEEL_LEAF_BLOCKS;
	for (i = number / TWHEEL_LEAF_BLOCKS; i < set->leaves; i++, slot = 0) {
		next = find_next_bit(leaf_room(set->leaf, set->leaves), set->leaves, i);
		if (next != i)
			slot = 0;
		i = next;
		if (i >= set->leaves || !set->leaf[i])
			break;
		slot = find_next_bit(set->leaf[i]->room, TWHEEL_LEAF_BLOCKS, slot);
		if (slot < TWHEEL_LEAF_BLOCKS)
			break;
	}
	number = i * TWHEEL_LEAF_BLOCKS + slot;
	/* The next search for the lowest number begins here. */
	if (first)
		set->first_room = number;
	return number;
}

/**
 * twheel_leaf_next - find the next block
 * @set: The set. The caller holds its lock, unless the set has ended.
 * @number: The number to begin with; afterwards the block's number.
 *
 * Return: The block, or %NULL if there is no further block.
 */
struct timer_block *twheel_leaf_next(const struct timer_set *set, unsigned long *number)
{
	u32 i = *number / TWHEEL_LEAF_BLOCKS, slot = *number % TWHEEL_LEAF_BLOCKS;
	const struct timer_leaf *leaf;

	for (; i < set->leaves; i++, slot = 0) {
		leaf = set->leaf[i];
		if (!leaf || !leaf->count)
			continue;
		for (; slot < TWHEEL_LEAF_BLOCKS; slot++) {
			if (!leaf->block[slot])
				continue;
			*number = i * TWHEEL_LEAF_BLOCKS + slot;
			return leaf->block[slot];
		}
	}
	return NULL;
}

/**
 * twheel_leaf_free - free the leaves
 * @set: The set, without blocks, which no other code uses any more.
 */
void twheel_leaf_free(struct timer_set *set)
{
	u32 i;

	for (i = 0; i < set->leaves; i++)
		kfree(set->leaf[i]);
	leaf_free_array(set->quota, set->leaf, set->leaves);
}
