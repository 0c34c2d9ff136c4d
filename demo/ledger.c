// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "ledger.h"

void ledger_init(struct ledger *l, struct model *model, uint64_t tick)
{
	*l = (struct ledger){ .model = model, .tick = tick };
	lateness_init(&l->ran, tick);
	lateness_init(&l->read, tick);
}

/* Timers that should be there now. */
uint64_t ledger_pending(const struct ledger *l)
{
	return l->armed - l->expired - l->cancelled;
}

/* A driver has come online. True if its timer is armed. */
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
 * A timer was found expired by an operation that ended before @now. Either the
 * operation came too late, or the timer had expired too early.
 */
static void found_expired(struct ledger *l, const struct driver *d,
			  uint64_t now)
{
	if (now < d->deadline)
		l->early++;
	else
		l->tardy++;
}

/* A live driver's deadline was pushed back. True if it was accepted. */
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

/* A driver reports whose timer is gone. */
void ledger_miss(struct ledger *l, uint32_t id, uint64_t now)
{
	l->tardy += now >= l->model->driver[id].deadline;
}

/*
 * At the end, every timer is cancelled. One that has expired must be gone. A
 * silent driver's that is still there is lost, and so is one that was gone
 * without ever having expired.
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

/* Does the event say what an event of this driver's timer has to say? */
static bool event_right(const struct driver *d, const struct twheel_event *e)
{
	return e->handle == d->handle && e->deadline_ns == d->deadline &&
	       e->count == 1 && e->type == TWHEEL_EVENT_TIMER && !e->flags &&
	       e->clockid == CLOCK_MONOTONIC && !e->pad && !e->reserved[0];
}

/*
 * Has a run of the wheel passed the timer over? So it is if an earlier run took
 * another one that was due later. As the phase of the ticks is not known here,
 * "later" means by two ticks.
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

/* A timer has expired. True if that was news: its deadline is over now. */
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
	l->wrong += !event_right(d, e);
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
