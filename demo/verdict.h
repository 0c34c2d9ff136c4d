/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end: was everything as it should be?
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
