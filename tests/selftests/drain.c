// SPDX-License-Identifier: GPL-2.0
/*
 * TWHEEL_IOC_DRAIN: a program stops in good order. The driver accepts no new timers, and
 * gives back all pending timers as operations that arm them again. handover.c has a program
 * and its successor.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "device.h"
#include "parameter.h"

/* Drain all timers, up to @room. Returns their number. */
static unsigned int drain_all(int fd, struct twheel_op *ops, unsigned int room)
{
	unsigned int seen = 0;
	int got;

	while (seen < room) {
		got = drain(fd, ops + seen, room - seen);
		ASSERT_GE(got, 0);
		if (!got)
			break;
		seen += got;
	}
	return seen;
}

/* One of many different timers. Its cookie is its number. */
static struct twheel_op mixed_timer(unsigned int number)
{
	const __u32 policies[] = { 0, TWHEEL_EACH, TWHEEL_RESTART };
	struct twheel_op op = new_timer((100 + number) * NSEC_PER_SEC, number);

	if (number % 2) {
		op.period_ns = (1 + number) * NSEC_PER_SEC;
		op.flags = policies[number % 3];
	}
	op.group = number % 5;
	return op;
}

static int compare_cookies(const void *a, const void *b)
{
	const struct twheel_op *x = a, *y = b;

	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

TEST(every_pending_timer_is_handed_back)
{
	enum { MOST = 1000 };
	static struct twheel_op ops[MOST], records[MOST + 1];
	const unsigned int count = many(50000) < MOST ? many(50000) : MOST;
	const int fd = open_device(0);
	__u64 before, after, passed;
	unsigned int i;

	for (i = 0; i < count; i++)
		ops[i] = mixed_timer(i);
	before = now();
	add_all(fd, ops, count);
	after = now();
	ASSERT_EQ(drain_all(fd, records, MOST + 1), count);
	passed = now() - before;
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT_EQ(drain(fd, records + count, 1), 0);

	qsort(records, count, sizeof(records[0]), compare_cookies);
	for (i = 0; i < count; i++) {
		const struct twheel_op made = mixed_timer(i);

		ASSERT_EQ(records[i].op, TWHEEL_OP_ADD);
		ASSERT_EQ(records[i].flags, made.flags | TWHEEL_RESTORE);
		ASSERT_EQ(records[i].clockid, CLOCK_MONOTONIC);
		ASSERT_EQ(records[i].result, 0);
		ASSERT(records[i].handle == ops[i].handle);
		ASSERT_EQ(records[i].cookie, i);
		ASSERT_LE(records[i].time_ns, made.time_ns);
		ASSERT_GE(records[i].time_ns + passed, made.time_ns);
		ASSERT_EQ(records[i].period_ns, made.period_ns);
		ASSERT_EQ(records[i].group, made.group);
		ASSERT_EQ(records[i].window_ns, 0);
		ASSERT_EQ(cancel(fd, ops[i].handle), -ENOENT);
	}
	ASSERT_LE(before, after);
}

TEST(records_arm_the_timers_again)
{
	enum { COUNT = 300 };
	static struct twheel_op ops[COUNT], records[COUNT];
	const int old = open_device(0), fd = open_device(0);
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = mixed_timer(i);
	add_all(old, ops, COUNT);
	ASSERT_EQ(drain_all(old, records, COUNT), COUNT);
	close(old);

	/* with the records as they are, on another descriptor */
	batch(fd, records, COUNT);
	ASSERT_EQ(timers_of(fd), COUNT);
	qsort(records, COUNT, sizeof(records[0]), compare_cookies);
	for (i = 0; i < COUNT; i++) {
		const struct twheel_op made = mixed_timer(i);
		struct twheel_op op;

		ASSERT_EQ(records[i].result, 0);
		ASSERT_EQ(query(fd, records[i].handle, &op), 0);
		ASSERT_EQ(op.cookie, i);
		ASSERT_EQ(op.period_ns, made.period_ns);
		ASSERT_EQ(op.group, made.group);
		ASSERT_LE(op.time_ns, made.time_ns);
	}
}

TEST(timer_expires_after_the_time_it_had_left)
{
	const int fd = open_device(0);
	__u64 deadline, handle, before, after, left;
	struct twheel_event event;
	struct twheel_op op;
	int drained;

	do {
		resume(fd);
		deadline = now() + ticks(20) + margin_ns();
		handle = add_at(fd, deadline, 1);
		before = now();
		drained = drain(fd, &op, 1);
		after = now();
	} while (too_late(fd, handle, deadline));
	ASSERT_EQ(drained, 1);
	ASSERT(op.handle == handle);
	left = op.time_ns;
	ASSERT_LE(before + left, deadline);
	ASSERT_GE(after + left, deadline);
	pass(deadline);
	check_no_event(fd);

	resume(fd);
	op.op = 0;
	before = now();
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	after = now();
	arm_timerfds(after + left);
	ASSERT(op.handle != handle);
	event = read_one(fd);
	ASSERT_EQ(event.cookie, 1);
	ASSERT_GE(event.deadline_ns, before + left);
	ASSERT_LE(event.deadline_ns, after + left);
	check_lateness(&event);
}

TEST(new_timers_are_refused)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(ticks(1), 1);

	ASSERT_EQ(drain(fd, &op, 1), 0);
	op = new_timer(ticks(1), 1);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, ESHUTDOWN);
	op.group = 1;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
	op.op = TWHEEL_OP_ADD;
	batch(fd, &op, 1);
	ASSERT_EQ(op.result, -ESHUTDOWN);
	ASSERT_EQ(op.handle, 0);
	check_no_event(fd);
	/* other descriptors still accept timers */
	add(open_device(0), 0, 1);
}

TEST(resume_accepts_timers_again)
{
	const int fd = open_device(0);
	struct twheel_op op;

	ASSERT_EQ(drain(fd, &op, 1), 0);
	resume(fd);
	resume(fd);
	add(fd, 0, 1);
	ASSERT_EQ(read_one(fd).cookie, 1);
}

TEST(expired_timers_are_left_to_read)
{
	const int fd = open_device(0);
	const __u64 expired = add(fd, 0, 1);
	struct twheel_op op[2];

	add(fd, LONG, 2);
	wait_for_event(fd);
	ASSERT_EQ(drain(fd, op, 2), 1);
	ASSERT_EQ(op[0].cookie, 2);
	ASSERT_EQ(timers_of(fd), 1);
	ASSERT(read_one(fd).handle == expired);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(memory_and_room_are_given_back)
{
	const int fd = open_with("max_timers", 10);
	struct twheel_op ops[10];
	const __u64 user = get_info(fd).timers_user;
	int i, round;

	for (round = 0; round < 5; round++) {
		for (i = 0; i < 10; i++)
			add_to_group(fd, LONG, 1 + i % 2, i);
		ASSERT_EQ(get_info(fd).timers_user, user + 10);
		ASSERT_EQ(drain_all(fd, ops, 10), 10);
		ASSERT_EQ(get_info(fd).timers_user, user);
		resume(fd);
	}
}

TEST(timer_in_use_can_be_changed_after_the_stop)
{
	const int fd = open_device(0);
	const __u64 handle = add(fd, 0, 1);
	struct twheel_op op;

	wait_for_event(fd);
	ASSERT_EQ(drain(fd, &op, 1), 0);
	ASSERT_EQ(change(fd, handle, LONG), TWHEEL_RETRACTED);
	ASSERT_EQ(drain(fd, &op, 1), 1);
	ASSERT(op.handle == handle);
}

TEST(periodic_timer_is_pending_again_when_it_is_read)
{
	const int fd = open_device(0);
	const __u64 handle = add_periodic(fd, now(), LONG, 1);
	struct twheel_op op;

	wait_for_event(fd);
	ASSERT_EQ(drain(fd, &op, 1), 0);
	ASSERT(read_one(fd).handle == handle);
	ASSERT_EQ(drain(fd, &op, 1), 1);
	ASSERT(op.handle == handle);
	ASSERT_EQ(op.period_ns, LONG);
	ASSERT_EQ(timers_of(fd), 0);
}

TEST(drained_timer_has_left_its_group)
{
	const int fd = open_device(0);
	struct twheel_op op;
	__u64 retracted;

	add_to_group(fd, LONG, 1, 1);
	ASSERT_EQ(drain(fd, &op, 1), 1);
	ASSERT_EQ(cancel_group(fd, 1, &retracted), -ENOENT);
}

TEST(array_is_filled_no_further_than_its_length)
{
	enum { COUNT = 200, ROOM = 70 };
	static struct twheel_op ops[COUNT];
	const int fd = open_device(0);
	unsigned int i;
	size_t byte;

	for (i = 0; i < COUNT; i++)
		add(fd, LONG, i);
	memset(ops, 0xcc, sizeof(ops));
	ASSERT_EQ(drain(fd, ops, ROOM), ROOM);
	for (byte = sizeof(ops[0]) * ROOM; byte < sizeof(ops); byte++)
		ASSERT_EQ(((unsigned char *)ops)[byte], 0xcc);
	ASSERT_EQ(timers_of(fd), COUNT - ROOM);
	ASSERT_EQ(drain_all(fd, ops, COUNT), COUNT - ROOM);
}

TEST(each_call_goes_on_where_the_last_ended)
{
	enum { COUNT = 100 };
	const int fd = open_device(0);
	bool seen[COUNT] = { false };
	struct twheel_op op;
	int i;

	for (i = 0; i < COUNT; i++)
		add(fd, LONG, i);
	for (i = 0; i < COUNT; i++) {
		ASSERT_EQ(drain(fd, &op, 1), 1);
		ASSERT_LT(op.cookie, COUNT);
		ASSERT(!seen[op.cookie]);
		seen[op.cookie] = true;
	}
	ASSERT_EQ(drain(fd, &op, 1), 0);
}

/* A drain that fails must not lose a timer. */
static void check_bad_page(int protection)
{
	enum { COUNT = 5, ROOM = 2 };
	const int fd = open_device(0);
	char *pages = two_pages(protection);
	struct twheel_op *ops = (void *)(pages + page_size());
	struct twheel_op rest[COUNT];
	bool seen[COUNT] = { false };
	int i;

	for (i = 0; i < COUNT; i++)
		add_to_group(fd, LONG, 1, i);
	ASSERT_EQ(drain(fd, ops, COUNT), -EFAULT);
	ASSERT_EQ(timers_of(fd), COUNT);
	/* the first record must fit as a whole */
	ASSERT_EQ(drain(fd, (void *)((char *)ops - 32), COUNT), -EFAULT);
	ASSERT_EQ(timers_of(fd), COUNT);
	ASSERT_EQ(drain(fd, ops - ROOM, COUNT), ROOM);
	ASSERT_EQ(timers_of(fd), COUNT - ROOM);
	ASSERT_EQ(drain(fd, rest + ROOM, COUNT), COUNT - ROOM);
	memcpy(rest, ops - ROOM, ROOM * sizeof(*ops));
	for (i = 0; i < COUNT; i++) {
		ASSERT_LT(rest[i].cookie, COUNT);
		ASSERT(!seen[rest[i].cookie]);
		seen[rest[i].cookie] = true;
	}
	close(fd);
}

TEST(timers_stay_if_the_array_is_not_mapped)
{
	check_bad_page(PROT_NONE);
}

TEST(timers_stay_if_the_array_is_read_only)
{
	check_bad_page(PROT_READ);
}

TEST(array_that_is_not_there_yet_is_brought_in)
{
	enum { COUNT = 300 };
	const int fd = open_device(0);
	struct twheel_op *ops = mmap(NULL, COUNT * sizeof(*ops),
				     PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	ASSERT(ops != MAP_FAILED);
	for (i = 0; i < COUNT; i++)
		add(fd, LONG, i);
	ASSERT_EQ(drain_all(fd, ops, COUNT), COUNT);
	for (i = 0; i < COUNT; i++)
		ASSERT_EQ(ops[i].op, TWHEEL_OP_ADD);
}

TEST(array_at_null_is_efault)
{
	const int fd = open_device(0);

	add(fd, LONG, 1);
	ASSERT_EQ(drain(fd, NULL, 1), -EFAULT);
	ASSERT_EQ(timers_of(fd), 1);
}

/* The address of a variable of the driver: mapped, and writable for the kernel. */
static __u64 kernel_address(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0, found = 0;
	char line[512], name[256], type;

	if (!file)
		skip("no /proc/kallsyms");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c %255s", &address, &type, name) == 3 &&
		    !strcmp(name, "max_timers_user"))
			found = address;
	fclose(file);
	if (!found)
		skip("no address in /proc/kallsyms");
	return found;
}

TEST(array_in_kernel_memory_is_efault)
{
	const int fd = open_device(0);
	const unsigned long long limit = read_parameter("max_timers_user");
	struct twheel_drain arg = { .ops = kernel_address(), .count = 1 };

	add(fd, LONG, 0x5555555555555555ULL);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EFAULT);
	ASSERT_EQ(read_parameter("max_timers_user"), limit);
	ASSERT_EQ(timers_of(fd), 1);
	arg.ops = ~0ULL - 4095;
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EFAULT);
	arg.ops = 1ULL << 63;
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EFAULT);
	ASSERT_EQ(timers_of(fd), 1);
}

static void check_einval(int fd, struct twheel_drain arg)
{
	const struct twheel_op op = new_timer(LONG, 1);
	const __u64 timers = timers_of(fd);

	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EINVAL);
	ASSERT_EQ(timers_of(fd), timers);
	/* the descriptor still accepts timers */
	ASSERT_EQ(cancel(fd, arm(fd, op)), 0);
}

TEST(value_out_of_range_is_einval)
{
	struct twheel_op op;
	const struct twheel_drain valid = {
		.ops = (unsigned long)&op,
		.count = 1,
	};
	const int fd = open_device(0);
	struct twheel_drain arg;
	unsigned int i, bit;

	add(fd, LONG, 1);
	arg = valid;
	arg.count = 0;
	check_einval(fd, arg);
	arg.count = INT_MAX + 1U;
	check_einval(fd, arg);
	arg.count = UINT_MAX;
	check_einval(fd, arg);
	for (bit = 1; bit < 32; bit++) {
		arg = valid;
		arg.flags = 1U << bit;
		check_einval(fd, arg);
		arg = (struct twheel_drain){
			.flags = TWHEEL_DRAIN_RESUME | 1U << bit,
		};
		check_einval(fd, arg);
	}
	for (i = 0; i < ARRAY_SIZE(valid.reserved); i++) {
		arg = valid;
		arg.reserved[i] = 1ULL << 63;
		check_einval(fd, arg);
		arg = (struct twheel_drain){ .flags = TWHEEL_DRAIN_RESUME };
		arg.reserved[i] = 1;
		check_einval(fd, arg);
	}
}

TEST(resume_with_an_array_is_einval)
{
	const int fd = open_device(0);
	struct twheel_op op;
	struct twheel_drain arg = {
		.ops = (unsigned long)&op,
		.flags = TWHEEL_DRAIN_RESUME,
	};

	ASSERT_EQ(drain(fd, &op, 1), 0);
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EINVAL);
	arg.ops = 0;
	arg.count = 1;
	ASSERT_ERRNO(ioctl(fd, TWHEEL_IOC_DRAIN, &arg), EINVAL);
	/* the refused call did not resume */
	op = new_timer(LONG, 1);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ESHUTDOWN);
}

TEST(restore_is_for_add_only)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(LONG, 1);

	op.flags = TWHEEL_RESTORE;
	REFUSED(fd, TWHEEL_IOC_UPSERT, &op, EINVAL);
	op.handle = 12345;
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	ASSERT_NE(op.handle, 12345);
	ASSERT_EQ(cancel(fd, op.handle), 0);
	op = (struct twheel_op){
		.flags = TWHEEL_RESTORE,
		.handle = add(fd, LONG, 1),
	};
	REFUSED(fd, TWHEEL_IOC_CHANGE, &op, EINVAL);
	REFUSED(fd, TWHEEL_IOC_CANCEL, &op, EINVAL);
	REFUSED(fd, TWHEEL_IOC_QUERY, &op, EINVAL);
}

/*
 * Threads add, cancel and read while the descriptor is drained again and again.
 * Each timer ends exactly once. When drain() returns 0, no timer is pending.
 */
enum { MOST = 1 << 20, ADDERS = 3, DRAINERS = 2, THREADS = 1 + ADDERS + DRAINERS };
enum ending { READ = 1, CANCELLED = 2, DRAINED = 4, REFUSED_ADD = 8 };

static atomic_uchar endings[MOST];
static atomic_uint added, counts[DRAINED + 1], refusals;
static atomic_bool stopping;
static int shared_fd;

static void end_timer(__u64 number, enum ending how)
{
	unsigned char before;

	ASSERT_LT(number, MOST);
	before = atomic_fetch_or(&endings[number], how);
	if (before)
		FAIL("timer %llu: ended as %d, but before as %u", number, how,
		     before);
	atomic_fetch_add(&counts[how], 1);
}

/* Timers that are added at full speed in one round. */
enum { ENOUGH = 100000 };

/* Add timers until they are refused. */
static void *add_until_the_stop(void *data)
{
	const unsigned int first = added;
	unsigned int seed = 1000 + (unsigned long)data;
	struct twheel_op ops[64];
	unsigned int i, number;

	for (;;) {
		number = atomic_fetch_add(&added, ARRAY_SIZE(ops));
		if (number + ARRAY_SIZE(ops) > MOST)
			FAIL("no stop after %u timers", number);
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			ops[i] = add_op(rand_r(&seed) % 2 ? LONG : rand_r(&seed) % ticks(3),
					number + i);
			ops[i].group = rand_r(&seed) % 3;
		}
		batch(shared_fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			if (!ops[i].result)
				continue;
			ASSERT_EQ(ops[i].result, -ESHUTDOWN);
			endings[number + i] = REFUSED_ADD;
			atomic_fetch_add(&refusals, 1);
		}
		if (ops[ARRAY_SIZE(ops) - 1].result)
			return NULL;
		/* the host may have stopped the CPU of the threads that drain */
		if (number - first > ENOUGH)
			usleep(10000);
		if (rand_r(&seed) % 4 == 0 && cancel(shared_fd, ops[3].handle) >= 0)
			end_timer(number + 3, CANCELLED);
	}
}

static bool all_read(void)
{
	return stopping && !has_event(shared_fd);
}

static void take_event(const struct twheel_event *event)
{
	end_timer(event->cookie, READ);
}

static void *read_until_told(void *data)
{
	read_until(shared_fd, all_read, take_event);
	return NULL;
}

static void *drain_until_empty(void *data)
{
	struct twheel_op ops[32];
	int i, got;

	pass_ticks(2);
	do {
		got = drain(shared_fd, ops, ARRAY_SIZE(ops));
		ASSERT_GE(got, 0);
		for (i = 0; i < got; i++)
			end_timer(ops[i].cookie, DRAINED);
	} while (got);
	return NULL;
}

static void drain_round(void)
{
	pthread_t threads[THREADS];
	unsigned long i;

	stopping = false;
	for (i = 0; i < THREADS; i++)
		threads[i] = start_thread(i == 0 ? read_until_told :
					  i <= ADDERS ? add_until_the_stop :
					  drain_until_empty, (void *)i);
	join_threads(threads + 1, THREADS - 1);
	/* the drain that returned 0 left no pending timer, only unread events */
	ASSERT_EQ(drain(shared_fd, &(struct twheel_op){ 0 }, 1), 0);
	stopping = true;
	join_threads(threads, 1);
	ASSERT_EQ(timers_of(shared_fd), 0);
	resume(shared_fd);
}

TEST(drain_races_with_add_cancel_expiry_and_read)
{
	const __u64 end = end_of_races();
	unsigned int rounds, i;

	shared_fd = open_device(O_NONBLOCK);
	for (rounds = 0; rounds < 3 || !counts[DRAINED] || !counts[READ] ||
	     (now() < end && added < MOST / 2); rounds++)
		drain_round();
	note("%u rounds, %u timers: %u drained, %u cancelled, %u expired, %u refused",
	     rounds, added, counts[DRAINED], counts[CANCELLED], counts[READ],
	     refusals);
	ASSERT_GT(counts[DRAINED], 0);
	ASSERT_GT(counts[READ], 0);
	ASSERT_EQ(added, counts[DRAINED] + counts[CANCELLED] + counts[READ] +
		  refusals);
	for (i = 0; i < added; i++)
		ASSERT_NE(endings[i], 0);
}

/* An add that has begun when the drain begins is refused, or its timer drained. */
static void *add_batches_until_the_stop(void *data)
{
	struct twheel_op ops[64];
	unsigned int i, *armed = data;

	do {
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			ops[i] = add_op(LONG, i);
		batch(shared_fd, ops, ARRAY_SIZE(ops));
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			*armed += !ops[i].result;
		atomic_fetch_add(&added, ARRAY_SIZE(ops));
	} while (!ops[ARRAY_SIZE(ops) - 1].result);
	return NULL;
}

TEST(drain_waits_for_adds_that_have_begun)
{
	const __u64 end = end_of_races();
	struct twheel_op ops[64];
	unsigned int rounds;
	pthread_t thread;

	shared_fd = open_device(0);
	for (rounds = 0; rounds < 5 || now() < end; rounds++) {
		unsigned int armed = 0, drained = 0;
		int got;

		added = 0;
		thread = start_thread(add_batches_until_the_stop, &armed);
		while (!added)
			continue;
		do {
			got = drain(shared_fd, ops, ARRAY_SIZE(ops));
			ASSERT_GE(got, 0);
			drained += got;
		} while (got);
		join_threads(&thread, 1);
		ASSERT_EQ(drained, armed);
		ASSERT_EQ(timers_of(shared_fd), 0);
		resume(shared_fd);
	}
	note("%u rounds", rounds);
}
