/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _DRAIN_H
#define _DRAIN_H

/* Take all pending timers back and print them. Returns an exit status. */
int drain_show(int fd);

#endif /* _DRAIN_H */
