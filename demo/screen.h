/* SPDX-License-Identifier: MIT */
/*
 * Output that never blocks the program: the terminal may be slow, or stopped, while a
 * million drivers report.
 */
#ifndef _DEMO_SCREEN_H
#define _DEMO_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#define __printf(format, first)				\
	__attribute__((__format__(printf, format, first)))

/* Parameters of the escape sequence Select Graphic Rendition. */
enum colour {
	PLAIN	= 0,
	BOLD	= 1,
	DIM	= 2,
	REVERSE	= 7,
	RED	= 31,
	GREEN	= 32,
	YELLOW	= 33,
	BLUE	= 34,
	MAGENTA	= 35,
	CYAN	= 36,
};

/**
 * struct screen - the output, with text that is not written yet
 * @live: Whether each frame is drawn over the frame before.
 * @colours: Whether to use colours.
 * @ascii: Whether to use ASCII characters only.
 * @colour: The current colour.
 * @lines: Number of lines of the last frame.
 * @line: Number of lines so far in the current frame.
 * @used: Length of @text.
 * @sent: How much of @text is written.
 * @text: The text.
 */
struct screen {
	bool		live;
	bool		colours;
	bool		ascii;
	enum colour	colour;
	unsigned int	lines;
	unsigned int	line;
	size_t		used;
	size_t		sent;
	char		text[1 << 16];
};

void screen_init(struct screen *s, bool live, bool colours, bool ascii);
void screen_exit(struct screen *s);
void __printf(2, 3) screen_add(struct screen *s, const char *format, ...);
void screen_colour(struct screen *s, enum colour colour);
void screen_line(struct screen *s);
void screen_frame(struct screen *s);
void screen_frame_end(struct screen *s);
bool screen_push(struct screen *s);
void screen_flush(struct screen *s);

const char *grouped(unsigned long long n);

#endif /* _DEMO_SCREEN_H */
