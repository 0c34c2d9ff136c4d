// SPDX-License-Identifier: GPL-2.0
/*
 * A failure for the next call: of an allocation, or of a copy from or to the
 * program. Where the kernel cannot do that, nothing fails.
 *
 * Signals wait meanwhile, as half a frame of one would be the end of us. So
 * such a call must not wait for anything but time.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

#define DEBUG "/sys/kernel/debug/"

__thread unsigned int fail_nth;
static __thread int knob = -1;
static __thread sigset_t before;

static void set(const char *path, const char *value)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, value, strlen(value)) < 0)
		note("%s cannot be set: %s", path, strerror(errno));
	close(fd);
}

void fail_init(void)
{
	set(DEBUG "failslab/verbose", "0");
	set(DEBUG "failslab/ignore-gfp-wait", "N");
	set(DEBUG "fail_page_alloc/verbose", "0");
	set(DEBUG "fail_page_alloc/ignore-gfp-wait", "N");
	set(DEBUG "fail_page_alloc/min-order", "0");
	set(DEBUG "fail_usercopy/verbose", "0");
	/* Of this thread alone, as it was opened by it. */
	knob = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
}

/* In a child: what it has opened is another's. */
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
		note("no failure can be asked for: %s", strerror(errno));
}

void fail_end(void)
{
	const int error = errno;
	unsigned int tries;

	if (!fail_nth || knob < 0)
		return;
	/* Writing may itself meet the failure. */
	for (tries = 0; tries < 8 && write(knob, "0", 1) != 1; tries++)
		;
	fail_nth = 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
}
