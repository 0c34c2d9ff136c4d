// SPDX-License-Identifier: GPL-2.0
/*
 * The programs that are worth keeping: each has reached something first. Before
 * one is kept, it is run again, as what does not come again is of no use to
 * anybody, and loses the calls that it can do without.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum { CORPUS = 4096, NEW = 4096, RUNS = 3 };

static struct program *corpus[CORPUS];
static unsigned int size;

unsigned int corpus_size(void)
{
	return size;
}

const struct program *corpus_get(unsigned int n)
{
	return corpus[n];
}

static void keep(const struct program *program)
{
	if (size == CORPUS)
		return;
	corpus[size] = malloc(sizeof(*program));
	if (!corpus[size])
		die("no memory");
	*corpus[size++] = *program;
}

static int is_program(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".txt");
}

static void load_one(const char *path)
{
	static char text[4 * MAX_TEXT];
	struct program program;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (got < 0)
		die("cannot read %s: %s", path, strerror(errno));
	close(fd);
	text[got] = 0;
	if (!parse_program(&program, text, path))
		die("%s is not a program", path);
	keep(&program);
}

/* A directory of them, or one alone. Returns how many there are now. */
unsigned int corpus_load(const char *path)
{
	struct dirent **entry;
	int n, count = scandir(path, &entry, is_program, alphasort);
	char name[4096];

	if (count < 0 && errno == ENOTDIR) {
		load_one(path);
		return size;
	}
	if (count < 0)
		die("cannot read %s: %s", path, strerror(errno));
	for (n = 0; n < count; n++) {
		snprintf(name, sizeof(name), "%s/%s", path, entry[n]->d_name);
		load_one(name);
		free(entry[n]);
	}
	free(entry);
	return size;
}

/* By a name that follows from what is in it. */
void corpus_save(const char *directory, const struct program *program)
{
	char text[MAX_TEXT], path[4096];
	__u64 hash = 0;
	const char *at;
	FILE *file;

	print_program(program, text);
	for (at = text; *at; at++)
		hash = mix(hash, *at);
	snprintf(path, sizeof(path), "%s/%012llx.txt", directory,
		 (unsigned long long)hash >> 16);
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file))
		die("cannot write %s: %s", path, strerror(errno));
}

static unsigned int new_features(__u32 found[NEW])
{
	const __u32 *features;
	const unsigned int all = cover_features(&features);
	unsigned int n, count = 0;

	for (n = 0; n < all && count < NEW; n++)
		if (!cover_is_known(features[n]))
			found[count++] = features[n];
	return count;
}

/* Of those that were found, leaves those that the last run has reached, too. */
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

	execute(program);
	for (n = 0; n < count; n++)
		if (!cover_has(found[n]))
			return false;
	return true;
}

static void trim(struct program *program, __u32 *found, unsigned int count)
{
	struct program shorter;
	unsigned int n = program->count;

	while (n-- && program->count > 1 && !time_is_up()) {
		shorter = *program;
		remove_call(&shorter, n);
		if (reaches(&shorter, found, count))
			*program = shorter;
	}
}

/* A program that has just been run: is it worth keeping? Then it is the last one. */
bool corpus_consider(const struct program *program)
{
	static __u32 found[NEW];
	unsigned int n, count = new_features(found);
	struct program kept = *program;

	if (!count)
		return false;
	cover_learn();
	for (n = 1; n < RUNS && count; n++) {
		execute(program);
		count = intersect(found, count);
	}
	if (!count)
		return false;
	trim(&kept, found, count);
	keep(&kept);
	return true;
}

/* What a program reaches each time. */
struct reach {
	unsigned int	count;
	__u32		*feature;
};

static struct reach reach_of(const struct program *program)
{
	struct reach reach = { };
	const __u32 *features;
	unsigned int n;

	execute(program);
	reach.count = cover_features(&features);
	reach.feature = malloc((reach.count + 1) * sizeof(__u32));
	if (!reach.feature)
		die("no memory");
	memcpy(reach.feature, features, reach.count * sizeof(__u32));
	for (n = 1; n < RUNS; n++) {
		execute(program);
		reach.count = intersect(reach.feature, reach.count);
	}
	return reach;
}

static unsigned int gain(const struct reach *reach, const bool *covered)
{
	unsigned int n, sum = 0;

	for (n = 0; n < reach->count; n++)
		sum += !covered[reach->feature[n]];
	return sum;
}

/* The one that adds most to what is covered, or -1. */
static int best(const struct reach *reach, const bool *covered)
{
	unsigned int n, most = 0, sum;
	int found = -1;

	for (n = 0; n < size; n++) {
		sum = gain(&reach[n], covered);
		if (sum > most) {
			most = sum;
			found = n;
		}
	}
	return found;
}

/* Save a few programs that reach together what all of them do. */
unsigned int corpus_distil(const char *directory)
{
	struct reach *reach = calloc(size, sizeof(*reach));
	bool *covered = calloc(1 << 20, sizeof(*covered));
	unsigned int n, count = 0;
	int next;

	if (!reach || !covered)
		die("no memory");
	for (n = 0; n < size; n++)
		reach[n] = reach_of(corpus[n]);
	while ((next = best(reach, covered)) >= 0) {
		for (n = 0; n < reach[next].count; n++)
			covered[reach[next].feature[n]] = true;
		corpus_save(directory, corpus[next]);
		count++;
	}
	free(covered);
	return count;
}
