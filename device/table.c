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

	WRITE_ONCE(twheel_table_word(set, t)->handle, user_timer_handle(t));
	/* Pairs with the program's acquire of the deadline, before it reads the handle. */
	atomic64_set_release(twheel_table_word_deadline(set, t),
			     twheel_time_to_program(set, CLOCK_MONOTONIC, t->deadline));
}

/* Ends that. The deadline of the timer becomes the one to which the program has pushed it back. */
void twheel_table_close(struct user_timer *t)
{
	atomic64_t *word = twheel_table_word_deadline(user_timer_set(t), t);

	/* The word is closed before twheel_table_open() writes another handle. */
	t->deadline = twheel_table_later(t, atomic64_xchg_acquire(word, TWHEEL_WORD_CLOSED));
}

/* Returns the deadline of any timer, as the program has last pushed it back. */
s64 twheel_table_deadline(const struct user_timer *t)
{
	const struct timer_set *set = user_timer_set(t);

	/* Only the word of an armed timer has a meaning. */
	if (t->flags & TWHEEL_SHARED && t->state == USER_TIMER_PENDING)
		return twheel_table_later(t, atomic64_read(twheel_table_word_deadline(set, t)));
	return t->deadline;
}
