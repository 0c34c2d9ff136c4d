// SPDX-License-Identifier: GPL-2.0
/*
 * Running a program. Whatever it has begun is ended behind it, so that the next
 * one finds a world that is as good as new.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

enum { HELPERS = 3, POKE_MS = 60 };

/* Calls that a thread or a process goes on with. */
struct part {
	const struct program	*program;
	unsigned int		from, to;
	pthread_t		thread;
};

struct world world;
bool show_results;

static struct part helper[HELPERS];
static unsigned int helpers;
static pid_t child[HELPERS];
static unsigned int children;
static timer_t alarm_clock;
static __s64 real_offset;

/* Where the thread is that began the program; in the others, 0. */
static __thread struct part *mine;

static void interrupt(int signal)
{
}

/* Nobody waits for ever: a signal comes now and then, and calls see it. */
static void set_alarm(bool on)
{
	const struct itimerspec poke = {
		.it_value = { .tv_nsec = on * POKE_MS * NSEC_PER_MSEC },
		.it_interval = { .tv_nsec = on * POKE_MS * NSEC_PER_MSEC },
	};

	timer_settime(alarm_clock, 0, &poke, NULL);
}

static void make_alarm(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGALRM,
	};

	event._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &alarm_clock))
		die("no timer to interrupt calls with");
}

static __s64 offset_of_real_time(void)
{
	struct timespec real, mono;

	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	return (real.tv_sec - mono.tv_sec) * (__s64)NSEC_PER_SEC +
	       real.tv_nsec - mono.tv_nsec;
}

static void reset_clock(void)
{
	const __u64 time = time_of(NOW, CLOCK_MONOTONIC) + real_offset;
	const struct timespec to = { .tv_sec = time / NSEC_PER_SEC,
				     .tv_nsec = time % NSEC_PER_SEC };

	clock_settime(CLOCK_REALTIME, &to);
}

static void reset_world(void)
{
	unsigned int n;

	for (n = 0; n < FILES; n++)
		world.file[n] = -1;
	for (n = 0; n < HANDLES; n++)
		world.handle[n] = 0;
	world.next_handle = 0;
	world.eventfd = -1;
	world.epoll = -1;
}

void run_init(void)
{
	const struct sigaction action = { .sa_handler = interrupt };

	/* Without SA_RESTART. */
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGIO, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	make_alarm();
	memory_init();
	fail_init();
	real_offset = offset_of_real_time();
	reset_world();
}

static void run_part(struct part *part)
{
	const struct call *call;
	long result;

	while (part->from < part->to) {
		call = &part->program->call[part->from++];
		result = call_types[call->type].run(call->arg);
		if (show_results)
			note("%s: %ld", call_types[call->type].name, result);
		if (mine)
			cover_call(call->type, result);
	}
}

static void *run_in_thread(void *data)
{
	run_part(data);
	return NULL;
}

static void run_in_child(struct part *part)
{
	mine = NULL;
	helpers = 0;
	fail_never();
	make_alarm();
	set_alarm(true);
	run_part(part);
	_exit(0);
}

static long run_in_process(struct part *part)
{
	pid_t pid;

	if (children == HELPERS)
		return -EAGAIN;
	pid = fork();
	if (!pid)
		run_in_child(part);
	if (pid > 0)
		child[children++] = pid;
	return pid > 0 ? 0 : -errno;
}

/*
 * The next calls are left to another thread, or process, while we go on with
 * those behind them. Helpers have no helpers.
 */
long run_elsewhere(bool process, unsigned int calls)
{
	struct part part;

	if (!mine)
		return -EBUSY;
	part = *mine;
	if (calls > part.to - part.from)
		return -EINVAL;
	part.to = part.from + calls;
	mine->from = part.to;
	if (process)
		return run_in_process(&part);
	if (helpers == HELPERS)
		return -EAGAIN;
	helper[helpers] = part;
	if (pthread_create(&helper[helpers].thread, NULL, run_in_thread,
			   &helper[helpers]))
		return -EAGAIN;
	helpers++;
	return 0;
}

/* Those that wait in a call are sent on to the next one. */
static void join_helpers(void)
{
	struct timespec until;

	while (helpers) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 5 * NSEC_PER_MSEC;
		until.tv_sec += until.tv_nsec / NSEC_PER_SEC;
		until.tv_nsec %= NSEC_PER_SEC;
		if (!pthread_timedjoin_np(helper[helpers - 1].thread, NULL, &until))
			helpers--;
		else
			pthread_kill(helper[helpers - 1].thread, SIGUSR2);
	}
}

static void join_children(void)
{
	while (children) {
		if (waitpid(child[children - 1], NULL, 0) > 0 || errno == ECHILD)
			children--;
	}
}

static void close_slot(atomic_int *slot)
{
	const int fd = atomic_exchange(slot, -1);

	if (fd >= 0)
		close(fd);
}

static void clean_up(void)
{
	unsigned int n;

	fail_nth = 0;
	join_helpers();
	join_children();
	storm_stop();
	set_alarm(false);
	unmap_all();
	for (n = 0; n < FILES; n++)
		close_slot(&world.file[n]);
	close_slot(&world.eventfd);
	close_slot(&world.epoll);
	syscall(SYS_setresuid, -1, 0, -1);
	if (atomic_exchange(&world.clock_moved, false))
		reset_clock();
	reset_world();
}

void run_program(const struct program *program)
{
	struct part all = { .program = program, .to = program->count };

	memory_reset();
	cover_begin();
	mine = &all;
	set_alarm(true);
	run_part(&all);
	mine = NULL;
	clean_up();
}
