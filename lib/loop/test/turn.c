// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* The turns of an event loop, for tests. */
#include <libtwheel.h>
#include <poll.h>
#include <unistd.h>

#include "harness.h"
#include "../../test/ioctl.h"
#include "turn.h"

bool in_device;
uint64_t tick_ns, dispatched;
unsigned int calls;
unsigned int dispatches;
int batch_error;
/* Not 0: a loop may be opened at any time. */
static uint64_t virtual_now = 1234567 * SEC + 890123;

int __wrap_ioctl(int fd, unsigned long call, void *argument)
{
	calls++;
	if (call == TWHEEL_IOC_BATCH && batch_error) {
		errno = batch_error;
		batch_error = 0;
		return -1;
	}
	return __real_ioctl(fd, call, argument);
}

uint64_t now(void)
{
	return in_device ? twheel_now(CLOCK_MONOTONIC) : virtual_now;
}

struct twheel_loop *open_loop(unsigned int flags)
{
	struct twheel_loop *loop;
	struct twheel_info info;

	ASSERT_EQ(twheel_loop_open(&loop, flags), 0);
	in_device = twheel_loop_backend(loop, NULL) == TWHEEL_LOOP_IN_DEVICE;
	if (in_device && !(flags & TWHEEL_LOOP_ONE_FD)) {
		ASSERT_EQ(twheel_get_info(twheel_loop_fd(loop), &info), 0);
		tick_ns = info.resolution_ns;
	}
	calls = 0;
	return loop;
}

static unsigned int turn_with_timeout(struct twheel_loop *loop, int most)
{
	struct pollfd poll_fd = { .events = POLLIN };
	int timeout;

	twheel_loop_prepare(loop, now());
	poll_fd.fd = twheel_loop_fd(loop);
	timeout = twheel_loop_timeout(loop, now());
	ASSERT_GE(timeout, -1);
	if (timeout < 0 || (most >= 0 && most < timeout))
		timeout = most;
	if (in_device) {
		CALL(poll(&poll_fd, 1, timeout));
	} else {
		/* Nothing would end the wait. */
		ASSERT_GE(timeout, 0);
		virtual_now += timeout * MSEC;
	}
	dispatched = now();
	dispatches++;
	return twheel_loop_dispatch(loop, dispatched, poll_fd.revents);
}

unsigned int turn(struct twheel_loop *loop)
{
	return turn_with_timeout(loop, -1);
}

void turn_until(struct twheel_loop *loop, uint64_t time)
{
	uint64_t before;

	while ((before = now()) < time)
		turn_with_timeout(loop, (int)((time - before + MSEC - 1) / MSEC));
}
