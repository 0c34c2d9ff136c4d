/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINE_H
#define _LINE_H

#include "script.h"

/* Carry out the command of a script's line. Returns an exit status. */
int line_run(struct script *script, int argc, char **argv);

#endif /* _LINE_H */
