/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WORDS_H
#define _WORDS_H

enum { WORDS_MOST = 256 };

/*
 * Splits a line at blanks, in place. '...' and "..." keep blanks, # begins a comment.
 * @words has room for WORDS_MOST + 1 and ends with NULL. Returns how many, or -1,
 * having said why.
 */
int words_split(char *line, char **words);

#endif /* _WORDS_H */
