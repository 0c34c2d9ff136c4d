// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stddef.h>
#include "report.h"
#include "words.h"

/* End the word at @from and strip its quotes. Returns the rest, or NULL if a quote is open. */
static char *end_word(char *from)
{
	char *to = from, quote = 0;

	for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (quote && *from == quote)
			quote = 0;
		else if (!quote && (*from == '\'' || *from == '"'))
			quote = *from;
		else
			*to++ = *from;
	}
	if (*from)
		from++;
	*to = 0;
	return quote ? NULL : from;
}

int words_split(char *line, char **words)
{
	int count = 0;

	while (line) {
		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '#')
			break;
		if (count == WORDS_MAX) {
			report("more than %d words", WORDS_MAX);
			return -1;
		}
		words[count++] = line;
		line = end_word(line);
	}
	if (!line) {
		report("a quote is not closed");
		return -1;
	}
	words[count] = NULL;
	return count;
}
