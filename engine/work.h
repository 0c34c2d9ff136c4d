/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: work for the end of a run, and the thread that continues runs
 */
#ifndef _TWHEEL_ENGINE_WORK_H
#define _TWHEEL_ENGINE_WORK_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/types.h>

/**
 * struct twheel_work - something to do soon, with bottom halves off
 * @node: The place in a list of @cpu, while the work is queued.
 * @fn: The function. It may queue the work again.
 * @low: The thread of low priority does the work.
 * @cpu: The CPU in whose list the work is, or was last.
 * @queued: 1 from when the work is queued until @fn is about to run.
 * @running: How many calls of @fn have begun and not ended.
 */
struct twheel_work {
	struct list_head	node;
	void			(*fn)(struct twheel_work *work);
	bool			low;
	unsigned int		cpu;
	atomic_t		queued;
	atomic_t		running;
};

/* Whether the work was last queued for the thread of low priority. */
static inline bool twheel_work_is_low(const struct twheel_work *work)
{
	return READ_ONCE(work->low);
}

void twheel_work_setup(struct twheel_work *work, void (*fn)(struct twheel_work *work));
void twheel_work_setup_low(struct twheel_work *work,
			   void (*fn)(struct twheel_work *work));
void twheel_work_choose(struct twheel_work *work, bool low);
void twheel_work_queue(struct twheel_work *work);
void twheel_work_leave(struct twheel_work *work);
void twheel_work_cancel_sync(struct twheel_work *work);

/* Whether the work is queued, so that its function is still to run. */
static inline bool twheel_work_queued(const struct twheel_work *work)
{
	return atomic_read(&work->queued);
}

/*
 * How long the caller has worked, in ns from some time on. With PREEMPT_RT, a reader that a work
 * wakes may preempt the work. The time of the reader does not count.
 */
static inline u64 twheel_work_clock(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return READ_ONCE(current->se.sum_exec_runtime);
	return local_clock();
}

u64 twheel_work_slice(void);
void twheel_work_help(u64 ns);
void twheel_work_begin_run(void);
void twheel_work_end_run(u64 until);
void twheel_work_online(unsigned int cpu);
void twheel_work_offline(unsigned int cpu, unsigned int to);
int twheel_work_init(void);
void twheel_work_exit(void);

#endif /* _TWHEEL_ENGINE_WORK_H */
