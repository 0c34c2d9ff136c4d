/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the user sees while it runs.
 */
#ifndef _DEMO_PICTURE_H
#define _DEMO_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include "dial.h"
#include "ledger.h"
#include "screen.h"

/* What the picture takes of a terminal. */
#define PICTURE_COLUMNS	80
#define PICTURE_LINES	24

/**
 * struct status - all that is shown
 * @ledger: What happened so far.
 * @dial: The wheel.
 * @timer: How late the timerfd was.
 * @elapsed_ns: Since the model began.
 * @total_ns: What it will take.
 * @step: The model's time.
 * @rate: Operations a second, lately.
 * @cost_ns: What one of them takes.
 * @behind_ns: How much the program is behind the model.
 * @slowing: The model is being slowed down for that.
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
