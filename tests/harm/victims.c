// SPDX-License-Identifier: GPL-2.0
#include "harm.h"

#include <grp.h>

int attacked_cpu, other_cpu;

/* Priorities of SCHED_FIFO: the innocent comes before the computing victim. */
enum { FIFO_VICTIM = 10, FIFO_INNOCENT = 20 };

enum { INNOCENT = 1001 };

/*
 * The SCHED_FIFO victim computes for BURST_NS and rests for REST_NS, so that an attacker
 * on the same CPU can act at all.
 */
#define BURST_NS	(20 * NSEC_PER_MSEC)
#define REST_NS		(5 * NSEC_PER_MSEC)

void become(int cpu, uid_t user)
{
	stay_on_cpu(cpu);
	CALL(prctl(PR_SET_PDEATHSIG, SIGKILL));
	if (!user)
		return;
	CALL(setgroups(0, NULL));
	CALL(setresgid(user, user, user));
	CALL(setresuid(user, user, user));
	CALL(prctl(PR_SET_PDEATHSIG, SIGKILL));
	/* otherwise root owns /proc/self/fdinfo */
	CALL(prctl(PR_SET_DUMPABLE, 1));
}

void set_fifo(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	CALL(sched_setscheduler(0, SCHED_FIFO, &param));
}

/* A piece of work: about a microsecond. */
static void compute(void)
{
	int i;

	for (i = 0; i < 400; i++)
		__asm__ volatile("" ::: "memory");
}

/* Do a piece of work. @last is when the piece before ended. Returns when this one did. */
static __u64 advance(struct progress *progress, __u64 last)
{
	__u64 time;

	compute();
	time = now();
	if (time - last > atomic_load_explicit(&progress->gap_ns, memory_order_relaxed))
		atomic_store(&progress->gap_ns, time - last);
	return time;
}

void run_cfs(void *data)
{
	struct progress *progress = data;
	__u64 last;

	become(attacked_cpu, INNOCENT);
	for (last = now();;) {
		last = advance(progress, last);
		atomic_fetch_add(&progress->chunks, 1);
	}
}

void run_fifo(void *data)
{
	struct progress *progress = data;
	__u64 wanted, last, end, chunks, had;

	become(attacked_cpu, 0);
	CALL(mlockall(MCL_CURRENT));
	set_fifo(FIFO_VICTIM);
	for (wanted = now();; wanted = end + REST_NS) {
		sleep_until(wanted);
		had = read_clock(CLOCK_THREAD_CPUTIME_ID);
		end = wanted + BURST_NS;
		chunks = 0;
		for (last = wanted; last < end; chunks++)
			last = advance(progress, last);
		atomic_fetch_add(&progress->chunks, chunks);
		atomic_fetch_add(&progress->had_ns, read_clock(CLOCK_THREAD_CPUTIME_ID) - had);
		atomic_fetch_add(&progress->wanted_ns, last - wanted);
		end = last;
	}
}

void reset_progress(struct progress *progress)
{
	atomic_store(&progress->chunks, 0);
	atomic_store(&progress->wanted_ns, 0);
	atomic_store(&progress->had_ns, 0);
	atomic_store(&progress->gap_ns, 0);
}

/* Arm a timer of the innocent, one to ten ticks ahead. */
static void arm_one(int fd, struct innocent *innocent, unsigned int i)
{
	static __u64 random = 88172645463325252ULL;
	__u64 deadline;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	deadline = now() + tick_ns() + random % ticks(9);
	atomic_store(&innocent->deadline[i], deadline);
	add_at(fd, deadline, i);
}

static void take_one(int fd, struct innocent *innocent, const struct twheel_event *event)
{
	unsigned int n = atomic_load(&innocent->events);

	if (n < INNOCENT_EVENTS) {
		innocent->late_ns[n] = now() - event->deadline_ns;
		atomic_compare_exchange_strong(&innocent->events, &n, n + 1);
	}
	arm_one(fd, innocent, event->cookie);
}

/* SCHED_FIFO: how late the scheduler is must not count. */
void run_innocent(void *data)
{
	struct twheel_event events[INNOCENT_TIMERS];
	unsigned int i;
	int fd, got;

	set_fifo(FIFO_INNOCENT);
	become(attacked_cpu, INNOCENT);
	fd = open_device(0);
	for (i = 0; i < INNOCENT_TIMERS; i++)
		arm_one(fd, data, i);
	for (;;) {
		got = read_events(fd, events, ARRAY_SIZE(events));
		ASSERT_GT(got, 0);
		for (i = 0; i < (unsigned int)got; i++)
			take_one(fd, data, &events[i]);
	}
}

void reset_innocent(struct innocent *innocent)
{
	atomic_store(&innocent->events, 0);
}

static int compare(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

struct lateness lateness_of(struct innocent *innocent)
{
	static __u64 late[INNOCENT_EVENTS + INNOCENT_TIMERS];
	struct lateness result = { .events = atomic_load(&innocent->events) };
	unsigned int i, n = result.events;
	const __u64 time = now();

	memcpy(late, innocent->late_ns, n * sizeof(*late));
	for (i = 0; i < INNOCENT_TIMERS; i++) {
		const __u64 deadline = atomic_load(&innocent->deadline[i]);

		if (deadline < time)
			late[n++] = time - deadline;
	}
	qsort(late, n, sizeof(*late), compare);
	if (n) {
		result.p99_ns = late[n * 99 / 100];
		result.max_ns = late[n - 1];
	}
	return result;
}
