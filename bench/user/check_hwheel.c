// SPDX-License-Identifier: GPL-2.0
/*
 * Checks hwheel.c against a model: a plain array of deadlines.
 *
 * usage: check_hwheel [SEED]
 */
#include <stdio.h>
#include <stdlib.h>
#include "hwheel.h"
#include "measure.h"

#define TIMERS	300
#define STEPS	400000

/**
 * struct model - the expected state of a timer
 * @timer: Its number in the wheel; 0 if it is not armed.
 * @expires: Its tick.
 */
static struct model {
	uint32_t timer;
	uint64_t expires;
} models[TIMERS];

static struct hwheel wheel;
static unsigned long expired;

/* A tick that is near, far, or at the edge of a slot. */
static uint64_t random_tick(void)
{
	uint64_t ahead = random_below(1ull << random_below(31));
	uint64_t edge = 1ull << HWHEEL_BITS * random_below(5);

	if (random_below(4))
		return wheel.now + ahead;
	return (wheel.now + ahead) / edge * edge + random_below(2);
}

static uint64_t first_of_model(void)
{
	uint64_t first = HWHEEL_NEVER;
	size_t i;

	for (i = 0; i < TIMERS; i++)
		if (models[i].timer && models[i].expires < first)
			first = models[i].expires;
	return first;
}

static void check(int right, const char *what)
{
	if (!right)
		die(0, "check_hwheel: at tick %llu: %s",
		    (unsigned long long)wheel.now, what);
}

static void change_one(void)
{
	struct model *model = &models[random_below(TIMERS)];
	uint64_t expires = random_tick();

	if (!model->timer) {
		model->timer = hwheel_add(&wheel, expires, model);
		check(model->timer, "no room");
		model->expires = expires;
	} else if (random_below(3)) {
		check(!hwheel_change(&wheel, model->timer, expires), "cannot change");
		model->expires = expires;
	} else {
		hwheel_remove(&wheel, model->timer);
		model->timer = 0;
	}
}

static void pass_time(void)
{
	uint64_t next = hwheel_next(&wheel), first = first_of_model();
	uint64_t tick = wheel.now + random_below(1ull << random_below(28));
	struct model *model;
	size_t i;

	check(next <= first || next <= wheel.now, "hwheel_next() is after a timer's tick");
	/* A random tick would hardly ever be that of a timer. */
	if (random_below(2) && first != HWHEEL_NEVER && first > wheel.now)
		tick = first - random_below(2);
	hwheel_advance(&wheel, tick);
	check(wheel.now >= tick, "the current tick did not advance");
	while ((model = hwheel_take(&wheel))) {
		check(model->timer, "a timer expired that was not armed");
		check(model->expires <= tick, "a timer expired early");
		model->timer = 0;
		expired++;
	}
	for (i = 0; i < TIMERS; i++)
		check(!models[i].timer || models[i].expires > tick, "a timer is late");
}

int main(int argc, char **argv)
{
	long step;

	random_seed(argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
	if (hwheel_open(&wheel, TIMERS))
		die(0, "no memory");
	for (step = 0; step < STEPS && !(wheel.now >> 35); step++) {
		if (random_below(4))
			change_one();
		else
			pass_time();
	}
	check(expired > 1000, "hardly any timer expired");
	printf("check_hwheel: ok: %ld steps, %lu expirations, up to tick %llu\n", step,
	       expired, (unsigned long long)wheel.now);
	hwheel_close(&wheel);
	return 0;
}
