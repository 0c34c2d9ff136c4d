// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: where the timers of a set lie
 *
 * A block has places for about sixty timers with consecutive indexes. A set has an array of its
 * blocks, so two loads find a timer. A program may ask for the handle with the highest index as its
 * first one. So the user is charged for an array of a page or more, as for blocks.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "block.h"
#include "quota.h"

/* An array and its bitmap have this many words together: at first, and for all numbers. */
#define BLOCK_FIRST_WORDS	8U
#define BLOCK_MOST_WORDS	((u32)(PAGE_ALIGN(block_words(BLOCK_NUMBERS) * sizeof(long)) / \
				       sizeof(long)))
#define BLOCK_NUMBERS		(TWHEEL_INDEX_MASK / TIMER_BLOCK_TIMERS + 1)

/* An array of more words is never copied with the set locked. */
#define BLOCK_COPY_WORDS	65536U

/* How many numbers without a block a walk passes over in one look, at most. */
#define BLOCK_LOOK		256U

static struct kmem_cache *block_cache;

/*
 * Returns the next timer of a walk, or %NULL if the caller is to release the lock. Then the walk is
 * at its end if its @index is %ULONG_MAX. A look is a timer, or a block without further ones.
 */
struct user_timer *twheel_block_walk_next(struct timer_set *set, struct block_walk *walk)
{
	struct timer_block *block;
	unsigned long number;
	u64 left;

	lockdep_assert_held(&set->lock);

	while (walk->index != ULONG_MAX && walk->looks) {
		walk->looks--;
		number = walk->index / TIMER_BLOCK_TIMERS;
		if (number >= set->blocks) {
			walk->index = ULONG_MAX;
			break;
		}
		block = set->block[array_index_nospec(number, set->blocks)];
		left = block ? block->used & GENMASK_ULL(63, walk->index % TIMER_BLOCK_TIMERS) : 0;
		if (left) {
			walk->index = block->first + __ffs64(left) + 1;
			return &block->timer[__ffs64(left)];
		}
		do {
			number++;
		} while (number % BLOCK_LOOK && number < set->blocks && !set->block[number]);
		walk->index = number * TIMER_BLOCK_TIMERS;
	}
	return NULL;
}

/* Frees a block that no other code finds in the array any more. */
void twheel_block_remove(struct timer_block *block)
{
	struct user_quota *quota = block->set->quota;

	kmem_cache_free(block_cache, block);
	twheel_quota_uncharge(quota, QUOTA_BLOCKS, 1);
}

/* Returns how many words an array for so many blocks has, with its bitmap. */
static u32 block_words(u32 blocks)
{
	return blocks + BITS_TO_LONGS(blocks);
}

/* Returns how many blocks such an array has room for. One word in BITS_PER_LONG + 1 is bitmap. */
static u32 block_numbers(u32 words)
{
	return words - DIV_ROUND_UP(words, BITS_PER_LONG + 1);
}

/* Returns as how many blocks an array counts: the allocator gives what it is asked for. */
static u32 block_array_charge(u32 words)
{
	return words * sizeof(long) / TIMER_BLOCK_SIZE;
}

/* Frees an array that nothing points to any more. */
void twheel_block_free_array(struct timer_set *set, struct timer_block **array, u32 words)
{
	kvfree(array);
	twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, block_array_charge(words));
}

/* Gives the array a place for the block with a number. Returns 0 or an error. May sleep. */
static int block_grow(struct timer_set *set, u32 number)
{
	struct timer_block **array;
	u32 words;

	if (number < READ_ONCE(set->blocks))
		return 0;
	words = roundup_pow_of_two(block_words(number + 1));
	words = clamp(words, BLOCK_FIRST_WORDS, BLOCK_MOST_WORDS);
	if (words > BLOCK_COPY_WORDS)
		words = BLOCK_MOST_WORDS;
	if (!twheel_quota_charge(set, QUOTA_BLOCKS, block_array_charge(words)))
		return -EDQUOT;
	/* kvcalloc() might take twice the memory for a size that is no power of two. */
	if (words == BLOCK_MOST_WORDS)
		array = __vmalloc(words * sizeof(*array), GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	else
		array = kvcalloc(words, sizeof(*array), GFP_KERNEL_ACCOUNT);
	if (!array) {
		twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, block_array_charge(words));
		return -ENOMEM;
	}
	/* No number has a block. */
	memset(array + block_numbers(words), 0xff, (words - block_numbers(words)) * sizeof(long));
	spin_lock_bh(&set->lock);
	if (words > set->array_words) {
		memcpy(array, set->block, set->blocks * sizeof(*array));
		memcpy(array + block_numbers(words), twheel_block_room(set),
		       BITS_TO_LONGS(set->blocks) * sizeof(long));
		WRITE_ONCE(set->blocks, block_numbers(words));
		swap(set->block, array);
		swap(set->array_words, words);
	}
	spin_unlock_bh(&set->lock);
	twheel_block_free_array(set, array, words);
	return 0;
}

/*
 * Adds an empty block with a number. The set is not locked. May sleep. Returns 0, but another
 * thread may have filled the block again, or have taken it away; or -ENOMEM; or -EDQUOT.
 */
int twheel_block_add(struct timer_set *set, u32 number)
{
	struct timer_block *block = NULL, *old = NULL;
	int ret = block_grow(set, number);

	if (ret)
		return ret;
	if (!READ_ONCE(set->spare)) {
		if (!twheel_quota_charge(set, QUOTA_BLOCKS, 1))
			return -EDQUOT;
		block = kmem_cache_zalloc(block_cache, GFP_KERNEL);
		if (!block) {
			twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, 1);
			return -ENOMEM;
		}
		block->set = set;
	}
	spin_lock_bh(&set->lock);
	if (set->block[number]) {
		/* Another thread was faster. */
		old = block;
	} else {
		/* The spare block gets another number, unless there is a new block. */
		old = set->spare;
		if (old)
			set->block[twheel_block_number(old)] = NULL;
		if (!block)
			swap(block, old);
		if (block)
			block->first = number * TIMER_BLOCK_TIMERS;
		set->block[number] = block;
		WRITE_ONCE(set->spare, block);
	}
	spin_unlock_bh(&set->lock);
	if (old)
		twheel_block_remove(old);
	return 0;
}

/*
 * Returns the lowest number, from @number to @most, without a block or with a block that has room;
 * or a number above @most.
 */
static u32 block_find_room(struct timer_set *set, u32 number, u32 most)
{
	u32 from = max(number, set->first_room);
	u32 room = find_next_bit(twheel_block_room(set), min(set->blocks, most + 1), from);

	/* Beyond the array, there are no blocks. */
	room = max(room, from);
	/* The next search for the lowest number begins here. */
	if (number <= set->first_room)
		set->first_room = room;
	return room;
}

/*
 * Takes the lowest free places of one block with an index from @min to @max, at most @n of them.
 * The set is locked. The caller gives back what it does not use before it unlocks the set. Returns
 * 0; or -EBUSY if there is no free place; or -EAGAIN if twheel_block_add() can make some.
 */
int twheel_block_reserve(struct timer_set *set, u32 min, u32 max, unsigned int n,
			 struct block_places *places)
{
	u32 number = min / TIMER_BLOCK_TIMERS, most = max / TIMER_BLOCK_TIMERS;
	struct timer_block *block;

	lockdep_assert_held(&set->lock);

	do {
		number = block_find_room(set, number, most);
		if (min > max || number > most)
			return -EBUSY;
		block = number < set->blocks ?
			set->block[array_index_nospec(number, set->blocks)] : NULL;
		if (!block) {
			places->missing = number;
			return -EAGAIN;
		}
		/* The block may have room only below @min. */
		number++;
	} while (!twheel_block_reserve_from(block, min, max, n, places));
	return 0;
}

/*
 * Frees the blocks without timers of a locked set, but keeps the last one. The kept block is used
 * before a new block is allocated. So a program that adds and cancels a timer again and again does
 * not allocate.
 */
void twheel_block_free(struct timer_set *set)
{
	struct timer_block *block;

	lockdep_assert_held(&set->lock);

	while (set->spare && set->spare->next) {
		block = set->spare->next;
		set->spare->next = block->next;
		set->block[twheel_block_number(block)] = NULL;
		twheel_block_remove(block);
	}
}

/* Sets up what all blocks share. Returns 0 or -ENOMEM. */
int twheel_block_init(void)
{
	static_assert(sizeof(struct user_timer) == 64);
	static_assert(TIMER_BLOCK_TIMERS < 64);

	block_cache = kmem_cache_create("twheel_timers", TIMER_BLOCK_SIZE, TIMER_BLOCK_SIZE,
					SLAB_ACCOUNT, NULL);
	return block_cache ? 0 : -ENOMEM;
}

void twheel_block_exit(void)
{
	kmem_cache_destroy(block_cache);
}
