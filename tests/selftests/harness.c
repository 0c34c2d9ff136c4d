// SPDX-License-Identifier: GPL-2.0
/* Run the cases of one program and print TAP. */
#include "harness.h"
#include "privilege.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool time_travel;
bool long_tests;

static struct test *first_test, **end = &first_test;
static char *skip_reason;	/* shared with the process of the case */
#define REASON_SIZE 256
static sigset_t child_signal;	/* SIGCHLD */

void register_test(struct test *test)
{
	*end = test;
	end = &test->next;
}

void note(const char *format, ...)
{
	char text[1000];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* One write: other processes may print at the same time. */
	printf("# %s\n", text);
	fflush(stdout);
}

void skip(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(skip_reason, REASON_SIZE, format, arguments);
	va_end(arguments);
	_exit(EXIT_SKIP);
}

void need_time_travel(void)
{
	if (!time_travel)
		skip("only in time travel");
}

void fail(const char *file, int line, const char *format, ...)
{
	char why[900];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	note("%s:%d: %s", file, line, why);
	_exit(EXIT_FAIL);
}

pid_t start(void (*run)(void *data), void *data)
{
	pid_t child = CALL(fork());

	if (child)
		return child;
	run(data);
	_exit(EXIT_PASS);
}

int status_of(pid_t child)
{
	int status;

	CALL(waitpid(child, &status, 0));
	return status;
}

void pass_on(int status)
{
	ASSERT(WIFEXITED(status));
	if (WEXITSTATUS(status) == EXIT_SKIP)
		_exit(EXIT_SKIP);
	ASSERT_EQ(WEXITSTATUS(status), EXIT_PASS);
}

void join(pid_t child)
{
	const int status = status_of(child);

	if (WIFSIGNALED(status))
		FAIL("child: signal %d", WTERMSIG(status));
	ASSERT_EQ(WEXITSTATUS(status), EXIT_PASS);
}

void kill_child(pid_t child)
{
	int status;

	CALL(kill(child, SIGKILL));
	status = status_of(child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		FAIL("a child has ended by itself");
}

void wait_to_be_killed(void *data)
{
	for (;;)
		pause();
}

void tell(int fd)
{
	ASSERT_EQ(CALL(write(fd, "x", 1)), 1);
}

void hear(int fd)
{
	char byte;

	if (CALL(read(fd, &byte, 1)) != 1)
		FAIL("the other process has ended");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/*
 * Wait for a child to end, for @timeout s at most. The time is counted in short
 * waits: time in which the host did not run the machine does not count.
 */
static bool wait_for_end(pid_t child, int *status, unsigned int timeout)
{
	const struct timespec short_wait = { .tv_nsec = 100 * NSEC_PER_MSEC };
	unsigned int waits = 10 * timeout;

	while (waitpid(child, status, WNOHANG) == 0)
		if (sigtimedwait(&child_signal, NULL, &short_wait) == -1 && !waits--)
			return false;
	return true;
}

/* Returns the exit status of the case. */
static int run(const struct test *test)
{
	pid_t child = CALL(fork());
	int status;

	if (!child) {
		sigset_t none;

		setpgid(0, 0);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (test->run_row)
			test->run_row(test->data);
		else
			test->run();
		_exit(EXIT_PASS);
	}
	setpgid(child, child);
	if (time_travel) {
		waitpid(child, &status, 0);
	} else if (!wait_for_end(child, &status, test->timeout)) {
		note("not finished after %u s", test->timeout);
		kill(-child, SIGKILL);
		if (!wait_for_end(child, &status, 5))
			note("SIGKILL does not end it either");
		return EXIT_FAIL;
	}
	kill(-child, SIGKILL);	/* children of the case */
	if (WIFSIGNALED(status)) {
		note("ended by signal %d", WTERMSIG(status));
		return EXIT_FAIL;
	}
	return WEXITSTATUS(status);
}

/* Does one of the patterns match? If there are none, every case is wanted. */
static bool wanted(const struct test *test, char **patterns)
{
	if (!*patterns)
		return true;
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, test->name, 0))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	unsigned int count = 0, number = 0, passed = 0, failed = 0;
	const char *tag = NULL;
	char **patterns;
	double began;
	const struct test *test;

	for (patterns = argv + 1; *patterns && **patterns == '-'; patterns++) {
		if (!strcmp(*patterns, "--time-travel")) {
			time_travel = true;
		} else if (!strcmp(*patterns, "--long")) {
			long_tests = true;
		} else if (!strcmp(*patterns, "--tag") && patterns[1]) {
			tag = *++patterns;
		} else if (!strcmp(*patterns, "--user")) {
			if (!become_user())
				return 2;
		} else if (!strcmp(*patterns, "--user-namespace")) {
			if (!become_user() || !become_root_of_a_namespace())
				return 2;
		} else if (!strcmp(*patterns, "--list")) {
			for (test = first_test; test; test = test->next)
				puts(test->name);
			return EXIT_PASS;
		} else {
			fprintf(stderr,
				"usage: %s [--list] [--long] [--tag TAG] [--time-travel] [--user | --user-namespace] [CASE...]\n",
				argv[0]);
			return 2;
		}
	}
	skip_reason = CALL(mmap(NULL, REASON_SIZE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0));
	sigemptyset(&child_signal);
	sigaddset(&child_signal, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_signal, NULL);

	for (test = first_test; test; test = test->next)
		count += wanted(test, patterns);
	if (*patterns && !count) {
		fprintf(stderr, "%s: no such case; --list has their names\n", argv[0]);
		return 2;
	}
	printf("TAP version 13\n1..%u\n", count);
	fflush(stdout);
	began = seconds();
	for (test = first_test; test; test = test->next) {
		int result;

		if (!wanted(test, patterns))
			continue;
		skip_reason[0] = 0;
		result = run(test);
		passed += result == EXIT_PASS;
		failed += result != EXIT_PASS && result != EXIT_SKIP;
		printf("%s %u - %s: %s",
		       result == EXIT_PASS || result == EXIT_SKIP ? "ok" : "not ok",
		       ++number, program_invocation_short_name, test->name);
		if (tag)
			printf(" [%s]", tag);
		printf("%s%s\n", result == EXIT_SKIP ? " # SKIP " : "", skip_reason);
		fflush(stdout);
	}
	if (!time_travel)
		printf("# time %.1f s\n", seconds() - began);
	if (failed)
		return EXIT_FAIL;
	return passed ? EXIT_PASS : EXIT_SKIP;
}
