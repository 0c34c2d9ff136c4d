/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: support for the kernel's tracking of objects (CONFIG_DEBUG_OBJECTS)
 *
 * It reports timers that are freed, or set up anew, while they are armed, with
 * the name of their callback. Nothing of it is left where it is not configured.
 */
#ifndef _TWHEEL_ENGINE_OBJECTS_H
#define _TWHEEL_ENGINE_OBJECTS_H

#include "twheel.h"

#ifdef CONFIG_DEBUG_OBJECTS
void twheel_debug_init(struct twheel_timer *timer);
void twheel_debug_init_onstack(struct twheel_timer *timer);
void twheel_debug_arm(struct twheel_timer *timer);
void twheel_debug_disarm(struct twheel_timer *timer);
void twheel_debug_destroy(struct twheel_timer *timer);
#else
static inline void twheel_debug_init(struct twheel_timer *timer) { }
static inline void twheel_debug_init_onstack(struct twheel_timer *timer) { }
static inline void twheel_debug_arm(struct twheel_timer *timer) { }
static inline void twheel_debug_disarm(struct twheel_timer *timer) { }
static inline void twheel_debug_destroy(struct twheel_timer *timer) { }
#endif

#endif /* _TWHEEL_ENGINE_OBJECTS_H */
