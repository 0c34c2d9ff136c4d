/* SPDX-License-Identifier: GPL-2.0 */
/* Files of "NAME VALUE" lines, as debugfs and /proc have them. */
#ifndef _TABLE_H
#define _TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* The text of a file, to be freed; NULL, with the error in errno. */
char *file_text(const char *path);

/* The value of the line that begins with @name, a colon or not, and blanks. */
const char *value_text(const char *text, const char *name);
bool value_number(const char *text, const char *name, uint64_t *number);

#endif /* _TABLE_H */
