// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl script: commands, a line each, for the timers of one descriptor
 *
 * Lines are taken as they come, while timers expire; after "wait" when those that
 * are waited for have. A line that fails is told of, and the next one is taken.
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

static bool waits(struct script *script)
{
	script->waits = script->waits && script->session.jobs &&
			script->session.expired < script->until;
	return script->waits;
}

/* Takes the lines there are. */
static void take_lines(struct script *script)
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

static int read_more(struct script *script)
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
	/* The last line may lack its end. */
	if (script->ended && script->used)
		script->text[script->used++] = '\n';
	return STATUS_DONE;
}

/* Waits for lines, if there is room for any, and for timers. */
static int wait_for_both(struct script *script)
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
			report("a line is too long");
			return STATUS_USAGE;
		}
		ret = read_more(script);
	}
	return ret;
}

static int run(struct script *script)
{
	int ret = STATUS_DONE;

	do {
		take_lines(script);
		if (script->quits || (script->ended && !script->session.jobs))
			break;
		ret = wait_for_both(script);
	} while (!ret);
	return ret ? ret : script->session.status;
}

int script_main(int argc, char **argv)
{
	static struct script script;
	int ret;

	if (argc > 2) {
		report("script: one file, or none for stdin");
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
