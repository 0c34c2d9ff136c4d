/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load and unload modules, and read the kernel's log. The environment variable
 * TWHEEL_MODULES names the directory where the modules were built.
 */
#ifndef _MODULES_H
#define _MODULES_H

#include <stddef.h>

/* Return 0 or a negative errno. try_unload() does not wait for the module's users. */
int try_load(const char *name, const char *parameters);
int try_unload(const char *name);

/* The same. A failure ends the case. */
void load(const char *name, const char *parameters);
void unload(const char *name);

/* The contents of a module's file. The caller frees them. */
void *module_image(const char *name, size_t *size);

/* Check that twheel is gone, with its entries in /dev, /sys and /proc. */
void check_twheel_is_gone(void);

#endif /* _MODULES_H */
