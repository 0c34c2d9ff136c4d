// SPDX-License-Identifier: GPL-2.0
/*
 * libuv's timers on libtwheel-loop. scripts/test-loops puts this file in place of src/timer.c of
 * libuv 1.44, and runs libuv's own tests.
 *
 * The wheel's timer lies in the handle, where libuv has the node of its heap. The loop's
 * timers hang on what was the top of the heap.
 */
#include "uv.h"
#include "uv-common.h"
#include "unix/internal.h"
#include <twheel_loop.h>

struct timers {
	struct twheel_loop	*loop;
	uv__io_t		io;
	int			readable;
};

/* Called by src/unix/loop.c */
void uv__timers_close(uv_loop_t *loop);
int uv__timers_fork(uv_loop_t *loop);

/* Milliseconds of the loop's time, as nanoseconds. */
static uint64_t ns(uint64_t ms)
{
	return ms < UINT64_MAX / 1000000 ? ms * 1000000 : UINT64_MAX;
}

static void note_readable(uv_loop_t *loop, uv__io_t *io, unsigned int events)
{
	container_of(io, struct timers, io)->readable = 1;
}

static void watch(uv_loop_t *loop, struct timers *timers)
{
	const int fd = twheel_loop_fd(timers->loop);

	uv__io_init(&timers->io, note_readable, fd);
	if (fd >= 0)
		uv__io_start(loop, &timers->io, POLLIN);
}

/* The first timer that starts opens the loop's timers. */
static struct timers *open_timers(uv_loop_t *loop)
{
	struct timers *timers = loop->timer_heap.min;

	if (timers)
		return timers;
	timers = uv__calloc(1, sizeof(*timers));
	if (!timers)
		return NULL;
	if (twheel_loop_open(&timers->loop, 0)) {
		uv__free(timers);
		return NULL;
	}
	loop->timer_heap.min = timers;
	watch(loop, timers);
	return timers;
}

void uv__timers_close(uv_loop_t *loop)
{
	struct timers *timers = loop->timer_heap.min;

	if (!timers)
		return;
	if (timers->io.fd >= 0)
		uv__io_close(loop, &timers->io);
	twheel_loop_close(timers->loop);
	uv__free(timers);
	loop->timer_heap.min = NULL;
}

int uv__timers_fork(uv_loop_t *loop)
{
	struct timers *timers = loop->timer_heap.min;
	int error;

	if (!timers)
		return 0;
	if (timers->io.fd >= 0)
		uv__io_close(loop, &timers->io);
	timers->readable = 0;
	error = twheel_loop_fork(timers->loop);
	watch(loop, timers);
	return error;
}

static struct twheel_loop_timer *timer_of(uv_timer_t *handle)
{
	return (struct twheel_loop_timer *)handle->heap_node;
}

static void run_timer(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	uv_timer_t *handle = container_of((void *)timer, uv_timer_t, heap_node);

	uv__handle_stop(handle);
	uv_timer_again(handle);
	handle->timer_cb(handle);
}

int uv_timer_init(uv_loop_t *loop, uv_timer_t *handle)
{
	STATIC_ASSERT(sizeof(handle->heap_node) >= sizeof(struct twheel_loop_timer));
	uv__handle_init(loop, (uv_handle_t *)handle, UV_TIMER);
	handle->timer_cb = NULL;
	handle->timeout = 0;
	handle->repeat = 0;
	twheel_loop_timer_init(timer_of(handle), run_timer);
	return 0;
}

int uv_timer_start(uv_timer_t *handle, uv_timer_cb cb, uint64_t timeout, uint64_t repeat)
{
	struct timers *timers = open_timers(handle->loop);

	if (uv__is_closing(handle) || !cb)
		return UV_EINVAL;
	if (!timers)
		return UV_ENOMEM;
	handle->timer_cb = cb;
	handle->timeout = handle->loop->time + timeout;
	if (handle->timeout < timeout)
		handle->timeout = (uint64_t)-1;
	handle->repeat = repeat;
	twheel_loop_timer_start(timers->loop, timer_of(handle), ns(handle->timeout));
	uv__handle_start(handle);
	return 0;
}

int uv_timer_stop(uv_timer_t *handle)
{
	if (uv__is_active(handle)) {
		struct timers *timers = handle->loop->timer_heap.min;

		twheel_loop_timer_stop(timers->loop, timer_of(handle));
		uv__handle_stop(handle);
	}
	return 0;
}

int uv_timer_again(uv_timer_t *handle)
{
	if (!handle->timer_cb)
		return UV_EINVAL;
	return handle->repeat ? uv_timer_start(handle, handle->timer_cb, handle->repeat,
					       handle->repeat) : 0;
}

void uv_timer_set_repeat(uv_timer_t *handle, uint64_t repeat)
{
	handle->repeat = repeat;
}

uint64_t uv_timer_get_repeat(const uv_timer_t *handle)
{
	return handle->repeat;
}

uint64_t uv_timer_get_due_in(const uv_timer_t *handle)
{
	return handle->loop->time >= handle->timeout ? 0 : handle->timeout - handle->loop->time;
}

/* libuv calls this before each poll that may wait. */
int uv__next_timeout(const uv_loop_t *loop)
{
	struct timers *timers = loop->timer_heap.min;

	if (!timers)
		return -1;
	twheel_loop_prepare(timers->loop, ns(loop->time));
	return twheel_loop_timeout(timers->loop, ns(loop->time));
}

void uv__run_timers(uv_loop_t *loop)
{
	struct timers *timers = loop->timer_heap.min;
	int readable;

	if (!timers)
		return;
	readable = timers->readable;
	timers->readable = 0;
	twheel_loop_dispatch(timers->loop, ns(loop->time), readable);
}

void uv__timer_close(uv_timer_t *handle)
{
	uv_timer_stop(handle);
}
