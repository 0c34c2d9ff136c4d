// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>
#include "json.h"

bool json;

/* The next value needs a comma before it. */
static bool comma;

static void put_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void begin(const char *name)
{
	if (comma)
		putchar(',');
	comma = true;
	if (!name)
		return;
	put_text(name);
	putchar(':');
}

void json_open(const char *name, char bracket)
{
	begin(name);
	putchar(bracket);
	comma = false;
}

void json_close(char bracket)
{
	putchar(bracket);
	comma = true;
}

void json_text(const char *name, const char *text)
{
	begin(name);
	put_text(text);
}

void json_number(const char *name, uint64_t number)
{
	begin(name);
	printf("%" PRIu64, number);
}

void json_signed(const char *name, int64_t number)
{
	begin(name);
	printf("%" PRId64, number);
}

void json_real(const char *name, double number)
{
	begin(name);
	printf("%.3f", number);
}

void json_null(const char *name)
{
	begin(name);
	fputs("null", stdout);
}

void json_end(void)
{
	putchar('\n');
	fflush(stdout);
	comma = false;
}
