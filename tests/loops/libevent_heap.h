/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libevent's timers on libtwheel-loop. scripts/test-loops puts this file in place of
 * minheap-internal.h of libevent 2.1, and libevent_timeout.c in place of two functions of event.c.
 *
 * An event has room for the wheel's timer. The array has all events with a timeout, in no order,
 * for the functions of event.c that list them.
 */
#ifndef MINHEAP_INTERNAL_H_INCLUDED_
#define MINHEAP_INTERNAL_H_INCLUDED_

#include <stdlib.h>
#include <twheel_loop.h>
#include "event2/event-config.h"
#include "evconfig-private.h"
#include "event2/event.h"
#include "event2/event_struct.h"
#include "event2/util.h"
#include "util-internal.h"
#include "mm-internal.h"

typedef struct min_heap {
	struct event		**p;
	unsigned int		n, a;
	struct twheel_loop	*loop;
	/* the descriptor of the loop, once it is polled */
	struct event		io;
	int			watched;
} min_heap_t;

/* Called by event_reinit(), in the child */
void min_heap_fork_(struct event_base *base);

/* The callback of all timers */
void min_heap_due_(struct twheel_loop *loop, struct twheel_loop_timer *timer);

static inline struct twheel_loop_timer *min_heap_timer_(struct event *e)
{
	return (struct twheel_loop_timer *)e->ev_twheel;
}

static inline uint64_t min_heap_ns_(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static inline void min_heap_ctor_(min_heap_t *s)
{
	memset(s, 0, sizeof(*s));
	if (twheel_loop_open(&s->loop, 0))
		abort();
}

static inline void min_heap_dtor_(min_heap_t *s)
{
	twheel_loop_close(s->loop);
	if (s->p)
		mm_free(s->p);
}

static inline void min_heap_elem_init_(struct event *e)
{
	e->ev_timeout_pos.min_heap_idx = -1;
	twheel_loop_timer_init(min_heap_timer_(e), min_heap_due_);
}

static inline int min_heap_empty_(min_heap_t *s)
{
	return !s->n;
}

static inline unsigned int min_heap_size_(min_heap_t *s)
{
	return s->n;
}

/* Some event: callers that want the first one are in libevent_timeout.c. */
static inline struct event *min_heap_top_(min_heap_t *s)
{
	return s->n ? s->p[0] : NULL;
}

/* Whether to wake the thread that waits: always. */
static inline int min_heap_elt_is_top_(const struct event *e)
{
	(void)e;
	return 1;
}

static inline int min_heap_reserve_(min_heap_t *s, unsigned int n)
{
	struct event **p;

	if (n <= s->a)
		return 0;
	p = mm_realloc(s->p, (n + 8) * 2 * sizeof(*p));
	if (!p)
		return -1;
	s->p = p;
	s->a = (n + 8) * 2;
	return 0;
}

static inline int min_heap_push_(min_heap_t *s, struct event *e)
{
	if (min_heap_reserve_(s, s->n + 1))
		return -1;
	e->ev_timeout_pos.min_heap_idx = (int)s->n;
	s->p[s->n++] = e;
	twheel_loop_timer_start(s->loop, min_heap_timer_(e), min_heap_ns_(&e->ev_timeout));
	return 0;
}

static inline int min_heap_erase_(min_heap_t *s, struct event *e)
{
	const int at = e->ev_timeout_pos.min_heap_idx;

	if (at < 0)
		return -1;
	twheel_loop_timer_stop(s->loop, min_heap_timer_(e));
	s->p[at] = s->p[--s->n];
	s->p[at]->ev_timeout_pos.min_heap_idx = at;
	e->ev_timeout_pos.min_heap_idx = -1;
	return 0;
}

static inline struct event *min_heap_pop_(min_heap_t *s)
{
	struct event *e = min_heap_top_(s);

	if (e)
		min_heap_erase_(s, e);
	return e;
}

static inline int min_heap_adjust_(min_heap_t *s, struct event *e)
{
	if (e->ev_timeout_pos.min_heap_idx < 0)
		return min_heap_push_(s, e);
	twheel_loop_timer_start(s->loop, min_heap_timer_(e), min_heap_ns_(&e->ev_timeout));
	return 0;
}

#endif /* MINHEAP_INTERNAL_H_INCLUDED_ */
