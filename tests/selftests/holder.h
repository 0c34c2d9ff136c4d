/* SPDX-License-Identifier: GPL-2.0 */
/* Leases, and what a holder can do with one. */
#ifndef _HOLDER_H
#define _HOLDER_H

#include "device.h"

#define ON_CLOSE TWHEEL_LEASE_EXPIRE_ON_CLOSE

/* Make a lease. Returns its descriptor, or a negative errno, which new_lease() does not accept. */
int try_lease(int fd, __u64 handle, __u64 cap_ns, __u32 flags);
int new_lease(int fd, __u64 handle, __u64 cap_ns, __u32 flags);

/* A lease of a new timer far ahead, which may be pushed by as much. */
int lease_of_new_timer(int fd, __u64 *handle, __u32 flags);

/* Push to the cap, or to a time from now. Return 0 or a negative errno. */
int push(int lease);
int push_by(int lease, __u64 ns);

/* How much time is left in ns, or a negative errno. */
long long left(int lease);

/* Whether poll() reports the end; no other answer but POLLOUT is allowed. */
bool has_ended(int lease);
void wait_for_end(int lease);

/* Check that the lease has ended, and that a holder can do nothing any more. */
void check_ended(int lease);

/* Whether the timer has a lease, as TWHEEL_OP_QUERY says. */
bool is_leased(int fd, __u64 handle);

/* How many timers of a descriptor have a lease. */
unsigned long long leases_of(int fd);

/* Read an event of a timer that expired because its lease was closed. */
struct twheel_event read_closed(int fd);

#endif /* _HOLDER_H */
