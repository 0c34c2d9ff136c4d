// SPDX-License-Identifier: GPL-2.0
/*
 * The programs worth keeping: each reached some feature before all others. A program
 * runs several times before it is kept: features that do not recur do not count. Then
 * it loses the calls that it can do without.
 */
#include <dirent.h>

#include "fuzz.h"

enum {
	MAX_PROGRAMS = 4096,
	MAX_NEW = 4096,		/* new features of one program */
	RUNS = 3,		/* runs that a feature must recur in */
};

/* The programs that fuzzing has made */
#define GROWN	"grown.txt"

static struct program *corpus[MAX_PROGRAMS];
static unsigned int size;

unsigned int corpus_size(void)
{
	return size;
}

const struct program *corpus_get(unsigned int n)
{
	return corpus[n];
}

static void keep_program(const struct program *program)
{
	if (size == MAX_PROGRAMS)
		return;
	corpus[size] = malloc(sizeof(*program));
	if (!corpus[size])
		report_die("no memory");
	*corpus[size++] = *program;
	report->programs = size;
}

static int is_program(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".txt");
}

static bool is_grown(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strcmp(name ? name + 1 : path, GROWN);
}

/* A file has one program, but for GROWN, where each line is one. */
static void load_file(const char *path)
{
	const int end = is_grown(path) ? '\n' : 0;
	FILE *file = fopen(path, "re");
	struct program program;
	char *text = NULL;
	size_t room = 0;

	if (!file)
		report_die("cannot read %s: %s", path, strerror(errno));
	while (getdelim(&text, &room, end, file) > 0) {
		if (!program_parse(&program, text, path))
			report_die("%s: not a program: %s", path, text);
		keep_program(&program);
	}
	free(text);
	fclose(file);
}

/* Load a program, or a directory of programs. Returns the size of the corpus. */
unsigned int corpus_load(const char *path)
{
	struct dirent **entry;
	int n, count = scandir(path, &entry, is_program, alphasort);
	char name[4096];

	if (count < 0 && errno == ENOTDIR) {
		load_file(path);
		return size;
	}
	if (count < 0)
		report_die("cannot read %s: %s", path, strerror(errno));
	for (n = 0; n < count; n++) {
		snprintf(name, sizeof(name), "%s/%s", path, entry[n]->d_name);
		load_file(name);
		free(entry[n]);
	}
	free(entry);
	return size;
}

/* Add a program to GROWN in a directory. */
void corpus_save(const char *directory, const struct program *program)
{
	char text[PROGRAM_MAX_TEXT], path[4096], *at;
	static const char *opened;
	static FILE *file;

	program_print(program, text);
	for (at = text; *at; at++)
		if (*at == '\n')
			*at = ';';
	/* On a host's file system, the new file belongs to root: a user can open it once. */
	if (opened != directory) {
		snprintf(path, sizeof(path), "%s/%s", directory, GROWN);
		file = fopen(path, "ae");
		opened = directory;
	}
	if (!file || fprintf(file, "%s\n", text) < 0 || fflush(file))
		report_die("cannot write %s: %s", GROWN, strerror(errno));
}

static unsigned int new_features(__u32 found[MAX_NEW])
{
	const __u32 *features;
	const unsigned int all = cover_features(&features);
	unsigned int n, count = 0;

	for (n = 0; n < all && count < MAX_NEW; n++)
		if (!cover_is_known(features[n]))
			found[count++] = features[n];
	return count;
}

/* Drop the features that the last run has not reached. Returns how many are left. */
static unsigned int intersect(__u32 *found, unsigned int count)
{
	unsigned int n, left = 0;

	for (n = 0; n < count; n++)
		if (cover_has(found[n]))
			found[left++] = found[n];
	return left;
}

static bool reaches(const struct program *program, __u32 *found, unsigned int count)
{
	unsigned int n;

	execute_program(program);
	for (n = 0; n < count; n++)
		if (!cover_has(found[n]))
			return false;
	return true;
}

static void trim_program(struct program *program, __u32 *found, unsigned int count)
{
	struct program shorter;
	unsigned int n = program->count;

	while (n-- && program->count > 1 && !execute_time_is_up()) {
		shorter = *program;
		program_remove_call(&shorter, n);
		if (reaches(&shorter, found, count))
			*program = shorter;
	}
}

/*
 * Keep the program that has just run if it is worth it. Returns whether it was kept; if
 * so, it is the last program of the corpus.
 */
bool corpus_consider(const struct program *program)
{
	static __u32 found[MAX_NEW];
	unsigned int n, count = new_features(found);
	struct program kept = *program;

	if (!count)
		return false;
	cover_learn();
	for (n = 1; n < RUNS && count; n++) {
		execute_program(program);
		count = intersect(found, count);
	}
	if (!count)
		return false;
	trim_program(&kept, found, count);
	keep_program(&kept);
	return true;
}

/* The features that a program reaches in each run. */
struct reach {
	unsigned int	count;
	__u32		*feature;
};

static struct reach reach_of(const struct program *program)
{
	struct reach reach = { };
	const __u32 *features;
	unsigned int n;

	execute_program(program);
	reach.count = cover_features(&features);
	reach.feature = malloc((reach.count + 1) * sizeof(__u32));
	if (!reach.feature)
		report_die("no memory");
	memcpy(reach.feature, features, reach.count * sizeof(__u32));
	for (n = 1; n < RUNS; n++) {
		execute_program(program);
		reach.count = intersect(reach.feature, reach.count);
	}
	return reach;
}

static unsigned int count_gain(const struct reach *reach, const bool *covered)
{
	unsigned int n, sum = 0;

	for (n = 0; n < reach->count; n++)
		sum += !covered[reach->feature[n]];
	return sum;
}

static int best_program(const struct reach *reach, const bool *covered)
{
	unsigned int n, most = 0, sum;
	int found = -1;

	for (n = 0; n < size; n++) {
		sum = count_gain(&reach[n], covered);
		if (sum > most) {
			most = sum;
			found = n;
		}
	}
	return found;
}

/*
 * Save a few programs that together reach all that the corpus reaches. Returns how many
 * were saved.
 */
unsigned int corpus_distil(const char *directory)
{
	struct reach *reach = calloc(size, sizeof(*reach));
	bool *covered = calloc(1 << 20, sizeof(*covered));
	unsigned int n, count = 0;
	int next;

	if (!reach || !covered)
		report_die("no memory");
	for (n = 0; n < size; n++)
		reach[n] = reach_of(corpus[n]);
	while ((next = best_program(reach, covered)) >= 0) {
		for (n = 0; n < reach[next].count; n++)
			covered[reach[next].feature[n]] = true;
		corpus_save(directory, corpus[next]);
		count++;
	}
	free(covered);
	return count;
}
