// SPDX-License-Identifier: GPL-2.0
/*
 * Native benchmark: a red-black tree that caches its first timer, as hrtimer does
 */
#include <bsd/sys/tree.h>
#include "bench.h"

struct node {
	RB_ENTRY(node)	entry;
	uint64_t	expires;
	fired_fn	fn;
};

static RB_HEAD(tree, node) tree;
static struct node *first;

/* Equal deadlines go to the right, so a tree may have any number of them. */
static int compare(const struct node *a, const struct node *b)
{
	return a->expires < b->expires ? -1 : 1;
}

RB_PROTOTYPE_INTERNAL(tree, node, entry, compare, static __attribute__((unused)))
RB_GENERATE_INTERNAL(tree, node, entry, compare, static __attribute__((unused)))

static void rbtree_open(uint64_t now)
{
	RB_INIT(&tree);
	first = NULL;
}

static void rbtree_add(void *timer, uint64_t expires)
{
	struct node *t = timer;

	t->expires = expires;
	RB_INSERT(tree, &tree, t);
	if (!first || expires < first->expires)
		first = t;
}

static void rbtree_cancel(void *timer)
{
	struct node *t = timer;

	if (t == first)
		first = RB_NEXT(tree, &tree, t);
	RB_REMOVE(tree, &tree, t);
}

static void rbtree_mod(void *timer, uint64_t expires)
{
	rbtree_cancel(timer);
	rbtree_add(timer, expires);
}

static void rbtree_tick(uint64_t now)
{
	struct node *t;

	while (first && first->expires <= now) {
		t = first;
		rbtree_cancel(t);
		t->fn(t);
	}
}

const struct peer peer_rbtree = {
	.name	= "rbtree",
	.size	= sizeof(struct node),
	.fn	= offsetof(struct node, fn),
	.open	= rbtree_open,
	.add	= rbtree_add,
	.mod	= rbtree_mod,
	.extend	= rbtree_mod,
	.cancel	= rbtree_cancel,
	.tick	= rbtree_tick,
};
