/* SPDX-License-Identifier: GPL-2.0 */
/* The driver's parameters, and who a test runs as. */
#ifndef _PARAMETER_H
#define _PARAMETER_H

#include <stdbool.h>

#define PARAMETERS "/sys/module/twheel/parameters/"

unsigned long long read_parameter(const char *name);

/* Whether that could be done. */
bool write_parameter(const char *name, unsigned long long value);

/* Open the device with another value of a parameter. */
int open_with(const char *name, unsigned int limit);

/* Go on without CAP_... */
void drop_capability(int number);

#endif /* _PARAMETER_H */
