/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sample of twheel.h: the table of peers. peer.c is what to read.
 */
#ifndef _PEER_H
#define _PEER_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct peer_stats - what became of the peers
 * @added: Peers that came.
 * @heard: Times that a peer was heard from.
 * @keepalives: Times that a peer was sent a sign of life.
 * @probed: Times that a silent peer was asked.
 * @expired: Peers that died of silence.
 * @removed: Peers that were told to go.
 * @stopped: Peers that were there when the table was stopped.
 * @freed: Peers whose memory was freed.
 * @surveys: Surveys taken.
 * @missed: Surveys that were due but not taken, the one before was too slow.
 *
 * added == expired + removed + stopped + live at any time, and those that are
 * not live have been freed or are about to be.
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

/* peer_load.c: what a network would do */
int peer_load_start(void);
void peer_load_stop(void);

#endif /* _PEER_H */
