/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load and unload modules. The environment variable
 * TWHEEL_MODULES names the directory where the modules were built.
 */
#ifndef _MODULES_H
#define _MODULES_H

#include <stddef.h>

/* Returns 0 or a negative errno, and does not wait for the module's users. */
int try_unload(const char *name);

/* A failure ends the case. */
void load(const char *name, const char *parameters);
void unload(const char *name);

/* The contents of a module's file. The caller frees them. */
void *module_image(const char *name, size_t *size);

/* Check that twheel is gone, with its entries in /dev, /sys and /proc. */
void check_twheel_is_gone(void);

#endif /* _MODULES_H */
