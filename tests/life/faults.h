/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FAULTS_H
#define _FAULTS_H

#include "inject.h"

/*
 * Load the module once for each allocation that loading makes, and let that
 * allocation fail: alone, or with all that follow. Loading succeeds or fails. If
 * it fails, it leaves nothing behind, and the module can be loaded later.
 *
 * The module's file is in memory, so that reading it does not fail. Allocations
 * that the kernel makes before it looks at the module's parameters are left out.
 */
void load_with_faults(enum fault_mode mode);

#endif /* _FAULTS_H */
