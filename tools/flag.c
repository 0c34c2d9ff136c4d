// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "flag.h"
#include "suggest.h"

#define TIMERS	" add at every cron "

const struct flag flags[] = {
	{ "--json", NULL, NULL, NULL, "print JSON, one object a line" },
	{ "--device", NULL, "PATH", NULL, "use this device instead of /dev/twheel" },
	{ "--help", "-h", NULL, NULL, "print help, of a command or of all" },
	{ "--version", "-V", NULL, "", "print the version" },
	{ "--cookie", NULL, "N", TIMERS, "a number that comes back with each event" },
	{ "--group", NULL, "TAG", TIMERS "cancel ", "the number of a group of timers" },
	{ "--count", NULL, "N", TIMERS "next run top watch ",
	  "how many events, times, starts or pictures" },
	{ "--clock", NULL, "monotonic|boottime", " add every ",
	  "whether the time counts while the machine is suspended" },
	{ "--period", NULL, "DURATION", " add at every ", "after the first event, the period" },
	{ "--first", NULL, "DURATION", " add every ", "the time until the first event" },
	{ "--missed", NULL, "skip|each|restart", TIMERS, "what to do about missed periods" },
	{ "--window", NULL, "DURATION", TIMERS, "how much later the timer may expire" },
	{ "--correction", NULL, "skip|run", " cron ",
	  "what to do about times that a wrong clock skips" },
	{ "--from", NULL, "TIME", " next ", "the time to begin at, instead of now" },
	{ "--lease", NULL, "DURATION", " run ", "the length of the lease" },
	{ "--fence", NULL, NULL, " run ",
	  "have the kernel kill the command, even if the tool hangs" },
	{ "--cgroup", NULL, "FOLDER", " run ", "with --fence: also kill who has left the group" },
	{ "--notify", NULL, NULL, " run ", "take sd_notify(3) as pushes of the lease" },
	{ "--restart", NULL, NULL, " run ", "start a command again that fails or hangs" },
	{ "--of", NULL, "PID:FD", " list stat cancel drain resume ",
	  "the open file of another program, as list prints it" },
	{ "--interval", NULL, "DURATION", " top watch ", "the time between two pictures" },
	{ "--sort", NULL, "timers|unread|late", " top ", "which programs come first" },
	{ "--prometheus", NULL, NULL, " stat ", "print the text that Prometheus scrapes" },
	{ "--file", NULL, "FILE", " cron ", "the jobs of a file in the form of crontab(5)" },
	{ NULL }
};

bool flag_like(const char *word)
{
	return word[0] == '-' && word[1] && !isdigit((unsigned char)word[1]);
}

bool flag_of(const struct flag *flag, const char *command)
{
	char name[32];

	if (!flag->commands)
		return true;
	if (!command)
		return !flag->commands[0];
	snprintf(name, sizeof(name), " %s ", command);
	return strstr(flag->commands, name);
}

const struct flag *flag_find(const char *command, const char *word)
{
	const struct flag *flag;

	for (flag = flags; flag->name; flag++)
		if (flag_of(flag, command) &&
		    (!strcmp(flag->name, word) || (flag->letter && !strcmp(flag->letter, word))))
			return flag;
	return NULL;
}

void flag_unknown(const char *command, const char *word)
{
	struct suggest suggest = { .word = word };
	const struct flag *flag;
	char hint[64];

	for (flag = flags; flag->name; flag++)
		if (flag_of(flag, command))
			suggest_offer(&suggest, flag->name);
	snprintf(hint, sizeof(hint), "see twheelctl %s%s--help", command ?: "",
		 command ? " " : "");
	suggest_report(&suggest, "option", hint);
}
