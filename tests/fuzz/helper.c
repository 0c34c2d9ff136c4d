// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers: threads and processes that run some calls of a program while the main
 * thread goes on with the calls after them. Helpers have no helpers.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "world.h"

enum { MAX_HELPERS = 3 };

static struct {
	struct part	part;
	pthread_t	id;
} thread[MAX_HELPERS];
static unsigned int threads;
static pid_t child[MAX_HELPERS];
static unsigned int children;
static void (*run_part)(struct part *part);

/* What the main thread has still to run; NULL in helpers. */
static __thread struct part *mine;

void helper_init(void (*run)(struct part *part))
{
	run_part = run;
}

/* From here on, helpers take their calls from @part; NULL: there are no helpers. */
void helper_share(struct part *part)
{
	mine = part;
}

bool helper_is_main(void)
{
	return mine;
}

static void *run_in_thread(void *data)
{
	run_part(data);
	return NULL;
}

static void run_in_child(struct part *part)
{
	mine = NULL;
	threads = 0;
	fail_never();
	alarm_create();
	alarm_set(true);
	run_part(part);
	_exit(0);
}

static long start_process(struct part *part)
{
	pid_t pid;

	if (children == MAX_HELPERS)
		return -EAGAIN;
	pid = fork();
	if (!pid)
		run_in_child(part);
	if (pid > 0)
		child[children++] = pid;
	return pid > 0 ? 0 : -errno;
}

static long start_thread(const struct part *part)
{
	if (threads == MAX_HELPERS)
		return -EAGAIN;
	thread[threads].part = *part;
	if (pthread_create(&thread[threads].id, NULL, run_in_thread, &thread[threads].part))
		return -EAGAIN;
	threads++;
	return 0;
}

/* Give the next @calls to a new thread or process. */
long helper_start(bool process, unsigned int calls)
{
	struct part part;

	if (!mine)
		return -EBUSY;
	part = *mine;
	if (calls > part.to - part.from)
		return -EINVAL;
	part.to = part.from + calls;
	mine->from = part.to;
	return process ? start_process(&part) : start_thread(&part);
}

/* A signal ends the call in which a thread waits; the thread goes on with the next call. */
static void join_threads(void)
{
	struct timespec until;

	while (threads) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 5 * NSEC_PER_MSEC;
		until.tv_sec += until.tv_nsec / NSEC_PER_SEC;
		until.tv_nsec %= NSEC_PER_SEC;
		if (!pthread_timedjoin_np(thread[threads - 1].id, NULL, &until))
			threads--;
		else
			pthread_kill(thread[threads - 1].id, SIGUSR2);
	}
}

static void join_children(void)
{
	while (children) {
		if (waitpid(child[children - 1], NULL, 0) > 0 || errno == ECHILD)
			children--;
	}
}

void helper_join_all(void)
{
	join_threads();
	join_children();
}
