// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the levels of the wheel of a set
 *
 * The wheel of an open file gets a level when a timer first needs one. While a set has few timers,
 * the slots of its levels have one chain each. A set with many timers gets four, which fill a line
 * of the cache.
 */
#include <linux/slab.h>
#include "block.h"
#include "quota.h"

/* From so many timers on, a set is about to have many. */
#define LEVELS_MANY	1024U

/* For levels whose slots have one chain; and many. */
static struct kmem_cache *levels_cache[2];

static unsigned int levels_blocks(unsigned int chains)
{
	return DIV_ROUND_UP(TWHEEL_LEVEL_BYTES(chains), TIMER_BLOCK_SIZE);
}

/* Returns which of @most levels a locked set is to get, perhaps with more chains; or -1. */
static int levels_missing(const struct timer_set *set, unsigned int chains, unsigned int most)
{
	const struct twheel_wheel *w = &set->wheel;
	unsigned int n;

	for (n = 0; n < w->depth; n++)
		if (w->level[n]->chains < chains)
			return n;
	return n < min(max(w->wanted, 1U), most) ? n : -1;
}

static void levels_free(struct timer_set *set, struct twheel_level *level)
{
	unsigned int chains = level->chains;

	kmem_cache_free(levels_cache[chains > 1], level);
	twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, levels_blocks(chains));
}

/*
 * Gives a set, which is not locked, the levels that its timers want, @most at most, and level 0 in
 * any case. May sleep. Returns 0; or -ENOMEM; or -EDQUOT. Without a level, timers expire on their
 * ticks all the same, and are moved more often.
 */
int twheel_levels_grow(struct timer_set *set, unsigned int most)
{
	struct twheel_wheel *w = &set->wheel;
	struct twheel_level *level;
	unsigned int chains;
	int n;

	for (;;) {
		spin_lock_bh(&set->lock);
		chains = set->count < LEVELS_MANY ? 1 : TWHEEL_SLOT_CHAINS;
		n = levels_missing(set, chains, most);
		spin_unlock_bh(&set->lock);
		if (n < 0)
			return 0;
		if (!twheel_quota_charge(set, QUOTA_BLOCKS, levels_blocks(chains)))
			return -EDQUOT;
		level = kmem_cache_alloc(levels_cache[chains > 1], GFP_KERNEL);
		if (!level) {
			twheel_quota_uncharge(set->quota, QUOTA_BLOCKS, levels_blocks(chains));
			return -ENOMEM;
		}
		level->chains = chains;
		spin_lock_bh(&set->lock);
		/* None, if another thread has made it meanwhile. */
		n = levels_missing(set, chains, most);
		if (n >= 0)
			level = twheel_wheel_set_level(w, n, level, chains);
		spin_unlock_bh(&set->lock);
		if (level)
			levels_free(set, level);
	}
}

/* Frees the levels of a set that no other code uses any more. */
void twheel_levels_free(struct timer_set *set)
{
	struct twheel_wheel *w = &set->wheel;

	while (w->depth--)
		levels_free(set, w->level[w->depth]);
}

/* Sets up what all levels share. Returns 0, or -ENOMEM before twheel_levels_exit(). */
int twheel_levels_init(void)
{
	levels_cache[0] = kmem_cache_create("twheel_levels", TWHEEL_LEVEL_BYTES(1), SMP_CACHE_BYTES,
					    SLAB_ACCOUNT, NULL);
	levels_cache[1] = kmem_cache_create("twheel_levels_wide",
					    TWHEEL_LEVEL_BYTES(TWHEEL_SLOT_CHAINS), SMP_CACHE_BYTES,
					    SLAB_ACCOUNT, NULL);
	return levels_cache[0] && levels_cache[1] ? 0 : -ENOMEM;
}

void twheel_levels_exit(void)
{
	kmem_cache_destroy(levels_cache[1]);
	kmem_cache_destroy(levels_cache[0]);
}
