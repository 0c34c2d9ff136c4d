/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long twheel keeps interrupts off, as the module tests/modules/twheel_irqs_off.c
 * measures it.
 */
#ifndef _IRQS_OFF_H
#define _IRQS_OFF_H

#include <stdbool.h>

/* Whether the module is loaded. */
bool irqs_off_are_measured(void);

/* Forget what was measured so far. */
void irqs_off_begin(void);

/* Print the longest times. Returns whether they are within the bound. */
bool irqs_off_are_bounded(const char *mode);

#endif /* _IRQS_OFF_H */
