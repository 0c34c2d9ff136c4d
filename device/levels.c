// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the levels of the wheel of a set
 *
 * The wheel of an open file gets a level when a timer first needs one. So a descriptor with a few
 * near timers is small, and one without timers has no level. While a set has few timers, the
 * slots of its levels have one chain each; a set with many timers gets four, which fill a line of
 * the cache.
 */
#include <linux/cache.h>
#include <linux/slab.h>
#include "levels.h"
#include "quota.h"

/* From so many timers on, a set is about to have many. */
#define LEVELS_MANY	1024U

static struct kmem_cache *levels_narrow, *levels_wide;

static unsigned int levels_blocks(unsigned int chains)
{
	return DIV_ROUND_UP(TWHEEL_LEVEL_BYTES(chains), TIMER_BLOCK_SIZE);
}

static struct kmem_cache *levels_cache(unsigned int chains)
{
	return chains == 1 ? levels_narrow : levels_wide;
}

static void levels_free_one(struct timer_set *set, void *memory, unsigned int chains)
{
	kmem_cache_free(levels_cache(chains), memory);
	twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, levels_blocks(chains));
}

/* Returns the number of the level to make, which may exist with fewer chains; or -1. */
static int levels_missing(const struct timer_set *set, unsigned int chains)
{
	const struct twheel_wheel *w = &set->wheel;
	unsigned int n;

	timer_set_assert_locked(set);

	for (n = 0; n < w->depth; n++)
		if (w->level[n]->chains < chains)
			return n;
	return n < max(w->wanted, 1U) ? n : -1;
}

/* Uses @memory for level @n. Returns the memory that is left over, or %NULL, and its chains. */
static void *levels_use(struct timer_set *set, int n, void *memory, unsigned int *chains)
{
	unsigned int wide = *chains;

	timer_set_assert_locked(set);

	/* Another thread may have made the level meanwhile. */
	if (levels_missing(set, wide) != n)
		return memory;
	if (n == set->wheel.depth) {
		twheel_wheel_add_level(&set->wheel, memory, wide);
		return NULL;
	}
	*chains = set->wheel.level[n]->chains;
	return twheel_wheel_widen_level(&set->wheel, n, memory, wide);
}

/**
 * twheel_levels_grow - give a set the levels that its timers want
 * @set: The set, not locked. It has level 0 afterwards.
 *
 * If levels are missing, timers expire on their ticks all the same, and are moved more often.
 *
 * Context: process, may sleep.
 *
 * Return: 0, -ENOMEM, or -EDQUOT if the user may have no more memory.
 */
int twheel_levels_grow(struct timer_set *set)
{
	unsigned int chains, left;
	void *memory;
	int n;

	for (;;) {
		chains = READ_ONCE(set->count) < LEVELS_MANY ? 1 : TWHEEL_SLOT_CHAINS;
		timer_set_lock(set);
		n = levels_missing(set, chains);
		timer_set_unlock(set);
		if (n < 0)
			return 0;
		if (!twheel_quota_charge(set, QUOTA_BLOCKS, levels_blocks(chains)))
			return -EDQUOT;
		memory = kmem_cache_alloc(levels_cache(chains), GFP_KERNEL);
		if (!memory) {
			twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, levels_blocks(chains));
			return -ENOMEM;
		}
		left = chains;
		timer_set_lock(set);
		memory = levels_use(set, n, memory, &left);
		timer_set_unlock(set);
		if (memory)
			levels_free_one(set, memory, left);
	}
}

/**
 * twheel_levels_free - free the levels of a set
 * @set: The set, which no other code uses any more.
 */
void twheel_levels_free(struct timer_set *set)
{
	struct twheel_wheel *w = &set->wheel;

	while (w->depth--)
		levels_free_one(set, w->level[w->depth], w->level[w->depth]->chains);
}

/**
 * twheel_levels_init - set up what all levels share
 *
 * Return: 0 or -ENOMEM.
 */
int twheel_levels_init(void)
{
	levels_narrow = kmem_cache_create("twheel_levels", TWHEEL_LEVEL_BYTES(1), SMP_CACHE_BYTES,
					  SLAB_ACCOUNT, NULL);
	levels_wide = kmem_cache_create("twheel_levels_wide",
					TWHEEL_LEVEL_BYTES(TWHEEL_SLOT_CHAINS), SMP_CACHE_BYTES,
					SLAB_ACCOUNT, NULL);
	if (levels_narrow && levels_wide)
		return 0;
	twheel_levels_exit();
	return -ENOMEM;
}

/**
 * twheel_levels_exit - free what all levels share; no set is left
 */
void twheel_levels_exit(void)
{
	kmem_cache_destroy(levels_wide);
	kmem_cache_destroy(levels_narrow);
}
