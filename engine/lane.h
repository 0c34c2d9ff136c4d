/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: lanes
 */
#ifndef _TWHEEL_ENGINE_LANE_H
#define _TWHEEL_ENGINE_LANE_H

struct twheel_timer;

/* A set, or the small sets of a user together, get a lane from this many timers on. */
extern unsigned int twheel_lane_threshold;

void twheel_lane_init(void);
int twheel_lane_get(void);
void twheel_lane_put(int lane);
void twheel_lane_use(struct twheel_timer *t, int lane);
void twheel_lane_move(struct twheel_timer *t, int lane);

#endif /* _TWHEEL_ENGINE_LANE_H */
