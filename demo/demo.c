// SPDX-License-Identifier: MIT
/*
 * The headline case of twheel: a million drivers, on one descriptor of /dev/twheel. A
 * driver that does not report for ten minutes is offline.
 *
 * The model says when each driver reports. A report pushes back the deadline of the
 * driver's timer. Time is scaled down: ten minutes of the model take about a minute. A
 * known set of drivers falls silent, and exactly their timers must expire. The ledger
 * accounts for every timer and every event.
 *
 * The main thread arms all timers and pushes them back. It is bound to one CPU, so all
 * timers are on the wheel of that CPU. A watcher on another CPU reads the events. Each
 * of the two CPUs has a plain timerfd, to compare lateness with.
 */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "device.h"
#include "dial.h"
#include "ledger.h"
#include "model.h"
#include "options.h"
#include "picture.h"
#include "screen.h"
#include "verdict.h"
#include "watch.h"

/* Time between two frames, time between two lines, and pictures among the lines. */
#define LIVE_NS		(NSEC_PER_SEC / 3)
#define LINE_NS		(5 * NSEC_PER_SEC)
#define PICTURES	3
/*
 * How far the program may fall behind before it slows the model down. The model leaves
 * a margin of a fifth of the timeout.
 */
#define BEHIND_MAX(timeout)	((timeout) / 12)
/*
 * How long to wait for events that are overdue. Live drivers do not report meanwhile, so
 * it must be shorter than the time to their deadlines.
 */
#define GRACE(timeout)	((timeout) / 10)

enum watcher {
	EVENTS,
	OTHER_CPU,
	WATCHERS,
};

struct demo {
	struct options		options;
	struct model		model;
	struct device		device;
	struct ledger		ledger;
	struct dial		dial;
	struct dial_view	view;
	struct watch		watch[WATCHERS];
	int			watchers;
	struct screen		screen;
	struct sighting		*seen;
	size_t			seen_room;

	uint64_t		begun;		/* time of the first step */
	uint64_t		start;		/* the same, if all steps had been step_ns long */
	uint64_t		step_ns;
	uint64_t		timeout_ns;
	uint64_t		behind_ns;
	bool			slowing;	/* slow_down() pushes deadlines back */

	uint64_t		shown;		/* time of the last frame or line */
	uint64_t		shown_ops;	/* operations until then, */
	uint64_t		shown_ns;	/* and their time */
	unsigned int		pictures;
	struct lateness		timer;
};

static uint64_t model_time(const struct demo *d, uint32_t step)
{
	return d->start + step * d->step_ns;
}

static void get_timer_lateness(struct demo *d)
{
	int i;

	lateness_init(&d->timer, d->device.info.resolution_ns);
	for (i = 0; i < d->watchers; i++)
		watch_lateness(&d->watch[i], &d->timer);
}

static struct status get_status(struct demo *d, uint64_t now)
{
	uint64_t ops = d->device.ops - d->shown_ops;
	uint64_t ns = d->device.ns - d->shown_ns;
	struct status st = {
		.ledger = &d->ledger,
		.dial = &d->view,
		.timer = &d->timer,
		.elapsed_ns = now - d->begun,
		.total_ns = now - d->begun,
		.step = d->model.step,
		.rate = ops * NSEC_PER_SEC / (now - d->shown + 1),
		.cost_ns = ops ? ns / ops : 0,
		.behind_ns = d->behind_ns,
		.slowing = d->slowing,
	};

	if (st.step < MODEL_END)
		st.total_ns = model_time(d, MODEL_END) - d->begun;
	d->shown = now;
	d->shown_ops = d->device.ops;
	d->shown_ns = d->device.ns;
	dial_read(&d->dial, now, &d->view);
	get_timer_lateness(d);
	return st;
}

static void show(struct demo *d, uint64_t now)
{
	struct screen *s = &d->screen;
	struct status st;

	if (!screen_push(s) ||
	    now - d->shown < (s->live ? LIVE_NS : LINE_NS))
		return;
	st = get_status(d, now);
	if (s->live) {
		picture_live(s, &st);
	} else {
		picture_progress(s, &st);
		if (d->pictures < PICTURES &&
		    st.step * (PICTURES + 1) >= MODEL_END * (d->pictures + 1)) {
			d->pictures++;
			picture_text(s, &st);
		}
	}
	screen_push(s);
}

static void account_events(struct demo *d)
{
	size_t i, n = watch_take(&d->watch[EVENTS], &d->seen, &d->seen_room);

	for (i = 0; i < n; i++) {
		const struct sighting *s = &d->seen[i];

		if (ledger_event(&d->ledger, s))
			dial_leave(&d->dial,
				   d->model.driver[s->event.cookie].deadline);
	}
}

/* Called between two batches. */
static int poll_and_show(struct demo *d)
{
	int i, error;

	account_events(d);
	show(d, clock_now());
	for (i = 0; i < d->watchers; i++) {
		error = watch_error(&d->watch[i]);
		if (error) {
			warnx("waiting for timers failed: %s", strerror(error));
			return -1;
		}
	}
	return 0;
}

/* Enters the result of an operation on a driver's timer, which ended before @now. */
static void apply_result(struct demo *d, const struct twheel_op *op, uint32_t id,
			 uint64_t now)
{
	struct driver *driver = &d->model.driver[id];
	uint64_t old = driver->deadline;
	bool alive = false;

	switch (op->op) {
	case TWHEEL_OP_ADD:
		alive = ledger_add(&d->ledger, id, op->result, op->handle,
				   op->time_ns);
		break;
	case TWHEEL_OP_CHANGE:
		alive = ledger_change(&d->ledger, id, op->result, op->time_ns,
				      now);
		if (alive)
			dial_leave(&d->dial, old);
		break;
	case TWHEEL_OP_CANCEL:
		ledger_cancel(&d->ledger, id, op->result, now);
		if (!op->result)
			dial_leave(&d->dial, old);
		return;
	}
	if (!alive)
		return;
	dial_enter(&d->dial, op->time_ns);
	if (d->slowing)
		return;
	d->ledger.reported += op->op == TWHEEL_OP_CHANGE;
	if (!model_schedule(&d->model, id)) {
		driver->state = DRIVER_SILENT;
		d->ledger.silent++;
	}
}

static int run_batch(struct demo *d)
{
	struct device *dev = &d->device;
	uint64_t now;
	uint32_t i;

	if (device_run(dev))
		return -1;
	now = clock_now();
	for (i = 0; i < dev->count; i++)
		apply_result(d, &dev->op[i], dev->id[i], now);
	dev->count = 0;
	return poll_and_show(d);
}

static void queue_change(struct demo *d, uint32_t id, uint64_t deadline)
{
	struct twheel_op *op = device_op(&d->device, id, TWHEEL_OP_CHANGE);

	op->flags = TWHEEL_ABSTIME;
	op->handle = d->model.driver[id].handle;
	op->time_ns = deadline;
}

static void queue_add(struct demo *d, uint32_t id, uint64_t deadline)
{
	struct twheel_op *op = device_op(&d->device, id, TWHEEL_OP_ADD);

	op->flags = TWHEEL_ABSTIME;
	op->clockid = CLOCK_MONOTONIC;
	op->cookie = id;
	op->time_ns = deadline;
}

/* All reports of one step of the model. The first report of a driver arms its timer. */
static int report(struct demo *d)
{
	uint64_t deadline = 0;
	uint32_t id;

	while ((id = model_take_next(&d->model)) != MODEL_NONE) {
		if (!d->device.count)
			deadline = clock_now() + d->timeout_ns;
		switch (d->model.driver[id].state) {
		case DRIVER_OFF:
			queue_add(d, id, deadline);
			break;
		case DRIVER_LIVE:
			queue_change(d, id, deadline);
			break;
		default:
			ledger_miss(&d->ledger, id, clock_now());
			break;
		}
		if (d->device.count == d->device.limit && run_batch(d))
			return -1;
	}
	return d->device.count ? run_batch(d) : poll_and_show(d);
}

/* Pushes the deadlines of all live drivers back, in the order of their next reports. */
static int postpone(struct demo *d, uint64_t ns)
{
	const struct model *m = &d->model;
	uint32_t step, id;

	for (step = m->step; step <= m->step + MODEL_GAP_MAX; step++) {
		for (id = model_first(m, step); id != MODEL_NONE;
		     id = m->driver[id].next) {
			if (m->driver[id].state != DRIVER_LIVE)
				continue;
			queue_change(d, id, m->driver[id].deadline + ns);
			if (d->device.count == d->device.limit && run_batch(d))
				return -1;
		}
	}
	return d->device.count ? run_batch(d) : 0;
}

static void set_step_length(struct demo *d, uint64_t step_ns)
{
	d->step_ns = step_ns;
	d->timeout_ns = MODEL_TIMEOUT * step_ns;
}

/* Makes a new dial, which has room for deadlines up to @reach ns ahead. */
static int rebuild_dial(struct demo *d, uint64_t reach)
{
	const struct driver *driver;
	uint32_t id;

	dial_exit(&d->dial);
	if (dial_init(&d->dial, d->ledger.tick, reach)) {
		warnx("out of memory");
		return -1;
	}
	for (id = 0; id < d->model.count; id++) {
		driver = &d->model.driver[id];
		if (driver->state != DRIVER_OFF &&
		    driver->state != DRIVER_OFFLINE)
			dial_enter(&d->dial, driver->deadline);
	}
	return 0;
}

/*
 * The machine is too slow for the model. Make the steps longer before the reports of live
 * drivers come after their deadlines. Silent drivers keep their deadlines. How long this
 * takes is unknown, so the deadline of each live driver moves by a whole timeout.
 */
static int slow_down(struct demo *d)
{
	uint64_t before = d->timeout_ns;
	int ret;

	set_step_length(d, d->step_ns + d->step_ns / 2);
	if (rebuild_dial(d, before + d->timeout_ns))
		return -1;
	if (!d->screen.live) {
		screen_add(&d->screen, "Too fast for this machine; slowing down to 1 model minute = %.1f s.",
			   (double)(MODEL_MINUTES(1) * d->step_ns) / NSEC_PER_SEC);
		screen_line(&d->screen);
	}
	d->slowing = true;
	ret = postpone(d, d->timeout_ns);
	d->slowing = false;
	d->start = clock_now() - d->model.step * d->step_ns;
	return ret;
}

static int run_steps(struct demo *d)
{
	d->begun = clock_now();
	d->start = d->begun;
	d->shown = d->begun;
	for (; d->model.step < MODEL_END; d->model.step++) {
		uint64_t due = model_time(d, d->model.step);
		uint64_t now = clock_now();

		d->behind_ns = now > due ? now - due : 0;
		if (now < due)
			clock_sleep_until(due);
		else if (d->behind_ns > BEHIND_MAX(d->timeout_ns) &&
			 slow_down(d))
			return -1;
		if (report(d))
			return -1;
	}
	return 0;
}

static int wait_for_stragglers(struct demo *d)
{
	uint64_t until = clock_now() + GRACE(d->timeout_ns);

	while (d->ledger.expired < d->ledger.silent && clock_now() < until) {
		clock_sleep_until(clock_now() + 10 * NSEC_PER_MSEC);
		if (poll_and_show(d))
			return -1;
	}
	return 0;
}

static int queue_cancel(struct demo *d, uint32_t id, bool live)
{
	uint8_t state = d->model.driver[id].state;

	if ((state == DRIVER_LIVE) != live || state == DRIVER_OFF)
		return 0;
	device_op(&d->device, id, TWHEEL_OP_CANCEL)->handle =
		d->model.driver[id].handle;
	return d->device.count == d->device.limit ? run_batch(d) : 0;
}

/*
 * Cancels all timers. Timers of live drivers come first, in the order of their next
 * reports, so that none expires before its turn. Timers of the other drivers come last:
 * they must not exist any more.
 */
static int cancel_all(struct demo *d)
{
	struct model *m = &d->model;
	uint32_t last = m->step + MODEL_GAP_MAX;
	uint32_t id;

	for (; m->step <= last; m->step++)
		while ((id = model_take_next(m)) != MODEL_NONE)
			if (queue_cancel(d, id, true))
				return -1;
	if (d->device.count && run_batch(d))
		return -1;
	for (id = 0; id < m->count; id++)
		if (queue_cancel(d, id, false))
			return -1;
	return d->device.count ? run_batch(d) : 0;
}

static void print_introduction(struct demo *d)
{
	struct screen *s = &d->screen;

	screen_add(s, "%s drivers, seed %llu, %s of them will fall silent.",
		   grouped(d->model.count), (unsigned long long)d->options.seed,
		   grouped(d->model.silent));
	screen_line(s);
	screen_add(s, "1 model minute = %.1f s: ten minutes of silence are %.0f s. The demo takes %.0f s.",
		   (double)(MODEL_MINUTES(1) * d->step_ns) / NSEC_PER_SEC,
		   (double)d->timeout_ns / NSEC_PER_SEC,
		   (double)(MODEL_END * d->step_ns) / NSEC_PER_SEC);
	screen_line(s);
	screen_push(s);
}

/* The first and the last CPU that this program may use, or -1. */
static void choose_cpus(int *first, int *last)
{
	cpu_set_t set;
	int cpu;

	*first = -1;
	*last = -1;
	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		if (*first < 0)
			*first = cpu;
		*last = cpu;
	}
}

static int start_watchers(struct demo *d)
{
	uint64_t tick = d->device.info.resolution_ns;
	int first, last;

	choose_cpus(&first, &last);
	if (watch_start(&d->watch[EVENTS], d->device.fd, first, tick))
		return -1;
	d->watchers = EVENTS + 1;
	if (watch_start(&d->watch[OTHER_CPU], -1, last, tick))
		return -1;
	d->watchers = WATCHERS;
	return watch_pin(last);
}

static void stop_watchers(struct demo *d)
{
	while (d->watchers)
		watch_stop(&d->watch[--d->watchers]);
}

static bool finish(struct demo *d)
{
	uint64_t period = d->watch[EVENTS].period;
	struct status st;

	/* Leave time for events that must not come. */
	clock_sleep_until(clock_now() + 3 * d->ledger.tick);
	if (poll_and_show(d) || device_info(&d->device))
		return false;
	screen_flush(&d->screen);
	st = get_status(d, clock_now());
	if (d->screen.live)
		picture_live(&d->screen, &st);
	else
		picture_lateness(&d->screen, &st);
	screen_line(&d->screen);
	return verdict(&d->screen, &d->ledger, &d->timer, period,
		       d->device.info.timers);
}

static bool run(struct demo *d)
{
	uint64_t tick = d->device.info.resolution_ns;
	bool good = false;

	set_step_length(d, d->options.seconds * NSEC_PER_SEC / MODEL_END);
	ledger_init(&d->ledger, &d->model, tick);
	if (rebuild_dial(d, d->timeout_ns))
		return false;
	print_introduction(d);
	if (!start_watchers(d) && !run_steps(d) && !wait_for_stragglers(d) &&
	    !cancel_all(d))
		good = finish(d);
	stop_watchers(d);
	dial_exit(&d->dial);
	return good;
}

int main(int argc, char **argv)
{
	static struct demo demo;
	struct options *o = &demo.options;
	bool good;
	int status = options_parse(o, argc, argv);

	if (status >= 0)
		return status;
	if (model_init(&demo.model, o->drivers, o->permille, o->seed)) {
		warnx("out of memory");
		return OPTIONS_FAILED;
	}
	if (device_open(&demo.device, o->drivers))
		return OPTIONS_FAILED;
	screen_init(&demo.screen, o->live, o->colours, o->ascii);
	good = run(&demo);
	screen_exit(&demo.screen);
	device_close(&demo.device);
	model_exit(&demo.model);
	free(demo.seen);
	return good ? 0 : OPTIONS_FAILED;
}
