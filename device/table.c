// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: deadlines in memory that a program shares
 *
 *	program				kernel, when the deadline that it knows
 *					has come
 *	w = word; is it mine?
 *	cmpxchg(word, w, later)		w = word
 *					if w is later than now:
 *						that is the new deadline
 *					else cmpxchg(word, w, w | CLOSED), and
 *						if that succeeds, expire
 *
 * Either the program's exchange comes first, and the kernel finds a later
 * deadline; or the kernel's does, and the program's fails.
 */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include "timer_set.h"
#include "shared.h"

/* As &struct twheel_word. */
struct word {
	atomic64_t	deadline;
	u64		handle;
};

/* How often a program may get in between before the next tick has to do. */
#define TRIES	4

static struct word *word_of(const struct user_timer *t)
{
	return twheel_shared_at(set_of(t)->table, index_of(t) * sizeof(struct word));
}

/* The deadline, or what a word says, if that is one and later. */
static u64 later_of(const struct user_timer *t, s64 seen)
{
	if (seen < 0)
		return t->deadline;
	return max(t->deadline, kernel_time(set_of(t), CLOCK_MONOTONIC, seen));
}

/**
 * twheel_table_init - make a table in which there is no timer
 * @table: The memory.
 */
void twheel_table_init(struct twheel_shared *table)
{
	struct word *word;
	size_t at;

	for (at = 0; at < twheel_shared_size(table); at += sizeof(*word)) {
		word = twheel_shared_at(table, at);
		atomic64_set(&word->deadline, TWHEEL_WORD_CLOSED);
		if (!offset_in_page(at))
			cond_resched();
	}
}

/**
 * twheel_table_words - how many timers the table has room for
 * @set: The set, locked.
 *
 * Return: The number; 0 if there is no table.
 */
u32 twheel_table_words(const struct timer_set *set)
{
	return set->table ? twheel_shared_size(set->table) / sizeof(struct word) : 0;
}

/**
 * twheel_table_open - let the program push a deadline back
 * @t: A timer that shares it and is being armed, its set locked.
 */
void twheel_table_open(struct user_timer *t)
{
	struct word *word = word_of(t);

	/* Who sees the deadline sees whose it is. */
	WRITE_ONCE(word->handle, handle_of(t));
	atomic64_xchg(&word->deadline,
		      program_time(set_of(t), CLOCK_MONOTONIC, t->deadline));
}

/**
 * twheel_table_close - do not let it any more
 * @t: A timer that shares it and ends, its set locked. Its deadline becomes what it
 *	was pushed back to until now.
 */
void twheel_table_close(struct user_timer *t)
{
	t->deadline = later_of(t, atomic64_xchg(&word_of(t)->deadline,
						TWHEEL_WORD_CLOSED));
}

/**
 * twheel_table_expire - see whether a deadline has been pushed back
 * @t: A timer that shares its deadline, which has come; its set is locked.
 * @now: The time.
 *
 * Return: %true if the timer is to expire, %false if it has a new deadline.
 */
bool twheel_table_expire(struct user_timer *t, u64 now)
{
	atomic64_t *word = &word_of(t)->deadline;
	s64 seen = atomic64_read(word);
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		/* The closed ones are negative. */
		if (seen > (s64)program_time(set_of(t), CLOCK_MONOTONIC, now)) {
			t->deadline = kernel_time(set_of(t), CLOCK_MONOTONIC, seen);
			return false;
		}
		if (atomic64_try_cmpxchg(word, &seen, seen | TWHEEL_WORD_CLOSED)) {
			/* It may have been anything: the event's must be sane. */
			t->deadline = later_of(t, seen);
			return true;
		}
	}
	t->deadline = later_of(t, seen);
	return false;
}

/**
 * twheel_table_deadline - the deadline of a timer, pushed back or not
 * @t: The timer, its set locked.
 *
 * Return: The deadline in ns.
 */
u64 twheel_table_deadline(const struct user_timer *t)
{
	/* Nothing that is in a closed word counts. */
	if (t->flags & TWHEEL_SHARED && t->state == PENDING)
		return later_of(t, atomic64_read(&word_of(t)->deadline));
	return t->deadline;
}
