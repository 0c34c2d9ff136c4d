/* SPDX-License-Identifier: MIT */
#ifndef _DEMO_OPTIONS_H
#define _DEMO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Exit status: a bad command line; a check that failed, or a demo that cannot run. */
#define OPTIONS_USAGE	2
#define OPTIONS_FAILED	3

/**
 * struct options - the values of the command line
 * @drivers: Number of drivers.
 * @seconds: How long the model runs, at least.
 * @seed: Seed of the random numbers.
 * @permille: Of a thousand drivers, so many fall silent.
 * @live: Draw the picture in place.
 * @colours: Use colours.
 * @ascii: Use no block characters.
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

/* Returns -1 if the demo has to run, or else the exit status. */
int options_parse(struct options *o, int argc, char **argv);

#endif /* _DEMO_OPTIONS_H */
