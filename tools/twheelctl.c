// SPDX-License-Identifier: GPL-2.0
/* twheelctl: timers of /dev/twheel from the command line */
#include <libtwheel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "complete.h"
#include "device.h"
#include "flag.h"
#include "help.h"
#include "json.h"
#include "report.h"
#include "signals.h"
#include "status.h"

/**
 * struct line - the command line
 * @command: The subcommand, or %NULL.
 * @words: The words of the subcommand, without the options that all subcommands have.
 * @count: The number of words.
 * @helps: The user asks for help.
 * @tells_version: The user asks for the version.
 */
struct line {
	const struct command	*command;
	char			**words;
	int			count;
	bool			helps;
	bool			tells_version;
};

/* Act on an option that all subcommands have. Returns whether it is one. */
static bool take_common(struct line *line, const struct flag *flag, const char *value)
{
	if (flag->commands && flag->commands[0])
		return false;
	if (!strcmp(flag->name, "--json"))
		json = true;
	else if (!strcmp(flag->name, "--device"))
		device_path = value;
	else if (!strcmp(flag->name, "--help"))
		line->helps = true;
	else
		line->tells_version = true;
	return true;
}

/*
 * Take an option, which may have its value behind "=" or in the next word. Returns the number
 * of words of the command line that it has, or -1 after reporting an error.
 */
static int take_flag(struct line *line, char **argv)
{
	const char *command = line->command ? line->command->name : NULL;
	char *value = strchr(argv[0], '=');
	const struct flag *flag;
	const int used = value ? 1 : 2;

	if (value)
		*value++ = 0;
	flag = flag_find(command, argv[0]);
	if (!flag) {
		flag_unknown(command, argv[0]);
		return -1;
	}
	if (!flag->value && value) {
		report("%s has no value", flag->name);
		return -1;
	}
	value = value ?: argv[1];
	if (flag->value && !value) {
		report("%s: %s is missing", flag->name, flag->value);
		return -1;
	}
	if (!take_common(line, flag, value)) {
		line->words[line->count++] = (char *)flag->name;
		if (flag->value)
			line->words[line->count++] = value;
	}
	return flag->value ? used : 1;
}

/* Put a word before those that were taken from @place on. */
static void insert(struct line *line, int place, char *word)
{
	memmove(line->words + place + 1, line->words + place,
		(size_t)(line->count++ - place) * sizeof(word));
	line->words[place] = word;
}

/*
 * Take the words up to those of a command that is to be run. The words before that command come
 * first: the subcommands look for their options behind. Returns whether the words make sense.
 */
static bool take_words(struct line *line, char **argv)
{
	int used, operands = 0;

	for (; *argv && strcmp(*argv, "--"); argv += used) {
		used = 1;
		if (flag_like(*argv)) {
			used = take_flag(line, argv);
			if (used < 0)
				return false;
			continue;
		}
		if (!line->command) {
			line->command = command_find(*argv);
			if (!line->command)
				return false;
		} else if (operands++ == line->command->operands) {
			break;
		}
		insert(line, line->command->operands < 0 ? line->count : operands, *argv);
	}
	for (; *argv; argv++)
		line->words[line->count++] = *argv;
	return true;
}

static int help(const struct line *line)
{
	const struct command *command = line->command;

	if (command && !command->run && line->count > 1) {
		command = command_find(line->words[1]);
		if (!command)
			return STATUS_USAGE;
	}
	if (command && command->run)
		help_of(command);
	else
		help_all(stdout);
	return STATUS_DONE;
}

static int run_line(const struct line *line)
{
	const bool own = line->command && !line->command->run;

	if (line->helps || (own && !strcmp(line->words[0], "help")))
		return help(line);
	if (line->tells_version || own) {
		printf("twheelctl %s\n", twheel_version());
		return STATUS_DONE;
	}
	if (!line->command) {
		help_all(stderr);
		return STATUS_USAGE;
	}
	return line->command->run(line->count, line->words);
}

static int run(int argc, char **argv)
{
	struct line line = { 0 };
	int status = STATUS_USAGE;

	if (argc > 1 && !strcmp(argv[1], "complete"))
		return complete(argc - 2, argv + 2);
	/* An option may bring its value in the same word. */
	line.words = calloc(2 * (size_t)argc + 1, sizeof(*line.words));
	if (!line.words) {
		report("out of memory");
		return STATUS_FAILED;
	}
	if (take_words(&line, argv + 1))
		status = run_line(&line);
	free(line.words);
	return status;
}

int main(int argc, char **argv)
{
	int status;

	signals_init();
	status = run(argc, argv);
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	report("cannot write the output");
	return status ?: STATUS_FAILED;
}
