/* SPDX-License-Identifier: GPL-2.0 */
/* Durations, times and clocks as text. */
#ifndef _FORMAT_H
#define _FORMAT_H

#include <stdint.h>

enum { FORMAT_SIZE = 64 };

/* These fill in @text, an array of FORMAT_SIZE characters, and return it. */
const char *format_duration(uint64_t ns, char *text);
const char *format_time(uint64_t ns, char *text);

/* The name of a clock. */
const char *format_clock(uint32_t clockid);

#endif /* _FORMAT_H */
