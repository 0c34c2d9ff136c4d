// SPDX-License-Identifier: GPL-2.0
/*
 * The limit of memory per user: a block of timers counts as long as it exists, however
 * few timers are in it.
 */
#include "user.h"

/*
 * The least that the kernel's allocator gives for an object: on arm64, kernels before 6.5
 * align for DMA.
 */
#ifdef __aarch64__
#define OBJECT_BYTES 128
#else
#define OBJECT_BYTES 32
#endif

/* How many blocks of 4 KiB a user may hold under this limit of timers. */
#define MOST_BLOCKS(limit) (((limit) + 15) / 16 + 4096)

/*
 * The blocks of a descriptor with a timer due in LONG: one with the timer, and one for each level
 * of its wheel.
 */
enum { LEVELS = 3, BLOCKS_OF_ONE = 1 + LEVELS };

/* How many such descriptors a user may have under this limit. */
/* The last one gets a block and the first level, if there is room for two blocks only. */
#define ROOM_FOR_LAST(limit) (MOST_BLOCKS(limit) % BLOCKS_OF_ONE >= 2)
#define MOST_FILES(limit) (MOST_BLOCKS(limit) / BLOCKS_OF_ONE + ROOM_FOR_LAST(limit))
#define MOST_FILES_KB(limit) \
	(4 * (ROOM_FOR_LAST(limit) ? MOST_BLOCKS(limit) : BLOCKS_OF_ONE * MOST_FILES(limit)))

/* SOME_KB: what the slab allocator may count without a block. */
enum { FEW = 4000, MANY = 60000, FILES = 2000, SOME_KB = 128 };

static struct twheel_op ops[MANY];

/* For a case with more than a thousand descriptors. */
static void need_many_files(void)
{
	if (debug_kernel())
		skip("too slow here");
	allow_files(FILES + 100);
}

static unsigned int places_in_block(void)
{
	const int fd = open_device(0);
	unsigned int places = 0;

	ASSERT_EQ(user_memory_kb_of(fd, 0), 0);
	add(fd, LONG, 0);
	ASSERT_EQ(user_memory_kb(fd), 4 * BLOCKS_OF_ONE);
	do {
		add(fd, LONG, ++places);
	} while (user_memory_kb(fd) == 4 * BLOCKS_OF_ONE);
	ASSERT_EQ(user_memory_kb(fd), 4 * (BLOCKS_OF_ONE + 1));
	close(fd);
	return places;
}

/* From 1,024 timers on, the slots of a level have four chains, and the level is three blocks. */
DEVICE_TEST(levels_of_many_timers_are_wide)
{
	enum { COUNT = 2000 };
	unsigned long places, blocks;
	unsigned int i;

	places = places_in_block();
	for (i = 0; i < COUNT; i++)
		ops[i] = add_op(LONG, i);
	batch(fd, ops, COUNT);
	blocks = (COUNT + places - 1) / places;
	/* the array of blocks is no page yet */
	ASSERT_EQ(user_memory_kb(fd), 4 * (blocks + 3 * LEVELS));
}

/*
 * The memory of all blocks that exist, in KiB, from the slab allocator; 0 if unknown. The
 * allocator's caches are emptied first if there is a file for that: it counts the blocks
 * in them as used.
 */
static unsigned long slab_kb(void)
{
	unsigned long long used;

	write_file("/sys/kernel/slab/twheel_timers/shrink", "1\n");
	if (!find_number("/proc/slabinfo", "twheel_timers %llu", &used))
		return 0;
	return used * number_from("/proc/slabinfo", "twheel_timers %*u %*u %llu") >> 10;
}

/*
 * Add as many timers as @limit, the limit on timers, allows, and keep one in each block.
 * Returns whether a timer was refused.
 */
static bool keep_one_in_each_block(int fd, unsigned int places, unsigned int limit)
{
	const unsigned int count = limit - get_info(fd).timers_user;
	unsigned int i, cancels = 0;
	bool met = false;
	__u64 block = -1;

	for (i = 0; i < count; i++)
		ops[i] = add_op(LONG, i);
	batch(fd, ops, count);
	for (i = 0; i < count; i++) {
		if (ops[i].result) {
			ASSERT_EQ(ops[i].result, -EDQUOT);
			met = true;
		} else if (TWHEEL_INDEX(ops[i].handle) / places != block) {
			block = TWHEEL_INDEX(ops[i].handle) / places;
		} else {
			ops[cancels++].handle = ops[i].handle;
		}
	}
	cancel_all(fd, ops, cancels);
	return met;
}

USER_LIMIT_TEST(one_timer_in_each_block_is_refused_at_the_bound, FEW)
{
	enum { ROUNDS = 300, MOST_KB = 4 * MOST_BLOCKS(FEW) };
	struct twheel_op op = new_timer(LONG, 1);
	unsigned int round, places;
	unsigned long before;
	bool met = false;
	int first, fd;

	first = open_as(ALICE);
	places = places_in_block();
	ASSERT_EQ(user_memory_kb_of(first, 0), 0);
	before = slab_kb();
	for (round = 0; round < ROUNDS && !met; round++) {
		fd = round ? open_device(0) : first;
		met = keep_one_in_each_block(fd, places, FEW);
		ASSERT_LE(user_memory_kb(fd), MOST_KB);
	}
	note("%u places in a block, %u rounds, %llu timers, %lu KiB", places, round,
	     (unsigned long long)get_info(fd).timers_user, user_memory_kb(fd));
	ASSERT(met);
	ASSERT_LT(get_info(fd).timers_user, FEW);
	if (before)
		ASSERT_LE(slab_kb(), before + MOST_KB + SOME_KB);
	/* there is room in the blocks that the user has */
	add_timers(first, places - 1);
	for (round = 0; round < FILES; round++) {
		fd = open_device(0);
		if (ioctl(fd, TWHEEL_IOC_ADD, &op))
			break;
	}
	ASSERT_EQ(errno, EDQUOT);
	/* what is left is too little for a descriptor with a timer */
	ASSERT_LE(user_memory_kb(fd), MOST_KB);
	ASSERT_GT(user_memory_kb(fd) + 4 * BLOCKS_OF_ONE, MOST_KB);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EDQUOT);
	op.group = 1;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	ASSERT_EQ(timers_of(fd), 0);
	if (before)
		ASSERT_LE(slab_kb(), before + MOST_KB + SOME_KB);
}

/* The handle with the highest index needs a large array, as the first one, too. */
USER_LIMIT_TEST(memory_of_high_indexes_is_limited, 16)
{
	enum { BLOCKS = 1 + 4096, EACH = BLOCKS_OF_ONE + 529, SOME = 5 };
	struct twheel_op op = kept_op(~0ULL), low = kept_op(1 << 24);
	unsigned int files, each = 0;
	int fd = -1;

	if (sizeof(long) < 8)
		skip("the array is smaller");
	become(ALICE);
	for (files = 0; files < SOME; files++) {
		fd = open_device(0);
		if (!files)
			ASSERT_EQ(user_memory_kb_of(fd, 0), 0);
		ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
		/* the way to the timer: 8 bytes and a bit for each of 266,306 blocks */
		if (!files)
			each = user_memory_kb(fd) / 4;
		ASSERT_EQ(each, EACH);
		ASSERT_EQ(user_memory_kb(fd), (files + 1) * each * 4);
		ASSERT_EQ(cancel(fd, op.handle), 0);
	}
	/* a descriptor that is closed gives its array back */
	close(fd);
	fd = open_device(0);
	ASSERT_EQ(user_memory_kb(fd), (files - 1) * each * 4);
	for (files--; files < BLOCKS / EACH + 10; files++) {
		fd = open_device(0);
		if (ioctl(fd, TWHEEL_IOC_ADD, &op))
			break;
		ASSERT_EQ(cancel(fd, op.handle), 0);
	}
	ASSERT_EQ(errno, EDQUOT);
	ASSERT_EQ(files, BLOCKS / each);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	ASSERT_EQ(timers_of(fd), 0);
	/* The descriptor keeps the array that left no room for a block. A low index needs none. */
	close(fd);
	fd = open_device(0);
	CALL(ioctl(fd, TWHEEL_IOC_ADD, &low));
}

/* The memory that the kernel could give to programs, in KiB. */
static unsigned long available_kb(void)
{
	sync();
	if (!write_file("/proc/sys/vm/drop_caches", "3\n"))
		skip("no way to empty caches");
	return number_from("/proc/meminfo", "MemAvailable: %llu");
}

/* The same, once what other cases have freed no longer comes back: after grace periods. */
static unsigned long available_kb_at_rest(void)
{
	unsigned long value = available_kb(), last;
	int i = 0;

	do {
		last = value;
		wait_for_grace_period();
		value = available_kb();
	} while (value > last + SOME_KB && ++i < 100);
	return value;
}

/* Add timers that take as much memory as a timer can, until one is refused. */
static void add_largest(int fd)
{
	struct twheel_op op = {
		.clockid = CLOCK_BOOTTIME,
		.time_ns = LONG,
		.period_ns = LONG,
	};

	do {
		op.handle = 0;
		op.group++;
	} while (!ioctl(fd, TWHEEL_IOC_ADD, &op));
	ASSERT_EQ(errno, EDQUOT);
}

/* Map pages of tables, or of rings, until that is refused. Returns how many. */
static unsigned int map_most(off_t offset, unsigned int pages)
{
	unsigned int all = 0;

	for (;;) {
		const int fd = open_device(0);
		void *map = mmap(NULL, pages * page_size(), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_POPULATE, fd, offset);

		if (map == MAP_FAILED)
			break;
		all += pages;
	}
	ASSERT_EQ(errno, EDQUOT);
	return all;
}

/*
 * All that a user can make the kernel hold. The figures for a timer are those of
 * Documentation/design-device.rst.
 */
USER_LIMIT_TEST(most_that_a_user_can_hold_is_bounded, MANY)
{
	/* The rest of the system takes and frees memory too; without limits it were 250 MiB. */
	enum {
		OBJECTS_BYTES = OBJECT_BYTES > 64 ? OBJECT_BYTES : 64,
		TIMER_BYTES = 256 + OBJECTS_BYTES + 27 + 128,
		NOISE_KB = 16 << 10,
	};
	const unsigned long most = (MANY * TIMER_BYTES >> 10) + (16 << 10);
	unsigned long before, taken;
	unsigned int places, pages;
	int fds[100], count = 0, i;

	if (debug_kernel())
		skip("this kernel takes more memory for each object");
	become(ALICE);
	places = places_in_block();
	/* the program's own memory does not count */
	memset(ops, 1, sizeof(ops));
	before = available_kb_at_rest();
	do {
		ASSERT_LT(count, ARRAY_SIZE(fds));
		fds[count] = open_device(0);
	} while (!keep_one_in_each_block(fds[count++], places, MANY));
	for (i = 0; i < count; i++)
		add_largest(fds[i]);
	/* a ring has a page and a power of two of pages */
	pages = map_most(TWHEEL_MMAP_RING, 1 + 256);
	pages += map_most(TWHEEL_MMAP_TABLE, 100);
	pages += map_most(TWHEEL_MMAP_TABLE, 1);
	taken = before - available_kb();
	note("%llu timers, %lu KiB of blocks and pages, %u pages",
	     (unsigned long long)get_info(fds[0]).timers_user, user_memory_kb(fds[0]),
	     pages);
	note("%ld KiB are not available any more, of at most %lu", (long)taken, most);
	ASSERT_WITHIN((long)taken, user_memory_kb(fds[0]) / 2, most + NOISE_KB);
}

/* The arrays that lead to high indexes are charged at the size that the allocator gives. */
USER_LIMIT_TEST(memory_of_high_indexes_is_what_is_charged, 1 << 20)
{
	/* A file and a set are not charged; and the rest of the system takes memory. */
	enum { HIGH = 40, SMALL_KB = 3 * HIGH, NOISE_KB = 16 << 10 };
	struct twheel_op op = kept_op(~0ULL);
	unsigned long before, taken, charged;
	unsigned int i;
	int fd;

	if (sizeof(long) < 8)
		skip("the array is smaller");
	need_many_files();
	fd = open_as(ALICE);
	ASSERT_EQ(user_memory_kb_of(fd, 0), 0);
	before = available_kb_at_rest();
	for (i = 0; i < HIGH; i++)
		CALL(ioctl(open_device(0), TWHEEL_IOC_ADD, &op));
	charged = user_memory_kb(fd);
	taken = before - available_kb();
	note("%ld KiB are not available any more, %lu are charged", (long)taken, charged);
	ASSERT_WITHIN((long)taken, charged / 2, charged + SMALL_KB + NOISE_KB);
}

/* Open descriptors with one timer each, until one is refused. Returns how many. */
static unsigned int open_with_timers(int *fds)
{
	unsigned int n;

	for (n = 0; n < FILES; n++) {
		struct twheel_op op = new_timer(LONG, n);

		fds[n] = open_device(0);
		if (ioctl(fds[n], TWHEEL_IOC_ADD, &op)) {
			ASSERT_EQ(errno, EDQUOT);
			close(fds[n]);
			break;
		}
	}
	return n;
}

static void close_all(const int *fds, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		close(fds[i]);
}

/* Blocks are freed at once, and refuse no timer. */
USER_LIMIT_TEST(closed_descriptors_make_room_at_once, FEW)
{
	int fds[FILES], fd, round;

	need_many_files();
	fd = open_as(ALICE);
	for (round = 0; round < 5; round++) {
		ASSERT_EQ(open_with_timers(fds), MOST_FILES(FEW));
		ASSERT_EQ(user_memory_kb(fd), MOST_FILES_KB(FEW));
		close_all(fds, MOST_FILES(FEW));
		ASSERT_EQ(get_info(fd).timers_user, 0);
	}
	ASSERT_EQ(user_memory_kb_of(fd, 0), 0);
}

/* The same without a descriptor that stays: the user is not forgotten. */
USER_LIMIT_TEST(user_without_descriptors_does_not_begin_anew, FEW)
{
	const unsigned long before = slab_kb();
	int fds[FILES], round;

	need_many_files();
	become(ALICE);
	for (round = 0; round < 5; round++) {
		ASSERT_EQ(open_with_timers(fds), MOST_FILES(FEW));
		if (before)
			ASSERT_LE(slab_kb(), before + 4 * MOST_BLOCKS(FEW) + SOME_KB);
		close_all(fds, MOST_FILES(FEW));
	}
	ASSERT_EQ(user_memory_kb_of(open_device(0), 0), 0);
}

/* The last timer's block stays with its descriptor, as the levels do, and counts. */
USER_LIMIT_TEST(spare_block_counts, FEW)
{
	const int fd = open_as(ALICE);

	ASSERT_EQ(user_memory_kb_of(fd, 0), 0);
	ASSERT_EQ(cancel(fd, add(fd, LONG, 1)), 0);
	ASSERT_EQ(user_memory_kb(fd), 4 * BLOCKS_OF_ONE);
	add_timers(fd, 1);
	ASSERT_EQ(user_memory_kb(fd), 4 * BLOCKS_OF_ONE);
}

USER_LIMIT_TEST(shared_pages_are_in_the_memory, FEW)
{
	void *table;
	const int fd = open_as(ALICE);

	ASSERT_EQ(user_memory_kb_of(fd, 0), 0);
	table = mmap(NULL, 2 * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     TWHEEL_MMAP_TABLE);
	ASSERT(table != MAP_FAILED);
	ASSERT_EQ(user_memory_kb(fd), 2 * page_size() >> 10);
}

USER_LIMIT_TEST(other_users_memory_is_not_limited, FEW)
{
	int fds[FILES];

	need_many_files();
	become(ALICE);
	ASSERT_EQ(open_with_timers(fds), MOST_FILES(FEW));
	CALL(setresuid(BOB, 0, 0));
	add_timers(open_device(0), FEW);
}

USER_LIMIT_TEST(capable_opener_has_no_limit_of_memory, FEW)
{
	int fds[FILES];

	need_many_files();
	CALL(setresuid(ALICE, 0, 0));
	ASSERT_EQ(open_with_timers(fds), FILES);
}
