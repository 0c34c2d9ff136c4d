/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: CPUs come and go
 */
#ifndef _TWHEEL_ENGINE_CPU_H
#define _TWHEEL_ENGINE_CPU_H

int twheel_cpu_init(void);
void twheel_cpu_exit(void);

#endif /* _TWHEEL_ENGINE_CPU_H */
