// SPDX-License-Identifier: MIT
#include <errno.h>
#include "ledger.h"

void ledger_init(struct ledger *l, struct model *model, uint64_t tick)
{
	*l = (struct ledger){ .model = model, .tick = tick };
	lateness_init(&l->ran, tick);
	lateness_init(&l->read, tick);
}

/* How many timers must be pending now. */
uint64_t ledger_pending(const struct ledger *l)
{
	return l->armed - l->expired - l->cancelled;
}

/* Enters a driver that comes online. Returns whether its timer is armed. */
bool ledger_add(struct ledger *l, uint32_t id, int result, uint64_t handle,
		uint64_t deadline)
{
	struct driver *d = &l->model->driver[id];

	if (result || !handle) {
		l->refused++;
		return false;
	}
	d->handle = handle;
	d->deadline = deadline;
	d->state = DRIVER_LIVE;
	l->armed++;
	return true;
}

/*
 * An operation, which ended before @now, found that a timer had expired. Either the
 * operation came after the deadline, or the timer expired early.
 */
static void found_expired(struct ledger *l, const struct driver *d,
			  uint64_t now)
{
	if (now < d->deadline)
		l->early++;
	else
		l->tardy++;
}

/* Enters a report of a live driver. Returns whether its deadline was pushed back. */
bool ledger_change(struct ledger *l, uint32_t id, int result,
		   uint64_t deadline, uint64_t now)
{
	struct driver *d = &l->model->driver[id];

	if (result && result != TWHEEL_RETRACTED) {
		if (result == -ENOENT)
			found_expired(l, d, now);
		else
			l->refused++;
		d->state = DRIVER_MISSED;
		return false;
	}
	if (result == TWHEEL_RETRACTED)
		found_expired(l, d, now);
	d->deadline = deadline;
	return true;
}

/* Enters a report of a driver whose timer no longer exists. */
void ledger_miss(struct ledger *l, uint32_t id, uint64_t now)
{
	l->tardy += now >= l->model->driver[id].deadline;
}

/*
 * Enters a cancellation; at the end, the program cancels every timer. A timer whose
 * event was read must not exist any more. The timer of a silent driver is lost in two
 * cases: if it is still pending, and if it does not exist although no event came.
 */
void ledger_cancel(struct ledger *l, uint32_t id, int result, uint64_t now)
{
	struct driver *d = &l->model->driver[id];
	bool there = result == 0 || result == TWHEEL_RETRACTED;

	if (d->state == DRIVER_OFFLINE) {
		l->refused += result != -ENOENT;
		return;
	}
	if (!there) {
		if (d->state == DRIVER_LIVE && result == -ENOENT)
			found_expired(l, d, now);
		else if (result == -ENOENT)
			l->lost++;
		else
			l->refused++;
		return;
	}
	l->cancelled++;
	if (d->state == DRIVER_SILENT)
		l->lost++;
	else if (result == TWHEEL_RETRACTED)
		found_expired(l, d, now);
}

/* Whether each field of the event is right for the driver's timer. */
static bool event_is_right(const struct driver *d, const struct twheel_event *e)
{
	return e->handle == d->handle && e->deadline_ns == d->deadline &&
	       e->count == 1 && e->type == TWHEEL_EVENT_TIMER && !e->flags &&
	       e->clockid == CLOCK_MONOTONIC && !e->pad && !e->reserved[0];
}

/*
 * Whether a run of the wheel passed the timer over: an earlier run took a timer that was
 * due at least two ticks later. It takes two ticks because the program does not know
 * where in time ticks begin.
 */
static bool passed_over(struct ledger *l, const struct twheel_event *e)
{
	if (e->expired_ns >= l->last + l->tick && l->run_latest > l->latest)
		l->latest = l->run_latest;
	l->last = e->expired_ns;
	if (e->deadline_ns > l->run_latest)
		l->run_latest = e->deadline_ns;
	return l->latest >= e->deadline_ns + 2 * l->tick;
}

/* Enters an event. Returns whether it ends a deadline that was pending until now. */
bool ledger_event(struct ledger *l, const struct sighting *s)
{
	const struct twheel_event *e = &s->event;
	struct driver *d;

	if (e->cookie >= l->model->count) {
		l->wrong++;
		return false;
	}
	d = &l->model->driver[e->cookie];
	if (d->state == DRIVER_OFF) {
		l->wrong++;
		return false;
	}
	if (d->state == DRIVER_OFFLINE) {
		l->twice++;
		return false;
	}
	l->expired++;
	l->wrong += !event_is_right(d, e);
	if (e->expired_ns < d->deadline || s->seen < d->deadline ||
	    s->seen < e->expired_ns) {
		l->early++;
	} else {
		l->extra += d->state != DRIVER_SILENT;
		l->passed += passed_over(l, e);
		lateness_add(&l->ran, e->expired_ns - d->deadline);
		lateness_add(&l->read, s->seen - d->deadline);
	}
	d->state = DRIVER_OFFLINE;
	return true;
}
