/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _DEMO_OPTIONS_H
#define _DEMO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Exit status: the command line is wrong; not all was well. */
#define OPTIONS_USAGE	2
#define OPTIONS_OFF	3

/**
 * struct options - the command line
 * @drivers: How many.
 * @seconds: How long the model runs, at least.
 * @seed: Of all that is random.
 * @permille: How many of a thousand drivers fall silent.
 * @live: Draw the picture in place.
 * @colours: In colours.
 * @ascii: Without block characters.
 */
struct options {
	uint32_t	drivers;
	uint32_t	seconds;
	uint64_t	seed;
	uint32_t	permille;
	bool		live;
	bool		colours;
	bool		ascii;
};

/* Returns -1 to go on, or the status to exit with. */
int options_parse(struct options *o, int argc, char **argv);

#endif /* _DEMO_OPTIONS_H */
