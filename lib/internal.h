/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* What the library's files share. */
#ifndef _TWHEEL_INTERNAL_H
#define _TWHEEL_INTERNAL_H

#include "libtwheel.h"

/* What is not in libtwheel.map is hidden. */
#define API	__attribute__((__visibility__("default")))

/* An ioctl() that returns a negative errno. */
int twheel_call(int fd, unsigned long call, void *argument);

#endif /* _TWHEEL_INTERNAL_H */
