/* SPDX-License-Identifier: GPL-2.0 */
/* Splitting a line into words. */
#ifndef _WORDS_H
#define _WORDS_H

enum { WORDS_MAX = 256 };

/*
 * Split a line at blanks, in place. Quotes ('...' or "...") keep blanks; # begins a
 * comment. @words has room for WORDS_MAX + 1 pointers; NULL ends it. Returns the number
 * of words, or -1 after reporting an error.
 */
int words_split(char *line, char **words);

#endif /* _WORDS_H */
