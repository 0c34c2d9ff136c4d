// SPDX-License-Identifier: GPL-2.0
/*
 * What can a program without privileges take from others, by way of /dev/twheel?
 *
 * Each case is an attack. It runs on one CPU, first against a SCHED_OTHER program that
 * computes and the timers of an innocent user, then against a SCHED_FIFO program that
 * computes. The same programs run without the attack before. On one CPU, the CPU time of
 * a victim is counted by its progress: the distribution's kernel charges a softirq to the
 * program that it interrupts. With more CPUs, progress depends on the host, so the kernel
 * is one that charges programs for their own time only (CONFIG_IRQ_TIME_ACCOUNTING).
 *
 * Documentation/harm.rst says what the figures are.
 *
 * Where the module tests/modules/twheel_irqs_off.c is loaded, only the attack runs, and what
 * is measured is how long twheel keeps interrupts off.
 *
 * Bounds hold where the clock counts instructions (scripts/vm --icount), on one CPU. With
 * more CPUs the figures are printed only.
 */
#include "harm.h"

/*
 * The bounds: 0 means none. 99 of 100 events may be later by late_ticks than they are
 * without the attack, which is a tick.
 *
 * In "watchers", "ahead" and "leases", 10,000 epolls are woken, and in "pollers" 200 threads: in
 * the attacker's calls or in a softirq. The kernel does not stop while it wakes the threads behind
 * one epoll, and a victim that becomes ready then waits. In "signals", the kernel sends a signal to
 * 2,000 processes in a row, as "kill" does, for 2.4 ms: so the victim may wait that much longer.
 */
struct bounds {
	const char	*mode;
	double		uncharged;	/* % */
	double		loss;		/* % */
	double		gap_ms;
	double		late_ticks;
};

static const struct bounds usual_bounds = { NULL, 2, 0.5, 1, 1 };

static const struct bounds other_bounds[] = {
	{ "timerfd",		0, 0, 0, 0 },	/* the peer: not of this module */
	{ "watchers",		2, 2, 1, 1 },
	{ "ahead",		2, 2, 1, 1 },
	{ "leases",		2, 2, 1, 1 },
	{ "signals",		2, 2, 3.4, 1 },
	{ "kill",		0, 0, 0, 0 },	/* the peer of "signals": kill() */
	{ "pollers",		2, 2, 1, 1 },
	{ "contend",		0, 0, 0, 0 },	/* only on more CPUs than one */
};

/* A poll() is 1,024 steps at most, of less than 500 instructions each. */
#define POLL_BOUND_MS	0.5

/* Time for what has just started to settle. */
#define SETTLE_NS	(100 * NSEC_PER_MSEC)

/* Time for each measurement: more where the host may stop a CPU for long. */
static __u64 quiet_ns(void)
{
	return (attacked_cpu ? 1500 : 300) * NSEC_PER_MSEC;
}

static __u64 attack_ns(void)
{
	return (attacked_cpu ? 3 : 1) * NSEC_PER_SEC;
}

/* Memory that all processes of a case share. */
static struct shared {
	struct progress	progress;
	struct innocent	innocent;
} *shared;

/* What was measured beside one of the computing victims. */
struct phase {
	double		rate;		/* of the victim's progress, in its time */
	double		victim;		/* CPU time of the victim, as a share of its time */
	double		gap_ms;
	double		attacker;	/* CPU time, as a share of the CPU */
	double		innocent_s;	/* CPU time of the innocent for an event */
	double		innocent_rate;	/* events in a second */
	double		work;		/* of the attacker, in a second */
	double		poll_ms;	/* CPU time of a poll() by who got a descriptor, at most */
	struct lateness	late;
};

static __u64 cpu_time(pid_t pid)
{
	clockid_t clock;

	if (!pid)
		return 0;
	ASSERT_EQ(clock_getcpuclockid(pid, &clock), 0);
	return read_clock(clock);
}

/* Of the attacker and its helpers. */
static __u64 attack_time(pid_t attacker)
{
	__u64 sum = cpu_time(attacker);
	unsigned int i;

	for (i = 0; attacker && i < atomic_load(&work->helpers); i++)
		sum += cpu_time(work->helper[i]);
	return sum;
}

static struct phase measure(void (*run_victim)(void *data), pid_t attacker, __u64 duration)
{
	const pid_t victim = start(run_victim, &shared->progress);
	const pid_t innocent = start(run_innocent, &shared->innocent);
	const bool fifo = run_victim == run_fifo;
	__u64 begin, ns, attackers, innocents, victims, work_done, wanted;
	struct phase phase;

	sleep_for(SETTLE_NS);
	reset_progress(&shared->progress);
	reset_innocent(&shared->innocent);
	attackers = attack_time(attacker);
	innocents = cpu_time(innocent);
	victims = cpu_time(victim);
	work_done = atomic_load(&work->done);
	begin = now();
	do {
		sleep_for(duration);
		ns = now() - begin;
		wanted = fifo ? atomic_load(&shared->progress.wanted_ns) : ns;
	} while (!wanted || !atomic_load(&shared->innocent.events));
	victims = fifo ? atomic_load(&shared->progress.had_ns) : cpu_time(victim) - victims;
	phase.victim = (double)victims / wanted;
	phase.rate = atomic_load(&shared->progress.chunks) / (wanted / 1e9);
	phase.gap_ms = atomic_load(&shared->progress.gap_ns) / 1e6;
	phase.attacker = (double)(attack_time(attacker) - attackers) / ns;
	phase.work = (atomic_load(&work->done) - work_done) / (ns / 1e9);
	phase.poll_ms = ms(atomic_load(&work->longest_poll_ns));
	phase.late = lateness_of(&shared->innocent);
	phase.innocent_s = (cpu_time(innocent) - innocents) / 1e9 / phase.late.events;
	phase.innocent_rate = phase.late.events / (ns / 1e9);
	kill_child(victim);
	kill_child(innocent);
	return phase;
}

static const struct bounds *bounds_of(const char *mode)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(other_bounds); i++)
		if (!strcmp(other_bounds[i].mode, mode))
			return &other_bounds[i];
	return &usual_bounds;
}

/*
 * Returns the share of its time that the victim had, and adds that of the innocent. If the
 * victim's share is known by its progress, the work of the innocent for an event is known from
 * the quiet phase.
 */
static double progress_of(const struct phase *phase, const struct phase *quiet)
{
	const double alone = quiet->rate / (1 - quiet->innocent_s * quiet->innocent_rate);

	if (attacked_cpu)
		return phase->victim + phase->innocent_s * phase->innocent_rate;
	return phase->rate / alone + quiet->innocent_s * phase->innocent_rate;
}

static void note_phase(const char *mode, const char *victim, const struct phase *phase)
{
	note("%s %s: attacker has %.2f %% of the CPU, %.0f events or operations a second",
	     mode, victim, 100 * phase->attacker, phase->work);
}

static bool judge(const struct attack *attack, const struct phase *cfs,
		  const struct phase *quiet_cfs, const struct phase *fifo,
		  const struct phase *quiet_fifo)
{
	const bool elsewhere = attack->stores_only && attacked_cpu != other_cpu;
	const char *mode = attack->name;
	const struct bounds *bounds = bounds_of(mode);
	const double attacker = elsewhere ? 0 : cfs->attacker;
	const double quiet_p99 = ms(quiet_cfs->late.p99_ns);
	bool bad = false;

	bad |= exceeds(mode, "uncharged", 100 * (1 - progress_of(quiet_cfs, quiet_cfs)),
		       100 * (1 - progress_of(cfs, quiet_cfs) - attacker),
		       bounds->uncharged, "%");
	bad |= exceeds(mode, "loss", 100 * (1 - progress_of(quiet_fifo, quiet_fifo)),
		       100 * (1 - progress_of(fifo, quiet_fifo)), bounds->loss, "%");
	bad |= exceeds(mode, "gap", quiet_fifo->gap_ms, fifo->gap_ms, bounds->gap_ms, "ms");
	bad |= exceeds(mode, "late p99", quiet_p99, ms(cfs->late.p99_ns), bounds->late_ticks ?
		       quiet_p99 + bounds->late_ticks * ms(tick_ns()) : 0, "ms");
	if (cfs->poll_ms)
		bad |= exceeds(mode, "poll", 0, cfs->poll_ms, POLL_BOUND_MS, "ms");
	return !bad;
}

static void run_case(const void *data)
{
	const struct attack *attack = data;
	struct phase quiet_cfs, quiet_fifo, cfs, fifo;
	pid_t attacker;

	if (attack->two_cpus && !last_cpu())
		skip("one CPU");
	if (irqs_off_are_measured()) {
		irqs_off_measure(attack);
		return;
	}
	set_up();
	shared = shared_memory(sizeof(*shared));
	quiet_cfs = measure(run_cfs, 0, quiet_ns());
	quiet_fifo = measure(run_fifo, 0, quiet_ns());
	attacker = start_attack(attack);
	cfs = measure(run_cfs, attacker, attack_ns());
	end_attack(attacker);
	attacker = start_attack(attack);
	fifo = measure(run_fifo, attacker, attack_ns());
	end_attack(attacker);
	set_back();
	note_phase(attack->name, "cfs", &cfs);
	note_phase(attack->name, "fifo", &fifo);
	if (!judge(attack, &cfs, &quiet_cfs, &fifo, &quiet_fifo))
		FAIL("%s takes more than its bounds allow", attack->name);
}

static __attribute__((constructor)) void register_attacks(void)
{
	static struct test tests[64];
	const struct attack *attack = attacks;
	unsigned int i;

	if (irqs_off_are_measured() && last_cpu() > 0)
		attack = hotplug_attacks;
	for (i = 0; attack[i].name; i++) {
		tests[i] = (struct test){
			.name = attack[i].name,
			.run_row = run_case,
			.data = &attack[i],
			.timeout = 300,
		};
		register_test(&tests[i]);
	}
}
