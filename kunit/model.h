/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wheel under random operations, next to a plain model of what it should do.
 *
 * The model keeps each armed timer in a tree, sorted by the last tick at which the
 * timer may expire. Every operation goes to the wheel and to the model, and the
 * results must agree. A suite says which operations there are, and how often, in a
 * struct model_mix.
 */
#ifndef _TWHEEL_KUNIT_MODEL_H
#define _TWHEEL_KUNIT_MODEL_H

#include <linux/prandom.h>
#include <linux/rbtree.h>
#include "wheel_test.h"

/**
 * struct model_timer - a timer and what is expected of it
 * @timer: The timer.
 * @node: In the tree of the model while the timer is armed.
 * @due: The first tick at which the timer may expire.
 * @slack: For how many ticks after @due it may.
 */
struct model_timer {
	struct twheel_node	timer;
	struct rb_node		node;
	u64			due;
	u64			slack;
};

struct model;

/**
 * struct model_mix - what a suite does to the wheel
 * @timers: Number of timers.
 * @step: Do one random operation.
 * @deadline: Choose a deadline for a timer that is armed.
 * @slack: Choose its slack; %NULL if all timers are exact.
 */
struct model_mix {
	unsigned int	timers;
	void		(*step)(struct model *m);
	u64		(*deadline)(struct model *m);
	u64		(*slack)(struct model *m);
};

/**
 * struct model - a wheel and what it should hold
 * @test: The case.
 * @mix: What the suite does.
 * @wheel: The wheel.
 * @timers: The timers.
 * @tree: The armed timers, sorted by the end of their window.
 * @rnd: The source of every random choice.
 * @seed: The seed of @rnd.
 * @step: Operations done.
 * @now: The time; the hand is behind while an advance is unfinished.
 * @pace: For the suite: the most bits of ticks that time advances by at once.
 * @armed: Timers armed now.
 * @armings: Times that a timer was armed.
 * @expired: Times that a timer expired.
 * @late: Times that a timer expired after its deadline, in its window.
 * @removed: Times that a timer was removed.
 */
struct model {
	struct kunit		*test;
	const struct model_mix	*mix;
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
	u64			late;
	u64			removed;
};

/**
 * struct model_param - the parameter of a case
 * @seed: For the random choices.
 * @steps: Operations to do.
 * @audit_every: Audit the wheel each time that so many operations are done.
 * @start: The tick at which the hand starts.
 */
struct model_param {
	u32	seed;
	u32	steps;
	u32	audit_every;
	u64	start;
};

#define MODEL_ASSERT(_m, _condition, _fmt, ...)				\
	KUNIT_ASSERT_TRUE_MSG((_m)->test, _condition,			\
			      "seed %u, step %u, hand %llu: " _fmt,	\
			      (_m)->seed, (_m)->step, (_m)->wheel->clk,	\
			      ##__VA_ARGS__)

static inline bool model_is_armed(const struct model_timer *t)
{
	return !RB_EMPTY_NODE(&t->node);
}

static inline u32 model_below(struct model *m, u32 limit)
{
	return prandom_u32_state(&m->rnd) % limit;
}

u64 model_random(struct model *m);
u64 model_bits(struct model *m, unsigned int bits);
struct model_timer *model_timer(struct model *m);
u64 model_later(u64 from, u64 by);

void model_arm(struct model *m, struct model_timer *t, u64 expires);
void model_remove(struct model *m, struct model_timer *t);
bool model_extend(struct model *m, struct model_timer *t, u64 expires);
void model_change(struct model *m, struct model_timer *t, u64 expires);
void model_expire(struct model *m, unsigned int budget);
void model_next(struct model *m, unsigned int pace);
void model_forward(struct model *m);

struct model *model_run(struct kunit *test, const struct model_mix *mix);
void model_desc(const struct model_param *param, char *desc);

#endif /* _TWHEEL_KUNIT_MODEL_H */
