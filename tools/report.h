/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to the user. */
#ifndef _REPORT_H
#define _REPORT_H

/* Print a line with the tool's name to stderr. */
__attribute__((__format__(printf, 1, 2)))
void report(const char *format, ...);

#endif /* _REPORT_H */
