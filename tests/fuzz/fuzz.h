/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fuzzer of /dev/twheel, guided by coverage. A program is a short list of calls
 * from a grammar. The fuzzer keeps each program that reaches code no earlier
 * program has reached, and makes new programs from the kept ones.
 *
 * Each file calls only files above it in this list:
 *
 *	report.c	messages, and what the worker tells its parent
 *	random.c	random numbers
 *	world.c		the descriptors, handles and mappings of a program
 *	memory.c	memory for arguments, good and bad
 *	fail.c		calls that are made to fail
 *	alarm.c		signals that interrupt calls
 *	helper.c	threads and processes that run part of a program
 *	do_*.c		the calls themselves
 *	call.c		the grammar: all calls and their arguments
 *	value.c		values worth trying, for each kind of argument
 *	program.c	programs as text
 *	mutate.c	new programs, random or from old ones
 *	cover.c		what a program has reached
 *	check.c		what must hold after each program
 *	execute.c	one run: record, run, clean up, check, report
 *	corpus.c	the programs worth keeping
 *	main.c		options, parent and worker, results
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <errno.h>
#include <fcntl.h>
#include <linux/twheel.h>
#include <linux/types.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define __printf(format, first)	__attribute__((__format__(printf, format, first)))
#define __noreturn		__attribute__((__noreturn__))

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

/* Every flag of an operation: those up to the newest one. */
#define ALL_OP_FLAGS	(2 * TWHEEL_LEASED - 1)

/* The kind of an argument decides which values are worth trying. */
enum arg_kind {
	ARG_FILE, ARG_HANDLE, ARG_OP_FLAGS, ARG_CLOCK, ARG_TIME, ARG_PERIOD, ARG_GROUP,
	ARG_WHERE, ARG_COUNT, ARG_SIZE, ARG_MAP, ARG_MAP_OFFSET, ARG_PAGES, ARG_PROT,
	ARG_MAP_FLAGS, ARG_WORD_OFFSET, ARG_POKE, ARG_BITS, ARG_FD, ARG_REQUEST,
	ARG_SMALL, ARG_STEP, ARG_SEED
};

/*
 * An ARG_TIME or ARG_STEP near ARG_NOW, at most ARG_NOW_MAX away, is relative: the
 * difference is added to the current time of the clock that the call uses.
 */
#define ARG_NOW		(1ULL << 60)
#define ARG_NOW_MAX	(1ULL << 50)

static inline bool arg_is_near_now(__u64 time)
{
	return time - (ARG_NOW - ARG_NOW_MAX) <= 2 * ARG_NOW_MAX;
}

enum { CALL_MAX_ARGS = 10 };

struct call_type {
	const char	*name;
	unsigned int	weight;		/* relative frequency in random programs */
	long		(*run)(const __u64 *arg);
	struct {
		const char	*name;
		enum arg_kind	kind;
	}		arg[CALL_MAX_ARGS];
};

struct call {
	unsigned int	type;		/* index into call_types[] */
	__u64		arg[CALL_MAX_ARGS];
};

enum { PROGRAM_MAX_CALLS = 24, PROGRAM_MAX_TEXT = 8192 };

struct program {
	unsigned int	count;
	struct call	call[PROGRAM_MAX_CALLS];
};

/* report.c */
struct report {
	atomic_ulong	runs;
	atomic_uint	blocks;		/* of the device's code, reached so far */
	atomic_uint	programs;	/* in the corpus */
	atomic_bool	replayed;
	atomic_bool	ended;
	char		program[PROGRAM_MAX_TEXT];	/* the program that runs */
	char		complaint[256];
};

extern struct report *report;

bool report_init(void);
__printf(1, 2) void report_note(const char *format, ...);
__printf(1, 2) __noreturn void report_die(const char *format, ...);

/* random.c */
void random_seed(__u64 seed);
__u64 random_64(void);
unsigned int random_below(unsigned int bound);
bool random_one_in(unsigned int n);
__u64 random_mix(__u64 a, __u64 b);

/* call.c */
extern const struct call_type call_types[];
extern const unsigned int call_type_count;
unsigned int call_arg_count(const struct call_type *type);

/* value.c */
__u64 value_random(enum arg_kind kind);

/* program.c */
void program_print(const struct program *program, char text[PROGRAM_MAX_TEXT]);
bool program_parse(struct program *program, const char *text, const char *name);
void program_insert_call(struct program *program, unsigned int at, const struct call *call);
void program_remove_call(struct program *program, unsigned int n);

/* mutate.c */
void mutate_generate(struct program *program);
void mutate_program(struct program *program, const struct program *other);

/* cover.c */
bool cover_init(void);
void cover_begin(void);
void cover_call(unsigned int type, long result);
unsigned int cover_features(const __u32 **features);
bool cover_is_known(__u32 feature);
unsigned int cover_learn(void);
bool cover_has(__u32 feature);
unsigned int cover_blocks(void);
unsigned int cover_known(void);

/* check.c */
void check_init(void);
void check_users_init(void);
const char *check_all(void);

/* execute.c */
void execute_init(const char *directory);
void execute_prepare(void);
__u64 execute_seconds(void);
void execute_limit(unsigned int seconds);
void execute_program(const struct program *program);
bool execute_time_is_up(void);

/* corpus.c */
unsigned int corpus_load(const char *directory);
unsigned int corpus_size(void);
const struct program *corpus_get(unsigned int n);
bool corpus_consider(const struct program *program);
void corpus_save(const char *directory, const struct program *program);
unsigned int corpus_distil(const char *directory);

#endif /* _FUZZ_H */
