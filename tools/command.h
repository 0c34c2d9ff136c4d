/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands of twheelctl. */
#ifndef _COMMAND_H
#define _COMMAND_H

/* The statuses that twheelctl ends with. */
enum {
	DONE		= 0,
	FAILED		= 1,	/* the device said no, or something else went wrong */
	USAGE		= 2,	/* the command line makes no sense */
	NO_DEVICE	= 3,	/* the module is not loaded */
	NO_ACCESS	= 4,	/* the user may not use the device */
	COMMAND_FAILED	= 5,	/* a command that was run failed */
};

/**
 * struct command - a subcommand
 * @name: Its name.
 * @arguments: Its arguments, for --help.
 * @summary: What it does, in a line.
 * @run: Does it. @argv[0] is the name. Returns an exit status.
 */
struct command {
	const char	*name;
	const char	*arguments;
	const char	*summary;
	int		(*run)(int argc, char **argv);
};

/* The device that commands use: --device. */
extern const char *device_path;

int command_timer(int argc, char **argv);
int command_script(int argc, char **argv);
int command_next(int argc, char **argv);
int command_list(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_watch(int argc, char **argv);
int command_cancel(int argc, char **argv);
int command_drain(int argc, char **argv);
int command_resume(int argc, char **argv);

#endif /* _COMMAND_H */
