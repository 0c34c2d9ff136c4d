/* SPDX-License-Identifier: GPL-2.0 */
/* The options of the subcommands. */
#ifndef _FLAG_H
#define _FLAG_H

#include <stdbool.h>

/**
 * struct flag - an option
 * @name: Its name, with the dashes.
 * @letter: Its short form, or %NULL.
 * @value: What its value is, or %NULL if it has none. A | stands between the words that the
 *	value may be.
 * @commands: The subcommands that have the option, with a blank before and behind each;
 *	or %NULL: all of them, and twheelctl itself.
 * @summary: What it does, in one line.
 */
struct flag {
	const char	*name;
	const char	*letter;
	const char	*value;
	const char	*commands;
	const char	*summary;
};

/* All options, ended by one without a name. */
extern const struct flag flags[];

/* Whether a word is meant as an option. "-" and "-5" are not. */
bool flag_like(const char *word);

/* Whether the subcommand has the option. @command is NULL for twheelctl itself. */
bool flag_of(const struct flag *flag, const char *command);

/* Find an option of a subcommand. Returns NULL if there is none. */
const struct flag *flag_find(const char *command, const char *word);

/* Report that a subcommand has no such option. */
void flag_unknown(const char *command, const char *word);

#endif /* _FLAG_H */
