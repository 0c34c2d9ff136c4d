/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: modules that unload and leave timers armed
 */
#ifndef _TWHEEL_ENGINE_OWNER_H
#define _TWHEEL_ENGINE_OWNER_H

#ifdef CONFIG_MODULE_UNLOAD
int twheel_owner_init(void);
void twheel_owner_exit(void);
#else
static inline int twheel_owner_init(void) { return 0; }
static inline void twheel_owner_exit(void) { }
#endif

#endif /* _TWHEEL_ENGINE_OWNER_H */
