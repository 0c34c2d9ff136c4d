// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "values.h"

enum { SIZE = 65536 };

char *values_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t size;

	if (!file)
		return NULL;
	text = malloc(SIZE);
	if (text) {
		size = fread(text, 1, SIZE - 1, file);
		text[size] = 0;
	}
	fclose(file);
	return text;
}

const char *values_text(const char *text, const char *name)
{
	const size_t length = strlen(name);
	const char *line, *rest;

	for (line = text; line && *line; line = rest ? rest + 1 : NULL) {
		rest = strchr(line, '\n');
		if (strncmp(line, name, length))
			continue;
		line += length;
		if (*line == ':')
			line++;
		if (*line == ' ' || *line == '\t')
			return line + strspn(line, " \t");
	}
	return NULL;
}

bool values_number(const char *text, const char *name, uint64_t *number)
{
	const char *value = values_text(text, name);

	*number = 0;
	if (!value || !isdigit((unsigned char)*value))
		return false;
	*number = strtoull(value, NULL, 10);
	return true;
}
