/* SPDX-License-Identifier: GPL-2.0 */
/* Files of the kernel, the module's parameters, and the capabilities of a test. */
#ifndef _PARAMETER_H
#define _PARAMETER_H

#include <stdbool.h>

#define PARAMETERS "/sys/module/twheel/parameters/"

/* Write to a file that exists, in one write(). Returns false, with an errno, if that fails. */
bool write_file(const char *path, const char *text);

unsigned long long read_parameter(const char *name);

/* Returns false if the parameter cannot be written. */
bool write_parameter(const char *name, unsigned long long value);

/* Open the device while a parameter has another value. */
int open_with(const char *name, unsigned int limit);

/* Drop one capability, CAP_..., of this process. */
void drop_capability(int number);

#endif /* _PARAMETER_H */
