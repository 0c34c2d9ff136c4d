// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "complete.h"
#include "flag.h"
#include "found.h"
#include "status.h"

static void offer(const char *typed, const char *word, const char *summary)
{
	if (!strncmp(word, typed, strlen(typed)))
		printf("%s\t%s\n", word, summary);
}

static void offer_place(const struct found *found, void *data)
{
	char place[48];

	snprintf(place, sizeof(place), "%s:%s", found->pid, found->fd);
	offer(data, place, found->program);
}

/* The words between | in @list. */
static void offer_words(char *typed, const char *list)
{
	char word[32];
	size_t length;

	for (; *list; list += length + (list[length] == '|')) {
		length = strcspn(list, "|");
		snprintf(word, sizeof(word), "%.*s", (int)length, list);
		offer(typed, word, "");
	}
}

static void offer_value(char *typed, const char *value)
{
	if (strchr(value, '|'))
		offer_words(typed, value);
	else if (!strcmp(value, "PID:FD"))
		found_each(offer_place, typed);
	else if (!strcmp(value, "PATH") || !strcmp(value, "FILE"))
		puts(":files");
}

static void offer_flags(const char *typed, const char *command)
{
	const struct flag *flag;

	for (flag = flags; flag->name; flag++)
		if (flag_of(flag, command))
			offer(typed, flag->name, flag->summary);
}

static void offer_commands(const char *typed)
{
	const struct command *command;

	for (command = commands; command->name; command++)
		offer(typed, command->name, command->summary);
}

static void offer_operand(char *typed, const char *command)
{
	if (!strcmp(command, "script"))
		puts(":files");
	else if (!strcmp(command, "lease"))
		offer_words(typed, "push|left");
	else if (!strcmp(command, "help"))
		offer_commands(typed);
}

static const struct command *find(const char *name)
{
	const struct command *command = commands;

	while (command->name && strcmp(command->name, name))
		command++;
	return command->name ? command : NULL;
}

int complete(int argc, char **argv)
{
	const struct command *command = NULL;
	char *typed = argc ? argv[argc - 1] : "";
	const struct flag *flag = NULL;
	int i, operands = 0;
	bool runs = false;

	/* Go over the words before the last one. */
	for (i = 0; i + 1 < argc && !runs; i++) {
		if (flag) {
			flag = NULL;
		} else if (command && !strcmp(argv[i], "--")) {
			runs = true;
		} else if (flag_like(argv[i])) {
			flag = flag_find(command ? command->name : NULL, argv[i]);
			if (flag && !flag->value)
				flag = NULL;
		} else if (!command) {
			command = find(argv[i]);
			if (!command)
				return STATUS_DONE;
		} else if (operands++ == command->operands) {
			runs = true;
			i--;
		}
	}
	if (flag)
		offer_value(typed, flag->value);
	else if (runs || (command && !flag_like(typed) && operands == command->operands))
		printf(":command %d\n", i);
	else if (typed[0] == '-')
		offer_flags(typed, command ? command->name : NULL);
	else if (!command)
		offer_commands(typed);
	else
		offer_operand(typed, command->name);
	return STATUS_DONE;
}
