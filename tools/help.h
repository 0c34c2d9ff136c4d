/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HELP_H
#define _HELP_H

#include <stdio.h>
#include "command.h"

/* Print the help of all subcommands. */
void help_all(FILE *to);

/* Print the help of one subcommand. */
void help_of(const struct command *command);

#endif /* _HELP_H */
