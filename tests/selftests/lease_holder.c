// SPDX-License-Identifier: GPL-2.0
/* Leases: holders in other processes, which die, hang or want to do harm. */
#include <sys/socket.h>
#include <sys/wait.h>

#include "holder.h"
#include "rights.h"
#include "user.h"

/* The environment variable by which the program knows its lease after exec(). */
#define AFTER_EXEC "TWHEEL_TEST_LEASE_AFTER_EXEC"

/* A child that has a lease, and the owner's side of it. */
struct worker {
	int	fd;
	int	lease;
	int	pipe[2];	/* the child says that it has begun */
	__u64	handle;
	pid_t	pid;
};

/* Start a child that holds the only copy of a lease and runs @run. */
static struct worker start_worker(__u64 cap_ns, __u32 flags, void (*run)(void *data))
{
	struct worker worker = { .fd = open_device(O_CLOEXEC) };

	CALL(pipe(worker.pipe));
	worker.handle = add(worker.fd, LONG, 1);
	worker.lease = new_lease(worker.fd, worker.handle, cap_ns, flags);
	worker.pid = start(run, &worker);
	close(worker.lease);
	hear(worker.pipe[0]);
	return worker;
}

static void wait_for_ever(void *data)
{
	const struct worker *worker = data;

	close(worker->fd);
	tell(worker->pipe[1]);
	wait_to_be_killed(NULL);
}

static void push_for_ever(void *data)
{
	const struct worker *worker = data;

	close(worker->fd);
	ASSERT_EQ(push(worker->lease), 0);
	tell(worker->pipe[1]);
	while (!push(worker->lease))
		sleep_for(tick_ns());
}

TEST(killed_holder_is_noticed_within_a_tick)
{
	const struct worker worker = start_worker(LONG, ON_CLOSE, wait_for_ever);
	struct twheel_event event;
	__u64 before;

	check_no_event(worker.fd);
	before = now();
	CALL(kill(worker.pid, SIGKILL));
	event = read_closed(worker.fd);
	ASSERT(event.handle == worker.handle);
	ASSERT_GE(event.expired_ns, before);
	ASSERT_LE(event.expired_ns - before, tick_ns() + slack_ns());
	ASSERT_LE(now() - event.expired_ns, tick_ns() + slack_ns());
	note("%llu us from the signal to the event",
	     (unsigned long long)(event.expired_ns - before) / 1000);
	kill_child(worker.pid);
}

TEST(stopped_holder_is_noticed_by_its_deadline)
{
	struct worker worker;
	struct twheel_event event;
	__u64 cap = ticks(10), stopped;
	int status;

	/* A busy host may keep the worker from its lease for the cap: then the worker ends. */
	do {
		cap *= 2;
		ASSERT_LE(cap, ticks(2000));
		worker = start_worker(cap, ON_CLOSE, push_for_ever);
		ASSERT_EQ(change(worker.fd, worker.handle, cap), 0);
		pass(now() + 3 * cap);
		kill(worker.pid, SIGSTOP);
		CALL(waitpid(worker.pid, &status, WUNTRACED));
		stopped = now();
	} while (!WIFSTOPPED(status));
	event = read_one(worker.fd);	/* which checks that no flag is set */
	ASSERT(event.handle == worker.handle);
	ASSERT_LE(event.deadline_ns, stopped + cap);
	ASSERT_LE(event.expired_ns - event.deadline_ns, tick_ns() + slack_ns());
	kill_child(worker.pid);
	check_no_event(worker.fd);
}

TEST(holder_that_works_keeps_its_timer)
{
	const __u64 cap = 10 * NSEC_PER_SEC, end = now() + cap + ticks(100);
	const struct worker worker = start_worker(cap, 0, push_for_ever);

	ASSERT_EQ(change(worker.fd, worker.handle, cap / 2), 0);
	while (deadline_of(worker.fd, worker.handle) < end)
		pass_ticks(10);
	ASSERT_EQ(cancel(worker.fd, worker.handle), 0);
	/* The holder sees that the lease has ended, and ends itself. */
	join(worker.pid);
}

/* The other half of the test below: runs before main(), in the same process. */
static __attribute__((constructor)) void after_exec(void)
{
	const char *number = getenv(AFTER_EXEC);

	if (!number)
		return;
	ASSERT_EQ(push(atoi(number)), 0);
	ASSERT_GT(left(atoi(number)), 0);
	_exit(EXIT_PASS);
}

static void push_after_exec(void *data)
{
	const struct worker *worker = data;
	char number[16];

	tell(worker->pipe[1]);
	CALL(fcntl(worker->lease, F_SETFD, 0));
	snprintf(number, sizeof(number), "%d", worker->lease);
	setenv(AFTER_EXEC, number, 1);
	CALL(execl("/proc/self/exe", "lease_holder", NULL));
}

static void exec_and_lose(void *data)
{
	const struct worker *worker = data;

	tell(worker->pipe[1]);
	setenv(AFTER_EXEC, "none", 1);
	CALL(execl("/bin/sh", "sh", "-c", "sleep 1000", NULL));
}

TEST(lease_goes_through_exec)
{
	const struct worker worker = start_worker(LONG, ON_CLOSE, push_after_exec);

	join(worker.pid);
	ASSERT(read_closed(worker.fd).handle == worker.handle);
}

TEST(exec_closes_a_lease_that_is_not_passed_on)
{
	const struct worker worker = start_worker(LONG, ON_CLOSE, exec_and_lose);

	ASSERT(read_closed(worker.fd).handle == worker.handle);
	kill_child(worker.pid);
}

DEVICE_TEST(lease_lost_on_its_way_is_closed)
{
	int sockets[2], lease;
	__u64 handle;

	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	lease = lease_of_new_timer(fd, &handle, ON_CLOSE);
	send_descriptor(sockets[0], lease);
	close(lease);
	check_no_event(fd);
	close(sockets[0]);
	close(sockets[1]);
	ASSERT(read_closed(fd).handle == handle);
}

/* A socket that waits in its own queue is garbage once it is closed, with what waits there. */
static void lose_in_a_circle(int first, int second)
{
	int sockets[2];

	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	send_descriptor(sockets[0], sockets[1]);
	send_descriptor(sockets[0], first);
	send_descriptor(sockets[0], second);
	close(sockets[0]);
	close(sockets[1]);
	close(first);
	close(second);
}

/*
 * Closes sockets until @collected(@fd). The kernel looks for garbage when a socket is closed,
 * unless it looks for garbage already: then it passes over what has just become garbage.
 */
static void collect(bool (*collected)(int fd), int fd)
{
	const __u64 end = now() + 30 * NSEC_PER_SEC;
	int sockets[2];

	while (!collected(fd)) {
		ASSERT(in_time(end));
		CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
		close(sockets[0]);
		close(sockets[1]);
		pass_ticks(1);
	}
}

DEVICE_TEST(lease_in_a_circle_of_sockets_is_collected)
{
	__u64 handles[2];
	const int first = lease_of_new_timer(fd, &handles[0], ON_CLOSE);
	const int second = lease_of_new_timer(fd, &handles[1], ON_CLOSE);

	lose_in_a_circle(first, second);
	collect(has_event, fd);
	read_closed(fd);
	read_closed(fd);
}

DEVICE_TEST(owner_in_a_circle_of_sockets_is_collected)
{
	__u64 handle;
	const int lease = lease_of_new_timer(fd, &handle, ON_CLOSE);
	const int copy = CALL(dup(lease));

	lose_in_a_circle(fd, copy);
	collect(has_ended, lease);
	check_ended(lease);
}

/* The owner dies first. */
static void own_and_wait(void *data)
{
	const int fd = open_device(0);
	__u64 handle;

	send_descriptor(*(int *)data, lease_of_new_timer(fd, &handle, ON_CLOSE));
	wait_to_be_killed(NULL);
}

TEST(killed_owner_is_noticed_by_the_holder)
{
	int sockets[2], lease;
	pid_t owner;

	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	owner = start(own_and_wait, &sockets[1]);
	lease = receive_descriptor(sockets[0]);
	ASSERT_EQ(push(lease), 0);
	CALL(kill(owner, SIGKILL));
	wait_for_end(lease);
	check_ended(lease);
	CALL(waitpid(owner, NULL, 0));
}

/* A holder that does all it can. The event must come by the cap after its end. */
static void do_harm(void *data)
{
	const struct worker *worker = data;
	struct twheel_op op = new_timer(0, 1);
	unsigned int seed = 1, i;

	close(worker->fd);
	for (i = 0; i < 20000; i++) {
		switch (rand_r(&seed) % 8) {
		case 0:
			write(worker->lease, data, rand_r(&seed) % sizeof(*worker));
			break;
		case 1:
			push_by(worker->lease, ~0ULL << rand_r(&seed) % 64);
			break;
		case 2:
			push(worker->lease);
			break;
		case 3:
			left(worker->lease);
			break;
		case 4:
			ioctl(worker->lease, TWHEEL_IOC_ADD + rand_r(&seed) % 32, &op);
			break;
		case 5:
			ioctl(worker->lease, rand_r(&seed), data);
			break;
		case 6:
			close(dup(worker->lease));
			break;
		default:
			has_ended(worker->lease);
		}
	}
	tell(worker->pipe[1]);
}

TEST(hostile_holder_harms_its_own_timer_at_most)
{
	const struct worker worker = start_worker(ticks(30), 0, do_harm);
	struct twheel_event event;
	__u64 ended;

	add(worker.fd, LONG, 2);
	join(worker.pid);
	ended = now();
	ASSERT_EQ(timers_of(worker.fd), 2);
	ASSERT_EQ(leases_of(worker.fd), 0);
	ASSERT_EQ(change(worker.fd, worker.handle, 0), 0);
	event = read_one(worker.fd);
	ASSERT(event.handle == worker.handle);
	ASSERT_GE(event.deadline_ns, ended);
	check_no_event(worker.fd);
}

enum { CROWD = 5000 };

/* A process that dies closes all its leases. Each is an event, and no other. */
TEST(holder_of_many_leases_dies)
{
	const unsigned int count = many(CROWD);
	struct worker worker = { .fd = open_device(0) };
	bool *seen = allocate(count, sizeof(*seen));
	int *leases = allocate(count, sizeof(*leases));
	struct twheel_event event;
	unsigned int i;

	allow_files(CROWD + 100);
	CALL(pipe(worker.pipe));
	for (i = 0; i < count; i++)
		leases[i] = new_lease(worker.fd, add(worker.fd, LONG, i), LONG, ON_CLOSE);
	ASSERT_EQ(leases_of(worker.fd), count);
	worker.pid = start(wait_for_ever, &worker);
	for (i = 0; i < count; i++)
		close(leases[i]);
	hear(worker.pipe[0]);
	check_no_event(worker.fd);
	kill_child(worker.pid);
	for (i = 0; i < count; i++) {
		event = read_closed(worker.fd);
		see_once(seen, event.cookie, count);
	}
	ASSERT_EQ(leases_of(worker.fd), 0);
	ASSERT_EQ(timers_of(worker.fd), 0);
	check_no_event(worker.fd);
}
