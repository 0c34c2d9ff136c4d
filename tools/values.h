/* SPDX-License-Identifier: GPL-2.0 */
/* Files of "NAME VALUE" lines in debugfs, and of "NAME: VALUE" lines in /proc. */
#ifndef _VALUES_H
#define _VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* Read a file. The caller frees the text. NULL on error, with errno set. */
char *values_read(const char *path);

/* The value of @name, which ends with its line; NULL if @text has no such line. */
const char *values_text(const char *text, const char *name);

/* The value of @name as a number; 0 and false if @text has no such line. */
bool values_number(const char *text, const char *name, uint64_t *number);

#endif /* _VALUES_H */
