// SPDX-License-Identifier: MIT
/* The agent of a primary: it renews the lease. */
#include <unistd.h>

#include "fencing.h"

void agent_run(void (*renew)(void), bool die_with_agent)
{
	actors_start(die_with_agent);
	while (!__atomic_load_n(&shared->hang, __ATOMIC_ACQUIRE)) {
		/* The lease counts from before the renewal: a standby may count from then. */
		__atomic_store_n(&shared->renewed_ns, now(), __ATOMIC_RELEASE);
		renew();
		sleep_until(now() + LEASE_NS / 4);
	}
	for (;;)
		pause();
}
