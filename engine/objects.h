/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: timers as objects that debugobjects tracks (CONFIG_DEBUG_OBJECTS)
 *
 * debugobjects reports a timer that is freed or set up anew while it is armed, with
 * the name of its callback. Without the option these functions are empty.
 */
#ifndef _TWHEEL_ENGINE_OBJECTS_H
#define _TWHEEL_ENGINE_OBJECTS_H

#include "twheel.h"

#ifdef CONFIG_DEBUG_OBJECTS
void twheel_objects_init(int (*cancel)(struct twheel_timer *));
void twheel_objects_setup(struct twheel_timer *timer);
void twheel_objects_setup_onstack(struct twheel_timer *timer);
void twheel_objects_arm(struct twheel_timer *timer);
void twheel_objects_disarm(struct twheel_timer *timer);
void twheel_objects_destroy(struct twheel_timer *timer);
#else
static inline void twheel_objects_init(int (*cancel)(struct twheel_timer *)) { }
static inline void twheel_objects_setup(struct twheel_timer *timer) { }
static inline void twheel_objects_setup_onstack(struct twheel_timer *timer) { }
static inline void twheel_objects_arm(struct twheel_timer *timer) { }
static inline void twheel_objects_disarm(struct twheel_timer *timer) { }
static inline void twheel_objects_destroy(struct twheel_timer *timer) { }
#endif

#endif /* _TWHEEL_ENGINE_OBJECTS_H */
