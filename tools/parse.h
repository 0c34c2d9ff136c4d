/* SPDX-License-Identifier: GPL-2.0 */
/* Parsing numbers, durations and times. */
#ifndef _PARSE_H
#define _PARSE_H

#include <stdbool.h>
#include <stdint.h>

#define NSEC_PER_SEC	1000000000ULL

/* These report an error and return false if @text cannot be parsed. */
bool parse_number(const char *text, uint64_t *number);
bool parse_duration(const char *text, uint64_t *ns);

/*
 * Parse a time into ns of CLOCK_REALTIME. A time without a date is the next such time
 * after @now.
 */
bool parse_time(const char *text, uint64_t now, uint64_t *ns);

#endif /* _PARSE_H */
