/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: running a callback, and finding one that runs
 */
#ifndef _TWHEEL_ENGINE_CALLBACK_H
#define _TWHEEL_ENGINE_CALLBACK_H

#include "base.h"
#include "objects.h"
#include "trace.h"

const struct twheel_callback *
twheel_callback_find(const struct twheel_base *base,
		     const struct twheel_timer *t);
const struct twheel_callback *
twheel_callback_find_process(const struct twheel_base *base,
			     const struct twheel_timer *t);
struct twheel_timer *twheel_callback_first_deferred(struct twheel_base *base);

/**
 * twheel_callback_begin - note that the callback of a timer is about to run
 * @base: The base that @t belongs to, locked.
 * @cb: Where to note it. The caller has stored the task.
 * @t: The timer that the wheel has just let expire.
 * @now: The current tick.
 *
 * Return: The callback.
 */
static inline twheel_fn_t
twheel_callback_begin(struct twheel_base *base, struct twheel_callback *cb,
		      struct twheel_timer *t, u64 now)
{
	twheel_fn_t fn = t->fn;

	lockdep_assert_held(&base->lock);

	cb->timer = t;
	cb->fn = fn;
	cb->missed = base->wheel.missed;
	base->counts.fired++;
	if (t->node.period)
		base->counts.armed++;
	else
		twheel_objects_disarm(t);
	twheel_stats_callback(&base->stats, now, base->wheel.last,
			      twheel_wheel_has_window(&t->node));
	trace_twheel_expire_entry(t, base->wheel.last, base->cpu);
	return fn;
}

/*
 * Runs a callback, with no lock held. The callback may free the timer, which contains the map that
 * lockdep needs until the callback has returned. So lockdep gets a copy of the map.
 */
static inline void twheel_callback_run(struct twheel_timer *t, twheel_fn_t fn)
{
	int count = preempt_count();
#ifdef CONFIG_LOCKDEP
	struct lockdep_map lockdep_map;

	lockdep_copy_map(&lockdep_map, &t->lockdep_map);
#endif
	lock_map_acquire(&lockdep_map);
	fn(t);
	lock_map_release(&lockdep_map);

	if (WARN_ONCE(count != preempt_count(),
		      "%pS left preempt_count at %#x, was %#x\n",
		      fn, preempt_count(), count))
		preempt_count_set(count);
	trace_twheel_expire_exit(t, fn);
}

#endif /* _TWHEEL_ENGINE_CALLBACK_H */
