/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timers with a word in the table of deadlines (TWHEEL_SHARED), and the pushes of a
 * program: it writes a later deadline into the word, without a system call.
 */
#ifndef _TABLE_TIMER_H
#define _TABLE_TIMER_H

#include "device.h"

#define CLOSED		TWHEEL_WORD_CLOSED
#define LATEST		(CLOSED - 1)

/* Map a table of so many words, or of one page. */
struct twheel_word *map_words(int fd, unsigned int words);
struct twheel_word *map_table(int fd);
unsigned int words_of_a_page(void);

/* An operation that is valid for TWHEEL_IOC_ADD if there is a table. */
struct twheel_op shared_op(__u64 deadline, __u64 cookie);
__u64 add_shared(int fd, __u64 deadline, __u64 cookie);

/* The deadline in a word: that of an entry, or that of a timer. */
__u64 *word_at(struct twheel_word *table, unsigned int entry);
__u64 *word_of(struct twheel_word *table, __u64 handle);
__u64 read_word(const __u64 *word);
void write_word(__u64 *word, __u64 deadline);

/*
 * Push a deadline back once, as the header of the module says. On failure, @seen is
 * what the word has instead.
 */
bool push_word(__u64 *word, __u64 *seen, __u64 later);

/* The same where no other thread pushes. */
bool push_alone(__u64 *word, __u64 later);

/* A timer on a descriptor of its own, with a table of one page. */
struct table_timer {
	int			fd;
	struct twheel_word	*table;
	__u64			handle;
	__u64			*word;
	__u64			deadline;
};

struct table_timer new_table_timer(__u64 delay_ns);
void close_table_timer(const struct table_timer *t);

/*
 * A timer that is due soon. A test whose calls must be over by then begins anew if they were not:
 *
 *	do {
 *		t = soon_timer();
 *		...
 *	} while (came_too_soon(&t));
 */
struct table_timer soon_timer(void);
bool came_too_soon(const struct table_timer *t);

/* How soon that is: margin_ns() at first, and twice as much after each time that was too soon. */
__u64 lead_time(void);

/* A new timer that was pushed back by @by_ns, to LATEST at most, before it was due. */
struct table_timer pushed_timer(__u64 by_ns);

/* Check that the timer expires once, in time, and for this deadline. */
void check_expiry(const struct table_timer *t, __u64 deadline);

/* Check that the word cannot be pushed any more. */
void check_closed(const __u64 *word);

#endif /* _TABLE_TIMER_H */
