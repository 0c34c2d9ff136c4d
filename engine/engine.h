/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: what the files of the engine call of each other, and what starts and stops the engine
 *
 * Each function is explained where it is defined. arm.h and callback.h have the rest.
 */
#ifndef _TWHEEL_ENGINE_ENGINE_H
#define _TWHEEL_ENGINE_ENGINE_H

#include <linux/debugobjects.h>
#include "base.h"

/* cpu.c */
int twheel_engine_init(void);
void twheel_engine_exit(void);

/* arm.c: what debugobjects has to know of timers, with CONFIG_DEBUG_OBJECTS */
extern const struct debug_obj_descr twheel_arm_debug;

/* move.c */
bool twheel_move_some(struct twheel_base *to, struct twheel_base *from);
void twheel_move_evacuate(struct twheel_base *base);

/* process.c */
int twheel_process_init(void);
void twheel_process_exit(void);
void twheel_process_init_base(struct twheel_base *base);
void twheel_process_kick(struct twheel_base *base);
void twheel_process_wait(struct twheel_base *base, const struct twheel_timer *t);

/* run.c */
void twheel_run_init(struct twheel_base *base);
void twheel_run_stop(struct twheel_base *base);

/* work.c, besides device.h */
void twheel_work_leave(struct twheel_work *work);
u64 twheel_work_slice(void);
void twheel_work_begin_run(void);
void twheel_work_end_run(u64 until);
void twheel_work_online(unsigned int cpu);
void twheel_work_offline(unsigned int cpu, unsigned int to);
int twheel_work_init(void);
void twheel_work_exit(void);

/* debugfs.c */
#ifdef CONFIG_DEBUG_FS
void twheel_debugfs_init(void);
void twheel_debugfs_exit(void);
#else
static inline void twheel_debugfs_init(void) { }
static inline void twheel_debugfs_exit(void) { }
#endif

/* tick.c */
void twheel_tick_arm(struct twheel_base *base, u64 next);

/* Has the wheel of a locked base run at the tick @next, at the latest. */
static inline void twheel_tick_wake_by(struct twheel_base *base, u64 next)
{
	lockdep_assert_held(&base->lock);

	if (next < base->wake)
		twheel_tick_arm(base, next);
}

#endif /* _TWHEEL_ENGINE_ENGINE_H */
