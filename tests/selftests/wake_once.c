// SPDX-License-Identifier: GPL-2.0
/*
 * A program is woken once for timers that have expired. It is woken again only after it has
 * called. So a program that does not come costs nothing, however many of its timers expire:
 * because it is busy, stopped, frozen or about to exit.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include "event_ring.h"
#include "holder.h"
#include "one_epoll.h"
#include "parameter.h"
#include "user.h"

/* So many timers expire, on each of so many ticks. The ticks are two apart. */
enum { EACH_TICK = 3, TICKS = 20, SPAN = 2 * TICKS };

/* A descriptor whose expiries signal an eventfd. */
struct watched {
	int	fd;
	int	eventfd;
};

static struct watched new_watched(void)
{
	const struct watched w = { .fd = open_device(O_NONBLOCK), .eventfd = new_eventfd() };

	/* In virtual time the machine has just booted. It loses a tick in its first second. */
	if (in_time(NSEC_PER_SEC))
		sleep_for(NSEC_PER_SEC);
	CALL(set_eventfd(w.fd, w.eventfd));
	return w;
}

/*
 * Adds timers for the next ticks. Returns the last deadline. Another CPU may be ticks behind, so
 * sleep_over() waits on the same one.
 */
static __u64 add_for_many_ticks(int fd)
{
	__u64 start;
	unsigned int tick, i;

	stay_on_cpu(0);
	start = now() + margin_ns();
	for (tick = 0; tick < TICKS; tick++)
		for (i = 0; i < EACH_TICK; i++)
			add_at(fd, start + ticks(2 * tick), tick);
	return start + ticks(2 * (TICKS - 1));
}

/* Waits until timers with this deadline have expired, by a timer of another descriptor. */
static void sleep_over(__u64 deadline)
{
	pass(deadline + ticks(1));
}

/* The same until the first wake-up, and then for all others. */
static __u64 first_signals(const struct watched *w, __u64 deadline)
{
	wait_for_event(w->eventfd);
	sleep_over(deadline);
	return signals(w->eventfd);
}

static void sleep_ticks(unsigned int count)
{
	sleep_over(now() + ticks(count));
}

/* Reads all events. Each comes once, with its own time. */
static void check_all_events(int fd)
{
	struct twheel_event event;
	__u64 last = 0;
	unsigned int i;

	for (i = 0; i < EACH_TICK * TICKS; i++) {
		event = read_one(fd);
		/* A busy host stops the machine, which loses ticks then. */
		if (time_travel)
			ASSERT_EQ(event.cookie, i / EACH_TICK);
		ASSERT_WITHIN(event.expired_ns, last, event.deadline_ns + tick_ns() + slack_ns());
		last = event.expired_ns;
	}
	ASSERT_EQ(read_events(fd, &event, 1), -EAGAIN);
}

TEST(eventfd_is_signalled_once_for_many_ticks)
{
	const struct watched w = new_watched();

	ASSERT_EQ(first_signals(&w, add_for_many_ticks(w.fd)), 1);
	check_all_events(w.fd);
	/* On a slow machine, a tick came between two of the calls. */
	signals(w.eventfd);
	sleep_ticks(5);
	ASSERT_EQ(signals(w.eventfd), 0);
}

/* Calls in virtual time, one after each of some ticks: one signal follows on each call. */
static void check_call(void (*call)(int fd))
{
	const struct watched w = new_watched();
	__u64 deadline;
	unsigned int i;

	need_time_travel();
	add_at(w.fd, now(), 1);
	sleep_ticks(2);
	ASSERT_EQ(signals(w.eventfd), 1);
	/* Far enough apart for the kernel to make another visit after each call. */
	deadline = now() + ticks(10);
	for (i = 0; i < 60; i++)
		add_at(w.fd, deadline + ticks(i), 2);
	sleep_over(deadline);
	ASSERT_EQ(signals(w.eventfd), 1);
	for (i = 0; i < 5; i++) {
		sleep_ticks(2);
		ASSERT_EQ(signals(w.eventfd), 0);
		call(w.fd);
		sleep_ticks(2);
		ASSERT_EQ(signals(w.eventfd), 1);
	}
}

/* A case of one call on @fd. Each call counts, whether or not it reads events. */
#define CALL_TEST(id, call)						\
	static void call_##id(int fd)					\
	{								\
		call;							\
	}								\
	TEST_CALL(id, check_call(call_##id))

CALL_TEST(program_is_woken_again_after_query,
	  ASSERT_EQ(query(fd, 1ULL << 40, &(struct twheel_op){ 0 }), -ENOENT))
CALL_TEST(program_is_woken_again_after_cancel, ASSERT_EQ(cancel(fd, 1ULL << 40), -ENOENT))
CALL_TEST(program_is_woken_again_after_add, ASSERT_EQ(cancel(fd, add(fd, HOUR, 1)), 0))
CALL_TEST(program_is_woken_again_after_info, get_info(fd))
CALL_TEST(program_is_woken_again_after_poll, ASSERT(has_event(fd)))
CALL_TEST(program_is_woken_again_after_read,
	  ASSERT_EQ(read_events(fd, &(struct twheel_event){ 0 }, 1), 1))
CALL_TEST(program_is_woken_again_after_close, CALL(close(dup(fd))))
CALL_TEST(program_is_woken_again_after_a_process_ends, ASSERT_EQ(system("exit"), 0))
CALL_TEST(program_is_woken_again_after_list,
	  ASSERT_EQ(list(fd, &(struct twheel_op){ 0 }, 1, &(__u64){ 0 }, 0), 1))

RING_TEST(close_wakes_for_events_that_are_left_in_a_ring)
{
	const int eventfd = eventfd_of(ring.fd);

	need_time_travel();
	add(ring.fd, ticks(1), 0);
	sleep_ticks(3);
	ASSERT(has_event(ring.fd));
	ASSERT_EQ(signals(eventfd), 1);
	CALL(close(dup(ring.fd)));
	ASSERT_EQ(signals(eventfd), 1);
	set_head(&ring, tail_of(&ring));
	CALL(close(dup(ring.fd)));
	ASSERT_EQ(signals(eventfd), 0);
}

/* A real-time signal, because such signals are not merged while they wait. */
NONBLOCK_TEST(signal_is_sent_once_for_many_ticks)
{
	__u64 last;

	own_signals(fd, SIGRTMIN);
	CALL(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	last = add_for_many_ticks(fd);
	ASSERT(take_signal(SIGRTMIN, NULL, HOUR));
	sleep_over(last);
	ASSERT(!take_signal(SIGRTMIN, NULL, 0));
	/* Also if a process ends that has the descriptor: a fence may send SIGTERM. */
	CALL(close(dup(fd)));
	ASSERT(!take_signal(SIGRTMIN, NULL, 0));
	check_all_events(fd);
	while (take_signal(SIGRTMIN, NULL, 0))
		continue;
	sleep_ticks(5);
	ASSERT(!take_signal(SIGRTMIN, NULL, 0));
}

/* The wake-up of an edge-triggered epoll is not repeated before the program asks. */
NONBLOCK_TEST(epoll_is_woken_once_for_many_ticks)
{
	const int epoll = new_epoll(fd, EPOLLIN | EPOLLET);

	sleep_over(add_for_many_ticks(fd));
	ASSERT(epoll_reports(epoll, -1));
	/* On a slow machine, a tick comes between two of the calls. */
	ASSERT(!epoll_reports(epoll, 0) || !time_travel);
	check_all_events(fd);
	ASSERT(!epoll_reports(epoll, 0) || !time_travel);
	sleep_ticks(5);
	ASSERT(!epoll_reports(epoll, 0));
}

/*
 * systemd, for one, keeps the descriptors of others and polls them for POLLHUP alone. That is
 * no call of the program: it finds no event, and the kernel does not wake the program again.
 */
TEST(poll_for_hangup_only_turns_nothing)
{
	const struct watched w = new_watched();
	__u64 last;

	need_time_travel();
	last = add_for_many_ticks(w.fd);
	sleep_over(last - ticks(SPAN - 2));
	ASSERT_EQ(signals(w.eventfd), 1);
	ASSERT_EQ(poll_events(w.fd, 0, 0), 0);
	ASSERT_EQ(poll_events(w.fd, POLLHUP, 0), 0);
	sleep_ticks(3);
	ASSERT_EQ(signals(w.eventfd), 0);
	/* The same poll with POLLIN is one. */
	ASSERT_EQ(poll_events(w.fd, POLLIN | POLLHUP, 0), POLLIN);
	sleep_ticks(3);
	ASSERT_EQ(signals(w.eventfd), 1);
	sleep_over(last);
	check_all_events(w.fd);
}

/*
 * A poll() by another user puts the event into the ring before the kernel's visit, which waits for
 * those of many descriptors. The visit still wakes the program.
 */
RING_TEST(poll_of_another_user_leaves_the_wake_up)
{
	/* Few visits at the tick of the last one: the budget suffices, and that finds nothing. */
	enum { MANY = 388 };
	const int eventfd = eventfd_of(ring.fd);
	int fds[MANY], i;
	__u64 start;

	need_time_travel();
	for (i = 0; i < MANY; i++)
		fds[i] = open_device(0);
	become(ALICE);
	start = now();
	for (i = 0; i < MANY; i++)
		add_at(fds[i], start + ticks(1), i);
	add_at(ring.fd, start + ticks(2), i);
	sleep_until(start + ticks(3));
	ASSERT(has_event(ring.fd));
	ASSERT_EQ(signals(eventfd), 0);
	sleep_until(start + ticks(100));
	ASSERT_EQ(signals(eventfd), 1);
}

/*
 * The kernel wakes many waiters by parts, which may take some ticks when a user has used up its
 * credit. An event that comes meanwhile wakes the program once more, if it has called, unless the
 * event was consumed.
 */
RING_TEST(event_during_an_earlier_wake_up_wakes)
{
	enum { EPOLLS = 2000, BUSY = 40, ROUNDS = 10 };
	enum { NOTHING, CONSUME, WAYS };
	const int eventfd = eventfd_of(ring.fd);
	unsigned int round, way, i;
	__u64 start, later;

	need_time_travel();
	allow_files(EPOLLS + 100);
	for (i = 0; i < EPOLLS; i++)
		new_epoll(ring.fd, EPOLLIN | EPOLLET);
	/* The calls of another user do not help. */
	become(ALICE);
	for (round = 0; round < ROUNDS; round++) {
		way = round % WAYS;
		for (i = 0; i < BUSY; i++) {
			set_head(&ring, tail_of(&ring));
			add(ring.fd, ticks(1), i);
			sleep_for(ticks(1));
			has_event(ring.fd);
		}
		start = now();
		set_head(&ring, tail_of(&ring));
		later = start + ticks(2 + round / WAYS);
		add_at(ring.fd, start + ticks(1), i);
		add_at(ring.fd, later, i);
		/* An event comes up to a tick after its deadline. */
		sleep_until(start + ticks(2));
		has_event(ring.fd);
		signals(eventfd);
		sleep_until(later + ticks(1));
		if (way == CONSUME) {
			ASSERT(has_event(ring.fd));
			set_head(&ring, tail_of(&ring));
			signals(eventfd);
		}
		sleep_until(start + ticks(100));
		ASSERT_EQ(tail_of(&ring), (round + 1) * (BUSY + 2));
		if (way == CONSUME)
			ASSERT_EQ(signals(eventfd), 0);
		else
			ASSERT_GE(signals(eventfd), 1);
	}
}

/*
 * In virtual time, a visit with a part costs a step of the 16 that a user gets at each tick. The
 * last epoll is the first one in the queue.
 */
RING_TEST(part_of_a_wake_up_is_16_waiters)
{
	enum { EPOLLS = 6000, PART = 16, EACH_TICK = 16 * PART };
	unsigned int left = EPOLLS, before, i;
	int epolls[EPOLLS], holder;
	__u64 at, handle;

	need_time_travel();
	allow_files(EPOLLS + 100);
	for (i = 0; i < EPOLLS; i++)
		epolls[i] = new_epoll(ring.fd, EPOLLIN | EPOLLET);
	/* The calls of another user do not help. */
	become(ALICE);
	/* The first tick uses up the credit of the quiet time. */
	sleep_for(ticks(100));
	at = now() + ticks(2);
	add(ring.fd, ticks(1), 0);
	do {
		sleep_until(at);
		for (before = left; left && epoll_reports(epolls[left - 1], 0);)
			left--;
		if (before < EPOLLS && left)
			ASSERT_EQ(before - left, EACH_TICK);
		at += ticks(1);
	} while (left);

	/* A close wakes also those whom the wake-up has woken that is under way. */
	add(ring.fd, ticks(1), 0);
	sleep_for(ticks(2));
	ASSERT(epoll_reports(epolls[EPOLLS - 1], 0));
	CALL(close(dup(ring.fd)));
	sleep_for(ticks(100));
	ASSERT(epoll_reports(epolls[EPOLLS - 1], 0));

	/* Closes, each of which prolongs the wake-up, keep no holder of a lease waiting. */
	handle = add(ring.fd, LONG, 0);
	holder = new_epoll(new_lease(ring.fd, handle, LONG, 0), EPOLLIN | EPOLLET);
	CALL(close(dup(ring.fd)));
	ASSERT_EQ(cancel(ring.fd, handle), 0);
	for (i = 0; i < 20; i++)
		CALL(close(dup(ring.fd)));
	ASSERT(has_event(holder));
}

/*
 * Waiters with EPOLLEXCLUSIVE join behind all others. If they join during a wake-up, they belong to
 * the next one: otherwise a program could keep a wake-up from ending, and so hold up the next one.
 */
RING_TEST(waiters_that_join_do_not_prolong_a_wake_up)
{
	enum { EPOLLS = 800, ROUNDS = 50 };
	const int eventfd = eventfd_of(ring.fd);
	struct epoll_event event = { .events = EPOLLIN | EPOLLEXCLUSIVE };
	unsigned int round, i;
	int epolls[EPOLLS];

	need_time_travel();
	for (i = 0; i < EPOLLS; i++)
		epolls[i] = new_epoll(ring.fd, event.events);
	/* The calls of another user do not help. */
	become(ALICE);
	for (round = 0; round < ROUNDS; round++) {
		set_head(&ring, tail_of(&ring));
		add(ring.fd, ticks(1), round);
		for (i = 0; i < EPOLLS; i++) {
			CALL(epoll_ctl(epolls[i], EPOLL_CTL_DEL, ring.fd, NULL));
			CALL(epoll_ctl(epolls[i], EPOLL_CTL_ADD, ring.fd, &event));
		}
		sleep_for(ticks(1));
	}
	ASSERT_GE(signals(eventfd), ROUNDS / 4);
}

static void poll_in_child(void *data)
{
	const struct watched *w = data;

	ASSERT(has_event(w->fd));
}

/* The poll of another process wakes the program again, and so does its end. No event is lost. */
TEST(another_process_polls)
{
	struct watched w = new_watched();
	__u64 last;

	need_time_travel();
	last = add_for_many_ticks(w.fd);
	sleep_over(last - ticks(SPAN - 4));
	ASSERT_EQ(signals(w.eventfd), 1);
	join(start(poll_in_child, &w));
	sleep_over(last);
	ASSERT_EQ(signals(w.eventfd), 2);
	join(start(poll_in_child, &w));
	check_all_events(w.fd);
}

/* A child that arms timers, says so, and then does what @wait does. */
struct child {
	struct watched	w;
	int		armed[2];
	void		(*wait)(int fd);
	__u64		last;
	pid_t		pid;
};

static void arm_and_wait(void *data)
{
	struct child *child = data;

	child->last = add_for_many_ticks(child->w.fd);
	CALL(write(child->armed[1], &child->last, sizeof(child->last)));
	child->wait(child->w.fd);
	pause();
}

static void start_child(struct child *child, void (*wait)(int fd))
{
	child->w = new_watched();
	child->wait = wait;
	CALL(pipe(child->armed));
	child->pid = start(arm_and_wait, child);
	ASSERT_EQ(CALL(read(child->armed[0], &child->last, sizeof(child->last))),
		  (long)sizeof(child->last));
}

static void wait_by_poll(int fd)
{
	for (;;) {
		wait_for_event(fd);
		sleep_for(ticks(1));
	}
}

static void wait_by_sleeping(int fd)
{
	wait_to_be_killed(NULL);
}

static void wait_by_read(int fd)
{
	struct twheel_event event;

	CALL(fcntl(fd, F_SETFL, 0));
	for (;;)
		CALL(read(fd, &event, sizeof(event)));
}

/* The child cannot call. On a busy machine, it may have done so before it was stopped. */
static void check_woken_once(const struct child *child)
{
	const __u64 count = first_signals(&child->w, child->last);

	if (time_travel)
		ASSERT_EQ(count, 1);
	sleep_ticks(10);
	ASSERT_EQ(signals(child->w.eventfd), 0);
	check_all_events(child->w.fd);
}

/* The poll of a stopped program is not over when it is woken. The events stay. */
static void check_stopped(void (*wait)(int fd))
{
	struct child child;

	start_child(&child, wait);
	CALL(kill(child.pid, SIGSTOP));
	CALL(waitpid(child.pid, NULL, WUNTRACED));
	check_woken_once(&child);
	signals(child.w.eventfd);
	/* Once the parent has called, the kernel wakes again. */
	add(child.w.fd, 0, 1);
	ASSERT_EQ(first_signals(&child.w, now()), 1);
	kill_child(child.pid);
}

TEST_CALL(stopped_program_that_waits_in_poll, check_stopped(wait_by_poll))
TEST_CALL(stopped_program_that_does_not_wait, check_stopped(wait_by_sleeping))

/* Once it goes on, it reads all events. None was lost. */
TEST(stopped_program_goes_on)
{
	struct child child;
	__u64 left;

	start_child(&child, wait_by_read);
	CALL(kill(child.pid, SIGSTOP));
	CALL(waitpid(child.pid, NULL, WUNTRACED));
	sleep_over(child.last);
	left = timers_of(child.w.fd);
	sleep_ticks(2);
	ASSERT_EQ(timers_of(child.w.fd), left);
	CALL(kill(child.pid, SIGCONT));
	while (timers_of(child.w.fd))
		sleep_for(ticks(1));
	kill_child(child.pid);
}

#define CGROUPS "/sys/fs/cgroup/"
#define CGROUP CGROUPS "twheel-frozen-test/"

static void freeze(bool frozen)
{
	if (!write_file(CGROUP "cgroup.freeze", frozen ? "1\n" : "0\n"))
		FAIL("cgroup.freeze: %s", strerror(errno));
	while (number_from(CGROUP "cgroup.events", "frozen %llu") != frozen)
		sleep_for(ticks(1));
}

TEST(frozen_cgroup)
{
	struct child child;
	char pid[16];

	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		skip("no cgroup2");
	if (access(CGROUP "cgroup.freeze", W_OK)) {
		rmdir(CGROUP);
		skip("no freezer");
	}
	start_child(&child, wait_by_poll);
	snprintf(pid, sizeof(pid), "%d\n", child.pid);
	ASSERT(write_file(CGROUP "cgroup.procs", pid));
	freeze(true);
	check_woken_once(&child);
	freeze(false);
	kill_child(child.pid);
	/* The cgroup may lose the child after the wait for the child. */
	while (rmdir(CGROUP)) {
		ASSERT_EQ(errno, EBUSY);
		sleep_for(ticks(1));
	}
}

/* A program is killed while its timers expire. Another one has the descriptor, too. */
static void check_killed(void (*wait)(int fd))
{
	struct child child;

	start_child(&child, wait);
	sleep_over(child.last - ticks(SPAN / 2));
	kill_child(child.pid);
	sleep_over(child.last);
	while (timers_of(child.w.fd))
		read_one(child.w.fd);
	ASSERT(!has_event(child.w.fd));
}

TEST_CALL(program_that_waits_in_poll_is_killed, check_killed(wait_by_poll))
TEST_CALL(program_that_does_not_wait_is_killed, check_killed(wait_by_sleeping))
TEST_CALL(program_that_waits_in_read_is_killed, check_killed(wait_by_read))

/* The last descriptor goes with its program. The user's timers go with it. */
TEST(exit_ends_timers_that_nobody_has_looked_at)
{
	const int other = open_device(0);
	const __u64 before = get_info(other).timers_user;
	struct child child;

	start_child(&child, wait_by_sleeping);
	CALL(close(child.w.fd));
	sleep_over(child.last - ticks(SPAN / 2));
	ASSERT_EQ(get_info(other).timers_user, before + EACH_TICK * TICKS);
	kill_child(child.pid);
	ASSERT_EQ(get_info(other).timers_user, before);
}
