// SPDX-License-Identifier: GPL-2.0
/*
 * The table of deadlines: timers that are pushed back without a system call,
 * and what comes of a program that writes anything at all into it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "device.h"

#define CLOSED		TWHEEL_WORD_CLOSED
#define LATEST		(CLOSED - 1)
#define FAR		(100 * NSEC_PER_SEC)
#define TABLE_MOST	((size_t)16 << 24)

/* Where the deadline of a timer is, in an array of numbers. */
#define WORD(handle)	(2 * TWHEEL_INDEX(handle))

enum { WORDS = 512 };

static void *map(int fd, size_t size, int protection, int flags, __u64 offset)
{
	return mmap(NULL, size, protection, flags, fd, offset);
}

static __u64 *map_words(int fd, unsigned int words)
{
	void *table = map(fd, words * sizeof(struct twheel_word), PROT_READ | PROT_WRITE,
			  MAP_SHARED, TWHEEL_MMAP_TABLE);

	if (table == MAP_FAILED)
		FAIL("mmap: %s", strerror(errno));
	return table;
}

static __u64 *map_table(int fd)
{
	return map_words(fd, page_size() / sizeof(struct twheel_word));
}

static struct twheel_op shared_timer(__u64 deadline, __u64 cookie)
{
	struct twheel_op op = new_timer(deadline, cookie);

	op.flags = TWHEEL_ABSTIME | TWHEEL_SHARED;
	return op;
}

static __u64 add_shared(int fd, __u64 deadline, __u64 cookie)
{
	struct twheel_op op = shared_timer(deadline, cookie);

	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_ADD, &op)), 0);
	return op.handle;
}

static __u64 get(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void put(__u64 *word, __u64 value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* Push a deadline back once, as the header says. Fills in what was seen instead. */
static bool push(__u64 *word, __u64 *seen, __u64 later)
{
	if (*seen & CLOSED)
		return false;
	return __atomic_compare_exchange_n(word, seen, later, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* The same where nobody else does it. */
static bool push_alone(__u64 *word, __u64 later)
{
	__u64 seen = get(word);

	return push(word, &seen, later);
}

/* A descriptor with a timer, whose word can be pushed back. */
struct one {
	int	fd;
	__u64	handle;
	__u64	*word;
	__u64	deadline;
};

static struct one one_timer(__u64 delay_ns)
{
	struct one one = { .fd = open_device(O_NONBLOCK) };
	__u64 *table = map_table(one.fd);

	one.deadline = now() + delay_ns;
	one.handle = add_shared(one.fd, one.deadline, 1);
	one.word = &table[WORD(one.handle)];
	return one;
}

/* That it expires for this deadline, in time, and only once. */
static void expires(const struct one *one, __u64 deadline)
{
	const struct twheel_event event = read_one(one->fd);

	ASSERT(event.handle == one->handle);
	ASSERT_EQ(event.deadline_ns, deadline);
	ASSERT_EQ(event.count, 1);
	check_lateness(&event);
	check_no_event(one->fd);
	ASSERT_EQ(timers_of(one->fd), 0);
}

TEST(word_has_the_deadline)
{
	const struct one one = one_timer(FAR);

	ASSERT_EQ(get(one.word), one.deadline);
}

TEST(word_has_the_deadline_of_a_relative_time)
{
	const int fd = open_device(0);
	struct twheel_op op = new_timer(FAR, 1);
	const __u64 *table = map_table(fd);
	const __u64 before = now();

	op.flags = TWHEEL_SHARED;
	CALL(ioctl(fd, TWHEEL_IOC_ADD, &op));
	ASSERT_GE(get(&table[WORD(op.handle)]), before + FAR);
	ASSERT_LE(get(&table[WORD(op.handle)]), now() + FAR);
}

TEST(word_has_what_a_change_makes_of_the_deadline)
{
	const struct one one = one_timer(FAR);

	ASSERT_EQ(change_to(one.fd, one.handle, one.deadline + 5), 0);
	ASSERT_EQ(get(one.word), one.deadline + 5);
	ASSERT_EQ(change_to(one.fd, one.handle, one.deadline - 5), 0);
	ASSERT_EQ(get(one.word), one.deadline - 5);
}

TEST(words_without_a_timer_are_closed)
{
	const int fd = open_device(0);
	const __u64 *table = map_table(fd);
	unsigned int i;

	for (i = 0; i < page_size() / sizeof(struct twheel_word); i++)
		ASSERT(get(&table[2 * i]) & CLOSED);
}

TEST(pushed_back_timer_expires_at_its_new_deadline)
{
	const struct one one = one_timer(margin_ns());
	const __u64 later = one.deadline + margin_ns();

	ASSERT(push_alone(one.word, later));
	pass(one.deadline + ticks(2));
	if (now() < later)
		ASSERT(!has_event(one.fd));
	expires(&one, later);
}

TEST(pushed_back_by_one_nanosecond)
{
	const struct one one = one_timer(margin_ns());

	ASSERT(push_alone(one.word, one.deadline + 1));
	expires(&one, one.deadline + 1);
}

TEST(heartbeat_keeps_a_timer_from_expiring)
{
	const struct one one = one_timer(margin_ns());
	const __u64 end = now() + 5 * margin_ns();
	__u64 last = one.deadline;
	unsigned int pushes = 0;

	while (now() < end) {
		const __u64 later = now() + margin_ns();

		/* a machine that stood still: it expires for the last one */
		if (!push_alone(one.word, later))
			break;
		last = later;
		pushes++;
		pass_ticks(0);
	}
	note("%u pushes", pushes);
	ASSERT_GE(pushes, 1);
	expires(&one, last);
}

TEST(earlier_word_has_no_effect_before_the_deadline)
{
	const struct one one = one_timer(margin_ns());

	put(one.word, now());
	expires(&one, one.deadline);
}

TEST(change_to_earlier_expires_earlier)
{
	const struct one one = one_timer(FAR);
	const __u64 earlier = now() + ticks(2);

	ASSERT_EQ(change_to(one.fd, one.handle, earlier), 0);
	expires(&one, earlier);
}

TEST(change_undoes_a_push)
{
	const struct one one = one_timer(FAR / 2);
	const __u64 earlier = now() + ticks(2);

	ASSERT(push_alone(one.word, one.deadline + FAR));
	ASSERT_EQ(change_to(one.fd, one.handle, earlier), 0);
	expires(&one, earlier);
}

TEST(changed_timer_can_be_pushed_back)
{
	const struct one one = one_timer(FAR);
	const __u64 earlier = now() + margin_ns();

	ASSERT_EQ(change_to(one.fd, one.handle, earlier), 0);
	ASSERT(push_alone(one.word, earlier + ticks(3)));
	expires(&one, earlier + ticks(3));
}

TEST(upsert_of_a_shared_timer_sets_its_word)
{
	const struct one one = one_timer(FAR);
	struct twheel_op op = shared_timer(one.deadline + 7, 1);

	op.handle = one.handle;
	ASSERT_EQ(CALL(ioctl(one.fd, TWHEEL_IOC_UPSERT, &op)), 0);
	ASSERT_EQ(get(one.word), one.deadline + 7);
	ASSERT_EQ(cancel(one.fd, one.handle), 0);
	op = shared_timer(one.deadline + 9, 1);
	op.handle = one.handle;
	ASSERT_EQ(CALL(ioctl(one.fd, TWHEEL_IOC_UPSERT, &op)), TWHEEL_ADDED);
	ASSERT_EQ(get(one.word - WORD(one.handle) +
		      WORD(op.handle)), one.deadline + 9);
}

TEST(query_sees_a_push)
{
	const struct one one = one_timer(FAR);
	struct twheel_op op;

	ASSERT(push_alone(one.word, one.deadline + FAR));
	ASSERT_EQ(query(one.fd, one.handle, &op), 0);
	ASSERT_GT(op.time_ns, FAR);
	ASSERT_LE(op.time_ns, 2 * FAR);
}

TEST(pushed_to_the_end_of_time)
{
	const struct one one = one_timer(ticks(3));

	if (!push_alone(one.word, LATEST))
		skip("too slow");
	pass(one.deadline + ticks(2));
	ASSERT(!has_event(one.fd));
	ASSERT_EQ(cancel(one.fd, one.handle), 0);
}

/* Nothing can be pushed any more. */
static void closed(const __u64 *word)
{
	ASSERT(get(word) & CLOSED);
}

TEST(expiry_closes_the_word)
{
	const struct one one = one_timer(ticks(1));

	wait_for_event(one.fd);
	closed(one.word);
	ASSERT_EQ(get(one.word) & ~CLOSED, one.deadline);
	ASSERT(!push_alone(one.word, now() + FAR));
	expires(&one, one.deadline);
	closed(one.word);
}

TEST(cancel_closes_the_word)
{
	const struct one one = one_timer(ticks(5));

	push_alone(one.word, one.deadline + ticks(3));
	ASSERT_EQ(cancel(one.fd, one.handle), 0);
	closed(one.word);
	pass(one.deadline + ticks(3));
	check_no_event(one.fd);
}

TEST(cancel_of_the_group_closes_its_words)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 *table = map_table(fd);
	struct twheel_op all = { .group = 7 };
	__u64 handles[100], other;
	unsigned int i;

	other = add_shared(fd, now() + FAR, 1);
	for (i = 0; i < ARRAY_SIZE(handles); i++) {
		struct twheel_op op = shared_timer(now() + FAR, i);

		op.group = 7;
		CALL(ioctl(fd, TWHEEL_IOC_ADD, &op));
		handles[i] = op.handle;
	}
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_CANCEL_GROUP, &all)), 100);
	for (i = 0; i < ARRAY_SIZE(handles); i++)
		closed(&table[WORD(handles[i])]);
	ASSERT(!(get(&table[WORD(other)]) & CLOSED));
}

TEST(retraction_by_a_change_opens_the_word_again)
{
	const struct one one = one_timer(ticks(1));
	const __u64 later = one.deadline + 2 * margin_ns();

	wait_for_event(one.fd);
	ASSERT_EQ(change_to(one.fd, one.handle, later), TWHEEL_RETRACTED);
	ASSERT_EQ(get(one.word), later);
	ASSERT(push_alone(one.word, later + ticks(1)));
	expires(&one, later + ticks(1));
}

TEST(table_is_used_again_and_again)
{
	const int fd = open_device(O_NONBLOCK);
	__u64 *table = map_table(fd);
	const unsigned int words = page_size() / sizeof(struct twheel_word);
	unsigned int i;

	for (i = 0; i < 3 * words; i++) {
		const __u64 deadline = now() + FAR + i;
		const __u64 handle = add_shared(fd, deadline, i);
		__u64 *word = &table[WORD(handle)];

		ASSERT_LT(TWHEEL_INDEX(handle), words);
		ASSERT_EQ(get(word), deadline);
		ASSERT(push_alone(word, deadline + FAR));
		ASSERT_EQ(cancel(fd, handle), 0);
		ASSERT_EQ(cancel(fd, handle), -ENOENT);
		closed(word);
	}
}

TEST(word_says_whose_it_is)
{
	const struct one one = one_timer(FAR);
	const struct twheel_word *word = (const struct twheel_word *)one.word;

	ASSERT_EQ(word->handle, one.handle);
}

/* So that who still has the old handle cannot take the one for the other. */
TEST(index_comes_again_only_after_all_others)
{
	const int fd = open_device(O_NONBLOCK);
	const unsigned int words = page_size() / sizeof(struct twheel_word);
	__u64 first, handle;
	unsigned int i;

	map_table(fd);
	first = add_shared(fd, now() + FAR, 0);
	ASSERT_EQ(cancel(fd, first), 0);
	for (i = 1; i < words; i++) {
		handle = add_shared(fd, now() + FAR, i);
		ASSERT(TWHEEL_INDEX(handle) != TWHEEL_INDEX(first));
		ASSERT_EQ(cancel(fd, handle), 0);
	}
	handle = add_shared(fd, now() + FAR, i);
	ASSERT_EQ(TWHEEL_INDEX(handle), TWHEEL_INDEX(first));
}

TEST(other_timers_leave_the_table_alone)
{
	const int fd = open_device(O_NONBLOCK);
	const unsigned int words = page_size() / sizeof(struct twheel_word);
	unsigned int i;

	map_table(fd);
	for (i = 0; i < 2 * words; i++)
		ASSERT_GE(TWHEEL_INDEX(add(fd, FAR, i)), words);
	for (i = 0; i < words; i++)
		add_shared(fd, now() + FAR, i);
}

TEST(half_of_a_thousand_is_pushed_back)
{
	enum { COUNT = 1000 };
	static struct twheel_event events[COUNT];
	static struct twheel_op ops[COUNT];
	const int fd = open_device(O_NONBLOCK);
	__u64 *table = map_words(fd, 2 * WORDS);
	const __u64 deadline = now() + 2 * margin_ns();
	const __u64 later = deadline + 2 * margin_ns();
	unsigned int i;

	for (i = 0; i < COUNT; i++)
		ops[i] = shared_timer(deadline + i, i);
	add_all(fd, ops, COUNT);
	for (i = 0; i < COUNT; i += 2)
		if (!push_alone(&table[WORD(ops[i].handle)], later + i))
			skip("too slow");
	read_all(fd, events, COUNT);
	for (i = 0; i < COUNT; i++) {
		const __u64 cookie = events[i].cookie;

		ASSERT_LT(cookie, COUNT);
		ASSERT_EQ(events[i].deadline_ns,
			  (cookie % 2 ? deadline : later) + cookie);
		ASSERT_EQ(ops[cookie].op, TWHEEL_OP_ADD);
		ops[cookie].op = 0;
	}
	check_no_event(fd);
}

TEST(drain_gives_the_deadline_that_was_pushed_back)
{
	const struct one one = one_timer(FAR);
	struct twheel_op op = { };
	struct twheel_drain drain = { .ops = (unsigned long)&op, .count = 1 };

	ASSERT(push_alone(one.word, one.deadline + FAR));
	ASSERT_EQ(CALL(ioctl(one.fd, TWHEEL_IOC_DRAIN, &drain)), 1);
	ASSERT(op.flags & TWHEEL_SHARED);
	ASSERT_GT(op.time_ns, FAR);
	closed(one.word);
}

/* Races: a deadline is pushed back just when it comes. */

enum { BATCH = 32, MOST = 1 << 17, THREADS = 2 };

static struct heartbeat {
	__u64		deadline;
	atomic_ullong	pushed;		/* the last one that succeeded, or 0 */
	atomic_uint	lost;		/* threads that found the word closed */
	__u64		event;		/* deadline of the event that came */
	unsigned int	events;
} heartbeats[MOST];

static atomic_bool stopping;
static atomic_uint first;
static __u64 *race_table;
static __u64 race_handles[BATCH];
static pthread_barrier_t round_begins, round_ends;
static int race_fd;

static void note_push(struct heartbeat *beat, __u64 later)
{
	unsigned long long before = beat->pushed;

	while (before < later &&
	       !atomic_compare_exchange_weak(&beat->pushed, &before, later))
		continue;
}

/* Each thread pushes each timer once, at about the time when it is due. */
static void push_round(unsigned int thread, unsigned int *seed)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		const unsigned int at = (i + thread * BATCH / 2) % BATCH;
		__u64 *word = &race_table[WORD(race_handles[at])];
		struct heartbeat *beat = &heartbeats[first + at];
		const __u64 until = beat->deadline +
				    rand_r(seed) % (2 * tick_ns());
		__u64 seen;

		while (now() < until)
			continue;
		seen = get(word);
		while (!(seen & CLOSED)) {
			const __u64 later = seen + ticks(1) +
					    rand_r(seed) % ticks(3);

			if (push(word, &seen, later)) {
				note_push(beat, later);
				break;
			}
		}
		if (seen & CLOSED)
			beat->lost++;
	}
}

static void *push_when_due(void *data)
{
	const unsigned int thread = (unsigned long)data;
	unsigned int seed = 1 + thread;

	for (;;) {
		pthread_barrier_wait(&round_begins);
		if (stopping)
			return NULL;
		push_round(thread, &seed);
		pthread_barrier_wait(&round_ends);
	}
}

static void *read_heartbeats(void *data)
{
	struct twheel_event events[16];
	int i, got;

	for (;;) {
		if (stopping && !timers_of(race_fd))
			return NULL;
		pass_ticks(0);
		got = read_events(race_fd, events, ARRAY_SIZE(events));
		if (got == -EAGAIN)
			continue;
		ASSERT_GT(got, 0);
		for (i = 0; i < got; i++) {
			struct heartbeat *beat = &heartbeats[events[i].cookie];

			check_event(&events[i]);
			ASSERT_LT(events[i].cookie, MOST);
			beat->event = events[i].deadline_ns;
			ASSERT_EQ(beat->events++, 0);
		}
	}
}

static void start_round(unsigned int *seed)
{
	struct twheel_op ops[BATCH];
	const __u64 start = now() + ticks(1);
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		heartbeats[first + i].deadline = start + i * ticks(1) / BATCH +
						 rand_r(seed) % 1000;
		ops[i] = shared_timer(heartbeats[first + i].deadline, first + i);
	}
	add_all(race_fd, ops, BATCH);
	for (i = 0; i < BATCH; i++)
		race_handles[i] = ops[i].handle;
}

/*
 * What must have become of it. A push that succeeded holds; a timer whose word was
 * found closed has expired, for the last deadline that was pushed or the first.
 */
static void check_heartbeat(const struct heartbeat *beat)
{
	ASSERT_EQ(beat->events, 1);
	if (beat->pushed)
		ASSERT_EQ(beat->event, beat->pushed);
	else
		ASSERT_EQ(beat->event, beat->deadline);
	if (!beat->pushed)
		ASSERT_EQ(beat->lost, THREADS);
}

TEST(push_wins_against_expiry_or_knows_that_it_lost)
{
	const __u64 end = now() + (debug_kernel() ? 4 : 3) * NSEC_PER_SEC;
	unsigned int seed = 3, won = 0, lost = 0, i;
	pthread_t pushers[THREADS], reader;

	race_fd = open_device(O_NONBLOCK);
	race_table = map_table(race_fd);
	pthread_barrier_init(&round_begins, NULL, THREADS + 1);
	pthread_barrier_init(&round_ends, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(pthread_create(&pushers[i], NULL, push_when_due,
					 (void *)(unsigned long)i), 0);
	ASSERT_EQ(pthread_create(&reader, NULL, read_heartbeats, NULL), 0);
	while (now() < end && first + BATCH <= MOST) {
		/* a word must not be another timer's while it is pushed */
		while (timers_of(race_fd))
			pass_ticks(0);
		start_round(&seed);
		pthread_barrier_wait(&round_begins);
		pthread_barrier_wait(&round_ends);
		first += BATCH;
	}
	stopping = true;
	pthread_barrier_wait(&round_begins);
	for (i = 0; i < THREADS; i++)
		pthread_join(pushers[i], NULL);
	pthread_join(reader, NULL);
	for (i = 0; i < first; i++) {
		check_heartbeat(&heartbeats[i]);
		won += heartbeats[i].pushed != 0;
		lost += heartbeats[i].lost != 0;
	}
	note("%u timers: %u pushed back, %u found closed", first, won, lost);
	ASSERT_GT(won, 0);
	ASSERT_GT(lost, 0);
}

/*
 * One CPU arms a crowd of timers, and so expires them; another pushes them back
 * by next to nothing, as fast as it goes, until they have all expired.
 */
enum { CROWD = 4096 };

static struct {
	bool	backwards;
	__u64	deadline;
	__u64	*words[CROWD];
	__u64	pushed[CROWD];
} crowd;

/* One by one, so as to be just where the kernel is, if that is its order too. */
static void push_crowd_until_closed(void)
{
	unsigned int i;

	for (i = 0; i < CROWD; i++) {
		const unsigned int at = crowd.backwards ? CROWD - 1 - i : i;
		__u64 *word = crowd.words[at], seen = get(word);

		while (!(seen & CLOSED))
			if (push(word, &seen, seen + 1))
				crowd.pushed[at] = ++seen;
	}
}

static void *push_crowds(void *data)
{
	stay_on_cpu(last_cpu());
	for (;;) {
		pthread_barrier_wait(&round_begins);
		if (stopping)
			return NULL;
		push_crowd_until_closed();
		pthread_barrier_wait(&round_ends);
	}
}

static void arm_crowd(int fd, __u64 *table)
{
	static struct twheel_op ops[CROWD];
	unsigned int i;

	crowd.deadline = now() + ticks(2);
	for (i = 0; i < CROWD; i++)
		ops[i] = shared_timer(crowd.deadline, i);
	add_all(fd, ops, CROWD);
	for (i = 0; i < CROWD; i++) {
		crowd.words[i] = &table[WORD(ops[i].handle)];
		crowd.pushed[i] = crowd.deadline;
	}
}

TEST(last_push_before_expiry_is_the_events_deadline)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 end = now() + 3 * NSEC_PER_SEC;
	static struct twheel_event events[CROWD];
	__u64 *table = map_words(fd, CROWD);
	unsigned int i, rounds = 0, pushed = 0;
	pthread_t pusher;

	stay_on_one_cpu();
	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_barrier_init(&round_ends, NULL, 2);
	ASSERT_EQ(pthread_create(&pusher, NULL, push_crowds, NULL), 0);
	while (now() < end || rounds < 2) {
		arm_crowd(fd, table);
		crowd.backwards = rounds % 2;
		pthread_barrier_wait(&round_begins);
		pthread_barrier_wait(&round_ends);
		read_all(fd, events, CROWD);
		for (i = 0; i < CROWD; i++)
			ASSERT_EQ(events[i].deadline_ns,
				  crowd.pushed[events[i].cookie]);
		for (i = 0; i < CROWD; i++)
			pushed += crowd.pushed[i] != crowd.deadline;
		rounds++;
	}
	stopping = true;
	pthread_barrier_wait(&round_begins);
	pthread_join(pusher, NULL);
	note("%u rounds, %u timers pushed", rounds, pushed);
}

enum { STEP = 1000, STEPS = 20000 };

static void *push_by_steps(void *word)
{
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		__u64 seen = get(word);

		while (!push(word, &seen, seen + STEP))
			ASSERT(!(seen & CLOSED));
	}
	return NULL;
}

TEST(threads_that_push_the_same_word_lose_nothing)
{
	const struct one one = one_timer(FAR);
	const __u64 last = one.deadline + 2ULL * STEPS * STEP;
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, push_by_steps, one.word), 0);
	push_by_steps(one.word);
	pthread_join(thread, NULL);
	ASSERT_EQ(get(one.word), last);
	ASSERT_EQ(cancel(one.fd, one.handle), 0);
}

/* Pushes some words by FAR, over and over. */
enum { PUSHED = 32 };

static struct {
	__u64		*words[PUSHED];
	__u64		count[PUSHED];	/* how often each was pushed */
	atomic_uint	sweeps;
} pushes;

static void *push_all_by_far(void *data)
{
	unsigned int i;

	while (!stopping) {
		for (i = 0; i < PUSHED; i++) {
			__u64 seen = get(pushes.words[i]);

			if (push(pushes.words[i], &seen, seen + FAR))
				pushes.count[i]++;
		}
		pushes.sweeps++;
	}
	return NULL;
}

static void start_pushes(pthread_t *thread)
{
	stopping = false;
	pushes.sweeps = 0;
	memset(pushes.count, 0, sizeof(pushes.count));
	ASSERT_EQ(pthread_create(thread, NULL, push_all_by_far, NULL), 0);
}

/* Add, push and drain; no push that succeeded may be missing. */
static void push_and_drain(int fd, __u64 *table)
{
	const struct twheel_drain resume = { .flags = TWHEEL_DRAIN_RESUME };
	struct twheel_op ops[PUSHED], back[PUSHED];
	const struct twheel_drain drain = {
		.ops = (unsigned long)back,
		.count = PUSHED,
	};
	const __u64 deadline = now() + FAR;
	__u64 before, after;
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < PUSHED; i++)
		ops[i] = shared_timer(deadline, i);
	add_all(fd, ops, PUSHED);
	for (i = 0; i < PUSHED; i++)
		pushes.words[i] = &table[WORD(ops[i].handle)];
	start_pushes(&thread);
	while (!pushes.sweeps)
		sched_yield();
	before = now();
	ASSERT_EQ(CALL(ioctl(fd, TWHEEL_IOC_DRAIN, &drain)), PUSHED);
	after = now();
	stopping = true;
	pthread_join(thread, NULL);
	for (i = 0; i < PUSHED; i++) {
		const __u64 last = deadline + FAR *
				   pushes.count[back[i].cookie % PUSHED];

		ASSERT_GE(back[i].time_ns + after, last);
		ASSERT_LE(back[i].time_ns + before, last);
	}
	CALL(ioctl(fd, TWHEEL_IOC_DRAIN, &resume));
}

TEST(drain_loses_no_push)
{
	const int fd = open_device(0);
	const __u64 end = now() + 2 * NSEC_PER_SEC;
	__u64 *table = map_table(fd);
	unsigned int rounds = 0;

	for (; now() < end || !rounds; rounds++)
		push_and_drain(fd, table);
	note("%u rounds", rounds);
}

TEST(nothing_is_pushed_after_cancel)
{
	const int fd = open_device(O_NONBLOCK);
	const __u64 end = now() + NSEC_PER_SEC / 2;
	__u64 *table = map_table(fd);
	unsigned int rounds = 0, i;
	pthread_t thread;

	for (i = 0; i < PUSHED; i++)
		pushes.words[i] = &table[2 * i];
	start_pushes(&thread);
	while (now() < end || rounds < 10) {
		const __u64 handle = add_shared(fd, now() + FAR, 1);

		ASSERT_EQ(cancel(fd, handle), 0);
		ASSERT_EQ(get(&table[WORD(handle)]), CLOSED);
		rounds++;
		usleep(rounds % 8);
	}
	stopping = true;
	pthread_join(thread, NULL);
	note("%u timers", rounds);
}

/* A hostile program: anything may be in the table at any time. */

/* What is written before the deadline; its event says the first deadline. */
static void expires_with(__u64 value)
{
	const struct one one = one_timer(margin_ns());

	put(one.word, value);
	expires(&one, one.deadline);
	closed(one.word);
	munmap(one.word - WORD(one.handle), page_size());
	close(one.fd);
}

TEST(word_of_no_deadline_lets_the_timer_expire)
{
	expires_with(0);
	expires_with(1);
	expires_with(now() - NSEC_PER_SEC);
	expires_with(CLOSED);
	expires_with(CLOSED | 1);
	expires_with(CLOSED | (now() + FAR));
	expires_with(CLOSED | LATEST);
	expires_with(CLOSED + LATEST / 2);
}

TEST(word_between_deadline_and_now_is_the_events_deadline)
{
	const struct one one = one_timer(margin_ns());

	/* later than what the kernel knows: a push, were it not by a store */
	put(one.word, one.deadline + 1);
	expires(&one, one.deadline + 1);
}

TEST(cancel_takes_a_timer_whatever_its_word)
{
	const __u64 values[] = { 0, 1, CLOSED, ~0ULL, LATEST, now() + FAR,
				 CLOSED | (now() + FAR) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		const struct one one = one_timer(FAR);
		struct twheel_op op;

		put(one.word, values[i]);
		ASSERT_EQ(query(one.fd, one.handle, &op), 0);
		ASSERT_GT(op.time_ns, 0);
		ASSERT_EQ(cancel(one.fd, one.handle), 0);
		ASSERT_EQ(get(one.word), CLOSED);
		ASSERT_EQ(timers_of(one.fd), 0);
	}
}

TEST(change_repairs_a_word)
{
	const struct one one = one_timer(FAR);
	const __u64 earlier = now() + ticks(2);

	put(one.word, ~0ULL);
	ASSERT_EQ(change_to(one.fd, one.handle, earlier), 0);
	expires(&one, earlier);
}

TEST(word_of_an_expired_timer_opens_nothing)
{
	const struct one one = one_timer(ticks(1));
	struct twheel_op op;

	wait_for_event(one.fd);
	put(one.word, now() + FAR);
	pass_ticks(2);
	ASSERT_EQ(query(one.fd, one.handle, &op), TWHEEL_EXPIRED);
	ASSERT_EQ(op.time_ns, 0);
	expires(&one, one.deadline);
}

static __u64 garbage(unsigned int *seed)
{
	const __u64 some = (__u64)rand_r(seed) << 32 | rand_r(seed);

	switch (rand_r(seed) % 8) {
	case 0:
		return 0;
	case 1:
		return CLOSED;
	case 2:
		return ~0ULL;
	case 3:
		return LATEST;
	case 4:
		return now() + some % ticks(4);
	case 5:
		return now() - some % ticks(4);
	case 6:
		return CLOSED | (now() + some % ticks(4));
	default:
		return some;
	}
}

/* Everything at once, as fast as it goes. */
static void *write_garbage(void *data)
{
	unsigned int seed = (unsigned long)data, i;
	const unsigned int words = page_size() / sizeof(__u64);

	while (!stopping)
		for (i = 0; i < words; i++)
			put(&race_table[i], garbage(&seed));
	return NULL;
}

static void start_garbage(pthread_t *threads, unsigned int count)
{
	unsigned long i;

	for (i = 0; i < count; i++)
		ASSERT_EQ(pthread_create(&threads[i], NULL, write_garbage,
					 (void *)(i + 11)), 0);
}

static void stop_garbage(pthread_t *threads, unsigned int count)
{
	unsigned int i;

	stopping = true;
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* Use the timers of a table full of garbage; each ends once. */
static unsigned int one_hostile_round(int fd)
{
	struct twheel_op ops[128];
	struct twheel_event events[128];
	unsigned int i, ended = 0;
	int got;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ops[i] = shared_timer(now() + i % 4 * ticks(1), i);
	add_all(fd, ops, ARRAY_SIZE(ops));
	pass_ticks(2);
	got = read_events(fd, events, ARRAY_SIZE(events));
	for (i = 0; (int)i < got; i++) {
		check_event(&events[i]);
		ASSERT(events[i].handle == ops[events[i].cookie].handle);
		ended++;
	}
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		int result;

		if (i % 3 == 0)
			change(fd, ops[i].handle, ticks(i % 4));
		result = cancel(fd, ops[i].handle);
		if (result < 0)
			ASSERT_EQ(result, -ENOENT);
		else
			ended++;
	}
	ASSERT_EQ(timers_of(fd), 0);
	ASSERT_EQ(ended, ARRAY_SIZE(ops));
	return got < 0 ? 0 : got;
}

TEST(garbage_at_any_time_ends_each_timer_once)
{
	const __u64 end = now() + 2 * NSEC_PER_SEC;
	unsigned int rounds = 0, expired = 0;
	pthread_t threads[2];

	race_fd = open_device(O_NONBLOCK);
	race_table = map_table(race_fd);
	start_garbage(threads, 2);
	for (; now() < end; rounds++)
		expired += one_hostile_round(race_fd);
	stop_garbage(threads, 2);
	note("%u rounds, %u expired", rounds, expired);
	ASSERT_GE(rounds, 2);
}

static void spin_garbage(void *data)
{
	pthread_t threads[2];

	race_fd = open_device(O_NONBLOCK);
	race_table = map_table(race_fd);
	start_garbage(threads, 2);
	/* until the test is over */
	for (;;)
		one_hostile_round(race_fd);
}

TEST(garbage_harms_no_other_descriptor)
{
	enum { COUNT = 300 };
	static struct twheel_event events[COUNT];
	static struct twheel_op ops[COUNT];
	const int fd = open_device(O_NONBLOCK);
	const __u64 end = now() + 2 * NSEC_PER_SEC;
	__u64 *table = map_table(fd);
	unsigned int rounds = 0, i;

	start(spin_garbage, NULL);
	while (now() < end || rounds < 2) {
		const __u64 deadline = now() + ticks(4);
		__u64 pushed[COUNT] = { };

		for (i = 0; i < COUNT; i++) {
			ops[i] = shared_timer(deadline + i, i);
			if (i % 3 == 0)
				ops[i].flags = TWHEEL_ABSTIME;
		}
		add_all(fd, ops, COUNT);
		for (i = 1; i < COUNT; i += 3)
			if (push_alone(&table[WORD(ops[i].handle)],
				       deadline + i + ticks(2)))
				pushed[i] = ticks(2);
		read_all(fd, events, COUNT);
		for (i = 0; i < COUNT; i++) {
			const __u64 cookie = events[i].cookie;

			ASSERT_LT(cookie, COUNT);
			ASSERT(events[i].handle == ops[cookie].handle);
			ASSERT_EQ(events[i].deadline_ns,
				  deadline + cookie + pushed[cookie]);
			check_lateness(&events[i]);
			ops[cookie].handle = 0;
		}
		check_no_event(fd);
		rounds++;
	}
	note("%u rounds", rounds);
}

static void *spin_in_the_past(void *word)
{
	const __u64 past = now() - NSEC_PER_SEC;
	__u64 i;

	for (i = 0; !stopping; i++)
		put(word, past - i % 4096);
	return NULL;
}

TEST(word_that_changes_all_the_time_does_not_keep_a_timer_for_good)
{
	const struct one one = one_timer(ticks(2));
	struct twheel_event event;
	pthread_t thread;

	ASSERT_EQ(pthread_create(&thread, NULL, spin_in_the_past, one.word), 0);
	event = read_one(one.fd);
	stopping = true;
	pthread_join(thread, NULL);
	ASSERT(event.handle == one.handle);
	ASSERT_GE(event.deadline_ns, one.deadline);
}

TEST(ordinary_timers_have_no_word)
{
	const int fd = open_device(O_NONBLOCK);
	__u64 *table = map_table(fd);
	const __u64 deadline = now() + margin_ns();
	unsigned int i;

	for (i = 0; i < 100; i++)
		add_at(fd, deadline, i);
	for (i = 0; i < page_size() / sizeof(struct twheel_word); i++)
		put(&table[i], LATEST);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(read_one(fd).deadline_ns, deadline);
	ASSERT_EQ(timers_of(fd), 0);
}

/* What is refused */

static void refuses_map(int fd, size_t size, int protection, int flags, __u64 offset)
{
	ASSERT_ERRNO(map(fd, size, protection, flags, offset), EINVAL);
}

TEST(private_mapping_is_einval)
{
	const int fd = open_device(0);

	refuses_map(fd, page_size(), PROT_READ, MAP_PRIVATE, 0);
	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
}

TEST(executable_mapping_is_refused)
{
	const int fd = open_device(0);

	refuses_map(fd, page_size(), PROT_READ | PROT_EXEC, MAP_SHARED, 0);
	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_SHARED, 0);
	ASSERT_ERRNO(mprotect(map_table(fd), page_size(), PROT_READ | PROT_EXEC),
		     EACCES);
}

TEST(other_offset_is_einval)
{
	const int fd = open_device(0);
	unsigned int bit;

	for (bit = 12; bit < 43; bit++)
		if (1ULL << bit != TWHEEL_MMAP_RING)
			refuses_map(fd, page_size(), PROT_READ | PROT_WRITE,
				    MAP_SHARED, 1ULL << bit);
	map_table(fd);
	refuses_map(fd, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
		    page_size());
}

TEST(table_of_more_words_than_handles_have_is_einval)
{
	refuses_map(open_device(0), TABLE_MOST + page_size(),
		    PROT_READ | PROT_WRITE, MAP_SHARED, 0);
}

TEST(first_mapping_fixes_the_size)
{
	const int fd = open_device(0);
	__u64 *table = map_words(fd, 2 * page_size() / sizeof(struct twheel_word));
	__u64 *part = map_table(fd);

	refuses_map(fd, 3 * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	ASSERT_EQ(get_info(fd).table_entries,
		  2 * page_size() / sizeof(struct twheel_word));
	put(&table[5], 12345);
	ASSERT_EQ(get(&part[5]), 12345);
	ASSERT_ERRNO(mremap(part, page_size(), 2 * page_size(), MREMAP_MAYMOVE),
		     EFAULT);
}

TEST(no_table_is_enospc)
{
	const int fd = open_device(0);
	const struct twheel_op op = shared_timer(now() + FAR, 1);

	ASSERT_EQ(get_info(fd).table_entries, 0);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
}

TEST(full_table_is_enospc)
{
	const int fd = open_device(0);
	const unsigned int words = page_size() / sizeof(struct twheel_word);
	const struct twheel_op op = shared_timer(now() + FAR, 1);
	__u64 handle = 0;
	unsigned int i;

	map_table(fd);
	for (i = 0; i < words; i++)
		handle = add_shared(fd, now() + FAR, i);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
	add(fd, FAR, 2);
	ASSERT_EQ(cancel(fd, handle), 0);
	ASSERT_LT(TWHEEL_INDEX(add_shared(fd, now() + FAR, 1)), words);
	REFUSED(fd, TWHEEL_IOC_ADD, &op, ENOSPC);
}

TEST(period_is_einval)
{
	const int fd = open_device(0);
	struct twheel_op op = shared_timer(now() + FAR, 1);

	map_table(fd);
	op.period_ns = NSEC_PER_SEC;
	REFUSED(fd, TWHEEL_IOC_ADD, &op, EINVAL);
}

/* Mappings come and go */

static void push_as_child(void *data)
{
	struct one *one = data;

	ASSERT(push_alone(one->word, one->deadline + ticks(3)));
}

TEST(child_pushes_back_its_parents_timer)
{
	struct one one = one_timer(2 * margin_ns());

	join(start(push_as_child, &one));
	expires(&one, one.deadline + ticks(3));
}

TEST(push_holds_when_the_mapping_goes)
{
	const struct one one = one_timer(margin_ns());

	ASSERT(push_alone(one.word, one.deadline + ticks(3)));
	CALL(munmap(one.word - WORD(one.handle), page_size()));
	expires(&one, one.deadline + ticks(3));
}

TEST(unmapped_while_timers_are_pending)
{
	struct one one = one_timer(ticks(3));
	__u64 *table = one.word - WORD(one.handle);

	CALL(munmap(table, page_size()));
	expires(&one, one.deadline);
	closed(&map_table(one.fd)[WORD(one.handle)]);
	one.handle = add_shared(one.fd, now() + FAR, 1);
	ASSERT_EQ(cancel(one.fd, one.handle), 0);
}

TEST(mapping_keeps_the_timers_when_the_descriptor_is_closed)
{
	const struct one one = one_timer(margin_ns());

	CALL(close(one.fd));
	ASSERT(push_alone(one.word, one.deadline + ticks(1)));
	while (!(get(one.word) & CLOSED))
		pass_ticks(1);
	ASSERT_GE(now(), one.deadline + ticks(1));
}
