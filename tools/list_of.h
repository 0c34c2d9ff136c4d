/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LIST_OF_H
#define _LIST_OF_H

/* Print the timers of the descriptor that --of names. Returns an exit status. */
int list_of(int argc, char **argv);

#endif /* _LIST_OF_H */
