/* SPDX-License-Identifier: MIT */
/*
 * The model: when each driver reports, and which drivers fall silent.
 *
 * The model counts steps and does not depend on real time. So a seed gives the same
 * reports and the same silent drivers on every machine.
 */
#ifndef _DEMO_MODEL_H
#define _DEMO_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_STEP_MS		200
#define MODEL_SECONDS(n)	((n) * 1000U / MODEL_STEP_MS)
#define MODEL_MINUTES(n)	MODEL_SECONDS((n) * 60U)

/* A driver that has not reported for so long is offline. */
#define MODEL_TIMEOUT		MODEL_MINUTES(10)
/* The time from one report to the next: at most 80 % of the timeout. */
#define MODEL_GAP_MIN		MODEL_SECONDS(5)
#define MODEL_GAP_MAX		MODEL_MINUTES(8)
/* The drivers come online one after the other during this time. */
#define MODEL_ONLINE		MODEL_MINUTES(4)
/* Drivers only fall silent before this time, */
#define MODEL_SILENCE		MODEL_MINUTES(8)
/* so that all silent drivers are offline shortly before the end. */
#define MODEL_END		(MODEL_SILENCE + MODEL_TIMEOUT + MODEL_SECONDS(30))

#define MODEL_NONE		UINT32_MAX

/* Steps in the calendar: a power of two, and more than the longest gap. */
#define MODEL_RING		4096

enum driver_state {
	DRIVER_OFF,		/* not online yet */
	DRIVER_LIVE,		/* will report again */
	DRIVER_SILENT,		/* has sent its last report */
	DRIVER_MISSED,		/* the last report failed: no timer */
	DRIVER_OFFLINE,		/* the timer has expired */
};

/**
 * struct driver - one of a million
 * @handle: The handle of its timer.
 * @deadline: The last deadline that the device accepted.
 * @next: The next driver in the list of the same step.
 * @state: One of enum driver_state.
 */
struct driver {
	uint64_t	handle;
	uint64_t	deadline;
	uint32_t	next;
	uint8_t		state;
};

struct model {
	uint64_t	seed;
	uint32_t	count;
	uint32_t	permille;
	uint32_t	silent;		/* how many fall silent before the end */
	uint32_t	step;		/* the current step */
	struct driver	*driver;
	uint32_t	due[MODEL_RING];	/* first driver of each step's list */
};

int model_init(struct model *m, uint32_t count, uint32_t permille,
	       uint64_t seed);
void model_exit(struct model *m);
uint32_t model_take_next(struct model *m);
uint32_t model_first(const struct model *m, uint32_t step);
bool model_schedule(struct model *m, uint32_t id);

#endif /* _DEMO_MODEL_H */
