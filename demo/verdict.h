/* SPDX-License-Identifier: MIT */
/*
 * The verdict at the end of the demo.
 */
#ifndef _DEMO_VERDICT_H
#define _DEMO_VERDICT_H

#include <stdbool.h>
#include <stdint.h>
#include "ledger.h"
#include "screen.h"

bool verdict(struct screen *s, const struct ledger *l,
	     const struct lateness *timer, uint64_t period, uint64_t left);

#endif /* _DEMO_VERDICT_H */
