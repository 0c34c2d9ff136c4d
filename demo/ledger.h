/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ledger: what the device has promised for each driver, against what it
 * did. Knows nothing of how the device is talked to.
 */
#ifndef _DEMO_LEDGER_H
#define _DEMO_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lateness.h"
#include "model.h"
#include "watch.h"

/**
 * struct ledger - all that is counted
 * @model: The drivers.
 * @tick: Length of a tick in nanoseconds.
 * @armed: Timers armed.
 * @reported: Reports for which a deadline was pushed back.
 * @silent: Drivers that have reported for the last time.
 * @expired: Timers that have expired, each counted once.
 * @cancelled: Timers cancelled while pending.
 * @early: Proofs of a timer that expired before its deadline.
 * @lost: Silent drivers whose timer did not expire.
 * @extra: Expiries of drivers that still reported.
 * @twice: Expiries of a timer that had expired.
 * @wrong: Events that do not say what they should.
 * @passed: Timers that were due and passed over by a run of the wheel.
 * @tardy: Reports that this program sent after the deadline.
 * @refused: Operations that failed otherwise.
 * @ran: How late the wheel ran the timers.
 * @read: How late the program had the events.
 *
 * A run of the wheel is a row of expiries less than a tick apart. @last is the
 * time of the last one, @run_latest the latest deadline in its run, @latest the
 * one in the runs before.
 */
struct ledger {
	struct model		*model;
	uint64_t		tick;
	uint64_t		armed;
	uint64_t		reported;
	uint64_t		silent;
	uint64_t		expired;
	uint64_t		cancelled;
	uint64_t		early;
	uint64_t		lost;
	uint64_t		extra;
	uint64_t		twice;
	uint64_t		wrong;
	uint64_t		passed;
	uint64_t		tardy;
	uint64_t		refused;
	struct lateness		ran;
	struct lateness		read;
	uint64_t		last;
	uint64_t		run_latest;
	uint64_t		latest;
};

void ledger_init(struct ledger *l, struct model *model, uint64_t tick);
bool ledger_add(struct ledger *l, uint32_t id, int result, uint64_t handle,
		uint64_t deadline);
bool ledger_change(struct ledger *l, uint32_t id, int result,
		   uint64_t deadline, uint64_t now);
void ledger_miss(struct ledger *l, uint32_t id, uint64_t now);
void ledger_cancel(struct ledger *l, uint32_t id, int result, uint64_t now);
bool ledger_event(struct ledger *l, const struct sighting *s);
uint64_t ledger_pending(const struct ledger *l);

#endif /* _DEMO_LEDGER_H */
