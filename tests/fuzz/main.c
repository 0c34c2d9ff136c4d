// SPDX-License-Identifier: GPL-2.0
/*
 * usage: fuzz [--duration S] [--seed N] [--times N] [--least BLOCKS] [--distil DIR]
 *             [--user | --user-namespace] --out DIR [PROGRAM-OR-DIRECTORY...]
 *
 * Runs the given programs, then makes and runs new programs. Prints TAP.
 *
 *	--duration S	make new programs for S seconds (0)
 *	--seed N	of the random numbers (1)
 *	--times N	run the given programs N times (1)
 *	--least BLOCKS	fail if the programs reach fewer blocks of the device's code (1)
 *	--distil DIR	save a few programs there that reach all that the corpus reaches
 *	--user		run all programs as a user without privileges
 *	--user-namespace
 *			run them as root of a user namespace of that user
 *	--out DIR	for programs worth keeping; the last programs that were started are
 *			in DIR/recent, and a program that failed is in DIR/failed
 *
 * A parent process watches the worker process, which may hang or die.
 */
#include <getopt.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../selftests/privilege.h"
#include "fuzz.h"

enum { PATIENCE = 90 };	/* seconds without a run until a program counts as hung */

static struct {
	__u64		duration;
	__u64		times;
	__u64		least;		/* blocks that must be reached */
	__u64		seed;
	const char	*out;
	const char	*distil;
	int		user;
	int		user_namespace;
} options = { .times = 1, .seed = 1, .least = 1 };

static void replay(void)
{
	const unsigned int count = corpus_size();
	unsigned int n, i;

	for (i = 0; i < options.times; i++) {
		for (n = 0; n < count; n++) {
			execute_program(corpus_get(n));
			cover_learn();
		}
	}
	report->replayed = true;
	report_note("%u programs replayed: %u blocks, %u features", count, cover_blocks(),
		    cover_known());
}

static void fuzz(void)
{
	struct program program;
	unsigned int size;

	execute_limit(options.duration);
	while (!execute_time_is_up()) {
		size = corpus_size();
		if (!size || random_one_in(10)) {
			mutate_generate(&program);
		} else {
			program = *corpus_get(random_below(size));
			mutate_program(&program, corpus_get(random_below(size)));
		}
		execute_program(&program);
		if (corpus_consider(&program))
			corpus_save(options.out, corpus_get(corpus_size() - 1));
	}
}

static void give_up_privileges(void)
{
	/* The user may write there, but perhaps not look a path up. */
	if (options.user && chdir(options.out))
		report_die("cannot enter %s: %s", options.out, strerror(errno));
	if (options.user)
		options.out = ".";
	if (options.user && !become_user())
		report_die("cannot give up privileges");
	if (options.user_namespace && !become_root_of_a_namespace())
		report_die("cannot make a user namespace");
}

static void work(char **paths)
{
	unsigned int loaded = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	random_seed(options.seed);
	for (; *paths; paths++)
		loaded = corpus_load(*paths);
	execute_prepare();
	check_init();
	if (!cover_init())
		report_note("this kernel has no KCOV: new programs are made without coverage");
	give_up_privileges();
	check_users_init();
	replay();
	if (options.duration)
		fuzz();
	report_note("%u new programs, in %s", corpus_size() - loaded, options.out);
	execute_limit(0);
	if (options.distil)
		report_note("%u programs that reach all that the corpus reaches, in %s",
			    corpus_distil(options.distil), options.distil);
	report->ended = true;
	exit(0);
}

/* Wait for the worker. Returns what is wrong, or NULL. */
static const char *watch_worker(pid_t worker)
{
	static char complaint[512];
	unsigned long runs = -1UL;
	__u64 since = execute_seconds();
	int status;

	while (!waitpid(worker, &status, WNOHANG)) {
		if (runs != report->runs) {
			runs = report->runs;
			since = execute_seconds();
		} else if (execute_seconds() - since > PATIENCE) {
			return "a program hangs";
		}
		sleep(1);
	}
	if (report->complaint[0])
		return report->complaint;
	if (WIFEXITED(status) && !WEXITSTATUS(status) && report->ended)
		return NULL;
	snprintf(complaint, sizeof(complaint), "the fuzzer has ended with status %#x", status);
	return complaint;
}

static void save_failed(void)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/failed", options.out);
	file = fopen(path, "we");
	if (!file)
		return;
	fputs(report->program, file);
	fclose(file);
}

static void show_failed(const char *what)
{
	char *line, *rest;

	report_note("%s, in run %lu:", what, report->runs);
	save_failed();
	for (line = strtok_r(report->program, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		report_note("    %s", line);
}

static int print_results(const char *bad)
{
	const bool covered = report->blocks >= options.least;

	if (bad)
		show_failed(bad);
	printf("%s 1 fuzz: the corpus can be replayed\n",
	       report->replayed ? "ok" : "not ok");
	printf("%s 2 fuzz: nothing is left behind by any of %lu runs\n",
	       bad ? "not ok" : "ok", report->runs);
	printf("%s 3 fuzz: the device's code is reached: %u blocks\n",
	       covered ? "ok" : "not ok", report->blocks);
	printf("1..3\n");
	return bad || !covered || !report->replayed;
}

static void parse_options(int argc, char **argv)
{
	static const struct option names[] = {
		{ "duration", required_argument, NULL, 'd' },
		{ "seed", required_argument, NULL, 's' },
		{ "times", required_argument, NULL, 't' },
		{ "least", required_argument, NULL, 'l' },
		{ "out", required_argument, NULL, 'o' },
		{ "distil", required_argument, NULL, 'D' },
		{ "user", no_argument, &options.user, true },
		{ "user-namespace", no_argument, &options.user_namespace, true },
		{ }
	};
	static __u64 *const number[] = {
		['d'] = &options.duration, ['s'] = &options.seed,
		['t'] = &options.times, ['l'] = &options.least,
	};
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (option == '?')
			exit(2);
		else if (option == 'o')
			options.out = optarg;
		else if (option == 'D')
			options.distil = optarg;
		else if (option)	/* 0: the option has no argument */
			*number[option] = strtoull(optarg, NULL, 0);
	}
	options.user |= options.user_namespace;
	if (!options.out)
		report_die("no --out\n");
}

int main(int argc, char **argv)
{
	const char *bad;
	pid_t worker;

	parse_options(argc, argv);
	execute_init(options.out);
	if (!report_init())
		return 2;
	worker = fork();
	if (!worker)
		work(argv + optind);
	bad = watch_worker(worker);
	return print_results(bad);
}
