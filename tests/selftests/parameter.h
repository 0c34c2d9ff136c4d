/* SPDX-License-Identifier: GPL-2.0 */
/* Files of the kernel, the module's parameters, and the capabilities of a test. */
#ifndef _PARAMETER_H
#define _PARAMETER_H

#include <stdbool.h>
#include <stddef.h>

#define PARAMETERS "/sys/module/twheel/parameters/"

/* Write to a file that exists, in one write(). Returns false, with an errno, if that fails. */
bool write_file(const char *path, const char *text);

/* Read all of a file, which is there, as a string. */
void read_file(const char *path, char *text, size_t size);

/*
 * The first number that a line of a file has where @format, a format of scanf(), says. Returns
 * false if there is none, or no such file.
 */
bool find_number(const char *path, const char *format, unsigned long long *number);

/* The same where there must be one. */
unsigned long long number_from(const char *path, const char *format);

unsigned long long read_parameter(const char *name);

/* Returns false if the parameter cannot be written. */
bool write_parameter(const char *name, unsigned long long value);

/* Drop one capability, CAP_..., of this process. */
void drop_capability(int number);

#endif /* _PARAMETER_H */
