/* SPDX-License-Identifier: GPL-2.0 */
/* The lease of a command that the tool has started. */
#ifndef _LEASE_H
#define _LEASE_H

/* Variables in the command's environment: the descriptor of its lease, and its length. */
#define LEASE_FD	"TWHEEL_LEASE_FD"
#define LEASE_NS	"TWHEEL_LEASE_NS"

#endif /* _LEASE_H */
