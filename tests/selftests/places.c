// SPDX-License-Identifier: GPL-2.0
/*
 * The places of timers. Batches add timers of all kinds in any order, and some additions fail.
 * A model says which result and which index each addition has.
 */
#include "table_timer.h"

enum {
	PLACES = 8192,
	LARGEST = 300,
	KEPT_BELOW = 1000,
	ROUNDS = 400,
};

enum kind { PLAIN, IN_GROUP, SHARED, KEPT, KEPT_SHARED, INVALID, KINDS };

/* What a descriptor has. */
static struct model {
	int		fd;
	unsigned int	limit;		/* how many timers it may have */
	unsigned int	timers;
	__u64		others;		/* timers of the user on other descriptors */
	unsigned int	words;		/* the most timers that may have a word */
	__u64		handle[PLACES];	/* by index; 0 where the place is free */
	unsigned int	count;		/* how many timers were added or have ended */
	unsigned int	given[PLACES];	/* @count when a timer last got the word; 0 at first */
	unsigned int	free[PLACES];	/* @count when the word became free */
} model;

static __u64 generation = 1ULL << 30;

static unsigned int below(unsigned int n)
{
	return random() % n;
}

static struct twheel_op new_op(enum kind kind)
{
	struct twheel_op op = add_op(LONG, kind);

	switch (kind) {
	case IN_GROUP:
		op.group = 1 + below(3);
		break;
	case SHARED:
		op.flags |= TWHEEL_SHARED;
		break;
	case KEPT:
	case KEPT_SHARED:
		op.flags |= TWHEEL_RESTORE | TWHEEL_KEEP_HANDLE;
		if (kind == KEPT_SHARED)
			op.flags |= TWHEEL_SHARED;
		op.handle = ++generation << 24 | below(KEPT_BELOW);
		break;
	case INVALID:
		op.flags |= TWHEEL_EACH;
		break;
	default:
		break;
	}
	return op;
}

/* The first free index from @from on and below @end, or @end. */
static unsigned int first_free(unsigned int from, unsigned int end)
{
	while (from < end && model.handle[from])
		from++;
	return from;
}

/* Check that a word comes again only after all others that have been free since. */
static void check_turn(unsigned int index)
{
	const unsigned int last = model.given[index];
	unsigned int i;

	for (i = 0; last && i < model.words; i++)
		ASSERT(i == index || model.handle[i] || model.free[i] > last ||
		       model.given[i] > last);
	model.given[index] = model.count;
}

/* What an addition must give: an index, or a negative errno. */
static int expected(const struct twheel_op *op, __u64 asked)
{
	unsigned int index = TWHEEL_INDEX(asked);

	if (op->cookie == INVALID)
		return -EINVAL;
	if (model.timers == model.limit)
		return -EDQUOT;
	switch (op->cookie) {
	case SHARED:
		if (first_free(0, model.words) == model.words)
			return -ENOSPC;
		/* Any free word that is in turn. */
		index = TWHEEL_INDEX(op->handle);
		ASSERT(index < model.words && !model.handle[index]);
		return index;
	case KEPT:
	case KEPT_SHARED:
		if (op->cookie == KEPT_SHARED && index >= model.words)
			return -ENOSPC;
		return model.handle[index] ? -EEXIST : (int)index;
	default:
		return first_free(model.words, PLACES);
	}
}

static void check_addition(const struct twheel_op *op, __u64 asked)
{
	const int index = expected(op, asked);

	if (index < 0) {
		ASSERT_EQ(op->result, index);
		return;
	}
	ASSERT_EQ(op->result, 0);
	ASSERT_EQ(TWHEEL_INDEX(op->handle), index);
	if (asked)
		ASSERT(op->handle == asked);
	model.count++;
	if (op->cookie == SHARED)
		check_turn(index);
	model.handle[index] = op->handle;
	model.timers++;
}

/* Check that the descriptor and the user are charged for each timer once. */
static void check_counts(void)
{
	const struct twheel_info info = get_info(model.fd);

	ASSERT_EQ(info.timers, model.timers);
	ASSERT_EQ(info.timers_user, model.others + model.timers);
}

static void add_some(void)
{
	static struct twheel_op ops[LARGEST];
	static __u64 asked[LARGEST];
	const unsigned int count = 1 + below(LARGEST);
	/* Long rows of one kind, or kinds that change all the time. */
	const unsigned int row = 1 + below(2) * below(100);
	enum kind kind = PLAIN;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!below(row))
			kind = below(KINDS);
		ops[i] = new_op(kind);
		asked[i] = ops[i].handle;
	}
	batch(model.fd, ops, count);
	for (i = 0; i < count; i++)
		check_addition(&ops[i], asked[i]);
	check_counts();
}

static void cancel_some(void)
{
	static struct twheel_op ops[PLACES];
	const unsigned int one_in = 1 + below(4);
	unsigned int i, n = 0;

	for (i = 0; i < PLACES; i++) {
		if (!model.handle[i] || below(one_in))
			continue;
		ops[n++].handle = model.handle[i];
		model.handle[i] = 0;
		model.free[i] = ++model.count;
	}
	cancel_all(model.fd, ops, n);
	model.timers -= n;
	check_counts();
}

static void compare(int fd, unsigned int limit)
{
	unsigned int i;

	srandom(1);
	model = (struct model){
		.fd = fd,
		.limit = limit,
		.others = get_info(fd).timers_user,
		.words = words_of_a_page(),
	};
	map_table(fd);
	for (i = 0; i < many(ROUNDS); i++) {
		add_some();
		cancel_some();
	}
	ASSERT_EQ(CALL(close(fd)), 0);
}

TEST_TIMEOUT(batches_of_all_kinds, 120)
{
	compare(open_device(0), get_info(open_device(0)).max_timers);
}

/* The limit is met again and again. */
TEST_TIMEOUT(batches_of_all_kinds_at_the_limit, 120)
{
	compare(open_with("max_timers", 500), 500);
}

/* The limit is met after many additions. */
TEST_TIMEOUT(batches_of_all_kinds_on_the_way_to_the_limit, 120)
{
	const unsigned int limit = 4096 + 200;

	compare(open_with("max_timers", limit), limit);
}

/* A batch that wants one word does not pass over others. */
DEVICE_TEST(words_are_given_in_turn)
{
	const unsigned int words = words_of_a_page();
	struct twheel_op ops[5];
	unsigned int i, k;

	map_table(fd);
	for (i = 0; i < words; i++) {
		for (k = 0; k < ARRAY_SIZE(ops); k++)
			ops[k] = add_op(LONG, k);
		ops[1].flags |= TWHEEL_SHARED;
		batch(fd, ops, ARRAY_SIZE(ops));
		ASSERT_EQ(TWHEEL_INDEX(ops[1].handle), i);
		ASSERT_EQ(cancel(fd, ops[1].handle), 0);
	}
}
