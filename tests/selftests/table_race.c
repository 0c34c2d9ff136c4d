// SPDX-License-Identifier: GPL-2.0
/* Races in the table of deadlines: a program pushes a timer back just when it is due. */
#include <sched.h>

#include "table_timer.h"

enum { BATCH = 32, MOST_ROUNDS = 4096, THREADS = 2 };

/* The timers of a round, by their cookies. */
static struct heartbeat {
	__u64		*word;
	__u64		deadline;
	atomic_ullong	pushed;		/* the last deadline that was pushed, or 0 */
	atomic_uint	lost;		/* threads that found the word closed */
	__u64		event;		/* deadline of the event that came */
} heartbeats[BATCH];

static struct twheel_op race_ops[BATCH];
static struct twheel_word *race_table;
static int race_fd;

static void note_push(struct heartbeat *beat, __u64 later)
{
	unsigned long long before = beat->pushed;

	while (before < later &&
	       !atomic_compare_exchange_weak(&beat->pushed, &before, later))
		continue;
}

/* Each thread pushes each timer once, at about the time when it is due. */
static void push_when_due(unsigned int thread)
{
	static unsigned int seeds[THREADS] = { 1, 2 };
	unsigned int *seed = &seeds[thread], i;

	for (i = 0; i < BATCH; i++) {
		struct heartbeat *beat = &heartbeats[(i + thread * BATCH / 2) % BATCH];
		const __u64 until = beat->deadline +
				    rand_r(seed) % (2 * tick_ns());
		__u64 seen;

		while (now() < until)
			continue;
		seen = read_word(beat->word);
		while (!(seen & CLOSED)) {
			const __u64 later = seen + ticks(1) +
					    rand_r(seed) % ticks(3);

			if (push_word(beat->word, &seen, later)) {
				note_push(beat, later);
				break;
			}
		}
		if (seen & CLOSED)
			beat->lost++;
	}
}

static void arm_heartbeats(unsigned int *seed)
{
	const __u64 start = now() + ticks(1);
	unsigned int i;

	memset(heartbeats, 0, sizeof(heartbeats));
	for (i = 0; i < BATCH; i++) {
		heartbeats[i].deadline = start + i * ticks(1) / BATCH + rand_r(seed) % 1000;
		race_ops[i] = shared_op(heartbeats[i].deadline, i);
	}
	add_all(race_fd, race_ops, BATCH);
	for (i = 0; i < BATCH; i++)
		heartbeats[i].word = word_of(race_table, race_ops[i].handle);
}

/* Read one event of each timer. No word may pass to another timer while a thread pushes it. */
static void read_heartbeats(void)
{
	struct twheel_event events[BATCH];
	unsigned int seen;
	int i, got;

	for (seen = 0; seen < BATCH; seen += got) {
		pass_ticks(0);
		got = read_events(race_fd, events, BATCH);
		if (got == -EAGAIN)
			got = 0;
		ASSERT_GE(got, 0);
		for (i = 0; i < got; i++) {
			check_first_event(&events[i], race_ops, BATCH);
			heartbeats[events[i].cookie].event = events[i].deadline_ns;
		}
	}
	ASSERT_EQ(timers_of(race_fd), 0);
}

/*
 * A push that succeeded holds. A timer whose word was closed has expired, for the last
 * deadline that was pushed, or for its first deadline.
 */
TEST(push_wins_against_expiry_or_knows_that_it_lost)
{
	const __u64 end = end_of_races();
	unsigned int seed = 3, won = 0, lost = 0, rounds, i;

	race_fd = open_device(O_NONBLOCK);
	race_table = map_table(race_fd);
	start_rounds(THREADS, push_when_due);
	for (rounds = 0; (now() < end || rounds < 10 || !won || !lost) && rounds < MOST_ROUNDS;
	     rounds++) {
		arm_heartbeats(&seed);
		begin_round();
		read_heartbeats();
		end_round();
		for (i = 0; i < BATCH; i++) {
			const struct heartbeat *beat = &heartbeats[i];

			ASSERT_EQ(beat->event, beat->pushed ?: beat->deadline);
			if (!beat->pushed)
				ASSERT_EQ(beat->lost, THREADS);
			won += beat->pushed != 0;
			lost += beat->lost != 0;
		}
	}
	stop_rounds();
	note("%u timers: %u pushed back, %u found closed", rounds * BATCH, won, lost);
	ASSERT_GT(won, 0);
	ASSERT_GT(lost, 0);
}

/*
 * One CPU arms a crowd of timers, and so expires them. A thread on another CPU pushes
 * them by a nanosecond, again and again, until all have expired.
 */
enum { CROWD = 4096 };

static struct {
	bool	backwards;
	__u64	deadline;
	__u64	*words[CROWD];
	__u64	pushed[CROWD];
} crowd;

/* One by one: at the timer that the kernel is at, if it has the same order. */
static void push_crowd_until_closed(unsigned int number)
{
	unsigned int i;

	stay_on_cpu(last_cpu());
	for (i = 0; i < CROWD; i++) {
		const unsigned int at = crowd.backwards ? CROWD - 1 - i : i;
		__u64 *word = crowd.words[at], seen = read_word(word);

		while (!(seen & CLOSED))
			if (push_word(word, &seen, seen + 1))
				crowd.pushed[at] = ++seen;
	}
}

static void arm_crowd(int fd, struct twheel_word *table)
{
	static struct twheel_op ops[CROWD];
	unsigned int i;

	crowd.deadline = now() + ticks(2);
	add_many(fd, ops, CROWD, shared_op(crowd.deadline, 0));
	for (i = 0; i < CROWD; i++) {
		crowd.words[i] = word_of(table, ops[i].handle);
		crowd.pushed[i] = crowd.deadline;
	}
}

NONBLOCK_TEST(last_push_before_expiry_is_the_events_deadline)
{
	const __u64 end = end_of_races();
	static struct twheel_event events[CROWD];
	struct twheel_word *table = map_words(fd, CROWD);
	unsigned int i, rounds = 0, pushed = 0;

	stay_on_cpu(0);
	start_rounds(1, push_crowd_until_closed);
	while (now() < end || rounds < 10) {
		arm_crowd(fd, table);
		crowd.backwards = rounds % 2;
		begin_round();
		/* The kernel leaves the words to poll() when there are too many for it. */
		while (get_info(fd).unread < CROWD)
			has_event(fd);
		end_round();
		read_all(fd, events, CROWD);
		for (i = 0; i < CROWD; i++)
			ASSERT_EQ(events[i].deadline_ns,
				  crowd.pushed[events[i].cookie]);
		for (i = 0; i < CROWD; i++)
			pushed += crowd.pushed[i] != crowd.deadline;
		rounds++;
	}
	stop_rounds();
	note("%u rounds, %u timers pushed", rounds, pushed);
}

enum { PUSHED = 32 };

static struct {
	__u64		*words[PUSHED];
	__u64		count[PUSHED];	/* how often each was pushed */
	atomic_uint	sweeps;
} pushes;

static void push_all_by_far(void *data)
{
	unsigned int i;

	while (!stopping) {
		for (i = 0; i < PUSHED; i++) {
			__u64 seen = read_word(pushes.words[i]);

			if (push_word(pushes.words[i], &seen, seen + LONG))
				pushes.count[i]++;
		}
		pushes.sweeps++;
	}
}

static void start_pushes(void)
{
	pushes.sweeps = 0;
	memset(pushes.count, 0, sizeof(pushes.count));
	start_thread(push_all_by_far, NULL);
}

/* Add, push and drain: a drained timer has every push that succeeded. */
static void push_and_drain(int fd, struct twheel_word *table)
{
	struct twheel_op ops[PUSHED], back[PUSHED];
	const __u64 deadline = now() + LONG;
	__u64 before, after;
	unsigned int i;

	add_many(fd, ops, PUSHED, shared_op(deadline, 0));
	for (i = 0; i < PUSHED; i++)
		pushes.words[i] = word_of(table, ops[i].handle);
	start_pushes();
	while (!pushes.sweeps)
		sched_yield();
	before = now();
	ASSERT_EQ(drain(fd, back, PUSHED), PUSHED);
	after = now();
	stop_threads();
	for (i = 0; i < PUSHED; i++) {
		const __u64 last = deadline + LONG * pushes.count[back[i].cookie % PUSHED];

		ASSERT_WITHIN(last, back[i].time_ns + before, back[i].time_ns + after);
	}
	resume(fd);
}

DEVICE_TEST(drain_loses_no_push)
{
	const __u64 end = end_of_races();
	struct twheel_word *table = map_table(fd);
	unsigned int rounds = 0;

	for (; now() < end || rounds < 10; rounds++)
		push_and_drain(fd, table);
	note("%u rounds", rounds);
}

NONBLOCK_TEST(nothing_is_pushed_after_cancel)
{
	const __u64 end = end_of_races();
	struct twheel_word *table = map_table(fd);
	unsigned int rounds = 0, i;

	for (i = 0; i < PUSHED; i++)
		pushes.words[i] = word_at(table, i);
	start_pushes();
	while (now() < end || rounds < 10) {
		const __u64 handle = add_shared(fd, now() + LONG, 1);

		ASSERT_EQ(cancel(fd, handle), 0);
		ASSERT_EQ(read_word(word_of(table, handle)), CLOSED);
		rounds++;
		usleep(rounds % 8);
	}
	stop_threads();
	note("%u timers", rounds);
}
