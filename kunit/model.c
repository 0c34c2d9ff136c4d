// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: a wheel under random operations, next to a model of it
 */
#include <linux/prandom.h>
#include <linux/rbtree.h>
#include "model.h"

/* The drain waits for timers up to 2^42 ticks away, and removes the others. */
#define DRAIN_BITS	42

u64 model_random(struct model *m)
{
	u64 high = prandom_u32_state(&m->rnd);

	return high << 32 | prandom_u32_state(&m->rnd);
}

/* A number of 1 to @bits bits; each length is as likely as any other. */
u64 model_bits(struct model *m, unsigned int bits)
{
	u64 random = model_random(m);

	return random >> (63 - model_below(m, bits));
}

struct model_timer *model_timer(struct model *m)
{
	return &m->timers[model_below(m, m->mix->timers)];
}

/* A sum that saturates. */
u64 model_later(u64 from, u64 by)
{
	return by > U64_MAX - from ? U64_MAX : from + by;
}

/* The last tick at which a timer may expire. */
static u64 window_end(const struct model_timer *t)
{
	return model_later(t->due, t->slack);
}

static bool ends_before(struct rb_node *a, const struct rb_node *b)
{
	return window_end(rb_entry(a, struct model_timer, node)) <
	       window_end(rb_entry(b, struct model_timer, node));
}

/* The tick by which some timer must have expired, or U64_MAX. */
static u64 first_end(const struct model *m)
{
	struct rb_node *first = rb_first_cached(&m->tree);

	return first ? window_end(rb_entry(first, struct model_timer, node)) : U64_MAX;
}

static void track(struct model *m, struct model_timer *t, u64 due)
{
	t->due = due;
	rb_add_cached(&t->node, &m->tree, ends_before);
}

static void untrack(struct model *m, struct model_timer *t)
{
	rb_erase_cached(&t->node, &m->tree);
	RB_CLEAR_NODE(&t->node);
}

/* The deadline that the wheel gives to a timer which is armed for @expires. */
static u64 deadline_of(const struct model *m, u64 expires)
{
	return clamp(expires, m->wheel->clk + 1, TWHEEL_NEVER);
}

void model_arm(struct model *m, struct model_timer *t, u64 expires)
{
	if (m->mix->slack) {
		t->slack = m->mix->slack(m);
		t->timer.flags = twheel_wheel_window_flags(t->slack);
	}
	twheel_wheel_insert(m->wheel, &t->timer, expires);
	track(m, t, deadline_of(m, expires));
	m->armed++;
	m->armings++;
}

/* Removes a timer, armed or not. */
void model_remove(struct model *m, struct model_timer *t)
{
	bool was_armed = model_is_armed(t);

	MODEL_ASSERT(m, was_armed == twheel_wheel_remove(m->wheel, &t->timer,
							 TWHEEL_IDLE),
		     "remove() denies that armed is %d", was_armed);
	if (was_armed) {
		untrack(m, t);
		m->armed--;
		m->removed++;
	}
}

/* Returns whether the wheel took the new deadline. */
bool model_extend(struct model *m, struct model_timer *t, u64 expires)
{
	bool may = model_is_armed(t) && expires >= t->due;

	MODEL_ASSERT(m, may == twheel_wheel_extend(&t->timer, expires),
		     "extend() to %llu does not return %d", expires, may);
	if (may) {
		untrack(m, t);
		track(m, t, min(expires, TWHEEL_NEVER));
	}
	return may;
}

/* Changes the deadline of an armed timer. */
void model_change(struct model *m, struct model_timer *t, u64 expires)
{
	twheel_wheel_change(m->wheel, &t->timer, expires);
	untrack(m, t);
	track(m, t, deadline_of(m, expires));
}

/* One timer expires, and its callback may arm it again. */
static void expire_one(struct model *m, struct model_timer *t)
{
	u64 clk = m->wheel->clk;

	MODEL_ASSERT(m, model_is_armed(t), "timer %td is not armed", t - m->timers);
	MODEL_ASSERT(m, clk >= t->due && clk <= window_end(t),
		     "timer %td of %llu with slack %llu expired", t - m->timers,
		     t->due, t->slack);
	MODEL_ASSERT(m, clk <= first_end(m),
		     "timer %td of %llu expired before a timer of %llu",
		     t - m->timers, t->due, first_end(m));
	untrack(m, t);
	m->armed--;
	m->expired++;
	m->late += clk > t->due;
	if (!model_below(m, 8))
		model_arm(m, t, m->mix->deadline(m));
}

/* Advances the wheel to the present, as far as the budget allows. */
void model_expire(struct model *m, unsigned int budget)
{
	u64 now = min(m->now, TWHEEL_NEVER - 1);
	unsigned int left = budget;
	struct twheel_node *timer;

	while ((timer = twheel_wheel_expire(m->wheel, m->now, &left)))
		expire_one(m, container_of(timer, struct model_timer, timer));
	MODEL_ASSERT(m, m->wheel->clk <= m->now, "the hand is later than the time");
	MODEL_ASSERT(m, left || budget != WHEEL_TEST_UNLIMITED,
		     "the work before %llu does not end", m->now);
	if (!left)
		return;
	MODEL_ASSERT(m, m->wheel->clk == now, "the hand stopped before %llu", m->now);
	MODEL_ASSERT(m, first_end(m) > now, "a timer of %llu was forgotten",
		     first_end(m));
}

/* Advances to the next visit, unless that is further away than 2^@pace ticks. */
void model_next(struct model *m, unsigned int pace)
{
	u64 next = twheel_wheel_next(m->wheel);

	MODEL_ASSERT(m, next >= m->wheel->clk, "next is %llu", next);
	MODEL_ASSERT(m, next <= max(m->wheel->clk, first_end(m)),
		     "next is %llu, a timer must expire by %llu", next, first_end(m));
	MODEL_ASSERT(m, m->armed || m->wheel->todo || next == TWHEEL_NEVER,
		     "next is %llu, no timer is armed", next);
	if (next - m->wheel->clk <= 1ULL << pace)
		m->now = max(m->now, next);
	model_expire(m, WHEEL_TEST_UNLIMITED);
}

/* Lets the hand of an idle wheel catch up with the time. */
void model_forward(struct model *m)
{
	twheel_wheel_forward(m->wheel, m->now);
	MODEL_ASSERT(m, m->wheel->clk <= m->now, "the hand is later than the time");
	MODEL_ASSERT(m, m->wheel->todo || first_end(m) > m->wheel->clk,
		     "the hand passed a timer of %llu", first_end(m));
}

static void step(struct model *m)
{
	m->step++;
	m->mix->step(m);
	MODEL_ASSERT(m, m->wheel->pending == m->armed, "%llu pending, not %llu",
		     m->wheel->pending, m->armed);
	MODEL_ASSERT(m, m->wheel->todo || m->wheel->next <= first_end(m),
		     "no visit for a timer of %llu", first_end(m));
}

static void audit(struct model *m)
{
	const char *wrong = twheel_wheel_audit(m->wheel, true);

	MODEL_ASSERT(m, !wrong, "%s", wrong);
}

/* Every timer that is not too far away expires, each at its tick. */
static void drain(struct model *m)
{
	unsigned int i;
	u64 horizon;

	model_expire(m, WHEEL_TEST_UNLIMITED);
	horizon = model_later(m->wheel->clk, 1ULL << DRAIN_BITS);
	for (i = 0; i < m->mix->timers; i++)
		if (model_is_armed(&m->timers[i]) && m->timers[i].due > horizon)
			model_remove(m, &m->timers[i]);
	for (i = 0; m->armed && i < 100 * m->mix->timers; i++) {
		m->step++;
		model_next(m, DRAIN_BITS);
		if (m->wheel->clk == TWHEEL_NEVER - 1)
			break;
	}
	MODEL_ASSERT(m, m->wheel->pending == m->armed, "%llu pending, not %llu",
		     m->wheel->pending, m->armed);
	MODEL_ASSERT(m, first_end(m) >= TWHEEL_NEVER, "a timer of %llu is left",
		     first_end(m));
	MODEL_ASSERT(m, m->armings == m->expired + m->removed + m->armed,
		     "armed %llu, expired %llu, removed %llu", m->armings,
		     m->expired, m->removed);
	audit(m);
}

/* Runs a case whose parameter is a struct model_param. Returns what was done. */
struct model *model_run(struct kunit *test, const struct model_mix *mix)
{
	const struct model_param *param = test->param_value;
	struct wheel_test *wt = test->priv;
	struct model *m;
	unsigned int i;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	m->timers = kunit_kcalloc(test, mix->timers, sizeof(*m->timers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->timers);
	m->test = test;
	m->mix = mix;
	m->wheel = wt->wheel;
	m->tree = RB_ROOT_CACHED;
	m->seed = param->seed;
	m->now = param->start;
	prandom_seed_state(&m->rnd, m->seed);
	for (i = 0; i < mix->timers; i++)
		RB_CLEAR_NODE(&m->timers[i].node);
	wheel_test_wheel_init(m->wheel, param->start);

	while (m->step < param->steps) {
		step(m);
		if (m->step % param->audit_every == 0) {
			audit(m);
			cond_resched();
		}
	}
	drain(m);
	kunit_info(test, "armed %llu, expired %llu, cascaded %llu, refiled %llu",
		   m->armings, m->expired, m->wheel->cascaded, m->wheel->refiled);
	return m;
}

void model_desc(const struct model_param *param, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %u start %llu", param->seed,
		 param->start);
}
