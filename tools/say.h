/* SPDX-License-Identifier: GPL-2.0 */
/* What goes to people when something is wrong. */
#ifndef _SAY_H
#define _SAY_H

/* A line on stderr. */
__attribute__((__format__(printf, 1, 2)))
void say(const char *format, ...);

#endif /* _SAY_H */
