// SPDX-License-Identifier: GPL-2.0
#include "harm.h"

#include "event_ring.h"
#include "one_epoll.h"

enum { CALLERS_MOST = 16384, PROCESSES = 2000, EPOLLS = 300, PROGRAMS = 20, RECEIVER = 1002,
	USERS = 30, FIRST_USER = 300000 };

static int fds[CALLERS_MOST];
static int epoll, epolls[EPOLLS];
static int sockets[2];			/* of the receiver, and of the attacker */

/* Start a process whose time is charged to the attacker. */
static pid_t start_helper(void (*run)(void *data), void *data)
{
	const unsigned int i = atomic_load(&work->helpers);
	pid_t pid;

	ASSERT_LT(i, ARRAY_SIZE(work->helper));
	pid = start(run, data);
	work->helper[i] = pid;
	atomic_store(&work->helpers, i + 1);
	return pid;
}

static void wait_for_signals(void *data)
{
	CALL(prctl(PR_SET_PDEATHSIG, SIGKILL));
	wait_to_be_killed(NULL);
}

/* All that call within 25 ticks are woken at one tick. */
static void arm_for_the_beat(int fd)
{
	const __u64 beat = ticks(25);

	add_at(fd, (now() / beat + 1) * beat, 0);
}

void prepare_calls(unsigned int count)
{
	struct epoll_event event = { .events = EPOLLIN };
	unsigned int i;

	ASSERT_LE(count, CALLERS_MOST);
	epoll = CALL(epoll_create1(0));
	for (i = 0; i < count; i++) {
		fds[i] = open_device(O_NONBLOCK);
		event.data.fd = fds[i];
		CALL(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event));
		arm_for_the_beat(fds[i]);
	}
}

void call_all(void)
{
	struct epoll_event ready[256];
	struct twheel_event event;
	int i, n = CALL(epoll_wait(epoll, ready, ARRAY_SIZE(ready), -1));

	for (i = 0; i < n; i++)
		if (read_events(ready[i].data.fd, &event, 1) == 1) {
			arm_for_the_beat(ready[i].data.fd);
			did(1);
		}
}

static int users[2];			/* a byte for each user who begins */

static void call_as_user(void *data)
{
	become(attacked_cpu, *(uid_t *)data);
	prepare_calls(200);
	tell(users[1]);
	for (;;)
		call_all();
}

/* The attacker is root still. */
void start_users(void)
{
	uid_t user;

	CALL(pipe(users));
	for (user = FIRST_USER; user < FIRST_USER + USERS; user++)
		start_helper(call_as_user, &user);
}

/* All of them have begun. */
void prepare_users(unsigned int count)
{
	while (count--)
		hear(users[0]);
}

static void call_one(void *data)
{
	const int fd = open_device(0);
	struct twheel_event event;

	for (;;) {
		add_at(fd, now(), 0);
		if (read_events(fd, &event, 1) != 1)
			FAIL("no event");
		did(1);
	}
}

/* A periodic timer needs not be armed again. */
static void read_one_after_the_other(void *data)
{
	const int fd = open_device(0);
	struct twheel_event event;

	add_periodic(fd, now(), get_info(fd).min_period_ns, 0);
	for (;;) {
		if (read_events(fd, &event, 1) != 1)
			FAIL("no event");
		did(1);
	}
}

void prepare_threads(unsigned int count)
{
	while (count--)
		start_thread(count % 2 ? call_one : read_one_after_the_other, NULL);
}

/* A process group. The signal is blocked: it costs who gets it nothing. */
void prepare_kill(unsigned int count)
{
	sigset_t signals;

	CALL(setpgid(0, 0));
	sigemptyset(&signals);
	sigaddset(&signals, SIGIO);
	CALL(sigprocmask(SIG_BLOCK, &signals, NULL));
	while (count--)
		start_helper(wait_for_signals, NULL);
}

void kill_group(void)
{
	CALL(kill(0, SIGIO));
	did(1);
	sleep_for(tick_ns());
}

void prepare_signals(unsigned int count)
{
	unsigned int i;

	prepare_kill(PROCESSES);
	prepare_calls(count);
	for (i = 0; i < count; i++) {
		CALL(fcntl(fds[i], F_SETOWN, -getpid()));
		CALL(fcntl(fds[i], F_SETFL, O_NONBLOCK | O_ASYNC));
	}
}

static void poll_epolls(void *data)
{
	struct pollfd all[EPOLLS];
	unsigned int i;

	for (i = 0; i < EPOLLS; i++)
		all[i] = (struct pollfd){ .fd = epolls[i], .events = POLLIN };
	for (;;)
		CALL(poll(all, EPOLLS, -1));
}

void prepare_pollers(unsigned int count)
{
	unsigned int i;

	fds[0] = open_device(0);
	for (i = 0; i < EPOLLS; i++)
		epolls[i] = new_epoll(fds[0], EPOLLIN);
	start_threads(count, poll_epolls, NULL);
}

void wake_pollers(void)
{
	struct twheel_event event;

	add_at(fds[0], now(), 0);
	if (read_events(fds[0], &event, 1) == 1)
		did(1);
}

/* Another user, who polls what it is given, but does not read. */
static void poll_each_tick(void *data)
{
	struct pollfd given = { .events = POLLIN };
	__u64 begin, time;

	become(attacked_cpu, RECEIVER);
	given.fd = receive_descriptor(sockets[0]);
	for (;;) {
		begin = read_clock(CLOCK_THREAD_CPUTIME_ID);
		CALL(poll(&given, 1, 0));
		time = read_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
		if (time > atomic_load(&work->longest_poll_ns))
			atomic_store(&work->longest_poll_ns, time);
		sleep_for(tick_ns());
	}
}

/* The attacker is root still. */
void start_receiver(void)
{
	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	start_helper(poll_each_tick, NULL);
}

void prepare_handed(int fd)
{
	send_descriptor(sockets[1], fd);
}

/* Every other descriptor has a ring, which the kernel fills. */
static void open_and_stop(void *data)
{
	const unsigned int count = *(unsigned int *)data;
	unsigned int i;

	CALL(prctl(PR_SET_PDEATHSIG, SIGKILL));
	for (i = 0; i < count; i++) {
		const int fd = open_device(O_NONBLOCK);

		if (i % 2)
			map_ring(fd, ENTRIES);
		add_periodic(fd, now(), get_info(fd).min_period_ns, i);
	}
	raise(SIGSTOP);
	FAIL("a program goes on that is stopped");
}

void prepare_stopped(unsigned int count)
{
	unsigned int i, each = count / PROGRAMS;
	int status;

	for (i = 0; i < PROGRAMS; i++) {
		CALL(waitpid(start_helper(open_and_stop, &each), &status, WUNTRACED));
		ASSERT(WIFSTOPPED(status));
	}
}
