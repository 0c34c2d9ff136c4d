/* SPDX-License-Identifier: GPL-2.0 */
/* Something that is shown again and again. */
#ifndef _SAMPLING_H
#define _SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct sampling - when to show it
 * @interval: The time from one picture to the next, in ns.
 * @count: How many pictures; 0 if there is no end.
 * @shown: How many pictures were counted.
 * @time: When the last wait ended, on CLOCK_MONOTONIC; 0 at first.
 */
struct sampling {
	uint64_t	interval;
	uint64_t	count;
	uint64_t	shown;
	uint64_t	time;
};

/*
 * Take --interval or --count with its value: the words at @argv. Returns how many words were
 * taken: 0 if these are other words, -1 after reporting an error.
 */
int sampling_take(struct sampling *sampling, char **argv);

/* Count a picture that is to be shown. Returns false if there is none any more. */
bool sampling_next(struct sampling *sampling);

/* Wait until an interval after the last call, or after now. */
void sampling_wait(struct sampling *sampling);

/* Begin a picture: clear the screen, if it goes to a terminal. */
void sampling_clear(void);

#endif /* _SAMPLING_H */
