// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: random operations, against a sorted tree of deadlines
 */
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/rbtree.h>
#include "wheel_test.h"

#define MODEL_TIMERS	512U

struct model_timer {
	struct twheel_timer	timer;
	struct rb_node		node;
	u64			due;
};

/**
 * struct model - a wheel, and what it should hold
 * @test: The case.
 * @wheel: The wheel.
 * @timers: %MODEL_TIMERS of them.
 * @tree: Those that are armed, by deadline.
 * @rnd: Where all choices come from.
 * @seed: What it was seeded with.
 * @step: How many operations have been done.
 * @now: The time; the hand is behind while an advance is unfinished.
 * @pace: Time goes on by up to so many bits of ticks at once.
 * @armed: Timers armed now.
 * @armings: How often one was armed, ever.
 * @expired: How often one expired, ever.
 * @removed: How often one was removed, ever.
 */
struct model {
	struct kunit		*test;
	struct twheel_wheel	*wheel;
	struct model_timer	*timers;
	struct rb_root_cached	tree;
	struct rnd_state	rnd;
	u32			seed;
	u32			step;
	u64			now;
	unsigned int		pace;
	u64			armed;
	u64			armings;
	u64			expired;
	u64			removed;
};

#define MODEL_ASSERT(_m, _condition, _fmt, ...)				\
	KUNIT_ASSERT_TRUE_MSG((_m)->test, _condition,			\
			      "seed %u, step %u, hand %llu: " _fmt,	\
			      (_m)->seed, (_m)->step, (_m)->wheel->clk,	\
			      ##__VA_ARGS__)

static u32 below(struct model *m, u32 limit)
{
	return prandom_u32_state(&m->rnd) % limit;
}

static u64 random_u64(struct model *m)
{
	return (u64)prandom_u32_state(&m->rnd) << 32 | prandom_u32_state(&m->rnd);
}

/* A number of up to so many bits, every length as likely as any other. */
static u64 random_bits(struct model *m, unsigned int bits)
{
	return random_u64(m) >> (63 - below(m, bits));
}

static u64 later(u64 from, u64 by)
{
	return by > U64_MAX - from ? U64_MAX : from + by;
}

static bool model_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct model_timer, node)->due <
	       rb_entry(b, struct model_timer, node)->due;
}

/* The deadline that comes first, or U64_MAX. */
static u64 model_first(const struct model *m)
{
	struct rb_node *first = rb_first_cached(&m->tree);

	return first ? rb_entry(first, struct model_timer, node)->due : U64_MAX;
}

static struct model_timer *random_timer(struct model *m)
{
	return &m->timers[below(m, MODEL_TIMERS)];
}

static bool is_armed(const struct model_timer *t)
{
	return !RB_EMPTY_NODE(&t->node);
}

static void model_end(struct model *m, struct model_timer *t)
{
	rb_erase_cached(&t->node, &m->tree);
	RB_CLEAR_NODE(&t->node);
	m->armed--;
}

static void model_arm(struct model *m, struct model_timer *t, u64 expires)
{
	twheel_wheel_insert(m->wheel, &t->timer, expires);
	t->due = clamp(expires, m->wheel->clk + 1, TWHEEL_NEVER);
	rb_add_cached(&t->node, &m->tree, model_less);
	m->armed++;
	m->armings++;
}

static void model_remove(struct model *m, struct model_timer *t)
{
	bool was_armed = is_armed(t);

	MODEL_ASSERT(m, was_armed == twheel_wheel_remove(m->wheel, &t->timer,
							 TWHEEL_IDLE),
		     "remove says the contrary of %d", was_armed);
	if (was_armed) {
		model_end(m, t);
		m->removed++;
	}
}

/* Returns whether the new deadline was taken. */
static bool model_extend(struct model *m, struct model_timer *t, u64 expires)
{
	bool may = is_armed(t) && expires >= t->due;

	MODEL_ASSERT(m, may == twheel_wheel_extend(&t->timer, expires),
		     "extend to %llu says the contrary of %d", expires, may);
	if (may) {
		rb_erase_cached(&t->node, &m->tree);
		t->due = min(expires, TWHEEL_NEVER);
		rb_add_cached(&t->node, &m->tree, model_less);
	}
	return may;
}

static u64 random_deadline(struct model *m)
{
	u64 clk = m->wheel->clk;
	unsigned int n;

	switch (below(m, 10)) {
	case 0:		/* past or now */
		return clk - min(clk, random_bits(m, 63));
	case 1:		/* level 0 */
		return later(clk, below(m, 130));
	case 2:
	case 3:		/* near */
		return later(clk, below(m, 9000));
	case 4:
	case 5:		/* any distance */
		return later(clk, random_bits(m, 37));
	case 6:		/* about the edge of some slot */
		n = below(m, TWHEEL_LVL_DEPTH);
		return later((clk >> TWHEEL_LVL_SHIFT(n)) << TWHEEL_LVL_SHIFT(n),
			     below(m, 132) * TWHEEL_LVL_GRAN(n) + below(m, 3)) - 1;
	case 7:		/* beyond the horizon */
		return later(clk, (1ULL << 36) + random_bits(m, 41));
	case 8:		/* together with another one */
		return random_timer(m)->due;
	default:
		return below(m, 100) ? later(clk, random_bits(m, 20)) : U64_MAX;
	}
}

/* Returns whether the hand has come to the present. */
static bool model_expire(struct model *m, unsigned int slice)
{
	unsigned int budget = slice;
	struct twheel_timer *timer;
	struct model_timer *t;

	while ((timer = wheel_test_take(m->wheel, m->now, &budget, NULL))) {
		t = container_of(timer, struct model_timer, timer);
		MODEL_ASSERT(m, is_armed(t), "timer %td is not armed",
			     t - m->timers);
		MODEL_ASSERT(m, t->due == m->wheel->clk,
			     "timer %td of %llu expired", t - m->timers, t->due);
		MODEL_ASSERT(m, model_first(m) == t->due,
			     "timer %td of %llu expired before one of %llu",
			     t - m->timers, t->due, model_first(m));
		model_end(m, t);
		m->expired++;
		/* what a callback might do */
		if (!below(m, 8))
			model_arm(m, t, random_deadline(m));
	}
	MODEL_ASSERT(m, m->wheel->clk <= m->now, "later than the time");
	MODEL_ASSERT(m, budget || slice != WHEEL_TEST_UNLIMITED,
		     "no end of work before %llu", m->now);
	if (!budget)
		return false;
	MODEL_ASSERT(m, m->wheel->clk == min(m->now, TWHEEL_NEVER - 1),
		     "stopped before %llu", m->now);
	MODEL_ASSERT(m, model_first(m) > min(m->now, TWHEEL_NEVER - 1),
		     "a timer of %llu was forgotten", model_first(m));
	return true;
}

/* Up to the next event, unless it is further away than the pace allows. */
static void model_next(struct model *m, unsigned int pace)
{
	u64 next = twheel_wheel_next(m->wheel);

	MODEL_ASSERT(m, next >= m->wheel->clk, "next is %llu", next);
	MODEL_ASSERT(m, next <= max(m->wheel->clk, model_first(m)),
		     "next is %llu, a timer is due at %llu", next, model_first(m));
	MODEL_ASSERT(m, m->armed || m->wheel->todo || next == TWHEEL_NEVER,
		     "next is %llu, no timer is armed", next);
	if (next - m->wheel->clk <= 1ULL << pace)
		m->now = max(m->now, next);
	model_expire(m, WHEEL_TEST_UNLIMITED);
}

static void model_jump(struct model *m)
{
	m->now = later(m->now, random_bits(m, m->pace));
	model_expire(m, below(m, 4) ? WHEEL_TEST_UNLIMITED : below(m, 300));
}

static void model_change(struct model *m)
{
	struct model_timer *t = random_timer(m);
	u64 expires = random_deadline(m);

	if (!is_armed(t)) {
		model_arm(m, t, expires);
	} else if (!model_extend(m, t, expires)) {
		model_remove(m, t);
		model_arm(m, t, expires);
	}
}

static void model_forward(struct model *m)
{
	if (below(m, 2) && !m->wheel->todo && m->wheel->clk == m->now)
		m->now = later(m->now, random_bits(m, m->pace));
	twheel_wheel_forward(m->wheel, m->now);
	MODEL_ASSERT(m, m->wheel->clk <= m->now, "later than the time");
	MODEL_ASSERT(m, m->wheel->todo || model_first(m) > m->wheel->clk,
		     "passed over a timer of %llu", model_first(m));
}

/* Every idle timer into one slot: more than can be moved down in one tick. */
static void model_crowd(struct model *m)
{
	unsigned int n = below(m, TWHEEL_LVL_DEPTH), i;
	u64 slot = (m->wheel->clk >> TWHEEL_LVL_SHIFT(n)) + 2 + below(m, 4);

	for (i = 0; i < MODEL_TIMERS; i++)
		if (!is_armed(&m->timers[i]))
			model_arm(m, &m->timers[i], (slot << TWHEEL_LVL_SHIFT(n)) +
						    (random_u64(m) & (TWHEEL_LVL_GRAN(n) - 1)));
}

static void model_step(struct model *m)
{
	struct model_timer *t;

	/* For a while ticks go by one by one, for a while years do. */
	if (m->step++ % 512 == 0) {
		m->pace = 1 + below(m, below(m, 8) ? 16 : 38);
		if (below(m, 2))
			model_crowd(m);
	}
	switch (below(m, 16)) {
	case 0:
	case 1:
	case 2:
	case 3:
	case 4:
	case 5:
		model_change(m);
		break;
	case 6:
	case 7:
		model_remove(m, random_timer(m));
		break;
	case 8:
	case 9:
		t = random_timer(m);
		model_extend(m, t, later(t->due, random_bits(m, 12)));
		break;
	case 10:
		model_extend(m, random_timer(m), random_deadline(m));
		break;
	case 11:
		m->now = later(m->now, 1);
		model_expire(m, WHEEL_TEST_UNLIMITED);
		break;
	case 12:
		model_next(m, m->pace);
		break;
	case 13:
		model_jump(m);
		break;
	case 14:
		model_expire(m, below(m, 20));
		break;
	default:
		model_forward(m);
		break;
	}
	MODEL_ASSERT(m, m->wheel->pending == m->armed, "%llu armed, not %llu",
		     m->wheel->pending, m->armed);
	MODEL_ASSERT(m, m->wheel->todo || m->wheel->next <= model_first(m),
		     "no visit for a timer of %llu", model_first(m));
}

static void model_audit(struct model *m)
{
	const char *wrong = twheel_wheel_audit(m->wheel, true);

	MODEL_ASSERT(m, !wrong, "%s", wrong);
}

/* What is not for ever runs out, each at its tick, in as few visits as may be. */
static void model_drain(struct model *m)
{
	unsigned int i;

	model_expire(m, WHEEL_TEST_UNLIMITED);
	for (i = 0; i < MODEL_TIMERS; i++)
		if (is_armed(&m->timers[i]) &&
		    m->timers[i].due - m->wheel->clk > 1ULL << 42)
			model_remove(m, &m->timers[i]);
	for (i = 0; m->armed && i < 100 * MODEL_TIMERS; i++) {
		m->step++;
		model_next(m, 42);
		if (m->wheel->clk == TWHEEL_NEVER - 1)
			break;
	}
	MODEL_ASSERT(m, m->wheel->pending == m->armed, "%llu pending, not %llu",
		     m->wheel->pending, m->armed);
	MODEL_ASSERT(m, model_first(m) >= TWHEEL_NEVER, "a timer of %llu is left",
		     model_first(m));
	MODEL_ASSERT(m, m->armings == m->expired + m->removed + m->armed,
		     "armed %llu, expired %llu, removed %llu", m->armings,
		     m->expired, m->removed);
	model_audit(m);
}

struct model_param {
	u32	seed;
	u32	steps;
	u32	audit_every;
	u64	start;
};

static struct model *model_run(struct kunit *test)
{
	const struct model_param *param = test->param_value;
	struct wheel_test *wt = test->priv;
	struct model *m;
	unsigned int i;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->timers = kunit_kcalloc(test, MODEL_TIMERS, sizeof(*m->timers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->timers);
	m->test = test;
	m->wheel = wt->wheel;
	m->tree = RB_ROOT_CACHED;
	m->seed = param->seed;
	m->now = param->start;
	prandom_seed_state(&m->rnd, m->seed);
	for (i = 0; i < MODEL_TIMERS; i++)
		RB_CLEAR_NODE(&m->timers[i].node);
	twheel_wheel_init(m->wheel, param->start);

	for (i = 1; i <= param->steps; i++) {
		model_step(m);
		if (i % param->audit_every == 0) {
			model_audit(m);
			cond_resched();
		}
	}
	model_drain(m);
	kunit_info(test, "armed %llu, expired %llu, cascaded %llu, refiled %llu",
		   m->armings, m->expired, m->wheel->cascaded, m->wheel->refiled);
	return m;
}

static void model_desc(const struct model_param *param, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %u start %llu", param->seed,
		 param->start);
}

/* The rules are audited after every step. */
#define SHORT(_seed, _start)	{ _seed, 2000, 1, _start }

static const struct model_param shorts[] = {
	SHORT(101, 0),
	SHORT(102, 0),
	SHORT(103, 1),
	SHORT(104, 63),
	SHORT(105, 64),
	SHORT(106, (1ULL << 12) - 100),
	SHORT(107, (1ULL << 18) - 1000),
	SHORT(108, (1ULL << 24) - 5000),
	SHORT(109, (1ULL << 24) - 5000),
	SHORT(110, (1ULL << 30) - 70000),
	SHORT(111, (1ULL << 32) - 5),
	SHORT(112, (1ULL << 36) - 70000),
	SHORT(113, (1ULL << 36) - 70000),
	SHORT(114, (1ULL << 60) - 70000),
	SHORT(115, (1ULL << 63) - 70000),
	SHORT(116, U64_MAX - (1ULL << 42)),
	SHORT(117, U64_MAX - (1ULL << 36)),
	SHORT(118, U64_MAX - (1ULL << 20)),
	SHORT(119, U64_MAX - 5000),
	SHORT(120, U64_MAX - 5),
};

KUNIT_ARRAY_PARAM(short, shorts, model_desc);

#define LONG(_seed, _start)	{ _seed, WHEEL_TEST_LONG(1000000), 4096, _start }

static const struct model_param longs[] = {
	LONG(1, 0),
	LONG(2, 0),
	LONG(3, 0),
	LONG(4, 1),
	LONG(5, (1ULL << 18) - 1000),
	LONG(6, (1ULL << 18) - 1000),
	LONG(7, (1ULL << 24) - 5000),
	LONG(8, (1ULL << 24) - 5000),
	LONG(9, (1ULL << 30) - 5000),
	LONG(10, (1ULL << 32) - 5),
	LONG(11, (1ULL << 32) - 5),
	LONG(12, (1ULL << 32) - 300 * 1000),
	LONG(13, (1ULL << 36) - 70000),
	LONG(14, (1ULL << 36) - 70000),
	LONG(15, (1ULL << 42) - 70000),
	LONG(16, (1ULL << 60) - 70000),
	LONG(17, (1ULL << 60) - 70000),
	LONG(18, (1ULL << 63) - 5),
	LONG(19, (1ULL << 63) - 70000),
	LONG(20, (1ULL << 63) + (1ULL << 36)),
	LONG(21, U64_MAX - (1ULL << 60)),
	LONG(22, U64_MAX - (1ULL << 42)),
};

KUNIT_ARRAY_PARAM(long, longs, model_desc);

static void trap13_audited_each_step(struct kunit *test)
{
	model_run(test);
}

static void trap13_million_steps(struct kunit *test)
{
	struct model *m = model_run(test);

	/* or it has shown nothing */
	MODEL_ASSERT(m, m->expired > m->step / 10, "expired %llu", m->expired);
	MODEL_ASSERT(m, m->wheel->cascaded > m->step / 10, "cascaded %llu",
		     m->wheel->cascaded);
	MODEL_ASSERT(m, m->wheel->refiled, "no timer was filed anew");
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_PARAM(trap13_audited_each_step, short_gen_params),
	KUNIT_CASE_PARAM(trap13_million_steps, long_gen_params),
	{}
};

WHEEL_TEST_SUITE(model);
