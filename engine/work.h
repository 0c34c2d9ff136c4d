/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: work for the end of a run, and the thread that continues runs
 */
#ifndef _TWHEEL_ENGINE_WORK_H
#define _TWHEEL_ENGINE_WORK_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>

/**
 * struct twheel_work - something to do soon, with bottom halves off
 * @node: The place in a list of @cpu, while the work is queued.
 * @fn: The function. It may queue the work again.
 * @cpu: The CPU in whose list the work is, or was last.
 * @queued: 1 from when the work is queued until @fn is about to run.
 * @running: How many calls of @fn have begun and not ended.
 */
struct twheel_work {
	struct list_head	node;
	void			(*fn)(struct twheel_work *work);
	unsigned int		cpu;
	atomic_t		queued;
	atomic_t		running;
};

void twheel_work_setup(struct twheel_work *work, void (*fn)(struct twheel_work *work));
void twheel_work_queue(struct twheel_work *work);
void twheel_work_leave(struct twheel_work *work);
void twheel_work_cancel_sync(struct twheel_work *work);

/* Whether the work is queued, so that its function is still to run. */
static inline bool twheel_work_queued(const struct twheel_work *work)
{
	return atomic_read(&work->queued);
}

u64 twheel_work_slice(void);
void twheel_work_begin_run(void);
void twheel_work_end_run(u64 until);
void twheel_work_online(unsigned int cpu);
void twheel_work_offline(unsigned int cpu, unsigned int to);
int twheel_work_init(void);
void twheel_work_exit(void);

#endif /* _TWHEEL_ENGINE_WORK_H */
