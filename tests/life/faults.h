/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FAULTS_H
#define _FAULTS_H

#include <stdbool.h>

/*
 * Load the module once for every allocation that is made while it is set up, and
 * let that one fail: alone, or with all that follow it. The module is loaded or
 * not; if not, nothing of it is left, and it can be loaded.
 *
 * It is loaded from memory, so that it is not reading the file that fails. The
 * kernel's own work before it looks at the module's parameters is left out.
 */
void load_with_faults(bool lasting);

#endif /* _FAULTS_H */
