// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl script: commands for the timers of one descriptor, one command a line
 *
 * Lines are run as they arrive, while timers expire. "wait" holds the lines after it
 * back. If a line fails, an error is reported and the next line is run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "line.h"
#include "report.h"
#include "status.h"
#include "words.h"

static void run_line(struct script *script, char *line)
{
	char *words[WORDS_MAX + 1];
	int ret, count = words_split(line, words);

	if (!count)
		return;
	ret = count < 0 ? STATUS_USAGE : line_run(script, count, words);
	if (ret)
		script->session.status = ret;
}

/* Whether "wait" still holds lines back. */
static bool waits(struct script *script)
{
	script->waits = script->waits && script->session.jobs &&
			script->session.expired < script->until;
	return script->waits;
}

/* Run the complete lines that have been read. */
static void run_lines(struct script *script)
{
	char *line = script->text, *end;

	while (!script->quits && !waits(script)) {
		end = memchr(line, '\n', script->used);
		if (!end)
			break;
		*end++ = 0;
		script->used -= (size_t)(end - line);
		run_line(script, line);
		line = end;
	}
	memmove(script->text, line, script->used);
}

/* Read more lines. */
static int read_lines(struct script *script)
{
	const size_t room = sizeof(script->text) - script->used - 1;
	ssize_t size = read(script->fd, script->text + script->used, room);

	if (size < 0 && errno != EAGAIN && errno != EINTR) {
		report("reading commands: %s", strerror(errno));
		return STATUS_FAILED;
	}
	if (size > 0)
		script->used += (size_t)size;
	else if (size == 0)
		script->ended = true;
	/* The last line may lack a newline. */
	if (script->ended && script->used)
		script->text[script->used++] = '\n';
	return STATUS_DONE;
}

/* Wait for events and, unless none is wanted now, for lines; handle both. */
static int wait_for_input(struct script *script)
{
	struct pollfd fds[] = {
		{ .fd = script->session.fd, .events = POLLIN },
		{ .fd = script->fd, .events = POLLIN },
	};
	int ret;

	if (script->ended || script->waits)
		fds[1].fd = -1;
	if (poll(fds, 2, -1) < 0 && errno != EINTR) {
		report("waiting: %s", strerror(errno));
		return STATUS_FAILED;
	}
	ret = session_serve(&script->session);
	if (!ret && fds[1].revents) {
		if (script->used == sizeof(script->text) - 1) {
			report("a line of the script is too long");
			return STATUS_USAGE;
		}
		ret = read_lines(script);
	}
	return ret;
}

static int run(struct script *script)
{
	int ret = STATUS_DONE;

	do {
		run_lines(script);
		if (script->quits || (script->ended && !script->session.jobs))
			break;
		ret = wait_for_input(script);
	} while (!ret);
	return ret ? ret : script->session.status;
}

int script_main(int argc, char **argv)
{
	static struct script script;
	int ret;

	if (argc > 2) {
		report("script: give one file, or none for stdin");
		return STATUS_USAGE;
	}
	if (argc == 2 && strcmp(argv[1], "-"))
		script.fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (script.fd < 0) {
		report("%s: %s", argv[1], strerror(errno));
		return STATUS_FAILED;
	}
	ret = session_open(&script.session);
	if (ret)
		return ret;
	ret = run(&script);
	session_close(&script.session);
	return ret;
}
