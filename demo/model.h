/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: which driver reports when, and which falls silent.
 *
 * It knows steps of model time and nothing of real time, so that a seed gives
 * the same reports and the same silent drivers on every machine.
 */
#ifndef _DEMO_MODEL_H
#define _DEMO_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_STEP_MS		200
#define MODEL_SECONDS(n)	((n) * 1000U / MODEL_STEP_MS)
#define MODEL_MINUTES(n)	MODEL_SECONDS((n) * 60U)

/* Who has not been heard from for so long is offline. */
#define MODEL_TIMEOUT		MODEL_MINUTES(10)
/* From one report to the next: at most 80 % of the timeout. */
#define MODEL_GAP_MIN		MODEL_SECONDS(5)
#define MODEL_GAP_MAX		MODEL_MINUTES(8)
/* The drivers come online one after the other during this time. */
#define MODEL_ONLINE		MODEL_MINUTES(4)
/* After this nobody falls silent any more, */
#define MODEL_SILENCE		MODEL_MINUTES(8)
/* so that everybody who did is offline by then, and a little later it ends. */
#define MODEL_END		(MODEL_SILENCE + MODEL_TIMEOUT + MODEL_SECONDS(30))

#define MODEL_NONE		UINT32_MAX

/* A step's list, and those that the longest gap reaches: a power of two. */
#define MODEL_RING		4096

enum driver_state {
	DRIVER_OFF,		/* not online yet */
	DRIVER_LIVE,		/* will report again */
	DRIVER_SILENT,		/* has reported for the last time */
	DRIVER_MISSED,		/* its report found no timer any more */
	DRIVER_OFFLINE,		/* its timer has expired */
};

/**
 * struct driver - one of a million
 * @handle: Of its timer.
 * @deadline: The last one that the device has accepted.
 * @next: Who follows in the list of its step.
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
	uint32_t	silent;		/* how many fall silent in the end */
	uint32_t	step;		/* now */
	struct driver	*driver;
	uint32_t	due[MODEL_RING];
};

int model_init(struct model *m, uint32_t count, uint32_t permille,
	       uint64_t seed);
void model_exit(struct model *m);
uint32_t model_next(struct model *m);
uint32_t model_first(const struct model *m, uint32_t step);
bool model_schedule(struct model *m, uint32_t id);

#endif /* _DEMO_MODEL_H */
