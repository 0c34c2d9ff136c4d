// SPDX-License-Identifier: MIT
/* The ways to make sure that a primary ends: a fence, and what programs do without one. */
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/exit.h"
#include "fencing.h"

/* A fence: the kernel kills the group. */

static int lease;

static void push(void)
{
	twheel_lease_push(lease);
}

/* Has the descriptor of the timer, so that the watcher may be killed. */
static void keep(void)
{
	if (fork())
		return;
	for (;;)
		pause();
}

static void be_fenced(void)
{
	struct twheel_op op = twheel_after(LEASE_NS, 0);
	const int set = twheel_open(0);
	int go[2], ret;
	char byte;
	pid_t pid;

	if (set < 0)
		exit_without_device(set);
	ret = twheel_add(set, &op);
	lease = ret ? ret : twheel_lease(set, op.handle, LEASE_NS, 0);
	keep();
	if (lease < 0 || pipe(go))
		errx(EXIT_FAILURE, "no lease");
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(set);
		close(go[1]);
		/* Nothing happens before there is a fence. */
		if (read(go[0], &byte, 1) != 1)
			_exit(EXIT_FAILURE);
		agent_run(push, false);
	}
	setpgid(pid, pid);
	ret = twheel_fence(set, -pid, SIGKILL);
	if (ret)
		errx(EXIT_FAILURE, "no fence: error %d", -ret);
	if (write(go[1], "", 1) != 1)
		err(EXIT_FAILURE, "pipe");
	for (;;)
		pause();
}

/* A supervisor, to which the agent sends a heartbeat over a socket. */

static int heartbeat;

static void send_heartbeat(void)
{
	if (send(heartbeat, "", 1, 0) != 1)
		warn("heartbeat");
}

static void supervise(void)
{
	const struct timeval lease_time = {
		.tv_sec = LEASE_NS / 1000000000,
		.tv_usec = LEASE_NS % 1000000000 / 1000,
	};
	int sockets[2];
	char byte;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) ||
	    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &lease_time, sizeof(lease_time)))
		err(EXIT_FAILURE, "socket");
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		heartbeat = sockets[1];
		agent_run(send_heartbeat, false);
	}
	setpgid(pid, pid);
	while (recv(sockets[0], &byte, 1, 0) == 1)
		;
	kill(-pid, SIGKILL);
	for (;;)
		pause();
}

/* A thread of the agent, which looks at the clock. */

static void nothing(void)
{
}

static void *watch(void *unused)
{
	__u64 deadline;

	do {
		deadline = __atomic_load_n(&shared->renewed_ns, __ATOMIC_ACQUIRE) + LEASE_NS;
		sleep_until(deadline);
	} while (__atomic_load_n(&shared->renewed_ns, __ATOMIC_ACQUIRE) + LEASE_NS > deadline);
	kill(0, SIGKILL);
	return unused;
}

static void have_thread(void)
{
	pthread_t thread;

	__atomic_store_n(&shared->renewed_ns, now(), __ATOMIC_RELEASE);
	if (pthread_create(&thread, NULL, watch, NULL))
		errx(EXIT_FAILURE, "no thread");
	agent_run(nothing, false);
}

/* A timer of POSIX: the kernel kills the agent. */

static timer_t timer;

static void set_timer(void)
{
	const struct itimerspec time = {
		.it_value.tv_sec = LEASE_NS / 1000000000,
		.it_value.tv_nsec = LEASE_NS % 1000000000,
	};

	timer_settime(timer, 0, &time, NULL);
}

static void create_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		err(EXIT_FAILURE, "timer_create");
}

static void have_timer(void)
{
	create_timer();
	agent_run(set_timer, false);
}

/* The actors are the agent's own children, have no children, and have asked to die with it. */
static void have_timer_and_loyal_actors(void)
{
	create_timer();
	agent_run(set_timer, true);
}

const struct way ways[] = {
	{ .name = "fence", .run = be_fenced },
	{ .name = "socket", .run = supervise },
	{ .name = "thread", .run = have_thread },
	{ .name = "timer_create", .run = have_timer },
	{ .name = "+ pdeathsig", .run = have_timer_and_loyal_actors },
	{ .name = "gunicorn", .run = gunicorn_run, .prepare = gunicorn_prepare,
	  .hang = gunicorn_hang },
	{ .name = "etcd", .run = etcd_run, .prepare = etcd_prepare, .hang = etcd_hang,
	  .clean = etcd_clean },
	{ NULL },
};
