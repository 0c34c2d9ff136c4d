// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include "report.h"
#include "suggest.h"

/* No name is longer. */
enum { LONGEST = 32 };

static size_t least(size_t a, size_t b, size_t c)
{
	const size_t less = a < b ? a : b;

	return less < c ? less : c;
}

/* Levenshtein's distance: how many letters to add, to leave out or to replace. */
static size_t distance(const char *a, const char *b)
{
	const size_t columns = strlen(b);
	size_t row[LONGEST + 1], i, j, diagonal, above;

	for (j = 0; j <= columns; j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (j = 0; j < columns; j++) {
			above = row[j + 1];
			row[j + 1] = least(above + 1, row[j] + 1, diagonal + (a[i] != b[j]));
			diagonal = above;
		}
	}
	return row[columns];
}

void suggest_offer(struct suggest *suggest, const char *name)
{
	/* A third of the letters may differ, or the user has typed the beginning. */
	const size_t typed = strlen(suggest->word), most = (strlen(name) + 2) / 3;
	size_t found;

	if (typed > LONGEST || strlen(name) > LONGEST)
		return;
	found = typed > 2 && !strncmp(name, suggest->word, typed) ? 1 :
		distance(suggest->word, name);
	if (found > most || (suggest->name && found >= suggest->distance))
		return;
	suggest->name = name;
	suggest->distance = found;
}

void suggest_report(const struct suggest *suggest, const char *kind, const char *hint)
{
	if (suggest->name)
		report("unknown %s '%s'; did you mean '%s'?", kind, suggest->word,
		       suggest->name);
	else
		report("unknown %s '%s'; %s", kind, suggest->word, hint);
}
