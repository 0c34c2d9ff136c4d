// SPDX-License-Identifier: MIT
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "screen.h"

#define ESC		"\033["
#define HIDE_CURSOR	ESC "?25l"
#define SHOW_CURSOR	ESC "?25h" ESC "0m"

static void on_signal(int number)
{
	static const char text[] = SHOW_CURSOR "\n";

	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		number = 0;
	_exit(128 + number);
}

void screen_init(struct screen *s, bool live, bool colours, bool ascii)
{
	memset(s, 0, sizeof(*s));
	s->live = live;
	s->colours = colours;
	s->ascii = ascii;
	if (!live)
		return;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	screen_add(s, HIDE_CURSOR);
}

void screen_exit(struct screen *s)
{
	if (s->live)
		screen_add(s, SHOW_CURSOR);
	screen_flush(s);
}

void screen_add(struct screen *s, const char *format, ...)
{
	size_t room = sizeof(s->text) - s->used;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(s->text + s->used, room, format, args);
	va_end(args);
	if (n > 0)
		s->used += (size_t)n < room ? (size_t)n : room - 1;
}

void screen_colour(struct screen *s, enum colour colour)
{
	if (!s->colours || s->colour == colour)
		return;
	if (colour == PLAIN)
		screen_add(s, ESC "0m");
	else
		screen_add(s, ESC "0;%dm", colour);
	s->colour = colour;
}

/* Ends a line. */
void screen_line(struct screen *s)
{
	screen_colour(s, PLAIN);
	screen_add(s, s->live ? ESC "K\n" : "\n");
	s->line++;
}

/* Begins a frame. On a terminal, it is drawn over the frame before. */
void screen_frame(struct screen *s)
{
	if (s->live && s->lines)
		screen_add(s, "\r" ESC "%uA", s->lines);
	s->line = 0;
}

void screen_frame_end(struct screen *s)
{
	if (s->live)
		screen_add(s, ESC "J");
	s->lines = s->line;
}

/*
 * Writes as much as the terminal or pipe takes without blocking: a pipe that polls as
 * writable takes PIPE_BUF bytes. Returns whether everything is written.
 */
bool screen_push(struct screen *s)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	while (s->sent < s->used && poll(&out, 1, 0) > 0) {
		size_t left = s->used - s->sent;
		ssize_t n = write(STDOUT_FILENO, s->text + s->sent,
				  left < PIPE_BUF ? left : PIPE_BUF);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			n = (ssize_t)left;
		if (n > 0)
			s->sent += (size_t)n;
	}
	if (s->sent < s->used)
		return false;
	s->sent = 0;
	s->used = 0;
	return true;
}

void screen_flush(struct screen *s)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	while (!screen_push(s))
		poll(&out, 1, -1);
}

/* Formats @n with its digits in groups of three. The 17th call overwrites the string. */
const char *grouped(unsigned long long n)
{
	static char text[16][32];
	static unsigned int turn;
	char *at = text[turn++ % 16] + sizeof(text[0]) - 1;
	unsigned int digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + n % 10);
		n /= 10;
		digits++;
	} while (n);
	return at;
}
