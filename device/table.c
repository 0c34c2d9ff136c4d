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
 * If the program's exchange comes first, the kernel finds a later deadline. If the
 * kernel's comes first, the program's fails.
 */
#include <linux/sched.h>
#include "user_timer.h"

/* After this many lost races against the program, the kernel tries again next tick. */
#define TABLE_TRIES	4

static struct twheel_word *table_word(const struct user_timer *t)
{
	const struct timer_set *set = user_timer_set(t);

	lockdep_assert_held(&set->lock);

	return twheel_shared_at(set->table, user_timer_index(t) * sizeof(struct twheel_word));
}

/* As in ring.c: a 32-bit kernel has no table. */
static atomic64_t *table_deadline(struct twheel_word *word)
{
	return (atomic64_t *)&word->deadline;
}

/* Returns the later of the deadline in a word, @seen, and the deadline of the timer. */
static s64 table_later(const struct user_timer *t, s64 seen)
{
	if (seen < 0)
		return t->deadline;
	return max(t->deadline, twheel_time_to_kernel(user_timer_set(t), CLOCK_MONOTONIC, seen));
}

/* Closes all words. */
void twheel_table_init(struct twheel_shared *table)
{
	struct twheel_word *word;
	size_t at;

	for (at = 0; at < twheel_shared_size(table); at += sizeof(*word)) {
		word = twheel_shared_at(table, at);
		word->deadline = TWHEEL_WORD_CLOSED;
		if (!offset_in_page(at))
			cond_resched();
	}
}

/* Lets the program push back the deadline of a TWHEEL_SHARED timer that is about to be armed. */
void twheel_table_open(struct user_timer *t)
{
	const struct timer_set *set = user_timer_set(t);
	struct twheel_word *word = table_word(t);

	WRITE_ONCE(word->handle, user_timer_handle(t));
	/* Pairs with the program's acquire of the deadline, before it reads the handle. */
	atomic64_set_release(table_deadline(word),
			     twheel_time_to_program(set, CLOCK_MONOTONIC, t->deadline));
}

/* Ends that. The deadline of the timer becomes the one to which the program has pushed it back. */
void twheel_table_close(struct user_timer *t)
{
	/* The word is closed before twheel_table_open() writes another handle. */
	t->deadline = table_later(t, atomic64_xchg_acquire(table_deadline(table_word(t)),
							   TWHEEL_WORD_CLOSED));
}

/*
 * Returns whether @t, a TWHEEL_SHARED timer whose known deadline has come, is to expire. If not, it
 * has a new deadline.
 */
bool twheel_table_expire(struct user_timer *t, s64 now)
{
	const struct timer_set *set = user_timer_set(t);
	s64 limit = twheel_time_to_program(set, CLOCK_MONOTONIC, now);
	atomic64_t *word = table_deadline(table_word(t));
	s64 seen = atomic64_read(word);
	bool closed = false;
	unsigned int i;

	/* A closed word is negative. */
	for (i = 0; i < TABLE_TRIES && seen <= limit && !closed; i++)
		closed = atomic64_try_cmpxchg_relaxed(word, &seen, seen | TWHEEL_WORD_CLOSED);
	/* The program may have written any value: check it. */
	t->deadline = table_later(t, seen);
	return closed;
}

/* Returns the deadline of any timer, as the program has last pushed it back. */
s64 twheel_table_deadline(const struct user_timer *t)
{
	lockdep_assert_held(&user_timer_set(t)->lock);

	/* Only the word of an armed timer has a meaning. */
	if (t->flags & TWHEEL_SHARED && t->state == USER_TIMER_PENDING)
		return table_later(t, atomic64_read(table_deadline(table_word(t))));
	return t->deadline;
}
