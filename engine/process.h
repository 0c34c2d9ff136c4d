/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: callbacks in process context
 */
#ifndef _TWHEEL_ENGINE_PROCESS_H
#define _TWHEEL_ENGINE_PROCESS_H

#include "base.h"

int twheel_process_init(void);
void twheel_process_exit(void);
void twheel_process_init_base(struct twheel_base *base);
void twheel_process_kick(struct twheel_base *base);
void twheel_process_wait(struct twheel_base *base, const struct twheel_timer *t);

#endif /* _TWHEEL_ENGINE_PROCESS_H */
