// SPDX-License-Identifier: GPL-2.0
#include "harness.h"

atomic_bool stopping;

/* The threads that have not been joined yet, oldest first. */
static struct thread {
	pthread_t	id;
	void		(*run)(void *data);
	void		*data;
} threads[512];
static unsigned int first_thread, next_thread;

static void *run_thread(void *data)
{
	const struct thread *thread = data;

	thread->run(thread->data);
	return NULL;
}

void start_thread(void (*run)(void *data), void *data)
{
	struct thread *thread = &threads[next_thread++ % ARRAY_SIZE(threads)];

	ASSERT_LE(next_thread - first_thread, ARRAY_SIZE(threads));
	*thread = (struct thread){ .run = run, .data = data };
	ASSERT_EQ(pthread_create(&thread->id, NULL, run_thread, thread), 0);
}

void start_threads(unsigned int count, void (*run)(void *data), void *data)
{
	while (count--)
		start_thread(run, data);
}

void join_oldest(unsigned int count)
{
	for (; count; count--, first_thread++)
		ASSERT_EQ(pthread_join(threads[first_thread % ARRAY_SIZE(threads)].id, NULL), 0);
}

void join_threads(void)
{
	join_oldest(next_thread - first_thread);
}

void stop_threads(void)
{
	stopping = true;
	join_threads();
	stopping = false;
}

unsigned int thread_seed(void)
{
	static atomic_uint count;

	return ++count;
}

static pthread_barrier_t round_begins, round_ends;
static void (*round_work)(unsigned int number);

static void work_in_rounds(void *data)
{
	const unsigned int number = (unsigned long)data;

	for (;;) {
		pthread_barrier_wait(&round_begins);
		if (stopping)
			return;
		round_work(number);
		pthread_barrier_wait(&round_ends);
	}
}

void start_rounds(unsigned int count, void (*work)(unsigned int number))
{
	unsigned long number;

	round_work = work;
	ASSERT_EQ(pthread_barrier_init(&round_begins, NULL, count + 1), 0);
	ASSERT_EQ(pthread_barrier_init(&round_ends, NULL, count + 1), 0);
	for (number = 0; number < count; number++)
		start_thread(work_in_rounds, (void *)number);
}

void begin_round(void)
{
	pthread_barrier_wait(&round_begins);
}

void end_round(void)
{
	pthread_barrier_wait(&round_ends);
}

void stop_rounds(void)
{
	stopping = true;
	begin_round();
	stop_threads();
}
