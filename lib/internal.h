/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* libtwheel: what its files share */
#ifndef _TWHEEL_INTERNAL_H
#define _TWHEEL_INTERNAL_H

#include "libtwheel.h"

/* An exported function, which libtwheel.map has to list as well. */
#define API	__attribute__((__visibility__("default")))

/* poll(): 1 if the descriptor has one of these events or POLLHUP, 0 after the timeout. */
int twheel_poll(int fd, short events, int timeout_ms);

/* ioctl(), which returns a negative errno instead of -1. */
int twheel_call(int fd, unsigned long call, void *argument);

#endif /* _TWHEEL_INTERNAL_H */
