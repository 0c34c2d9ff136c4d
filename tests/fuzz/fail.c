// SPDX-License-Identifier: GPL-2.0
/*
 * Failure injection for the next call: an allocation or a copy from or to the program
 * fails. In kernels without failure injection, nothing fails.
 *
 * Signals are blocked during such a call: a failed copy of a signal frame would kill the
 * process. No signal can interrupt the call, so it may only wait for a time to pass.
 */
#include "world.h"

#define DEBUG "/sys/kernel/debug/"

__thread unsigned int fail_nth;
static __thread int knob = -1;
static __thread sigset_t before;

static void set_knob(const char *path, const char *value)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		report_note("%s cannot be set: %s", path, strerror(errno));
	close(fd);
}

void fail_init(void)
{
	set_knob(DEBUG "failslab/verbose", "0");
	set_knob(DEBUG "failslab/ignore-gfp-wait", "N");
	set_knob(DEBUG "fail_page_alloc/verbose", "0");
	set_knob(DEBUG "fail_page_alloc/ignore-gfp-wait", "N");
	set_knob(DEBUG "fail_page_alloc/min-order", "0");
	set_knob(DEBUG "fail_usercopy/verbose", "0");
	/* The descriptor belongs to the thread that opened it. */
	knob = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

/* In a child process: the descriptor still belongs to the parent's thread. */
void fail_never(void)
{
	knob = -1;
}

void fail_begin(void)
{
	sigset_t all;
	char text[16];
	int size;

	if (!fail_nth || knob < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	size = snprintf(text, sizeof(text), "%u", fail_nth);
	if (write(knob, text, size) != size)
		report_note("no failure can be asked for: %s", strerror(errno));
}

void fail_end(void)
{
	const int error = errno;
	unsigned int tries;

	if (!fail_nth || knob < 0)
		return;
	/* The failure may hit this write, too. */
	for (tries = 0; tries < 8 && write(knob, "0", 1) != 1; tries++)
		;
	fail_nth = 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
}
