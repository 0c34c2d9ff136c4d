// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: what timers do, against what they should do
 *
 * torture_model.h says how it is kept. All the functions here are called with
 * the slot of the timer locked, so interrupts are off.
 */
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/smp.h>
#include "torture_model.h"

/**
 * model_fault - report a violation, with what the model says
 * @t: The timer.
 * @what: What went wrong.
 * @result: Some number that says more.
 */
void model_fault(struct model_timer *t, const char *what, long result)
{
	char times[160], state[96];

	scnprintf(times, sizeof(times),
		  "now=%llu due=%llu%s flying_due=%llu last=%llu period=%llu slack=%llu",
		  get_jiffies_64(), t->due, t->exact ? "" : "+", t->flying_due,
		  t->last, t->period, t->slack);
	scnprintf(state, sizeof(state), "%s%s%s%s%s%s%s",
		  t->armed ? " armed" : "", t->flying ? " flying" : "",
		  t->maybe ? " maybe" : "", t->running ? " running" : "",
		  t->quiet ? " quiet" : "", t->slot->busy ? " busy" : "",
		  t->slot->closing ? " closing" : "");
	torture_fail("%s (%ld): %s%s flags=%#x cpu=%d on=%d pending=%d remaining=%llu",
		     what, result, times, state, t->flags, t->cpu,
		     raw_smp_processor_id(), twheel_pending(&t->timer),
		     twheel_remaining(&t->timer));
}

static void count(struct model_timer *t, enum torture_count what)
{
	t->n[what]++;
	torture_inc(what);
}

/* No CPU has come or gone since the timer was armed. */
static bool undisturbed(const struct model_timer *t)
{
	return t->gen != TORTURE_NO_GEN && t->gen == torture_gen();
}

static bool exact(const struct model_timer *t)
{
	return t->exact && undisturbed(t);
}

static void set_gen(struct model_timer *t, unsigned int before)
{
	unsigned int gen = torture_gen();

	t->gen = gen == before ? gen : TORTURE_NO_GEN;
}

static void becomes_idle(struct model_timer *t)
{
	t->armed = false;
	t->last = exact(t) ? t->due : UNKNOWN;
}

/* The arming that should be pending is not: its callback comes. */
static void let_fly(struct model_timer *t)
{
	if (!t->armed)
		return;
	/* Who awaits a callback that sleeps may disarm the timer before it ends. */
	if (t->running && t->slot->busy && t->flags & TWHEEL_PROCESS) {
		count(t, TORTURE_CANCELLED);
		t->stopped++;
		becomes_idle(t);
		return;
	}
	if (t->period)
		model_fault(t, "a periodic timer was seen idle", 0);
	if (t->flying || t->running)
		model_fault(t, "taken while its callback runs", 0);
	/* callbacks do not overlap: an earlier one would have come by now */
	t->maybe = false;
	t->flying = true;
	t->flying_due = t->due;
	becomes_idle(t);
}

/* A periodic timer's arming has ended: was it the next one already? */
static void may_fly(struct model_timer *t)
{
	if (!t->period || t->running)
		return;
	if (!exact(t) || torture_reached(t->due)) {
		t->maybe = true;
		t->exact = false;
	}
}

/* What has come already is made to mean the next tick. */
static void set_due(struct model_timer *t, u64 due)
{
	t->due = min(due, TWHEEL_NEVER);
	t->exact = !torture_reached(t->due);
}

/* @gen: from before it was armed. */
static void is_armed(struct model_timer *t, u64 due, int cpu, unsigned int gen)
{
	bool settled = t->quiet;

	count(t, TORTURE_ARMED);
	t->armed = true;
	set_due(t, due);
	t->period = 0;
	t->quiet = false;
	/* While the callback runs, or has not returned yet, it stays there. */
	if (cpu == HERE && t->flags & TWHEEL_PINNED)
		cpu = undisturbed(t) ? t->cpu : NO_CPU;
	else if (!settled)
		cpu = NO_CPU;
	else if (cpu == HERE)
		cpu = smp_processor_id();
	t->cpu = cpu;
	set_gen(t, gen);
}

/* -ESHUTDOWN is for callbacks only, and only once somebody shuts it down. */
static void was_refused(struct model_timer *t, const char *what, int ret)
{
	if (ret != -ESHUTDOWN || !t->slot->closing)
		model_fault(t, what, ret);
	else
		torture_inc(TORTURE_REFUSED);
}

static void add_after(struct model_timer *t, u64 delay)
{
	unsigned int gen = torture_gen();
	u64 now = get_jiffies_64();
	int ret = twheel_add_after(&t->timer, delay);

	if (ret) {
		was_refused(t, "twheel_add_after()", ret);
		return;
	}
	/* The tick that has partly gone by does not count. */
	is_armed(t, delay < TWHEEL_NEVER - now ? now + delay + 1 : TWHEEL_NEVER,
		 HERE, gen);
	t->exact &= !torture_reached(now + 1);
}

static void add_periodic(struct model_timer *t, u64 expires, u64 period)
{
	unsigned int gen = torture_gen();
	int ret = twheel_add_periodic(&t->timer, expires, period);

	if (ret) {
		was_refused(t, "twheel_add_periodic()", ret);
		return;
	}
	is_armed(t, expires, HERE, gen);
	t->period = period;
}

/**
 * model_arm - arm an idle timer
 * @t: The timer; nothing is done if it is pending.
 * @expires: Its deadline.
 * @cpu: Where; or %HERE.
 */
void model_arm(struct model_timer *t, u64 expires, int cpu)
{
	unsigned int gen = torture_gen();
	int ret;

	if (t->armed)
		return;
	if (cpu == HERE)
		ret = twheel_add(&t->timer, expires);
	else
		ret = twheel_add_on(&t->timer, expires, cpu);
	if (ret)
		was_refused(t, "twheel_add()", ret);
	else
		is_armed(t, expires, cpu, gen);
	/* an offline one is as good as any */
	if (cpu != HERE && !cpu_online(cpu))
		t->cpu = NO_CPU;
}

/**
 * model_add - arm an idle timer, in some way
 * @t: The timer; nothing is done if it is pending.
 * @rnd: Random numbers.
 */
void model_add(struct model_timer *t, struct rnd_state *rnd)
{
	u64 distance = torture_distance(rnd), now = get_jiffies_64();
	u32 way = torture_below(rnd, 5), more = prandom_u32_state(rnd);

	if (t->armed)
		return;
	switch (way) {
	case 0:
		model_arm(t, now + distance, HERE);
		break;
	case 1:
		add_after(t, distance);
		break;
	case 2:
		add_periodic(t, now + distance % 300, 1 + (more & 7));
		break;
	default:
		model_arm(t, now + distance, cpumask_nth(more % num_possible_cpus(),
							 cpu_possible_mask));
	}
}

/**
 * model_mod - give a timer a new deadline
 * @t: The timer, pending or idle.
 * @expires: Its new deadline.
 */
void model_mod(struct model_timer *t, u64 expires)
{
	unsigned int gen = torture_gen();
	int ret = twheel_mod(&t->timer, expires);

	if (ret == 1 && t->armed) {
		count(t, TORTURE_REPLACED);
		count(t, TORTURE_ARMED);
		may_fly(t);
		set_due(t, expires);
		if (!undisturbed(t))
			t->cpu = NO_CPU;
		set_gen(t, gen);
	} else if (!ret) {
		let_fly(t);
		is_armed(t, expires, HERE, gen);
	} else {
		was_refused(t, "twheel_mod()", ret);
	}
}

/**
 * model_forward - arm an idle timer on the grid of its last deadline
 * @t: The timer; nothing may happen if it is pending.
 * @interval: The grid's.
 */
void model_forward(struct model_timer *t, u64 interval)
{
	u64 before = get_jiffies_64(), due, passed;
	unsigned int gen = torture_gen();

	passed = twheel_forward(&t->timer, interval);
	if (!passed) {
		if (!t->armed)
			was_refused(t, "twheel_forward() did nothing", -ESHUTDOWN);
		return;
	}
	let_fly(t);
	due = t->last + passed * interval;
	if (t->last == UNKNOWN || t->last >= TWHEEL_NEVER - interval) {
		is_armed(t, before, HERE, gen);
		t->exact = false;
		return;
	}
	is_armed(t, due, HERE, gen);
	if (due <= before || (passed > 1 && !torture_reached(due - interval)))
		model_fault(t, "twheel_forward() missed the grid's next point", passed);
}

/**
 * model_cancel - disarm a timer
 * @t: The timer, pending or idle.
 */
void model_cancel(struct model_timer *t)
{
	int ret = twheel_cancel(&t->timer);

	if (!ret) {
		let_fly(t);
	} else if (ret == 1 && t->armed) {
		count(t, TORTURE_CANCELLED);
		may_fly(t);
		becomes_idle(t);
	} else {
		model_fault(t, "twheel_cancel()", ret);
	}
}

/**
 * model_look - ask for a timer's state
 * @t: The timer.
 */
void model_look(struct model_timer *t)
{
	u64 before = get_jiffies_64();
	u64 left = twheel_remaining(&t->timer);
	bool pending = twheel_pending(&t->timer);

	if (pending && !t->armed)
		model_fault(t, "pending without being armed", left);
	if (!pending)
		let_fly(t);
	/*
	 * twheel_remaining() has looked at the clock in between. A periodic
	 * timer that is due may be pending for its next period already.
	 */
	if (left && exact(t) && t->armed &&
	    (!t->period || !torture_reached(t->due)) &&
	    (t->due - left < before || !torture_reached(t->due - left)))
		model_fault(t, "twheel_remaining()", left);
}

/**
 * model_stopped - note that a synchronous cancel has returned
 * @t: The timer.
 * @ret: What it returned: how many armings it has ended.
 */
void model_stopped(struct model_timer *t, int ret)
{
	if (ret != t->armed + t->stopped)
		model_fault(t, "a synchronous cancel returned", ret);
	if (t->flying || t->running)
		model_fault(t, "a synchronous cancel did not wait", ret);
	t->maybe = false;
	t->stopped = 0;
	t->quiet = true;
	if (t->armed) {
		count(t, TORTURE_CANCELLED);
		becomes_idle(t);
	}
}

static void check_time(struct model_timer *t)
{
	u64 now = get_jiffies_64();

	if (now < t->due)
		model_fault(t, "too early, by ticks", t->due - now);
	if (exact(t) && now > t->due + t->slack)
		torture_lateness(now - t->due - t->slack);
}

/* The timer has been armed for its next period when its callback began. */
static void next_period(struct model_timer *t)
{
	u64 missed = twheel_missed(&t->timer);

	count(t, TORTURE_ARMED);
	torture_add(TORTURE_MISSED, missed);
	if (!t->armed)
		return;
	t->due += (missed + 1) * t->period;
	t->due = min(t->due, TWHEEL_NEVER);
	model_look(t);
}

/* Either the callback that might have been on its way, or the next one. */
static void maybe_fired(struct model_timer *t)
{
	bool pending = twheel_pending(&t->timer);

	t->maybe = false;
	if (t->armed && !t->period && !pending) {
		/* the next one, and that was armed once */
		check_time(t);
		becomes_idle(t);
		return;
	}
	if (pending != t->armed)
		model_fault(t, "pending in its callback", pending);
	count(t, TORTURE_ARMED);
	/* If it is due, it may or may not have been armed for its next period. */
	if (t->armed && t->period && torture_reached(t->due))
		t->exact = false;
}

/**
 * model_fired - note that a timer's callback has begun
 * @t: The timer.
 */
void model_fired(struct model_timer *t)
{
	if (t->running)
		model_fault(t, "callbacks overlap", 0);
	if (t->quiet)
		model_fault(t, "a callback after a synchronous cancel", 0);
	t->running = true;
	count(t, TORTURE_FIRED);
	if (t->flying) {
		if (!torture_reached(t->flying_due))
			model_fault(t, "too early", 0);
		t->flying = false;
	} else if (t->maybe) {
		maybe_fired(t);
	} else if (t->armed) {
		check_time(t);
		if (t->cpu != NO_CPU && undisturbed(t) &&
		    t->cpu != raw_smp_processor_id())
			model_fault(t, "on a wrong CPU", 0);
		if (t->period)
			next_period(t);
		else
			becomes_idle(t);
	} else {
		model_fault(t, "a callback that no arming is left for", 0);
	}
}

/**
 * model_check_dead - check that a timer which was shut down stays so
 * @t: The timer.
 */
void model_check_dead(struct model_timer *t)
{
	struct twheel_timer *timer = &t->timer;
	u64 now = get_jiffies_64();

	if (twheel_add(timer, now) != -ESHUTDOWN ||
	    twheel_add_on(timer, now, raw_smp_processor_id()) != -ESHUTDOWN ||
	    twheel_add_after(timer, 0) != -ESHUTDOWN ||
	    twheel_add_periodic(timer, now, 1) != -ESHUTDOWN ||
	    twheel_mod(timer, now) != -ESHUTDOWN || twheel_forward(timer, 1))
		model_fault(t, "armed after it was shut down", 0);
	if (twheel_cancel(timer) || twheel_try_cancel_sync(timer) ||
	    twheel_pending(timer))
		model_fault(t, "pending after it was shut down", 0);
	torture_inc(TORTURE_REFUSED);
}

/**
 * model_check_sums - check that each arming has had one end
 * @t: The timer, which is not armed any more.
 */
void model_check_sums(struct model_timer *t)
{
	unsigned long ended = t->n[TORTURE_FIRED] + t->n[TORTURE_CANCELLED] +
			      t->n[TORTURE_REPLACED];

	if (t->n[TORTURE_ARMED] != ended)
		model_fault(t, "armings are not equal to ends", ended);
}
