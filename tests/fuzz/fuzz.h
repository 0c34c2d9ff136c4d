/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fuzzer of /dev/twheel, guided by coverage. A program is a short row of calls
 * from a grammar; one that reaches what none has reached before is kept, and
 * new ones are made from those.
 *
 *	value.c		random numbers, and values worth trying
 *	call.c		the grammar: calls, their arguments, how they are written
 *	mutate.c	new programs from old ones
 *	do_*.c		what the calls do
 *	run.c		runs a program, and cleans up behind it
 *	check.c		what must be so after each program
 *	cover.c		what it has reached
 *	corpus.c	the programs that are worth keeping
 *	main.c		options, progress, results
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define __printf(format, first)	__attribute__((__format__(printf, format, first)))
#define __noreturn		__attribute__((__noreturn__))

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

enum { MAX_CALLS = 24, MAX_ARGS = 9, MAX_TEXT = 8192 };

/* What an argument means: which values are worth trying. */
enum kind {
	FILE_SLOT, HANDLE, OP_FLAGS, CLOCK, TIME, PERIOD, GROUP, COOKIE, WHERE,
	COUNT, SIZE, MAP_SLOT, MAP_OFFSET, PAGES, PROT, MAP_FLAGS, WORD_OFFSET,
	POKE, NUMBER, BITS, FD, REQUEST, SMALL, STEP, SEED
};

struct call_type {
	const char	*name;
	unsigned int	weight;		/* how often, among the others */
	long		(*run)(const __u64 *arg);
	struct {
		const char	*name;
		enum kind	kind;
	}		arg[MAX_ARGS];
};

struct call {
	unsigned int	type;		/* index in call_types[] */
	__u64		arg[MAX_ARGS];
};

struct program {
	unsigned int	count;
	struct call	call[MAX_CALLS];
};

/* A TIME of that much from now on the clock in question. */
#define NOW	(1ULL << 60)
#define NOW_MAX	(1ULL << 50)

static inline bool is_near_now(__u64 time)
{
	return time - (NOW - NOW_MAX) <= 2 * NOW_MAX;
}

/* value.c */
void seed_random(__u64 seed);
__u64 random64(void);
unsigned int random_below(unsigned int bound);
bool one_in(unsigned int n);
__u64 random_value(enum kind kind);
__u64 mix(__u64 a, __u64 b);

/* call.c */
extern const struct call_type call_types[];
extern const unsigned int call_type_count;
unsigned int arg_count(const struct call_type *type);
void random_call(struct call *call);
void print_program(const struct program *program, char text[MAX_TEXT]);
bool parse_program(struct program *program, const char *text, const char *name);

/* mutate.c */
void generate(struct program *program);
void mutate(struct program *program, const struct program *other);
void remove_call(struct program *program, unsigned int n);

/* run.c */
extern bool show_results;
void run_init(void);
void run_program(const struct program *program);
long run_elsewhere(bool process, unsigned int calls);

/* check.c */
void check_init(void);
const char *check_world(void);

/* cover.c */
bool cover_init(void);
void cover_begin(void);
void cover_call(unsigned int type, long result);
unsigned int cover_features(const __u32 **features);
bool cover_is_known(__u32 feature);
unsigned int cover_learn(void);
void cover_forget(void);
bool cover_has(__u32 feature);
unsigned int cover_blocks(void);
unsigned int cover_known(void);

/* corpus.c */
unsigned int corpus_load(const char *directory);
unsigned int corpus_size(void);
const struct program *corpus_get(unsigned int n);
bool corpus_consider(const struct program *program);
void corpus_save(const char *directory, const struct program *program);
unsigned int corpus_distil(const char *directory);

/* main.c */
__printf(1, 2) void note(const char *format, ...);
__printf(1, 2) __noreturn void die(const char *format, ...);
void execute(const struct program *program);
bool time_is_up(void);

#endif /* _FUZZ_H */
