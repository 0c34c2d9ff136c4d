/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STAT_H
#define _STAT_H

/* Print what the driver reports about a descriptor. Returns an exit status. */
int stat_show(int fd);

#endif /* _STAT_H */
