/* SPDX-License-Identifier: GPL-2.0 */
/* What an attack needs of the machine. */
#ifndef _SETUP_H
#define _SETUP_H

/* Make the device, the scheduler and the limits as the attacks need them, and undo it. */
void set_up(void);
void set_back(void);

#endif /* _SETUP_H */
