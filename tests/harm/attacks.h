/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attacks: what a program without privileges does with /dev/twheel. An attack
 * prepares itself, and then makes one step after the other until it is killed.
 */
#ifndef _ATTACKS_H
#define _ATTACKS_H

#include <stdbool.h>
#include "work.h"

enum { FIRST_ATTACKER = 1000, FIRST_SUBUID = 200000, SUBUIDS = 100 };

struct attack {
	const char	*name;
	void		(*prepare)(unsigned int count);
	void		(*step)(void);
	unsigned int	count;		/* how many timers or descriptors */
	unsigned int	long_count;	/* the same with --long, if not 0 */
	bool		stores_only;	/* a step need not run on the attacked CPU */
	bool		waiters;	/* the kernel wakes many at a stretch */
	void		(*prepare_as_root)(void);	/* if not NULL, called first */
	bool		two_cpus;	/* nothing to attack with one CPU */
	bool		many_users;	/* in a user namespace with SUBUIDS users */
	bool		container;	/* as root of a container without a user namespace */
};

/* The attacks, and those for a CPU that goes offline. The last one of each has no name. */
extern const struct attack attacks[];
extern const struct attack hotplug_attacks[];

#endif /* _ATTACKS_H */
