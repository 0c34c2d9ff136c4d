// SPDX-License-Identifier: GPL-2.0
/*
 * usage: fuzz [--duration S] [--seed N] [--times N] [--least BLOCKS] [--distil DIR]
 *             [--show] --out DIR [PROGRAM-OR-DIRECTORY...]
 *
 * Runs the programs that are given, and then makes others for so long. Fails if they
 * reach fewer blocks than that of the device's code. What is about to be run is in
 * DIR/recent, whatever becomes of the machine; what has gone wrong is in DIR/failed.
 * Prints TAP.
 *
 * A parent watches over the process that does it all, which may hang or die.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum {
	RECENT = 8,		/* programs that are in the file */
	PATIENCE = 90,		/* s until a program counts as hung */
	PROGRESS = 5,		/* s between two lines */
};

/* What the parent sees. */
struct shared {
	atomic_ulong	runs;
	atomic_bool	replayed;
	atomic_bool	ended;
	atomic_uint	blocks;
	char		program[MAX_TEXT];
	char		complaint[256];
};

static struct {
	unsigned int	duration;
	unsigned int	times;
	unsigned int	least;		/* blocks that are to be reached */
	__u64		seed;
	const char	*out;
	const char	*distil;
} options = { .times = 1, .seed = 1, .least = 1 };

static struct shared *shared;
static int recent = -1;
static __u64 start, end;

void note(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	printf("# ");
	vprintf(format, list);
	printf("\n");
	fflush(stdout);
	va_end(list);
}

void die(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (shared)
		vsnprintf(shared->complaint, sizeof(shared->complaint), format, list);
	else
		vfprintf(stderr, format, list);
	va_end(list);
	exit(2);
}

static __u64 seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

bool time_is_up(void)
{
	return options.duration && seconds() >= end;
}

static void progress(void)
{
	static __u64 next;

	if (seconds() < next)
		return;
	next = seconds() + PROGRESS;
	note("%llu s: %lu runs, %u blocks, %u features, %u programs",
	     (unsigned long long)(seconds() - start), shared->runs, cover_blocks(),
	     cover_known(), corpus_size());
}

/* On the host's disk, before anything can happen. */
static void write_ahead(const char *text)
{
	static char record[MAX_TEXT + 64];
	int size;

	size = snprintf(record, sizeof(record), "# run %lu\n%s\n", shared->runs, text);
	memset(record + size, '\n', sizeof(record) - size);
	if (pwrite(recent, record, sizeof(record),
		   shared->runs % RECENT * sizeof(record)) < 0 || fdatasync(recent))
		die("cannot write what is being run: %s", strerror(errno));
}

/* Run a program, and see that all is well behind it. */
void execute(const struct program *program)
{
	const char *bad;

	print_program(program, shared->program);
	write_ahead(shared->program);
	run_program(program);
	shared->runs++;
	shared->blocks = cover_blocks();
	bad = check_world();
	if (bad)
		die("%s", bad);
	progress();
}

static void replay(void)
{
	const unsigned int count = corpus_size();
	unsigned int n, i;

	for (i = 0; i < options.times; i++) {
		for (n = 0; n < count; n++) {
			execute(corpus_get(n));
			cover_learn();
		}
	}
	shared->replayed = true;
	note("%u programs replayed: %u blocks, %u features", count, cover_blocks(),
	     cover_known());
}

static void fuzz(void)
{
	struct program program;
	unsigned int size;

	end = seconds() + options.duration;
	while (!time_is_up()) {
		size = corpus_size();
		if (!size || one_in(10)) {
			generate(&program);
		} else {
			program = *corpus_get(random_below(size));
			mutate(&program, corpus_get(random_below(size)));
		}
		execute(&program);
		if (corpus_consider(&program))
			corpus_save(options.out, corpus_get(corpus_size() - 1));
	}
}

static void work(char **places)
{
	unsigned int loaded = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	start = seconds();
	seed_random(options.seed);
	for (; *places; places++)
		loaded = corpus_load(*places);
	run_init();
	check_init();
	if (!cover_init())
		note("this kernel says nothing of coverage: programs are run blindly");
	replay();
	if (options.duration)
		fuzz();
	note("%u programs more, in %s", corpus_size() - loaded, options.out);
	options.duration = 0;
	if (options.distil)
		note("%u programs reach what all do, in %s",
		     corpus_distil(options.distil), options.distil);
	shared->ended = true;
	exit(0);
}

/* Waits for the worker. Returns NULL, or what is wrong with it. */
static const char *watch(pid_t worker)
{
	static char what[512];
	unsigned long runs = -1UL;
	__u64 since = seconds();
	int status;

	while (!waitpid(worker, &status, WNOHANG)) {
		if (runs != shared->runs) {
			runs = shared->runs;
			since = seconds();
		} else if (seconds() - since > PATIENCE) {
			return "a program hangs";
		}
		sleep(1);
	}
	if (shared->complaint[0])
		return shared->complaint;
	if (WIFEXITED(status) && !WEXITSTATUS(status) && shared->ended)
		return NULL;
	snprintf(what, sizeof(what), "the fuzzer has ended with status %#x", status);
	return what;
}

static void save_failed(void)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/failed", options.out);
	file = fopen(path, "we");
	if (!file)
		return;
	fputs(shared->program, file);
	fclose(file);
}

static void show_failed(const char *what)
{
	char *line, *rest;

	note("%s, in run %lu:", what, shared->runs);
	save_failed();
	for (line = strtok_r(shared->program, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		note("    %s", line);
}

static int results(const char *bad)
{
	const bool covered = shared->blocks >= options.least;

	if (bad)
		show_failed(bad);
	printf("%s 1 fuzz: the corpus can be replayed\n",
	       shared->replayed ? "ok" : "not ok");
	printf("%s 2 fuzz: nothing is left behind by any of %lu runs\n",
	       bad ? "not ok" : "ok", shared->runs);
	printf("%s 3 fuzz: the device's code is reached: %u blocks\n",
	       covered ? "ok" : "not ok", shared->blocks);
	printf("1..3\n");
	return bad || !covered || !shared->replayed;
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
		{ "show", no_argument, NULL, 'S' },
		{ }
	};
	int option;

	while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (option) {
		case 'd':
			options.duration = strtoul(optarg, NULL, 0);
			break;
		case 's':
			options.seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			options.times = strtoul(optarg, NULL, 0);
			break;
		case 'l':
			options.least = strtoul(optarg, NULL, 0);
			break;
		case 'o':
			options.out = optarg;
			break;
		case 'S':
			show_results = true;
			break;
		case 'D':
			options.distil = optarg;
			break;
		default:
			exit(2);
		}
	}
	if (!options.out)
		die("no --out\n");
}

int main(int argc, char **argv)
{
	char path[4096];
	const char *bad;
	pid_t worker;

	parse_options(argc, argv);
	snprintf(path, sizeof(path), "%s/recent", options.out);
	recent = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (recent < 0)
		die("cannot write %s: %s\n", path, strerror(errno));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	worker = fork();
	if (!worker)
		work(argv + optind);
	bad = watch(worker);
	return results(bad);
}
