/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the life of a program's timer, and the times of its clock
 */
#ifndef _TWHEEL_DEVICE_USER_TIMER_H
#define _TWHEEL_DEVICE_USER_TIMER_H

#include <linux/overflow.h>
#include <linux/timekeeping.h>
#include "block.h"
#include "shared.h"

/* clock.c */
void twheel_clock_use(struct timer_set *set);
long twheel_clock_watch(struct timer_set *set);
bool twheel_clock_refile(struct timer_set *set, const struct twheel_phase *phase,
			 unsigned int *steps);
void twheel_clock_remove(struct timer_set *set);
void twheel_clock_exit(void);

/* user_timer.c */
u64 twheel_user_timer_jumping_tick(clockid_t clockid, s64 deadline,
				   const struct twheel_phase *phase);
bool twheel_user_timer_has_expired(const struct user_timer *t, const struct twheel_phase *phase);
void twheel_user_timer_remove(struct timer_set *set, struct user_timer *t);
struct user_timer *twheel_user_timer_of_group(struct timer_set *set, u64 tag);
void twheel_user_timer_use_extra(struct timer_set *set, struct user_timer *t);
void twheel_user_timer_end_lease(struct user_timer *t);
void twheel_user_timer_free_extra(struct user_timer *t);
void twheel_user_timer_give_back(struct timer_set *set);

/* Adds @ns to a time. The sum saturates at 2^63 - 1. */
static inline s64 twheel_time_add(s64 time, u64 ns)
{
	/* As a u64, the room above @time is exact, also if @time is negative. */
	if (ns > (u64)S64_MAX - (u64)time)
		return S64_MAX;
	return (s64)((u64)time + ns);
}

/* How far a clock is ahead of CLOCK_MONOTONIC now, in ns. */
static inline s64 twheel_time_ahead(clockid_t clockid)
{
	if (likely(clockid == CLOCK_MONOTONIC))
		return 0;
	return ktime_mono_to_any(0, clockid == CLOCK_REALTIME ? TK_OFFS_REAL : TK_OFFS_BOOT);
}

/*
 * Converts a time below 2^63 from the program's view of a clock to the kernel's. The result is
 * negative for a time before the kernel's zero, which a time namespace allows. It must not be
 * clamped to 0: a periodic timer counts its periods from it. Above S64_MAX, it is S64_MAX.
 */
static inline s64 twheel_time_to_kernel(const struct timer_set *set, clockid_t clockid, u64 time)
{
	s64 offset = set->offset[clockid], result;

	if (likely(!offset))
		return time;
	return check_sub_overflow((s64)time, offset, &result) ? S64_MAX : result;
}

/* Converts a time from the kernel's view of a clock to the program's. */
static inline u64 twheel_time_to_program(const struct timer_set *set, clockid_t clockid, s64 time)
{
	s64 offset = set->offset[clockid], result;

	/* Then no time is negative. */
	if (likely(!offset))
		return time;
	if (check_add_overflow(time, offset, &result))
		return S64_MAX;
	return max(result, 0LL);
}

/* The word of a TWHEEL_SHARED timer. */
static inline struct twheel_word *twheel_table_word(const struct timer_set *set,
						    const struct user_timer *t)
{
	lockdep_assert_held(&set->lock);

	return twheel_shared_at(set->table, user_timer_index(t) * sizeof(struct twheel_word));
}

/* As in ring.c: a 32-bit kernel has no table. */
static inline atomic64_t *twheel_table_word_deadline(const struct timer_set *set,
						     const struct user_timer *t)
{
	return (atomic64_t *)&twheel_table_word(set, t)->deadline;
}

/* Returns the later of the deadline in a word, @seen, and the deadline of the timer. */
static inline s64 twheel_table_later(const struct user_timer *t, s64 seen)
{
	if (unlikely(seen < 0))
		return t->deadline;
	return max(t->deadline, twheel_time_to_kernel(user_timer_set(t), CLOCK_MONOTONIC, seen));
}

/*
 * Returns whether @t, a TWHEEL_SHARED timer whose known deadline has come, is to expire. If not, it
 * has a new deadline; or the program was faster a few times in a row, and the kernel looks again.
 */
static inline bool twheel_table_expire(const struct timer_set *set, struct user_timer *t, s64 now)
{
	s64 limit = twheel_time_to_program(set, CLOCK_MONOTONIC, now);
	atomic64_t *word = twheel_table_word_deadline(set, t);
	s64 seen = atomic64_read(word);
	unsigned int tries = 4;
	bool closed;

	/* @limit is not negative. What is later than it is later than the deadline known so far. */
	if (likely(seen > limit)) {
		t->deadline = twheel_time_to_kernel(set, CLOCK_MONOTONIC, seen);
		return false;
	}
	/* A closed word is negative. */
	do {
		closed = atomic64_try_cmpxchg_relaxed(word, &seen, seen | TWHEEL_WORD_CLOSED);
	} while (!closed && seen <= limit && --tries);
	/* The program may have written any value: check it. */
	t->deadline = twheel_table_later(t, seen);
	return closed;
}

/* The tick of a deadline on a clock. */
static inline u64 user_timer_tick_of(clockid_t clockid, s64 deadline,
				     const struct twheel_phase *phase)
{
	if (unlikely(clockid != CLOCK_MONOTONIC))
		return twheel_user_timer_jumping_tick(clockid, deadline, phase);
	return twheel_clock_tick(phase, ns_to_ktime(deadline));
}

static inline u64 user_timer_tick(const struct user_timer *t, const struct twheel_phase *phase)
{
	return user_timer_tick_of(t->clockid, t->deadline, phase);
}

/* Gives @t, which is PENDING, another tick. */
static __always_inline void twheel_user_timer_move(struct timer_set *set, struct user_timer *t,
						   u64 tick)
{
	/* As twheel_wheel_extend(), but no other CPU looks. */
	if (likely(tick >= twheel_wheel_state(&t->node)))
		atomic64_set(&t->node.state, min(tick, TWHEEL_NEVER));
	else
		twheel_wheel_change(&set->wheel, &t->node, tick);
}

/*
 * Arms @t, PENDING or in no list, for the tick of its deadline. In line, because batches change
 * many timers in a loop. The caller asks for a visit afterwards: twheel_turn_end().
 */
static __always_inline void twheel_user_timer_arm(struct timer_set *set, struct user_timer *t,
						  u64 tick)
{
	lockdep_assert_held(&set->lock);

	if (t->flags & TWHEEL_SHARED)
		twheel_table_open(t);
	if (t->state != USER_TIMER_PENDING) {
		t->state = USER_TIMER_PENDING;
		twheel_wheel_insert(&set->wheel, &t->node, tick);
	} else {
		twheel_user_timer_move(set, t, tick);
	}
}

/* Returns the deadline that an operation asks for. */
static __always_inline s64 user_timer_new_deadline(const struct timer_set *set, clockid_t clockid,
						   const struct twheel_op *op,
						   const struct twheel_phase *phase)
{
	if (op->flags & TWHEEL_ABSTIME)
		return twheel_time_to_kernel(set, clockid, op->time_ns);
	return twheel_time_add(phase->now + twheel_time_ahead(clockid), op->time_ns);
}

static inline s64 user_timer_expired_ns(const struct user_timer *t)
{
	return atomic64_read(&t->node.state);
}

/*
 * Notes when @t expired: when the tick began at which it came due. The wheel has just come to that
 * tick. The times must not go back from one event to the next, nor lie before the deadline. The
 * clock is @ahead of CLOCK_MONOTONIC.
 */
static __always_inline void user_timer_note_expiry(struct timer_set *set, struct user_timer *t,
						   const struct twheel_phase *phase, s64 ahead)
{
	s64 at = phase->began - (s64)((phase->tick - set->wheel.clk) * TICK_NSEC);

	at = max(max(at, set->latest) + ahead, t->deadline);
	atomic64_set(&t->node.state, at);
	set->latest = at - ahead;
}

/* Puts a timer that has expired into the list, at its end or in front. */
static inline void user_timer_ready(struct timer_set *set, struct user_timer *t, bool in_front)
{
	t->state = USER_TIMER_READY;
	if (in_front)
		list_add(&t->node.entry, &set->ready);
	else
		list_add_tail(&t->node.entry, &set->ready);
	WRITE_ONCE(set->unread, set->unread + 1);
}

/* Takes a timer that is READY off the list. The caller gives it another state. */
static inline void user_timer_unready(struct timer_set *set, struct user_timer *t)
{
	list_del(&t->node.entry);
	WRITE_ONCE(set->unread, set->unread - 1);
}

/* As twheel_user_timer_end(), for a timer without flags and without an extra. */
static inline void twheel_user_timer_end_plain(struct timer_set *set, struct user_timer *t)
{
	struct timer_block *block = user_timer_block(t);

	set->count--;
	t->state = USER_TIMER_DEAD;
	twheel_block_release(block, BIT_ULL(t - block->timer));
}

/* Ends a timer, in no list and not in the wheel. Before twheel_user_timer_finish(). */
static inline void twheel_user_timer_end(struct timer_set *set, struct user_timer *t)
{
	if (t->flags & TWHEEL_SHARED)
		twheel_table_close(t);
	if (unlikely(t->extra))
		twheel_user_timer_free_extra(t);
	twheel_user_timer_end_plain(set, t);
}

/*
 * Gives back what ended timers had, and what the user was charged for ahead and has not used. A
 * hold of the lock that ends or adds timers ends with this: twheel_turn_end() calls it.
 */
static inline void twheel_user_timer_finish(struct timer_set *set)
{
	if (set->charged != set->count)
		twheel_user_timer_give_back(set);
}

#endif /* _TWHEEL_DEVICE_USER_TIMER_H */
