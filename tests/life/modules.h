/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Modules, which a test loads and unloads, and the kernel's log. The environment
 * variable TWHEEL_MODULES names the directory that they were built in.
 */
#ifndef _MODULES_H
#define _MODULES_H

#include <stdbool.h>
#include <stddef.h>

/* 0 or a negative errno. Unloading does not wait for users of a module. */
int try_load(const char *name, const char *parameters);
int try_unload(const char *name);

/* The same, which must do. */
void load(const char *name, const char *parameters);
void unload(const char *name);

/* A module's file, to be freed. */
void *module_image(const char *name, size_t *size);

/* A module's parameter that is a number. */
int module_number(const char *module, const char *parameter);

/* The kernel's log, from here on; and whether a text has come in it since. */
int log_from_here(void);
bool logged(int log, const char *text);

/* That nothing of twheel is there: not even what it leaves in other places. */
void check_twheel_is_gone(void);

#endif /* _MODULES_H */
