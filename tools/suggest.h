/* SPDX-License-Identifier: GPL-2.0 */
/* A word that the user may have meant. */
#ifndef _SUGGEST_H
#define _SUGGEST_H

#include <stddef.h>

/**
 * struct suggest - a search for the name that is most like a word
 * @word: The word.
 * @name: The best name so far, or %NULL.
 * @distance: How many letters differ between the two.
 */
struct suggest {
	const char	*word;
	const char	*name;
	size_t		distance;
};

/* Offer a name. */
void suggest_offer(struct suggest *suggest, const char *name);

/*
 * Report that the word is no @kind of thing, such as a command, with the name that the user
 * may have meant; or else with @hint.
 */
void suggest_report(const struct suggest *suggest, const char *kind, const char *hint);

#endif /* _SUGGEST_H */
