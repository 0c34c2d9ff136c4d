// SPDX-License-Identifier: GPL-2.0
/*
 * No call of a program blocks for ever: a signal interrupts the thread now and then.
 * Each process that runs calls creates its own alarm.
 */
#include "world.h"

enum { INTERVAL_MS = 60 };

static timer_t alarm_timer;

static void interrupt(int signal)
{
}

/* Without SA_RESTART, so that each of these signals ends a call. */
void alarm_init(void)
{
	const struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGIO, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	alarm_create();
}

/* The signals go to the calling thread. */
void alarm_create(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGALRM,
	};

	event._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &alarm_timer))
		report_die("no timer to interrupt calls with");
}

void alarm_set(bool on)
{
	const struct itimerspec interval = {
		.it_value = { .tv_nsec = on * INTERVAL_MS * NSEC_PER_MSEC },
		.it_interval = { .tv_nsec = on * INTERVAL_MS * NSEC_PER_MSEC },
	};

	timer_settime(alarm_timer, 0, &interval, NULL);
}
