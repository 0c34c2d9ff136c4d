/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long twheel keeps interrupts off during an attack, as the module
 * tests/modules/twheel_irqs_off.c measures it.
 */
#ifndef _IRQS_OFF_H
#define _IRQS_OFF_H

#include <stdbool.h>

#include "attacks.h"

/* Whether the module is loaded. */
bool irqs_off_are_measured(void);

/* Measure it. The case fails if it is too long. */
void irqs_off_measure(const struct attack *attack);

#endif /* _IRQS_OFF_H */
