/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the run of a wheel
 */
#ifndef _TWHEEL_ENGINE_RUN_H
#define _TWHEEL_ENGINE_RUN_H

struct twheel_base;

void twheel_run_init(struct twheel_base *base);
void twheel_run_stop(struct twheel_base *base);

#endif /* _TWHEEL_ENGINE_RUN_H */
