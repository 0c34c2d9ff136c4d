// SPDX-License-Identifier: GPL-2.0
/*
 * Counts instructions of twheel and its peers, in a machine with one CPU whose clock
 * counts them: scripts/vm --icount.
 *
 * usage: count TIMERS
 *
 * Prints a line for each metric and mechanism: metric,mechanism,instructions,1.
 * A delivery costs what the machine does from the arming to the last expiration, without
 * idling and the arming itself. So it includes the moves of timers within a wheel.
 */
#include <math.h>
#include <sys/wait.h>
#include "../../lib/libtwheel.h"
#include "measure.h"

/* So far ahead that no timer expires while operations are measured. */
#define NEAREST		(60 * NSEC)
#define RANGE		(3600 * NSEC)
#define PUSH_BACK	(600 * NSEC)

/* For a linear mechanism: timers looked at by all operations of a trial together. */
#define LOOKS		(8u << 20)
#define LEAST_OPERATIONS 64

/* Time to the first of many deadlines: more than any mechanism takes to arm its timers. */
#define LEAD		NSEC
/* Time to the only deadline, besides twice the time that arming takes. */
#define LEAD_OF_DRAIN	(NSEC / 4)

/* Deliveries whose deadlines begin at different places within a tick. */
#define PHASES		5

/* Timers that expire to find out when ticks begin. */
#define PROBES		16

/* Expirations of a mechanism are counted if it has @take. */
static const struct mechanism *const counted[] = {
	&twheel_single, &twheel_batch, &twheel_mmap, &twheel_ring,
	&twheel_ioctl_1, &twheel_command_1, &twheel_ioctl_8, &twheel_command_8,
	&twheel_ioctl_64, &twheel_command_64, &timerfd, &posix, &uring, &uring_single,
};

/* Instructions for each timer; NaN: not measured. In memory that the trials share. */
static struct outcome {
	double arm;		/* to create and arm a timer */
	double extend;		/* to give it a later deadline */
	double cancel;
	double deliver;		/* when timers expire over a second: the mean of all trials */
	double drain;		/* when all timers expire at one tick */
	unsigned int phase;	/* how many deliveries there were */
} *outcome;

static double per_timer(uint64_t since, size_t n)
{
	return (double)(now_ns() - since) / (double)n;
}

static size_t sample_size(const struct mechanism *m, size_t n)
{
	size_t size = m->linear ? LOOKS / n : n;

	size = size < LEAST_OPERATIONS ? LEAST_OPERATIONS : size;
	return size < n ? size : n;
}

/* Prepares a mechanism, and waits until the kernel has freed what the last trial left. */
static void open_mechanism(const struct mechanism *m, size_t n)
{
	m->open(n);
	sleep(1);
}

/* Arms, extends and cancels @n timers. */
static void trial_operations(const struct mechanism *m, size_t n)
{
	uint32_t *extended = permutation(n), *cancelled = permutation(n);
	uint64_t *deadline = allocate(n * sizeof(*deadline));
	uint64_t *later = allocate(n * sizeof(*later));
	size_t i, sampled = sample_size(m, n);
	uint64_t start = now_ns();

	for (i = 0; i < n; i++)
		deadline[i] = start + NEAREST + random_below(RANGE);
	for (i = 0; i < n; i++)
		later[i] = deadline[extended[i]] + PUSH_BACK;
	open_mechanism(m, n);

	start = now_ns();
	m->arm(deadline, n);
	outcome->arm = per_timer(start, n);

	if (m->extend) {
		start = now_ns();
		m->extend(extended, later, sampled);
		outcome->extend = per_timer(start, sampled);
	}
	if (m->cancel) {
		start = now_ns();
		m->cancel(cancelled, sampled);
		outcome->cancel = per_timer(start, sampled);
	}
}

static void take_all(const struct mechanism *m, size_t n)
{
	size_t taken = 0;

	while (taken < n)
		taken += m->take();
	if (taken > n)
		die(0, "%s: %zu expirations of %zu timers", m->name, taken, n);
}

/*
 * When a tick of the system began, and the length of ticks. Estimated from timers that
 * expire soon after the beginning of a tick: the earliest within its tick counts.
 */
static uint64_t find_tick(uint64_t *length)
{
	struct twheel_op op;
	int i, device = twheel_open(0);
	struct twheel_event event;
	struct twheel_info info;
	int64_t sooner, began = 0;

	if (device < 0 || twheel_get_info(device, &info))
		die(errno, "/dev/twheel");
	*length = info.resolution_ns;
	for (i = 0; i < PROBES; i++) {
		op = twheel_after(1, 0);
		if (twheel_add(device, &op) || twheel_read(device, &event, 1) != 1)
			die(errno, "/dev/twheel");
		if (!i)
			began = (int64_t)event.expired_ns;
		sooner = ((int64_t)event.expired_ns - began) % (int64_t)*length;
		if (sooner > (int64_t)*length / 2)
			began += sooner - (int64_t)*length;
	}
	close(device);
	return (uint64_t)began;
}

/*
 * A time around @when, shortly before a tick begins. The wheel runs at the beginning of
 * ticks, so little of the measured time is the wait for the next one.
 */
static uint64_t before_tick(uint64_t when, uint64_t *length)
{
	uint64_t tick = find_tick(length);

	return tick + (when - tick) / *length * *length - *length / 8;
}

/*
 * Lets @n timers expire, evenly over a second, from the next of PHASES places within a tick on. At
 * one place a tick has a timer more than its budget, at another one less.
 */
static void trial_deliver(const struct mechanism *m, size_t n)
{
	uint64_t length, first = before_tick(now_ns() + 2 * LEAD, &length);
	uint64_t *deadline = allocate(n * sizeof(*deadline));
	uint32_t *order = permutation(n);
	uint64_t busy, start;
	size_t i;

	first += outcome->phase++ * length / PHASES;
	for (i = 0; i < n; i++)
		deadline[i] = first + order[i] * NSEC / n;
	open_mechanism(m, n);
	busy = busy_ns();
	start = now_ns();
	m->arm(deadline, n);
	busy += now_ns() - start;
	if (now_ns() >= first)
		die(0, "%s: arming took too long", m->name);
	take_all(m, n);
	outcome->deliver += (double)(busy_ns() - busy) / (double)n / PHASES;
}

/* Lets @n timers expire at one tick. */
static void trial_drain(const struct mechanism *m, size_t n)
{
	uint64_t lead = LEAD_OF_DRAIN + (uint64_t)(2 * outcome->arm * (double)n);
	uint64_t *deadline = allocate(n * sizeof(*deadline));
	uint64_t due, length;
	size_t i;

	open_mechanism(m, n);
	due = before_tick(now_ns() + lead, &length);
	for (i = 0; i < n; i++)
		deadline[i] = due;
	m->arm(deadline, n);
	if (now_ns() >= due)
		die(0, "%s: arming took too long", m->name);
	take_all(m, n);
	outcome->drain = per_timer(due, n);
}

/* Runs a trial in a process of its own. */
static void run(void (*trial)(const struct mechanism *m, size_t n), const struct mechanism *m,
		size_t n)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		trial(m, n);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die(0, "%s with %zu timers failed", m->name, n);
}

static void print(const char *metric, const struct mechanism *m, double value)
{
	if (!isnan(value))
		printf("%s,%s,%.3f,1\n", metric, m->name, value);
}

static void count(const struct mechanism *m, size_t n)
{
	*outcome = (struct outcome) { NAN, NAN, NAN, m->take ? 0 : NAN, NAN, 0 };
	run(trial_operations, m, n);
	if (m->take) {
		while (outcome->phase < PHASES)
			run(trial_deliver, m, n);
		run(trial_drain, m, n);
	}
	print("u_arm", m, outcome->arm);
	print("u_extend", m, outcome->extend);
	print("u_cancel", m, outcome->cancel);
	print("u_deliver", m, outcome->deliver);
	print("u_drain", m, outcome->drain);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long n = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	size_t i;

	if (n < 1)
		die(0, "usage: count TIMERS");
	if (sysconf(_SC_NPROCESSORS_ONLN) != 1)
		die(0, "count wants one CPU");
	outcome = allocate_shared(sizeof(*outcome));
	for (i = 0; i < ARRAY_SIZE(counted); i++)
		count(counted[i], (size_t)n);
	return 0;
}
