// SPDX-License-Identifier: GPL-2.0
/*
 * The limit of timers per user, over all descriptors. A descriptor counts for the user who
 * opened it, whichever process has it.
 */
#include <linux/capability.h>
#include <sys/socket.h>

#include "rights.h"
#include "user.h"

/*
 * So far from a limit, a batch charges all its timers ahead. In the last 4096 places, it charges
 * them one by one. LARGE_LIMIT is for batches that begin far from the limit and end at it.
 */
enum { LIMIT = 1000, LARGE_LIMIT = 6000 };

#define LIMIT_TEST(id) USER_LIMIT_TEST(id, LIMIT)

/* A case that runs with both limits. It asks the module which one it has. */
#define BOTH_LIMITS_TEST(id)						\
	static void run_##id(void *data);				\
	TEST_CALL(id, with_limit("max_timers_user", LIMIT, run_##id))	\
	TEST_CALL(id##_from_far, with_limit("max_timers_user", LARGE_LIMIT, run_##id)) \
	static void run_##id(void *data)

static unsigned int limit_now(void)
{
	return read_parameter("max_timers_user");
}

TEST(info_has_the_users_limit)
{
	struct twheel_info info = get_info(open_device(0));

	ASSERT_EQ(info.max_timers_user, ~0ULL);
	ASSERT_EQ(info.max_timers, read_parameter("max_timers"));
	become(ALICE);
	info = get_info(open_device(0));
	ASSERT_EQ(info.max_timers_user, read_parameter("max_timers_user"));
	ASSERT_EQ(info.max_timers, read_parameter("max_timers"));
	ASSERT_LE(info.max_timers_user, info.max_timers);
	ASSERT_EQ(info.timers_user, 0);
}

LIMIT_TEST(each_way_to_end_a_timer_makes_room)
{
	const int fd = open_as(ALICE), other = open_device(0);
	struct twheel_op op = new_timer(LONG, 1);

	add_timers(fd, LIMIT - 1);

	add(other, 0, 1);
	wait_for_event(other);
	check_user_full(fd, LIMIT);	/* an unread timer counts */
	read_one(other);
	ASSERT_EQ(cancel(other, add(other, LONG, 1)), 0);
	add_to_group(other, LONG, 1, 1);
	check_user_full(fd, LIMIT);
	ASSERT_EQ(cancel_group(other, 1, &(__u64){ 0 }), 1);
	ASSERT_EQ(upsert(other, &op), TWHEEL_ADDED);
	check_user_full(fd, LIMIT);
	ASSERT_EQ(drain(other, &op, 1), 1);
	resume(other);
	add(other, LONG, 1);
	check_user_full(fd, LIMIT);
	close(other);
	ASSERT_EQ(get_info(fd).timers_user, LIMIT - 1);
	close(fd);
	ASSERT_EQ(get_info(open_device(0)).timers_user, 0);
}

LIMIT_TEST(timer_that_was_refused_takes_no_room)
{
	const int fd = open_as(ALICE);
	struct twheel_op timer = new_timer(LONG, 1), *op;

	add_timers(fd, LIMIT - 1);
	timer.group = 1;
	op = read_only_op(timer);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_ADD, op), EFAULT);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_UPSERT, op), EFAULT);
	ASSERT_EQ(get_info(fd).timers_user, LIMIT - 1);
	add_timers(fd, 1);
	check_user_full(fd, LIMIT);
}

/*
 * Add a batch of @count timers where there is room for @room. Some operations are invalid, and
 * some need a table that is not mapped. They take no room: what is charged ahead for them is
 * given back.
 */
static void check_cut(int fd, unsigned int count, unsigned int room)
{
	struct twheel_op *ops = allocate(count, sizeof(*ops));
	unsigned int i;
	int expected;

	for (i = 0; i < count; i++) {
		ops[i] = add_op(LONG, i);
		if (i % 5 == 4)
			ops[i].clockid = 77;
		if (i % 5 == 2)
			ops[i].flags = TWHEEL_SHARED;
	}
	batch(fd, ops, count);
	for (i = 0; i < count; i++) {
		if (i % 5 == 4)
			expected = -EINVAL;
		else if (!room)
			expected = -EDQUOT;
		else
			expected = i % 5 == 2 ? -ENOSPC : 0;
		room -= !expected;
		ASSERT_EQ(ops[i].result, expected);
		ASSERT_EQ(ops[i].handle != 0, !expected);
	}
	free(ops);
}

BOTH_LIMITS_TEST(batch_is_cut_at_the_users_limit)
{
	const unsigned int limit = limit_now();
	const int fd = open_as(ALICE);

	add_timers(open_device(0), 100);
	check_cut(fd, 2 * limit, limit - 100);
	check_user_full(fd, limit);
}

/* The receiver has all capabilities, but the descriptor stays limited. */
static void receive_and_fill(void *data)
{
	const int fd = receive_descriptor(*(int *)data);
	int own;

	ASSERT_EQ(get_info(fd).max_timers_user, LIMIT);
	add_timers(fd, LIMIT - 10);
	check_user_full(fd, LIMIT);
	own = open_device(0);
	ASSERT_EQ(get_info(own).max_timers_user, ~0ULL);
	add_timers(own, 20);
}

LIMIT_TEST(opener_is_charged_over_a_socket)
{
	int sockets[2], fd;
	pid_t child;

	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	child = start(receive_and_fill, &sockets[1]);
	fd = open_as(ALICE);
	add_timers(fd, 10);
	send_descriptor(sockets[0], fd);
	close(fd);
	join(child);
	/* the last references were the receiver's and the sockets' */
	close(sockets[0]);
	close(sockets[1]);
	ASSERT_EQ(get_info(open_device(0)).timers_user, 0);
}

LIMIT_TEST(limit_takes_effect_at_once)
{
	const int fd = open_as(ALICE);
	const struct twheel_op op = new_timer(0, 0);

	add_timers(fd, LIMIT);
	ASSERT(write_parameter("max_timers_user", LIMIT + 5));
	add_timers(fd, 5);
	ASSERT(write_parameter("max_timers_user", LIMIT));
	ASSERT_EQ(get_info(fd).timers_user, LIMIT + 5);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
	ASSERT(write_parameter("max_timers_user", 0));
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EDQUOT);
}

/* Threads and processes of two users, all at the same time. */
enum { PROCESSES = 3, THREADS = 2 };

static struct shared {
	pthread_barrier_t barrier;
	atomic_uint added[2], refused, too_many;
} *shared;

static int own_fd, own_user;
static unsigned int own_limit;

static void add_until_refused(void *data)
{
	struct twheel_op ops[16], op;
	unsigned int i, count = 0;
	bool full = false;

	while (!full) {
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			ops[i] = add_op(LONG, i);
			ops[i].group = i % 2;
		}
		batch(own_fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			ASSERT(!ops[i].result || ops[i].result == -EDQUOT);
			count += !ops[i].result;
			full |= ops[i].result;
		}
		op = new_timer(LONG, 1);
		if (!ioctl(own_fd, TWHEEL_IOC_ADD, &op))
			count++;
		else
			ASSERT_EQ(errno, EDQUOT);
	}
	atomic_fetch_add(&shared->added[own_user], count);
}

static void run_threads(void (*run)(void *data))
{
	start_threads(THREADS, run, NULL);
	join_threads();
}

/* Run a function in so many processes, which get these users in turn, all at the same time. */
static void run_processes(unsigned int count, void (*run)(void *user))
{
	static int users[2] = { 0, 1 };
	pid_t children[2 * PROCESSES];
	unsigned int i;

	for (i = 0; i < count; i++)
		children[i] = start(run, &users[i % 2]);
	for (i = 0; i < count; i++)
		join(children[i]);
}

static void fill_as(void *data)
{
	own_user = *(int *)data;
	become(own_user ? BOB : ALICE);
	own_fd = open_device(0);
	pthread_barrier_wait(&shared->barrier);
	run_threads(add_until_refused);
	/* no process closes before all have met the limit */
	pthread_barrier_wait(&shared->barrier);
	ASSERT_EQ(shared->added[own_user], own_limit);
	check_user_full(own_fd, own_limit);
	pthread_barrier_wait(&shared->barrier);
}

BOTH_LIMITS_TEST(limit_is_exact_over_threads_and_processes_of_two_users)
{
	pthread_barrierattr_t attributes;

	own_limit = limit_now();
	shared = shared_memory(sizeof(*shared));
	pthread_barrierattr_init(&attributes);
	pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	ASSERT_EQ(pthread_barrier_init(&shared->barrier, &attributes, 2 * PROCESSES), 0);
	run_processes(2 * PROCESSES, fill_as);
}

/* Add and end timers so that the threads meet the limit again and again. */
static void add_and_end(void *data)
{
	const __u64 end = end_of_races();
	const unsigned int count = own_limit * 2 / 5;
	struct twheel_op *ops = allocate(count, sizeof(*ops));
	unsigned int i, refused;

	while (now() < end || !shared->refused) {
		refused = 0;
		for (i = 0; i < count; i++)
			ops[i] = add_op(i % 4 ? LONG : 0, i);
		batch(own_fd, ops, count);
		if (get_info(own_fd).timers_user > own_limit)
			atomic_fetch_add(&shared->too_many, 1);
		for (i = 0; i < count; i++) {
			refused += ops[i].result == -EDQUOT;
			if (!ops[i].result)
				cancel(own_fd, ops[i].handle);
		}
		atomic_fetch_add(&shared->refused, refused);
	}
	free(ops);
}

static void churn_as_alice(void *data)
{
	become(ALICE);
	own_fd = open_device(O_NONBLOCK);
	run_threads(add_and_end);
}

BOTH_LIMITS_TEST(count_is_exact_after_threads_and_processes)
{
	int fd;

	own_limit = limit_now();
	/* keep a descriptor: the user's count ends with the last one */
	fd = open_as(ALICE);
	shared = shared_memory(sizeof(*shared));
	run_processes(PROCESSES, churn_as_alice);
	note("%u were refused", shared->refused);
	ASSERT_EQ(shared->too_many, 0);
	ASSERT_GT(shared->refused, 0);
	ASSERT_EQ(get_info(fd).timers_user, 0);
	add_timers(fd, own_limit);
	check_user_full(fd, own_limit);
}

enum { BATCH = 64 };

/*
 * Batches that end with one timer more, which they cancel. They could charge for 64 ahead, because
 * all others need a table, and none is mapped.
 */
static void add_mostly_in_vain(void *data)
{
	struct twheel_op ops[BATCH];
	unsigned int i;

	while (!stopping) {
		for (i = 0; i < BATCH; i++) {
			ops[i] = add_op(LONG, i);
			ops[i].flags = i ? TWHEEL_SHARED : 0;
		}
		batch(own_fd, ops, BATCH);
		ASSERT_EQ(ops[1].result, -ENOSPC);
		ASSERT_EQ(cancel(own_fd, ops[0].handle), 0);
	}
}

static void run_beside_batches(void *data)
{
	unsigned int rounds = 0;
	__u64 end;
	int fd;

	if (!last_cpu())
		skip("one CPU");
	fd = open_as(ALICE);
	own_fd = open_device(0);
	add_timers(fd, limit_now() - BATCH);
	stay_on_cpu(0);
	start_thread(add_mostly_in_vain, NULL);
	stay_on_cpu(last_cpu());
	for (end = end_of_races(); now() < end || rounds < 1000; rounds++)
		ASSERT_EQ(cancel(fd, add(fd, LONG, 1)), 0);
	stop_threads();
	note("%u times", rounds);
}

/* There is room for each timer that one of the threads adds. */
TEST_CALL(room_that_a_batch_will_not_use_is_room_for_others,
	  with_limit("max_timers_user", LARGE_LIMIT, run_beside_batches))

/* A user's first descriptor makes the user's count, and the last one ends it. */
static void open_and_close(void *data)
{
	const __u64 end = end_of_races();

	while (now() < end) {
		const int fd = open_device(0);

		add(fd, LONG, 1);
		ASSERT_WITHIN(get_info(fd).timers_user, 1, PROCESSES * THREADS);
		close(fd);
	}
}

static void open_and_close_as_alice(void *data)
{
	become(ALICE);
	run_threads(open_and_close);
}

LIMIT_TEST(users_come_and_go)
{
	run_processes(PROCESSES, open_and_close_as_alice);
	become(ALICE);
	ASSERT_EQ(get_info(open_device(0)).timers_user, 0);
}

static void *map_table(int fd)
{
	return mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, TWHEEL_MMAP_TABLE);
}

LIMIT_TEST(shared_memory_is_limited_for_all_descriptors_together)
{
	const size_t most = 2 * (LIMIT * sizeof(struct twheel_event) / page_size() + 2);
	unsigned int n;
	int fd;

	become(ALICE);
	for (n = 0; n <= most; n++) {
		fd = open_device(0);
		if (map_table(fd) == MAP_FAILED)
			break;
	}
	ASSERT_EQ(errno, EDQUOT);
	ASSERT_EQ(n, most);
	/* A refused mapping takes no room, and gives none back. */
	ASSERT(map_table(fd) == MAP_FAILED);
	become(BOB);
	ASSERT(map_table(open_device(0)) != MAP_FAILED);
}

/* Has this process used a capability, for process accounting? */
static bool used_capability(void)
{
	enum { PF_SUPERPRIV = 0x100 };

	return number_from("/proc/self/stat", "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %llu") &
	       PF_SUPERPRIV;
}

/* A child begins without the mark. */
LIMIT_TEST(open_asks_for_no_capability)
{
	int fd;

	ASSERT(!used_capability());
	fd = open_device(0);
	ASSERT_EQ(get_info(fd).max_timers_user, ~0ULL);
	add_timers(fd, LIMIT);
	ASSERT(!used_capability());
	/* the mark is not always missing */
	CALL(setresuid(ALICE, 0, 0));
	ASSERT(used_capability());
}

/* The opener's capability counts, also if a limit is first passed much later. */
LIMIT_TEST(capability_is_the_openers_whenever_it_is_asked_for)
{
	const int capable = open_device(0);
	const __u64 before = get_info(capable).timers_user;
	int limited;

	drop_capability(CAP_SYS_RESOURCE);
	limited = open_device(0);
	ASSERT_EQ(get_info(capable).max_timers_user, ~0ULL);
	ASSERT_EQ(get_info(limited).max_timers_user, LIMIT);
	ASSERT_LT(before, LIMIT);
	add_timers(limited, LIMIT - before);
	check_user_full(limited, LIMIT);
	ASSERT_EQ(get_info(limited).max_timers_user, LIMIT);
	add_timers(capable, 100);
	ASSERT_EQ(get_info(capable).timers_user, LIMIT + 100);
}
