/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: /sys/kernel/debug/twheel
 */
#ifndef _TWHEEL_ENGINE_DEBUGFS_H
#define _TWHEEL_ENGINE_DEBUGFS_H

#ifdef CONFIG_DEBUG_FS
void twheel_debugfs_init(void);
void twheel_debugfs_exit(void);
#else
static inline void twheel_debugfs_init(void) { }
static inline void twheel_debugfs_exit(void) { }
#endif

#endif /* _TWHEEL_ENGINE_DEBUGFS_H */
