// SPDX-License-Identifier: GPL-2.0
/*
 * libevent's timers on libtwheel-loop: what takes the place of timeout_next() and
 * timeout_process() in event.c. See libevent_heap.h.
 */
void min_heap_due_(struct twheel_loop *loop, struct twheel_loop_timer *timer)
{
	struct event *ev = (struct event *)((char *)timer - offsetof(struct event, ev_twheel));

	event_del_nolock_(ev, EVENT_DEL_NOBLOCK);
	event_active_nolock_(ev, EV_TIMEOUT, 1);
}

static void note_readable(evutil_socket_t fd, short what, void *arg)
{
	/* timeout_process() reads. */
}

/* Poll the loop's descriptor, as an event that does not keep the base alive. */
static void watch_timers(struct event_base *base)
{
	min_heap_t *heap = &base->timeheap;

	if (heap->watched || twheel_loop_fd(heap->loop) < 0)
		return;
	heap->watched = 1;
	event_assign(&heap->io, base, twheel_loop_fd(heap->loop), EV_READ | EV_PERSIST,
		     note_readable, NULL);
	heap->io.ev_flags |= EVLIST_INTERNAL;
	event_priority_set(&heap->io, 0);
	event_add_nolock_(&heap->io, NULL, 0);
}

/* In the child, from event_reinit() */
void min_heap_fork_(struct event_base *base)
{
	if (base->timeheap.watched)
		event_del_nolock_(&base->timeheap.io, EVENT_DEL_AUTOBLOCK);
	base->timeheap.watched = 0;
	twheel_loop_fork(base->timeheap.loop);
}

static int timeout_next(struct event_base *base, struct timeval **tv_p)
{
	struct twheel_loop *loop = base->timeheap.loop;
	struct timeval now;
	int ms;

	if (gettime(base, &now) == -1)
		return -1;
	watch_timers(base);
	twheel_loop_prepare(loop, min_heap_ns_(&now));
	ms = twheel_loop_timeout(loop, min_heap_ns_(&now));
	if (ms < 0) {
		*tv_p = NULL;
	} else {
		(*tv_p)->tv_sec = ms / 1000;
		(*tv_p)->tv_usec = ms % 1000 * 1000;
	}
	return 0;
}

static void timeout_process(struct event_base *base)
{
	struct timeval now;

	gettime(base, &now);
	twheel_loop_dispatch(base->timeheap.loop, min_heap_ns_(&now), base->timeheap.watched);
}
