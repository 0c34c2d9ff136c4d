// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: what timers do, against what they should do
 *
 * torture_model.h describes the model. Callers of all functions here hold the lock of
 * the timer's slot, so interrupts are off.
 */
#include <linux/lockdep.h>
#include <linux/smp.h>
#include "torture_model.h"

/* Reports a violation, with the state of the model. @result: A number that tells more. */
void torture_model_fault(struct torture_model_timer *t, const char *what, long result)
{
	char times[192], state[96];

	lockdep_assert_held(&t->slot->lock);
	scnprintf(times, sizeof(times),
		  "now=%llu due=%llu%s expired_due=%llu last=%llu period=%llu slack=%llu",
		  get_jiffies_64(), t->due, t->exact ? "" : "+", t->expired_due,
		  t->last, t->period, t->slack);
	scnprintf(state, sizeof(state), "%s%s%s%s%s%s%s",
		  t->armed ? " armed" : "", t->expired ? " expired" : "",
		  t->maybe_expired ? " maybe_expired" : "", t->running ? " running" : "",
		  t->quiet ? " quiet" : "", t->slot->busy ? " busy" : "",
		  t->slot->closing ? " closing" : "");
	torture_fail("%s (%ld): %s%s flags=%#x cpu=%d on=%d pending=%d remaining=%llu",
		     what, result, times, state, t->flags, t->cpu,
		     raw_smp_processor_id(), twheel_pending(&t->timer),
		     twheel_remaining(&t->timer));
}

static void count_timer(struct torture_model_timer *t, enum torture_count what)
{
	t->n[what]++;
	torture_inc(what);
}

/* Whether no CPU has come or gone since the timer was armed. */
static bool no_hotplug_since(const struct torture_model_timer *t)
{
	return t->generation != TORTURE_NO_GENERATION &&
	       t->generation == torture_hotplug_generation();
}

static bool is_exact(const struct torture_model_timer *t)
{
	return t->exact && no_hotplug_since(t);
}

static void set_generation(struct torture_model_timer *t, unsigned int before)
{
	unsigned int generation = torture_hotplug_generation();

	t->generation = generation == before ? generation : TORTURE_NO_GENERATION;
}

static void note_idle(struct torture_model_timer *t)
{
	t->armed = false;
	t->last = is_exact(t) ? t->due : TORTURE_UNKNOWN;
}

/* A canceller may disarm the timer while it waits for a callback that sleeps. */
static bool may_be_disarmed(const struct torture_model_timer *t)
{
	return t->running && t->slot->busy && t->flags & TWHEEL_PROCESS;
}

/* The timer is idle: if an arming was pending in the model, it has expired. */
static void note_expired(struct torture_model_timer *t)
{
	if (!t->armed)
		return;
	if (may_be_disarmed(t)) {
		count_timer(t, TORTURE_CANCELLED);
		t->stopped++;
		note_idle(t);
		return;
	}
	if (t->period)
		torture_model_fault(t, "a periodic timer was seen idle", 0);
	if (t->expired || t->running)
		torture_model_fault(t, "expired while its callback runs", 0);
	/* Callbacks do not overlap: an earlier callback would have come by now. */
	t->maybe_expired = false;
	t->expired = true;
	t->expired_due = t->due;
	note_idle(t);
}

/* A pending arming was ended: if it was periodic and due, it may have expired before. */
static void note_maybe_expired(struct torture_model_timer *t)
{
	if (!t->period || t->running)
		return;
	if (!is_exact(t) || torture_reached(t->due)) {
		t->maybe_expired = true;
		t->exact = false;
	}
}

/* A deadline that has come may be moved to the next tick: then it is not exact. */
static void set_deadline(struct torture_model_timer *t, u64 due)
{
	t->due = min(due, TWHEEL_NEVER);
	t->exact = !torture_reached(t->due);
}

/* @generation: from before the timer was armed. */
static void note_armed(struct torture_model_timer *t, u64 due, int cpu, unsigned int generation)
{
	bool settled = t->quiet;

	count_timer(t, TORTURE_ARMED);
	t->armed = true;
	set_deadline(t, due);
	t->period = 0;
	t->quiet = false;
	/* A timer whose callback has not returned stays on its CPU. */
	if (cpu == TORTURE_HERE && t->flags & TWHEEL_PINNED)
		cpu = no_hotplug_since(t) ? t->cpu : TORTURE_NO_CPU;
	else if (!settled)
		cpu = TORTURE_NO_CPU;
	else if (cpu == TORTURE_HERE)
		cpu = smp_processor_id();
	t->cpu = cpu;
	set_generation(t, generation);
}

/* -ESHUTDOWN is right only for callbacks, and only while the timer is being shut down. */
static void note_refused(struct torture_model_timer *t, const char *what, int ret)
{
	if (ret != -ESHUTDOWN || !t->slot->closing)
		torture_model_fault(t, what, ret);
	else
		torture_inc(TORTURE_REFUSED);
}

static void add_after(struct torture_model_timer *t, u64 delay)
{
	unsigned int generation = torture_hotplug_generation();
	u64 now = get_jiffies_64();
	int ret = twheel_add_after(&t->timer, delay);

	if (ret) {
		note_refused(t, "twheel_add_after()", ret);
		return;
	}
	/* The current tick has partly passed and does not count. */
	note_armed(t, delay < TWHEEL_NEVER - now ? now + delay + 1 : TWHEEL_NEVER,
		   TORTURE_HERE, generation);
	t->exact &= !torture_reached(now + 1);
}

static void add_periodic(struct torture_model_timer *t, u64 expires, u64 period)
{
	unsigned int generation = torture_hotplug_generation();
	int ret = twheel_add_periodic(&t->timer, expires, period);

	if (ret) {
		note_refused(t, "twheel_add_periodic()", ret);
		return;
	}
	note_armed(t, expires, TORTURE_HERE, generation);
	t->period = period;
}

/* Arms a timer, on a CPU or TORTURE_HERE, unless it is pending. */
void torture_model_arm(struct torture_model_timer *t, u64 expires, int cpu)
{
	unsigned int generation = torture_hotplug_generation();
	int ret;

	lockdep_assert_held(&t->slot->lock);
	if (t->armed)
		return;
	if (cpu == TORTURE_HERE)
		ret = twheel_add(&t->timer, expires);
	else
		ret = twheel_add_on(&t->timer, expires, cpu);
	if (ret)
		note_refused(t, "twheel_add()", ret);
	else
		note_armed(t, expires, cpu, generation);
	/* The timer moves to another CPU if this one is offline. */
	if (cpu != TORTURE_HERE && !cpu_online(cpu))
		t->cpu = TORTURE_NO_CPU;
}

/* Arms a timer in a random way, unless it is pending. */
void torture_model_add(struct torture_model_timer *t, struct rnd_state *rnd)
{
	u64 distance = torture_distance(rnd), now = get_jiffies_64();
	u32 way = torture_below(rnd, 5), more = prandom_u32_state(rnd);

	lockdep_assert_held(&t->slot->lock);
	if (t->armed)
		return;
	switch (way) {
	case 0:
		torture_model_arm(t, now + distance, TORTURE_HERE);
		break;
	case 1:
		add_after(t, distance);
		break;
	case 2:
		add_periodic(t, now + distance % 300, 1 + (more & 7));
		break;
	default:
		torture_model_arm(t, now + distance, cpumask_nth(more % num_possible_cpus(),
								 cpu_possible_mask));
	}
}

void torture_model_mod(struct torture_model_timer *t, u64 expires)
{
	unsigned int generation = torture_hotplug_generation();
	int ret = twheel_mod(&t->timer, expires);

	lockdep_assert_held(&t->slot->lock);
	if (ret == 1 && t->armed) {
		count_timer(t, TORTURE_REPLACED);
		count_timer(t, TORTURE_ARMED);
		note_maybe_expired(t);
		set_deadline(t, expires);
		if (!no_hotplug_since(t))
			t->cpu = TORTURE_NO_CPU;
		set_generation(t, generation);
	} else if (!ret) {
		note_expired(t);
		note_armed(t, expires, TORTURE_HERE, generation);
	} else {
		note_refused(t, "twheel_mod()", ret);
	}
}

/* Arms an idle timer on the grid of its last deadline. */
void torture_model_forward(struct torture_model_timer *t, u64 interval)
{
	u64 before = get_jiffies_64(), due, passed;
	unsigned int generation = torture_hotplug_generation();

	lockdep_assert_held(&t->slot->lock);
	passed = twheel_forward(&t->timer, interval);
	if (!passed) {
		if (!t->armed)
			note_refused(t, "twheel_forward() did nothing", -ESHUTDOWN);
		return;
	}
	note_expired(t);
	due = t->last + passed * interval;
	if (t->last == TORTURE_UNKNOWN || t->last >= TWHEEL_NEVER - interval) {
		note_armed(t, before, TORTURE_HERE, generation);
		t->exact = false;
		return;
	}
	note_armed(t, due, TORTURE_HERE, generation);
	if (due <= before || (passed > 1 && !torture_reached(due - interval)))
		torture_model_fault(t, "twheel_forward() missed the next point of the grid",
				    passed);
}

void torture_model_cancel(struct torture_model_timer *t)
{
	int ret = twheel_cancel(&t->timer);

	lockdep_assert_held(&t->slot->lock);
	if (!ret) {
		note_expired(t);
	} else if (ret == 1 && t->armed) {
		count_timer(t, TORTURE_CANCELLED);
		note_maybe_expired(t);
		note_idle(t);
	} else {
		torture_model_fault(t, "twheel_cancel()", ret);
	}
}

/* Compares a timer's state with the model. */
void torture_model_look(struct torture_model_timer *t)
{
	u64 before = get_jiffies_64();
	u64 left = twheel_remaining(&t->timer);
	bool pending = twheel_pending(&t->timer);

	lockdep_assert_held(&t->slot->lock);
	if (pending && !t->armed)
		torture_model_fault(t, "pending without being armed", left);
	if (!pending)
		note_expired(t);
	/*
	 * twheel_remaining() has read the clock at some time since @before. A
	 * periodic timer that is due may already be pending for its next period.
	 */
	if (left && is_exact(t) && t->armed &&
	    (!t->period || !torture_reached(t->due)) &&
	    (t->due - left < before || !torture_reached(t->due - left)))
		torture_model_fault(t, "twheel_remaining()", left);
}

/* A synchronous cancel has returned how many armings it has ended. */
void torture_model_stopped(struct torture_model_timer *t, int ret)
{
	lockdep_assert_held(&t->slot->lock);
	if (t->maybe_stopped && ret == t->armed + t->stopped + 1) {
		/* The callback was the earlier arming's, and the canceller ended the next one. */
		count_timer(t, TORTURE_ARMED);
		count_timer(t, TORTURE_CANCELLED);
		ret--;
	}
	t->maybe_stopped = false;
	if (ret != t->armed + t->stopped)
		torture_model_fault(t, "a synchronous cancel returned", ret);
	if (t->expired || t->running)
		torture_model_fault(t, "a synchronous cancel did not wait", ret);
	t->maybe_expired = false;
	t->stopped = 0;
	t->quiet = true;
	if (t->armed) {
		count_timer(t, TORTURE_CANCELLED);
		note_idle(t);
	}
}

static void check_time(struct torture_model_timer *t)
{
	u64 now = get_jiffies_64();

	if (now < t->due)
		torture_model_fault(t, "too early, by ticks", t->due - now);
	if (is_exact(t) && now > t->due + t->slack)
		torture_lateness(now - t->due - t->slack);
}

/* A periodic timer is armed for its next period before its callback begins. */
static void note_next_period(struct torture_model_timer *t)
{
	u64 missed = twheel_missed(&t->timer);

	count_timer(t, TORTURE_ARMED);
	torture_add(TORTURE_MISSED, missed);
	if (!t->armed)
		return;
	t->due += (missed + 1) * t->period;
	t->due = min(t->due, TWHEEL_NEVER);
	torture_model_look(t);
}

/* The callback of the arming that may have expired, or of the next arming. */
static void check_maybe_expired(struct torture_model_timer *t)
{
	bool pending = twheel_pending(&t->timer);

	t->maybe_expired = false;
	if (t->armed && !t->period && !pending &&
	    (torture_reached(t->due) || !may_be_disarmed(t))) {
		/* The next arming, which is not periodic, unless a canceller disarmed it. */
		t->maybe_stopped = may_be_disarmed(t);
		check_time(t);
		note_idle(t);
		return;
	}
	if (!pending && may_be_disarmed(t))
		note_expired(t);
	if (pending != t->armed)
		torture_model_fault(t, "pending in its callback", pending);
	count_timer(t, TORTURE_ARMED);
	/* If the timer is due, it may or may not be armed for its next period. */
	if (t->armed && t->period && torture_reached(t->due))
		t->exact = false;
}

void torture_model_fired(struct torture_model_timer *t)
{
	lockdep_assert_held(&t->slot->lock);
	if (t->running)
		torture_model_fault(t, "callbacks overlap", 0);
	if (t->quiet)
		torture_model_fault(t, "a callback after a synchronous cancel", 0);
	t->running = true;
	count_timer(t, TORTURE_FIRED);
	if (t->expired) {
		if (!torture_reached(t->expired_due))
			torture_model_fault(t, "too early", 0);
		t->expired = false;
	} else if (t->maybe_expired) {
		check_maybe_expired(t);
	} else if (t->armed) {
		check_time(t);
		if (t->cpu != TORTURE_NO_CPU && no_hotplug_since(t) &&
		    t->cpu != raw_smp_processor_id())
			torture_model_fault(t, "on the wrong CPU", 0);
		if (t->period)
			note_next_period(t);
		else
			note_idle(t);
	} else {
		torture_model_fault(t, "a callback without an arming", 0);
	}
}

/* A timer that was shut down cannot be armed. */
void torture_model_check_dead(struct torture_model_timer *t)
{
	struct twheel_timer *timer = &t->timer;
	u64 now = get_jiffies_64();

	lockdep_assert_held(&t->slot->lock);
	if (twheel_add(timer, now) != -ESHUTDOWN ||
	    twheel_add_on(timer, now, raw_smp_processor_id()) != -ESHUTDOWN ||
	    twheel_add_after(timer, 0) != -ESHUTDOWN ||
	    twheel_add_periodic(timer, now, 1) != -ESHUTDOWN ||
	    twheel_mod(timer, now) != -ESHUTDOWN || twheel_forward(timer, 1))
		torture_model_fault(t, "armed after it was shut down", 0);
	if (twheel_cancel(timer) || twheel_try_cancel_sync(timer) ||
	    twheel_pending(timer))
		torture_model_fault(t, "pending after it was shut down", 0);
	torture_inc(TORTURE_REFUSED);
}

/* Each arming of a timer, which is no longer armed, has ended once. */
void torture_model_check_sums(struct torture_model_timer *t)
{
	unsigned long ended = t->n[TORTURE_FIRED] + t->n[TORTURE_CANCELLED] +
			      t->n[TORTURE_REPLACED];

	lockdep_assert_held(&t->slot->lock);
	if (t->n[TORTURE_ARMED] != ended)
		torture_model_fault(t, "armings are not equal to ends", ended);
}
