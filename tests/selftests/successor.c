// SPDX-License-Identifier: GPL-2.0
/*
 * A program with up to a million timers is killed. A supervisor has kept its descriptor, as
 * systemd does with FileDescriptorStoreMax=. A successor lists the timers, and goes on with
 * the same handles.
 */
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#include "device.h"
#include "rights.h"

enum { MOST = 1000000, CHUNK = 4096 };

/* What the holder knows about its timers: by cookie. Only the test looks at it. */
struct known {
	__u64	handle;
	__u64	deadline;
};

/* Shared by all processes of the case. */
static struct shared {
	unsigned int	count;		/* how many timers the holder arms */
	atomic_uint	armed;		/* how many of them it has armed */
	__u64		killed;		/* when the holder was killed */
	struct known	known[];
} *shared;

/*
 * As many timers as a machine has memory for, and is fast enough for. A fifth, without
 * --long, has a list of 50 calls, and as many reads.
 */
static unsigned int timer_count(void)
{
	const unsigned int count = many(long_tests ? MOST : MOST / 5);
	struct sysinfo info;
	unsigned long room;

	CALL(sysinfo(&info));
	room = info.freeram * info.mem_unit / 512;
	return room < count ? room : count;
}

/* Opens the device, passes the descriptor on and arms timers, until it is killed. */
static void hold(int sock, unsigned int count, __u64 last)
{
	static struct twheel_op ops[CHUNK];
	const int fd = open_device(0);
	const __u64 start = now();
	unsigned int done, n, i;

	send_descriptor(sock, fd);
	for (done = 0; done < count; done += n) {
		n = count - done < CHUNK ? count - done : CHUNK;
		for (i = 0; i < n; i++) {
			/* some expire before the holder is killed, most after that */
			shared->known[done + i].deadline = start +
				(done + i) * 7919ULL % count * (last - start) / count;
			ops[i] = new_timer_at(shared->known[done + i].deadline, done + i);
		}
		add_all(fd, ops, n);
		for (i = 0; i < n; i++)
			shared->known[done + i].handle = ops[i].handle;
		shared->armed = done + n;
	}
	wait_to_be_killed(NULL);
}

/* Lists the timers. They are all that the holder has armed, with their handles. */
static void check_list(int fd, unsigned int count)
{
	static struct twheel_op records[CHUNK];
	static bool listed[MOST];
	unsigned int seen = 0, expired = 0, i;
	const __u64 start = now();
	__u64 cursor = 0;
	int got;

	while ((got = list(fd, records, CHUNK, &cursor, TWHEEL_ABSTIME))) {
		ASSERT_GT(got, 0);
		for (i = 0; i < (unsigned int)got; i++) {
			const struct twheel_op *op = &records[i];

			see_once(listed, op->cookie, count);
			ASSERT(op->handle == shared->known[op->cookie].handle);
			ASSERT_EQ(op->time_ns, shared->known[op->cookie].deadline);
			expired += op->result == TWHEEL_EXPIRED;
		}
		seen += got;
	}
	ASSERT_EQ(seen, count);
	note("listed %u timers, %u of them expired, in %llu ms", seen, expired,
	     (now() - start) / NSEC_PER_MSEC);
}

/* Reads the events of all timers. None is lost, early or has another handle. */
static void check_events(int fd, unsigned int count)
{
	static struct twheel_event events[CHUNK];
	static bool expired[MOST];
	unsigned int seen = 0;
	int got, i;

	while (seen < count) {
		got = read_events(fd, events, CHUNK);
		ASSERT_GT(got, 0);
		if (!seen)
			note("first event %llu us after the kill",
			     (now() - shared->killed) / 1000);
		for (i = 0; i < got; i++) {
			const struct twheel_event *event = &events[i];
			const struct known *known = &shared->known[event->cookie];

			see_once(expired, event->cookie, count);
			ASSERT(event->handle == known->handle);
			ASSERT_EQ(event->deadline_ns, known->deadline);
			ASSERT_GE(event->expired_ns, known->deadline);
			ASSERT_GE(now(), known->deadline);
			ASSERT_EQ(event->count, 1);
		}
		seen += got;
	}
	ASSERT_EQ(timers_of(fd), 0);
	note("0 of %u timers lost, 0 early, all handles equal", count);
}

/* The names still work, whether the timers are pending or have expired. */
static void use_handles(int fd, unsigned int count)
{
	struct twheel_op told;
	unsigned int i;

	for (i = 0; i < 1000 && i < count; i++) {
		const struct known *known = &shared->known[i];

		ASSERT_GE(query(fd, known->handle, &told), 0);
		ASSERT_EQ(told.cookie, i);
		ASSERT_GE(change_to(fd, known->handle, known->deadline), 0);
	}
}

/* What the service does when it starts for the second time. */
static void succeed(void *data)
{
	const int fd = receive_descriptor(*(int *)data);

	check_list(fd, shared->count);
	use_handles(fd, shared->count);
	check_events(fd, shared->count);
}

TEST(killed_holder_has_a_successor)
{
	const unsigned int count = timer_count();
	const __u64 last = now() + (long_tests ? 10 : 4) * NSEC_PER_SEC;
	int sockets[2], status, fd;
	pid_t holder;

	shared = shared_memory(sizeof(*shared) + count * sizeof(struct known));
	shared->count = count;
	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));

	holder = CALL(fork());
	if (!holder)
		hold(sockets[1], count, last);
	fd = receive_descriptor(sockets[0]);
	while (shared->armed < count) {
		ASSERT_EQ(waitpid(holder, &status, WNOHANG), 0);
		pass_ticks(1);
	}
	ASSERT_EQ(get_info(fd).timers, count);

	shared->killed = now();
	kill_child(holder);
	send_descriptor(sockets[0], fd);
	close(fd);
	join(start(succeed, &sockets[1]));
}
