/* SPDX-License-Identifier: GPL-2.0 */
/* What an attack needs of the machine. */
#ifndef _SETUP_H
#define _SETUP_H

#include <stddef.h>

/* Make the device, the scheduler and the limits as the attacks need them, and undo it. */
void set_up(void);
void set_back(void);

/* Memory that the children of this process share with it. */
void *share_memory(size_t size);

#endif /* _SETUP_H */
