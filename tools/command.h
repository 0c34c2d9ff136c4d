/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands of twheelctl. */
#ifndef _COMMAND_H
#define _COMMAND_H

/**
 * struct command - a subcommand
 * @name: Its name.
 * @arguments: Its arguments, for help.
 * @summary: What it does, in one line.
 * @operands: How many words, besides options, come before the command that it runs; or -1
 *	if it runs none.
 * @run: Carries it out. @argv[0] is the name. Returns an exit status. %NULL for what
 *	twheelctl.c does itself.
 */
struct command {
	const char	*name;
	const char	*arguments;
	const char	*summary;
	int		operands;
	int		(*run)(int argc, char **argv);
};

/* All subcommands, ended by one without a name. */
extern const struct command commands[];

/* Find a subcommand. Reports an error and returns NULL if there is none. */
const struct command *command_find(const char *name);

int timer_main(int argc, char **argv);
int script_main(int argc, char **argv);
int next_main(int argc, char **argv);
int list_main(int argc, char **argv);
int stat_main(int argc, char **argv);
int watch_main(int argc, char **argv);
int top_main(int argc, char **argv);
int cancel_main(int argc, char **argv);
int drain_main(int argc, char **argv);
int drain_resume_main(int argc, char **argv);
int supervise_main(int argc, char **argv);
int lease_main(int argc, char **argv);

#endif /* _COMMAND_H */
