/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: modules that unload and leave timers armed
 */
#ifndef _TWHEEL_ENGINE_OWNER_H
#define _TWHEEL_ENGINE_OWNER_H

#include <linux/types.h>

struct module;

#ifdef CONFIG_MODULE_UNLOAD
u64 twheel_owner_disarm(const struct module *mod);
int twheel_owner_init(void);
void twheel_owner_exit(void);
#else
static inline int twheel_owner_init(void) { return 0; }
static inline void twheel_owner_exit(void) { }
#endif

#endif /* _TWHEEL_ENGINE_OWNER_H */
