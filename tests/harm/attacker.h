/* SPDX-License-Identifier: GPL-2.0 */
/* The process that attacks. */
#ifndef _ATTACKER_H
#define _ATTACKER_H

#include <sys/types.h>

#include "attacks.h"

/* Start an attack, as a user of its own. It is prepared when this returns. */
pid_t start_attack(const struct attack *attack);

/* End an attack, and all its processes. */
void end_attack(pid_t attacker);

#endif /* _ATTACKER_H */
