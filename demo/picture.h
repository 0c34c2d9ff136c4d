/* SPDX-License-Identifier: MIT */
/*
 * What the user sees while the demo runs.
 */
#ifndef _DEMO_PICTURE_H
#define _DEMO_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include "dial.h"
#include "ledger.h"
#include "screen.h"

/* The size of the picture. */
#define PICTURE_COLUMNS	80
#define PICTURE_LINES	24

/**
 * struct status - what the picture shows
 * @ledger: The counts so far.
 * @dial: The wheel.
 * @timer: Lateness of the timerfd.
 * @elapsed_ns: Time since the start of the model.
 * @total_ns: Time from its start to its end.
 * @step: The current step of the model.
 * @rate: Operations per second since the last picture.
 * @cost_ns: Time of an operation.
 * @behind_ns: How far the program is behind the model.
 * @slowing: Whether the model is being slowed down because of that.
 */
struct status {
	const struct ledger	*ledger;
	const struct dial_view	*dial;
	const struct lateness	*timer;
	uint64_t		elapsed_ns;
	uint64_t		total_ns;
	uint32_t		step;
	uint64_t		rate;
	uint64_t		cost_ns;
	uint64_t		behind_ns;
	bool			slowing;
};

void picture_live(struct screen *s, const struct status *st);
void picture_progress(struct screen *s, const struct status *st);
void picture_text(struct screen *s, const struct status *st);
void picture_lateness(struct screen *s, const struct status *st);

#endif /* _DEMO_PICTURE_H */
