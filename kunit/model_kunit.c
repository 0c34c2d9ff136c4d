// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: random operations on timers that expire exactly at their deadlines
 */
#include "model.h"

#define MODEL_TIMERS	512U

static u64 random_deadline(struct model *m)
{
	u64 clk = m->wheel->clk;
	unsigned int n;

	switch (model_below(m, 10)) {
	case 0:		/* past or now */
		return clk - min(clk, model_bits(m, 63));
	case 1:		/* level 0 */
		return model_later(clk, model_below(m, 130));
	case 2:
	case 3:		/* near */
		return model_later(clk, model_below(m, 9000));
	case 4:
	case 5:		/* any distance */
		return model_later(clk, model_bits(m, 37));
	case 6:		/* about the edge of a slot */
		n = model_below(m, TWHEEL_LVL_DEPTH);
		return model_later((clk >> TWHEEL_LVL_SHIFT(n)) << TWHEEL_LVL_SHIFT(n),
				   model_below(m, 132) * TWHEEL_LVL_GRAN(n) +
				   model_below(m, 3)) - 1;
	case 7:		/* beyond the horizon */
		return model_later(clk, (1ULL << 36) + model_bits(m, 41));
	case 8:		/* the deadline of another timer */
		return model_timer(m)->due;
	default:
		return model_below(m, 100) ? model_later(clk, model_bits(m, 20)) : U64_MAX;
	}
}

/* Changes a timer without twheel_wheel_change(). */
static void change_or_arm(struct model *m)
{
	struct model_timer *t = model_timer(m);
	u64 expires = random_deadline(m);

	if (!model_is_armed(t)) {
		model_arm(m, t, expires);
	} else if (!model_extend(m, t, expires)) {
		model_remove(m, t);
		model_arm(m, t, expires);
	}
}

static void jump(struct model *m)
{
	m->now = model_later(m->now, model_bits(m, m->pace));
	model_expire(m, model_below(m, 4) ? WHEEL_TEST_UNLIMITED : model_below(m, 300));
}

static void forward(struct model *m)
{
	if (model_below(m, 2) && !m->wheel->todo && m->wheel->clk == m->now)
		m->now = model_later(m->now, model_bits(m, m->pace));
	model_forward(m);
}

/* Arms every idle timer for one slot: more timers than one tick may move down. */
static void crowd(struct model *m)
{
	unsigned int n = model_below(m, TWHEEL_LVL_DEPTH), i;
	u64 slot = (m->wheel->clk >> TWHEEL_LVL_SHIFT(n)) + 2 + model_below(m, 4);

	for (i = 0; i < MODEL_TIMERS; i++)
		if (!model_is_armed(&m->timers[i]))
			model_arm(m, &m->timers[i],
				  (slot << TWHEEL_LVL_SHIFT(n)) +
				  (model_random(m) & (TWHEEL_LVL_GRAN(n) - 1)));
}

static void exact_step(struct model *m)
{
	struct model_timer *t;

	/* Time advances tick by tick for a while, then by years for a while. */
	if (m->step % 512 == 1) {
		m->pace = 1 + model_below(m, model_below(m, 8) ? 16 : 38);
		if (model_below(m, 2))
			crowd(m);
	}
	switch (model_below(m, 16)) {
	case 0 ... 5:
		change_or_arm(m);
		break;
	case 6 ... 7:
		model_remove(m, model_timer(m));
		break;
	case 8 ... 9:
		t = model_timer(m);
		model_extend(m, t, model_later(t->due, model_bits(m, 12)));
		break;
	case 10:
		t = model_timer(m);
		model_extend(m, t, random_deadline(m));
		break;
	case 11:
		m->now = model_later(m->now, 1);
		model_expire(m, WHEEL_TEST_UNLIMITED);
		break;
	case 12:
		model_next(m, m->pace);
		break;
	case 13:
		jump(m);
		break;
	case 14:
		model_expire(m, model_below(m, 20));
		break;
	default:
		forward(m);
		break;
	}
}

static const struct model_mix exact_timers = {
	.timers		= MODEL_TIMERS,
	.step		= exact_step,
	.deadline	= random_deadline,
};

/* The wheel is audited after every step. */
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

static void audited_each_step(struct kunit *test)
{
	model_run(test, &exact_timers);
}

static void million_steps(struct kunit *test)
{
	struct model *m = model_run(test, &exact_timers);

	/* A run in which little happens shows nothing. */
	MODEL_ASSERT(m, m->expired > m->step / 10, "expired %llu", m->expired);
	MODEL_ASSERT(m, m->wheel->cascaded > m->step / 10, "cascaded %llu",
		     m->wheel->cascaded);
	MODEL_ASSERT(m, m->wheel->refiled, "no timer was filed again");
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_PARAM(audited_each_step, short_gen_params),
	KUNIT_CASE_PARAM(million_steps, long_gen_params),
	{}
};

WHEEL_TEST_SUITE(model);
