/* SPDX-License-Identifier: GPL-2.0 */
/* What people write: numbers, lengths of time, times. And the same for them to read. */
#ifndef _PARSE_H
#define _PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC	1000000000ULL

/* These return false, having said why, if @text is nothing of the kind. */
bool parse_number(const char *text, uint64_t *number);
bool parse_duration(const char *text, uint64_t *ns);

/* Into ns of CLOCK_REALTIME. @now says what day a time without one is on. */
bool parse_time(const char *text, uint64_t now, uint64_t *ns);

enum { TIME_TEXT = 64 };

/* @text has room for TIME_TEXT characters; returned for convenience. */
const char *duration_text(uint64_t ns, char *text);
const char *time_text(uint64_t ns, char *text);

#endif /* _PARSE_H */
