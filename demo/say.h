/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What went wrong, on stderr.
 */
#ifndef _DEMO_SAY_H
#define _DEMO_SAY_H

#define __printf(format, first)				\
	__attribute__((__format__(printf,		\
				  format, first)))

void __printf(1, 2) say(const char *format, ...);

#endif /* _DEMO_SAY_H */
