/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: timers leave an offline CPU
 */
#ifndef _TWHEEL_ENGINE_MOVE_H
#define _TWHEEL_ENGINE_MOVE_H

#include "base.h"

bool twheel_move_some(struct twheel_base *to, struct twheel_base *from);
void twheel_move_evacuate(struct twheel_base *base);

#endif /* _TWHEEL_ENGINE_MOVE_H */
