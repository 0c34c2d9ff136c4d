// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl cron --file: the jobs of a file in the form of crontab(5)
 *
 * A line is a recurrence and a command, or a variable for the commands behind it. A command
 * becomes a job of its own, which the shell runs; env(1) sets the variables:
 *
 *	cron SPEC -- env NAME=VALUE... SHELL -c COMMAND
 *
 * If the command has input, which begins at its first %, another shell writes the input:
 *
 *	... env NAME=VALUE... /bin/sh -c 'printf %s "$2" | "$0" -c "$1"' SHELL COMMAND INPUT
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "crontab.h"
#include "flag.h"
#include "report.h"
#include "session.h"
#include "status.h"

/* A job has room for so many variables and options, and for the words besides them. */
enum { VARIABLES_MAX = 64, OPTIONS_MAX = 16, WORDS_BESIDES = 12, SPEC_FIELDS = 5 };

#define BLANKS		" \t"
#define WITH_INPUT	"printf %s \"$2\" | \"$0\" -c \"$1\""

/**
 * struct crontab - a file that is read
 * @name: Its name.
 * @line: The number of the present line.
 * @options: Options for each job, ended by %NULL.
 * @variable: The variables so far, as NAME=VALUE.
 * @variables: Their number.
 * @jobs: The jobs so far.
 * @end: Where the next job goes.
 * @failures: The number of lines that make no sense.
 */
struct crontab {
	const char	*name;
	unsigned int	line;
	char		**options;
	char		*variable[VARIABLES_MAX];
	size_t		variables;
	struct job	*jobs;
	struct job	**end;
	unsigned int	failures;
};

static void fail(struct crontab *crontab, const char *why)
{
	report("%s: line %u: %s", crontab->name, crontab->line, why);
	crontab->failures++;
}

/* Cut the blanks at the end of @text, and the quotes around it. Returns it without those before. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, BLANKS);
	length = strlen(text);
	while (length && isblank((unsigned char)text[length - 1]))
		text[--length] = 0;
	if (length > 1 && (*text == '"' || *text == '\'') && text[length - 1] == *text) {
		text[length - 1] = 0;
		text++;
	}
	return text;
}

/* The place of the = of a line that sets a variable; NULL if the line is no such line. */
static char *equals_of(char *line)
{
	char *end = line + strcspn(line, BLANKS "=");

	end += strspn(end, BLANKS);
	return *end == '=' && (isalpha((unsigned char)*line) || strchr("_\"'", *line)) ? end : NULL;
}

static void set_variable(struct crontab *crontab, char *line, char *equals)
{
	const char *name, *value;
	size_t i;
	char *text;

	*equals = 0;
	name = trim(line);
	value = trim(equals + 1);
	if (!strcmp(name, "CRON_TZ")) {
		fail(crontab, "CRON_TZ is unknown: set TZ for twheelctl, which all jobs share");
		return;
	}
	if (!strcmp(name, "MAILTO") && *value)
		report("%s: line %u: note: no mail is sent; the output of commands is that of twheelctl",
		       crontab->name, crontab->line);
	for (i = 0; i < crontab->variables; i++)
		if (!strncmp(crontab->variable[i], name, strlen(name)) &&
		    crontab->variable[i][strlen(name)] == '=')
			break;
	if (i == VARIABLES_MAX || asprintf(&text, "%s=%s", name, value) < 0) {
		fail(crontab, "too many variables");
		return;
	}
	if (i == crontab->variables)
		crontab->variables++;
	else
		free(crontab->variable[i]);
	crontab->variable[i] = text;
}

static const char *shell_of(const struct crontab *crontab)
{
	size_t i;

	for (i = 0; i < crontab->variables; i++)
		if (!strncmp(crontab->variable[i], "SHELL=", 6))
			return crontab->variable[i] + 6;
	return "/bin/sh";
}

/*
 * Split a command at its first %, in place. A further % is the end of a line of the input, and
 * \% is a %. Returns the input, or NULL.
 */
static char *split_input(char *command)
{
	char *from = command, *to = command, *input = NULL;

	for (; *from; from++) {
		if (*from == '\\' && from[1] == '%') {
			*to++ = *++from;
		} else if (*from != '%') {
			*to++ = *from;
		} else if (input) {
			*to++ = '\n';
		} else {
			*to++ = 0;
			input = to;
		}
	}
	if (input)
		*to++ = '\n';
	*to = 0;
	return input;
}

/* Add a job. The words are copied. */
static void add_job(struct crontab *crontab, char *spec, char *command)
{
	char *words[VARIABLES_MAX + OPTIONS_MAX + WORDS_BESIDES], **word = words, **option;
	char *shell = (char *)shell_of(crontab), *input;
	size_t i;

	*word++ = "cron";
	*word++ = spec;
	for (option = crontab->options; *option; option++)
		*word++ = *option;
	*word++ = "--";
	if (crontab->variables)
		*word++ = "env";
	for (i = 0; i < crontab->variables; i++)
		*word++ = crontab->variable[i];
	input = split_input(command);
	if (input) {
		*word++ = "/bin/sh";
		*word++ = "-c";
		*word++ = WITH_INPUT;
		*word++ = shell;
		*word++ = command;
		*word++ = input;
	} else {
		*word++ = shell;
		*word++ = "-c";
		*word++ = command;
	}
	*word = NULL;
	*crontab->end = job_new((int)(word - words), words);
	if (*crontab->end)
		crontab->end = &(*crontab->end)->next;
	else
		fail(crontab, "the job is refused");
}

/* The end of the recurrence with which a line begins; NULL if no command follows. */
static char *end_of_spec(char *line)
{
	int fields = *line == '@' ? 1 : SPEC_FIELDS;
	char *end = line;

	while (fields--) {
		end += strspn(end, BLANKS);
		end += strcspn(end, BLANKS);
	}
	return end[strspn(end, BLANKS)] ? end : NULL;
}

static void read_line(struct crontab *crontab, char *line)
{
	char *end;

	line += strspn(line, BLANKS);
	if (!*line || *line == '#')
		return;
	end = equals_of(line);
	if (end) {
		set_variable(crontab, line, end);
		return;
	}
	end = end_of_spec(line);
	if (!end) {
		fail(crontab, "a line is NAME=VALUE, or MINUTE HOUR DAY MONTH WEEKDAY COMMAND");
		return;
	}
	*end++ = 0;
	if (!strcmp(line, "@reboot"))
		fail(crontab, "@reboot is unknown: let the service manager run the command");
	else
		add_job(crontab, line, end + strspn(end, BLANKS));
}

static void read_file(struct crontab *crontab, FILE *file)
{
	size_t size = 0;
	char *line = NULL;
	ssize_t length;

	while ((length = getline(&line, &size, file)) >= 0) {
		crontab->line++;
		if (length && line[length - 1] == '\n')
			line[length - 1] = 0;
		read_line(crontab, line);
	}
	free(line);
}

/* Read the file. Returns an exit status. */
static int crontab_read(struct crontab *crontab)
{
	const bool is_stdin = !strcmp(crontab->name, "-");
	FILE *file = is_stdin ? stdin : fopen(crontab->name, "re");
	bool failed;

	if (!file) {
		report("%s: %s", crontab->name, strerror(errno));
		return STATUS_FAILED;
	}
	read_file(crontab, file);
	failed = ferror(file);
	if (!is_stdin)
		fclose(file);
	if (failed) {
		report("%s: cannot be read", crontab->name);
		return STATUS_FAILED;
	}
	if (!crontab->failures && !crontab->jobs)
		report("%s has no job", crontab->name);
	return crontab->failures || !crontab->jobs ? STATUS_USAGE : STATUS_DONE;
}

/* Arm the timers of all jobs, which belong to the session from then on. */
static int add_all(struct crontab *crontab, struct session *session)
{
	struct job *job;
	int ret;

	while ((job = crontab->jobs)) {
		crontab->jobs = job->next;
		job->next = NULL;
		ret = session_add(session, job);
		if (ret)
			return ret;
	}
	return STATUS_DONE;
}

static int run_jobs(struct crontab *crontab)
{
	struct session session;
	int ret = session_open(&session);

	if (ret)
		return ret;
	ret = add_all(crontab, &session);
	if (!ret)
		ret = session_run(&session);
	session_close(&session);
	return ret;
}

int crontab_option(int argc, char **argv)
{
	int i = argc > 1 && !flag_like(argv[1]) ? 2 : 1;

	for (; i + 1 < argc && flag_like(argv[i]) && strcmp(argv[i], "--"); i += 2)
		if (!strcmp(argv[i], "--file"))
			return i;
	return 0;
}

/* Take --file and its value out, and check that the other words are options. */
static bool take_options(struct crontab *crontab, int argc, char **argv, int place)
{
	int i;

	crontab->name = argv[place + 1];
	crontab->options = argv + 1;
	memmove(argv + place, argv + place + 2,
		(size_t)(argc - place - 1) * sizeof(*argv));
	argc -= 2;
	for (i = 1; i < argc; i += 2)
		if (!flag_like(argv[i]) || i + 1 == argc || i > OPTIONS_MAX) {
			report("cron: unexpected argument '%s': the jobs are in %s", argv[i],
			       crontab->name);
			return false;
		}
	return true;
}

int crontab_run(int argc, char **argv, int place)
{
	struct crontab crontab = { .end = &crontab.jobs };
	struct job *job;
	int ret;

	if (!take_options(&crontab, argc, argv, place))
		return STATUS_USAGE;
	ret = crontab_read(&crontab);
	if (!ret)
		ret = run_jobs(&crontab);
	while ((job = crontab.jobs)) {
		crontab.jobs = job->next;
		job_free(job);
	}
	while (crontab.variables)
		free(crontab.variable[--crontab.variables]);
	return ret;
}
