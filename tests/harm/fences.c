// SPDX-License-Identifier: GPL-2.0
/*
 * How late a fence is: the signal of an open file that kills a process at its lease's deadline.
 * The process spins with SCHED_FIFO, and nothing but the kernel can end it. It notes the time
 * as long as it lives.
 */

#include "harm.h"
#include "holder.h"
#include "one_epoll.h"

enum { FENCED = 1005, FIFO_FENCED = 50 };
enum { ROUNDS = 20, LEASE = 10, PUSHES = 10, MOST_OWN = 200, WATCHERS = 10000 };

/* What a fence has beside it, and by how many ticks it may be late. */
struct beside {
	const char	*name;		/* of an attack, by another user; or of one of the others */
	unsigned int	own;		/* so many descriptors of the same user are due before */
	unsigned int	late_ticks;
	bool		watched;	/* the owner has given out another lease */
};

static const struct beside besides[] = {
	{ .name = "quiet", .late_ticks = 1 },
	{ .name = "periodic_many", .late_ticks = 2 },
	{ .name = "cascade", .late_ticks = 2 },
	{ .name = "users", .late_ticks = 2 },
	{ .name = "stopped", .late_ticks = 2 },
	/* A user gets 16 steps at each tick: eight visits, if none takes 2 us. */
	{ .name = "own", .own = MOST_OWN, .late_ticks = 1 + MOST_OWN / 8 },
	{ .name = "holder", .watched = true, .late_ticks = 2 },
};

static struct fenced {
	atomic_ullong	pushed;		/* when the lease was pushed for the last time */
	atomic_ullong	acted;		/* when the process lived for the last time */
	unsigned int	early;		/* how often it died before its deadline */
	__u64		late_ns;	/* at most */
} *fenced;

static void __noreturn act(int lease, unsigned int pushes)
{
	while (pushes--) {
		atomic_store(&fenced->pushed, now());
		ASSERT_EQ(push(lease), 0);
		if (pushes)
			sleep_for(tick_ns() / 2);
	}
	for (;;)
		atomic_store(&fenced->acted, now());
}

static void set_fence(int fd, pid_t pid)
{
	CALL(fcntl(fd, F_SETOWN, pid));
	CALL(fcntl(fd, F_SETSIG, SIGKILL));
	CALL(fcntl(fd, F_SETFL, O_ASYNC));
}

static void note_end(void)
{
	const __u64 deadline = atomic_load(&fenced->pushed) + ticks(LEASE);
	const __u64 acted = atomic_load(&fenced->acted);

	if (acted < deadline)
		fenced->early++;
	else if (acted - deadline > fenced->late_ns)
		fenced->late_ns = acted - deadline;
}

/* Another lease of the owner, whose holder has WATCHERS epolls, and its timer. */
struct held {
	int	fd;
	__u64	handle;
	int	lease;
	int	pipe[2];
};

static void watch(void *data)
{
	const struct held *held = data;
	unsigned int i;

	for (i = 0; i < WATCHERS; i++)
		new_epoll(held->lease, EPOLLHUP);
	tell(held->pipe[1]);
	wait_to_be_killed(NULL);
}

static pid_t start_holder(struct held *held)
{
	pid_t holder;

	CALL(pipe(held->pipe));
	held->fd = open_device(0);
	held->handle = add(held->fd, LONG, 0);
	held->lease = new_lease(held->fd, held->handle, LONG, 0);
	holder = start(watch, held);
	close(held->pipe[1]);
	hear(held->pipe[0]);
	return holder;
}

static void end_holder(const struct held *held, pid_t holder)
{
	kill_child(holder);
	close(held->pipe[0]);
	close(held->lease);
	close(held->fd);
}

static void run_round(const struct beside *beside)
{
	int crowd[MOST_OWN], fd, lease, status;
	pid_t pid, holder = 0;
	struct held held;
	unsigned int i;

	for (i = 0; i < beside->own; i++)
		crowd[i] = open_device(0);
	if (beside->watched)
		holder = start_holder(&held);
	fd = open_device(0);
	lease = new_lease(fd, add(fd, ticks(LEASE), 0), ticks(LEASE), 0);
	pid = CALL(fork());
	/* It has the same priority, so it begins when this process waits. */
	if (!pid)
		act(lease, beside->own || beside->watched ? 1 : PUSHES);
	set_fence(fd, pid);
	for (i = 0; i < beside->own; i++)
		add(crowd[i], ticks(LEASE - 1), 0);
	if (holder)
		ASSERT_EQ(change(held.fd, held.handle, ticks(LEASE - 1)), 0);
	CALL(waitpid(pid, &status, 0));
	ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	note_end();
	for (i = 0; i < beside->own; i++)
		close(crowd[i]);
	if (holder)
		end_holder(&held, holder);
	close(lease);
	close(fd);
}

static void run_rounds(void *data)
{
	const struct beside *beside = data;
	unsigned int i;

	set_fifo(FIFO_FENCED);
	become(attacked_cpu, FENCED);
	/*
	 * While ksoftirqd is ready to run, 6.1 does no softirq elsewhere, and a process that spins
	 * with SCHED_FIFO keeps it from running. So it gets time to free what was closed, and no
	 * round comes after one with so many epolls.
	 */
	sleep_for(NSEC_PER_SEC);
	for (i = 0; i < (beside->watched ? 1 : ROUNDS); i++)
		run_round(beside);
}

static const struct attack *find_attack(const char *name)
{
	const struct attack *attack;

	for (attack = attacks; attack->name; attack++)
		if (!strcmp(attack->name, name))
			return attack;
	return NULL;
}

static bool measure(const struct beside *beside, double quiet_ms)
{
	const struct attack *attack = find_attack(beside->name);
	const pid_t attacker = attack ? start_attack(attack) : 0;
	char what[64];
	bool bad;

	memset(fenced, 0, sizeof(*fenced));
	join(start(run_rounds, (void *)beside));
	if (attacker)
		end_attack(attacker);
	snprintf(what, sizeof(what), "late max, %s", beside->name);
	bad = exceeds("fence", what, quiet_ms, ms(fenced->late_ns),
		      ms(ticks(beside->late_ticks)) + 1, "ms");
	if (fenced->early)
		note("fence, %s: %u of %u processes were killed early", beside->name,
		     fenced->early, ROUNDS);
	return bad || fenced->early;
}

TEST(fence)
{
	double quiet_ms = 0;
	bool bad = false;
	unsigned int i;

	if (irqs_off_are_measured() || last_cpu())
		skip("for one CPU, and other figures");
	set_up();
	fenced = shared_memory(sizeof(*fenced));
	for (i = 0; i < ARRAY_SIZE(besides); i++) {
		bad |= measure(&besides[i], quiet_ms);
		if (!i)
			quiet_ms = ms(fenced->late_ns);
	}
	set_back();
	if (bad)
		FAIL("a fence was late, or early");
}
