// SPDX-License-Identifier: GPL-2.0
/*
 * twheel torture: timers that many contexts use at once, without a lock
 *
 * No model can tell what such a timer does next, but all results are counted. An arming
 * ends once, so at the end armed == fired + cancelled + replaced. A timer is shut down
 * while other contexts use it, and cannot be armed afterwards.
 */
#include "torture.h"

/* In @users: no context may begin to use the timer. */
#define EXCLUSIVE	(-1)

/* A timer with many users */
struct shared_timer {
	struct twheel_timer	timer;
	/* how many calls of torture_shared_op() use it now; or EXCLUSIVE */
	atomic_t		users;
	atomic_t		running;		/* its callback runs */
	bool			closing;
	bool			closed;
	u64			floor;			/* no deadline is earlier */
	u32			flags;
	atomic_t		n[TORTURE_SUMS];	/* how its armings have ended */
	u32			seed;			/* for its callback */
};

static struct shared_timer *shared;
static unsigned int nr_shared;

static void count_timer(struct shared_timer *s, enum torture_count what)
{
	atomic_inc(&s->n[what]);
	torture_inc(what);
}

/* @dead: the timer had been shut down before the call. */
static void count_arming(struct shared_timer *s, int ret, bool dead)
{
	switch (ret) {
	case 1:
		count_timer(s, TORTURE_REPLACED);
		fallthrough;
	case 0:
		count_timer(s, TORTURE_ARMED);
		if (dead)
			torture_fail("twheel_mod() after shutdown: %d", ret);
		break;
	case -ESHUTDOWN:
		torture_inc(TORTURE_REFUSED);
		if (!READ_ONCE(s->closing))
			torture_fail("-ESHUTDOWN from a timer that was not shut down");
		break;
	default:
		torture_fail("twheel_mod(): %d", ret);
	}
}

static void count_cancel(struct shared_timer *s, int ret, bool dead)
{
	int n;

	if (ret == -EAGAIN)
		torture_inc(TORTURE_AGAIN);
	else if (ret < 0 || (ret > 1 && !(s->timer.node.flags & TWHEEL_PROCESS)))
		torture_fail("a cancel returned %d", ret);
	if (dead && ret)
		torture_fail("a cancel after shutdown returned %d", ret);
	/* A cancel that waited may have ended several armings. */
	for (n = 0; n < ret; n++)
		count_timer(s, TORTURE_CANCELLED);
}

static void forward_timer(struct shared_timer *s, u64 interval, bool dead)
{
	/* The grid has points before the floor. */
	if (!torture_reached(s->floor))
		return;
	if (twheel_forward(&s->timer, interval))
		count_arming(s, 0, dead);
}

static void use_timer(struct shared_timer *s, struct rnd_state *rnd,
		      enum torture_context context)
{
	/* Pairs with smp_store_release() in shut_down_timer(): the timer is dead, too. */
	bool dead = smp_load_acquire(&s->closed);
	u32 what = torture_below(rnd, 16);
	u64 distance = torture_distance(rnd);
	u64 expires = max(get_jiffies_64() + distance, s->floor);
	int ret;

	switch (what) {
	case 0 ... 1:
		count_cancel(s, twheel_cancel(&s->timer), dead);
		break;
	case 2:
		count_cancel(s, twheel_try_cancel_sync(&s->timer), dead);
		break;
	case 3:
		if (torture_may_wait(s->flags, context))
			count_cancel(s, twheel_cancel_sync(&s->timer), dead);
		break;
	case 4:
		if (twheel_remaining(&s->timer) && dead)
			torture_fail("time remains after shutdown");
		break;
	case 5 ... 6:
		forward_timer(s, 1 + distance % 16, dead);
		break;
	case 7:
		count_arming(s, twheel_reduce(&s->timer, expires), dead);
		break;
	case 8:
		ret = twheel_mod_pending(&s->timer, expires);
		if (ret)
			count_arming(s, ret, dead);
		break;
	default:
		count_arming(s, twheel_mod(&s->timer, expires), dead);
	}
}

static void timer_expired(struct twheel_timer *timer)
{
	struct shared_timer *s = container_of(timer, struct shared_timer, timer);
	struct rnd_state rnd;

	if (atomic_inc_return(&s->running) != 1)
		torture_fail("callbacks of a shared timer overlap");
	if (READ_ONCE(s->closed))
		torture_fail("a callback after shutdown");
	if (!torture_reached(s->floor))
		torture_fail("a shared timer is too early, by %llu",
			     s->floor - get_jiffies_64());
	count_timer(s, TORTURE_FIRED);
	prandom_seed_state(&rnd, ++s->seed);
	if (s->flags & TWHEEL_PROCESS && torture_one_in(&rnd, 16)) {
		torture_inc(TORTURE_SLEPT);
		usleep_range(50, 500);
	}
	if (!torture_failed()) {
		if (torture_one_in(&rnd, 2))
			use_timer(s, &rnd, TORTURE_CALLBACK);
		else
			torture_shared_op(&rnd, TORTURE_CALLBACK);
	}
	atomic_dec(&s->running);
}

static void setup_timer(struct shared_timer *s, struct rnd_state *rnd)
{
	unsigned int i;

	s->flags = torture_flags(rnd);
	s->floor = get_jiffies_64() + torture_below(rnd, 50);
	for (i = 0; i < TORTURE_SUMS; i++)
		atomic_set(&s->n[i], 0);
	twheel_setup(&s->timer, timer_expired, s->flags);
	if (torture_one_in(rnd, 3))
		twheel_set_slack(&s->timer, torture_below(rnd, 512));
	WRITE_ONCE(s->closing, false);
	WRITE_ONCE(s->closed, false);
}

static void check_sums(struct shared_timer *s)
{
	int armed = atomic_read(&s->n[TORTURE_ARMED]);
	int fired = atomic_read(&s->n[TORTURE_FIRED]);
	int cancelled = atomic_read(&s->n[TORTURE_CANCELLED]);
	int replaced = atomic_read(&s->n[TORTURE_REPLACED]);

	if (armed != fired + cancelled + replaced)
		torture_fail("a shared timer: armed %d, fired %d, cancelled %d, replaced %d",
			     armed, fired, cancelled, replaced);
	if (atomic_read(&s->running))
		torture_fail("a callback runs after shutdown");
}

/* Other contexts use the timer all the time. */
static void shut_down_timer(struct shared_timer *s)
{
	count_cancel(s, twheel_shutdown_sync(&s->timer), false);
	/* Pairs with smp_load_acquire() in use_timer(): a reader finds the timer dead. */
	smp_store_release(&s->closed, true);
	usleep_range(10, 100);
	while (atomic_cmpxchg(&s->users, 0, EXCLUSIVE))
		usleep_range(10, 100);
	check_sums(s);
}

static void replace_timer(struct shared_timer *s, struct rnd_state *rnd)
{
	if (cmpxchg(&s->closing, false, true))
		return;
	shut_down_timer(s);
	setup_timer(s, rnd);
	atomic_set_release(&s->users, 0);
}

void torture_shared_op(struct rnd_state *rnd, enum torture_context context)
{
	struct shared_timer *s = &shared[torture_below(rnd, nr_shared)];

	if (context == TORTURE_PROCESS && torture_one_in(rnd, 256)) {
		replace_timer(s, rnd);
		return;
	}
	if (!atomic_inc_unless_negative(&s->users))
		return;
	use_timer(s, rnd, context);
	atomic_dec(&s->users);
}

int torture_shared_init(unsigned int timers)
{
	struct rnd_state rnd;
	unsigned int i;

	shared = kvcalloc(timers, sizeof(*shared), GFP_KERNEL);
	if (!shared)
		return -ENOMEM;
	nr_shared = timers;
	prandom_seed_state(&rnd, torture_seed);
	for (i = 0; i < timers; i++) {
		shared[i].seed = prandom_u32_state(&rnd);
		setup_timer(&shared[i], &rnd);
	}
	return 0;
}

/* Shuts all timers down. From now on, only callbacks use timers: their own or others. */
void torture_shared_end(void)
{
	unsigned int i;

	for (i = 0; i < nr_shared; i++) {
		WRITE_ONCE(shared[i].closing, true);
		shut_down_timer(&shared[i]);
	}
}

void torture_shared_exit(void)
{
	kvfree(shared);
}
