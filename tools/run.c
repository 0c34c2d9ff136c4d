// SPDX-License-Identifier: GPL-2.0
/* Printing the event of a job, and running its command */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "format.h"
#include "json.h"
#include "report.h"
#include "run.h"
#include "signals.h"
#include "status.h"

static void show_json(const struct job *job, const struct twheel_event *event)
{
	char time[FORMAT_SIZE];

	json_open(NULL, '{');
	json_text("event", "expired");
	json_number("id", job->id);
	json_text("what", job->what);
	json_number("handle", event->handle);
	json_number("cookie", event->cookie);
	json_text("clock", format_clock(event->clockid));
	json_number("deadline_ns", event->deadline_ns);
	json_number("expired_ns", event->expired_ns);
	json_number("late_ns", event->expired_ns - event->deadline_ns);
	json_number("count", event->count);
	json_text("time", format_time(twheel_now(CLOCK_REALTIME), time));
	json_close('}');
	json_end();
}

static void show(const struct job *job, const struct twheel_event *event)
{
	char time[FORMAT_SIZE], late[FORMAT_SIZE];

	printf("%s timer %" PRIu64 ": %s, %s late",
	       format_time(twheel_now(CLOCK_REALTIME), time), job->id, job->what,
	       format_duration(event->expired_ns - event->deadline_ns, late));
	if (event->count > 1)
		printf(", %" PRIu64 " periods", (uint64_t)event->count);
	putchar('\n');
	fflush(stdout);
}

void run_set_variable(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	setenv(name, text, 1);
}

void run_exec(char **command)
{
	int error;

	execvp(command[0], command);
	error = errno;
	report("%s: %s", command[0], strerror(error));
	_exit(error == ENOENT ? 127 : 126);
}

/* Become the command, in the child. The command must not read the tool's script from stdin. */
static void exec_command(const struct job *job, const struct twheel_event *event)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	run_set_variable("TWHEEL_ID", job->id);
	run_set_variable("TWHEEL_COUNT", event->count);
	run_set_variable("TWHEEL_DEADLINE_NS", event->deadline_ns);
	run_set_variable("TWHEEL_EXPIRED_NS", event->expired_ns);
	run_exec(job->command);
}

int run_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) :
					  WEXITSTATUS(wait_status);
}

/* Wait for the command, and pass signals on to it. Returns the last of them, or 0. */
static int wait_for_end(pid_t child, const sigset_t *signals, int *status)
{
	int number, passed = 0;
	siginfo_t info;

	while (!signals_reap(child, status)) {
		number = sigwaitinfo(signals, &info);
		if (number <= 0 || number == SIGCHLD)
			continue;
		passed = number;
		/* A signal of the terminal goes to the command anyway. */
		if (info.si_code <= 0)
			kill(child, number);
	}
	return passed;
}

/*
 * Run the command and wait for it. Returns its status as a shell would. A signal that the
 * tool gets meanwhile ends the tool after the command.
 */
static int run(const struct job *job, const struct twheel_event *event)
{
	int number = 0, status = 126 << 8;
	sigset_t signals, before;
	pid_t child;

	fflush(stdout);
	signals_block(&signals, &before);
	child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		exec_command(job, event);
	}
	if (child < 0)
		report("cannot run %s: %s", job->command[0], strerror(errno));
	else
		number = wait_for_end(child, &signals, &status);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (number)
		raise(number);
	return run_status(status);
}

static void show_status(const struct job *job, int status)
{
	if (json) {
		json_open(NULL, '{');
		json_text("event", "ran");
		json_number("id", job->id);
		json_number("status", (unsigned int)status);
		json_close('}');
		json_end();
	}
	if (status)
		report("timer %" PRIu64 ": %s ended with status %d", job->id,
		       job->command[0], status);
}

int run_job(const struct job *job, const struct twheel_event *event)
{
	int status;

	if (json)
		show_json(job, event);
	else if (!job->command[0])
		show(job, event);
	if (!job->command[0])
		return STATUS_DONE;
	status = run(job, event);
	show_status(job, status);
	return status ? STATUS_COMMAND_FAILED : STATUS_DONE;
}
