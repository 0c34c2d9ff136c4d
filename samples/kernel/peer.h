/* SPDX-License-Identifier: MIT */
/*
 * A sample of twheel.h: the table of peers. Read peer.c first.
 */
#ifndef _PEER_H
#define _PEER_H

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/types.h>

/**
 * struct peer_stats - statistics of the table
 * @added: Peers added.
 * @heard: Packets from peers.
 * @keepalives: Keepalives sent.
 * @probed: Probes sent.
 * @expired: Peers dropped because they were silent.
 * @removed: Peers removed by peer_remove().
 * @stopped: Peers removed by peer_table_stop().
 * @freed: Peers freed.
 * @surveys: Surveys of the table.
 * @missed: Surveys skipped because the one before took too long.
 *
 * At any time, added == expired + removed + stopped + peers in the table. Peers that are
 * not in the table have been freed or are about to be.
 */
struct peer_stats {
	atomic_long_t added;
	atomic_long_t heard;
	atomic_long_t keepalives;
	atomic_long_t probed;
	atomic_long_t expired;
	atomic_long_t removed;
	atomic_long_t stopped;
	atomic_long_t freed;
	atomic_long_t surveys;
	atomic_long_t missed;
};

extern struct peer_stats peer_stats;

/* peer.c */
void peer_table_start(void);
void peer_table_stop(void);
int peer_add(u32 id);
bool peer_heard(u32 id);
bool peer_remove(u32 id);
s64 peer_remaining(u32 id);
long peer_survey_longest(void);

/* peer_load.c: simulated traffic */
#ifdef PEER_NO_LOAD
static inline int peer_load_start(void) { return -EOPNOTSUPP; }
static inline void peer_load_stop(void) { }
#else
int peer_load_start(void);
void peer_load_stop(void);
#endif

#endif /* _PEER_H */
