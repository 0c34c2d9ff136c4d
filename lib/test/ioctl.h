/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* What the linker option --wrap=ioctl makes of ioctl(). */
#ifndef _IOCTL_H
#define _IOCTL_H

/* The C library's ioctl(). */
int __real_ioctl(int fd, unsigned long call, void *argument);

/* The function that ioctl() calls instead. */
int __wrap_ioctl(int fd, unsigned long call, void *argument);

#endif /* _IOCTL_H */
