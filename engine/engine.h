/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: starting and stopping the engine, for twheel_main.c
 */
#ifndef _TWHEEL_ENGINE_ENGINE_H
#define _TWHEEL_ENGINE_ENGINE_H

int twheel_engine_init(void);
void twheel_engine_exit(void);

#endif /* _TWHEEL_ENGINE_ENGINE_H */
