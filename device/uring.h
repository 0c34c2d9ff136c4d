/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: the calls on /dev/twheel as commands of io_uring
 */
#ifndef _TWHEEL_DEVICE_URING_H
#define _TWHEEL_DEVICE_URING_H

struct io_uring_cmd;

#ifdef CONFIG_IO_URING
int twheel_uring_command(struct io_uring_cmd *command, unsigned int issue_flags);
#else
#define twheel_uring_command NULL
#endif

#endif /* _TWHEEL_DEVICE_URING_H */
