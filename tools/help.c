// SPDX-License-Identifier: GPL-2.0
#include "flag.h"
#include "help.h"

#define FORMS	"DURATION: 250ms, 10s, 1h30m, 3d    TIME: 2026-12-24T18:00, 18:00, @SECONDS\n"

/* Print the options of a subcommand; of twheelctl itself if @command is NULL. */
static void show_flags(FILE *to, const char *command)
{
	const struct flag *flag;

	fputs("\nOptions:\n", to);
	for (flag = flags; flag->name; flag++)
		if (flag_of(flag, command))
			fprintf(to, "  %s%s%s%s%s\n      %s\n", flag->letter ?: "",
				flag->letter ? ", " : "", flag->name, flag->value ? " " : "",
				flag->value ?: "", flag->summary);
}

void help_all(FILE *to)
{
	const struct command *command;

	fputs("usage: twheelctl [OPTION...] COMMAND [ARG...]\n\n", to);
	for (command = commands; command->name; command++)
		fprintf(to, "  %s%s%s\n      %s\n", command->name,
			command->arguments[0] ? " " : "", command->arguments, command->summary);
	show_flags(to, NULL);
	fputs("\n" FORMS
	      "Status: 0 done, 1 failed, 2 usage, 3 no device, 4 no access, 5 COMMAND failed,\n"
	      "  6 COMMAND hung\n"
	      "\"twheelctl help COMMAND\" prints the options of COMMAND. See twheelctl(1).\n", to);
}

void help_of(const struct command *command)
{
	printf("usage: twheelctl %s %s\n  %s\n", command->name, command->arguments,
	       command->summary);
	show_flags(stdout, command->name);
	puts("\n" FORMS "See twheelctl(1).");
}
