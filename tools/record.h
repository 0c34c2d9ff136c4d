/* SPDX-License-Identifier: GPL-2.0 */
/* The records of timers: operations that would add them again. */
#ifndef _RECORD_H
#define _RECORD_H

#include <libtwheel.h>

/* Print a record as an object. @state is the state of the timer, or NULL for no state. */
void record_show_json(const struct twheel_op *op, const char *state);

/* Print a record as a command of twheelctl script. */
void record_show_line(const struct twheel_op *op);

/* Print a record as a row of a table. @state replaces the time that is left, or is NULL. */
void record_show_header(void);
void record_show_row(const struct twheel_op *op, const char *state);

#endif /* _RECORD_H */
