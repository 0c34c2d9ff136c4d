// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>
#include "command.h"
#include "suggest.h"

#define RUN	"[OPTION...] [[--] COMMAND [ARG...]]"

const struct command commands[] = {
	{ "add", "DURATION " RUN, "once, when that long has passed", 1, timer_main },
	{ "at", "TIME " RUN, "once, at a time of day", 1, timer_main },
	{ "every", "DURATION " RUN, "again and again, without drift", 1, timer_main },
	{ "cron", "SPEC " RUN "|--file FILE",
	  "at the times of a crontab(5) entry, in local time", 1, timer_main },
	{ "script", "[FILE]", "commands from a file or stdin, on one descriptor", -1,
	  script_main },
	{ "run", "--lease DURATION [--fence [--cgroup FOLDER]] [--notify] [--restart [--count N]] [--] COMMAND [ARG...]",
	  "a command that has to push a lease, or is killed", 0, supervise_main },
	{ "lease", "push [DURATION]|left", "push the lease that run has given the command", -1,
	  lease_main },
	{ "next", "SPEC [--count N] [--from TIME]",
	  "print the coming times of a crontab(5) entry", -1, next_main },
	{ "list", "[--of PID:FD]", "the open files of the device, or the timers of one", -1,
	  list_main },
	{ "stat", "[--of PID:FD|--prometheus]", "what the driver can do, and its statistics", -1,
	  stat_main },
	{ "watch", "[--interval DURATION] [--count N]", "a live picture of the wheels", -1,
	  watch_main },
	{ "top", "[--sort timers|unread|late] [--interval DURATION] [--count N]",
	  "a live list of the programs that have timers", -1, top_main },
	{ "cancel", "--of PID:FD HANDLE...|--group TAG", "end timers of another program", -1,
	  cancel_main },
	{ "drain", "--of PID:FD", "take all pending timers of another program", -1, drain_main },
	{ "resume", "--of PID:FD", "accept new timers of that program again", -1,
	  drain_resume_main },
	{ "help", "[COMMAND]", "print help, of a command or of all", -1, NULL },
	{ "version", "", "print the version", -1, NULL },
	{ NULL }
};

const struct command *command_find(const char *name)
{
	struct suggest suggest = { .word = name };
	const struct command *command;

	if (!strcmp(name, "-"))
		name = "script";
	for (command = commands; command->name; command++) {
		if (!strcmp(command->name, name))
			return command;
		suggest_offer(&suggest, command->name);
	}
	suggest_report(&suggest, "command", "see twheelctl --help");
	return NULL;
}
