/* SPDX-License-Identifier: MIT */
/*
 * The ledger: compares what the device must do for each driver with what it did. The
 * ledger does not call the device itself.
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
 * struct ledger - the counts
 * @model: The drivers.
 * @tick: Length of a tick in nanoseconds.
 * @armed: Timers armed.
 * @reported: Reports that pushed a deadline back.
 * @silent: Drivers that have fallen silent.
 * @expired: Timers that have expired; a second event of a timer does not count.
 * @cancelled: Timers cancelled at the end.
 * @early: Timers seen to expire before their deadline.
 * @lost: Silent drivers whose timer did not expire.
 * @extra: Timers that expired although their driver was not silent.
 * @twice: Events of timers that had expired before.
 * @wrong: Events with a wrong field.
 * @passed: Due timers that a run of the wheel passed over.
 * @tardy: Reports that this program sent after the deadline.
 * @refused: Operations that failed for another reason.
 * @ran: Lateness of the wheel: from the deadline to the expiry.
 * @read: Lateness of the program: from the deadline until it has read the event.
 * @last: Time of the last expiry.
 * @run_latest: The latest deadline in the current run of the wheel.
 * @latest: The latest deadline in all runs before.
 *
 * A run of the wheel is a series of expiries less than a tick apart.
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
