/* SPDX-License-Identifier: GPL-2.0 */
/* Figures, with their bounds. */
#ifndef _FIGURE_H
#define _FIGURE_H

#include <linux/types.h>
#include <stdbool.h>

double ms(__u64 ns);

/*
 * Print a figure of the case @mode and its bound, which is 0 if there is none. Bounds hold
 * on one CPU. Returns whether the figure is above the bound.
 */
bool exceeds(const char *mode, const char *what, double quiet, double figure, double bound,
	     const char *unit);

#endif /* _FIGURE_H */
