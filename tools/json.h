/* SPDX-License-Identifier: GPL-2.0 */
/* JSON on stdout, one value a line. */
#ifndef _JSON_H
#define _JSON_H

#include <stdbool.h>
#include <stdint.h>

/* The user asked for JSON: --json. */
extern bool json;

/* Begin and end an object or an array. @name is NULL inside an array. */
void json_open(const char *name, char bracket);
void json_close(char bracket);

void json_text(const char *name, const char *text);
void json_number(const char *name, uint64_t number);
void json_signed(const char *name, int64_t number);
void json_real(const char *name, double number);
void json_null(const char *name);

/* End the line and flush it. */
void json_end(void);

#endif /* _JSON_H */
