// SPDX-License-Identifier: GPL-2.0
/*
 * A sample of twheel.h: peers that are dropped when they fall silent
 *
 * A protocol keeps a table of its peers. It hears from each of them now and
 * then, in whatever context packets come in. A peer that is silent for too
 * long is probed a few times and then dropped. Each peer is sent a keepalive at
 * regular intervals, too. So every peer has two timers, embedded in it:
 *
 *	timeout		pushed back whenever the peer is heard from, so that it
 *			hardly ever runs; if it does, it probes and arms itself
 *			again, or frees the peer
 *	keepalive	runs at regular intervals, and need not be punctual
 *
 * and the table has one, which surveys it and sleeps while it does so.
 *
 * Who may do what to a timer
 *
 * twheel may be called from any context, and locks for itself. The lock here, one
 * a bucket of the table, is there for the lifetime of peers alone. Three rules
 * do for that:
 *
 *	1. A peer's timers are armed with its bucket locked and the peer in the
 *	   table, and at no other time. So once the peer has been taken out, nobody
 *	   arms them any more, and a callback that is late finds it gone.
 *	2. Who takes the peer out of the table owns it: that happens once, under
 *	   the lock. The owner waits for both callbacks and frees the peer. If
 *	   the owner is one of the callbacks, it waits for the other one only.
 *	3. Waiting is done without the lock: the callback that is awaited takes it.
 *
 *	CPU 0: the timeout			CPU 1: peer_remove()
 *						lock; take it out; unlock
 *	lock; it is out: nothing to do; unlock	twheel_shutdown_sync(timeout)
 *	return					  returns now; then it is freed
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <twheel.h>
#include "peer.h"

/* How long a peer may be silent, and how often it is asked whether it lives. */
#define SILENCE		(HZ / 2)
#define PROBE_INTERVAL	(HZ / 10)
#define PROBES		3
/* How often a peer hears from us, and by how much we may be late. */
#define KEEPALIVE	(HZ / 5)
#define KEEPALIVE_SLACK	(HZ / 20)
#define SURVEY_PERIOD	(HZ / 4)

#define TABLE_BITS	8

/**
 * struct peer - somebody to be heard from
 * @node: In the table; unhashed by the one who owns it from then on.
 * @id: Who it is.
 * @probes: Sent since it was last heard from. Protected by the bucket's lock.
 * @timeout: Runs when it has been silent for too long.
 * @keepalive: Runs when it is to hear from us.
 */
struct peer {
	struct hlist_node	node;
	u32			id;
	unsigned int		probes;
	struct twheel_timer	timeout;
	struct twheel_timer	keepalive;
};

/**
 * struct peer_bucket - a part of the table
 * @lock: Taken in hardirq context, so it is a raw one, interrupts off.
 * @peers: Those whose id leads here.
 * @open: Peers may be added.
 */
struct peer_bucket {
	raw_spinlock_t		lock;
	struct hlist_head	peers;
	bool			open;
};

struct peer_stats peer_stats;

static struct peer_bucket table[1 << TABLE_BITS] = {
	[0 ... (1 << TABLE_BITS) - 1] = {
		.lock = __RAW_SPIN_LOCK_UNLOCKED(table.lock),
	},
};

static DEFINE_MUTEX(survey_lock);
static long survey_longest;

static struct peer_bucket *bucket_of(u32 id)
{
	return &table[hash_32(id, TABLE_BITS)];
}

static struct peer *find(struct peer_bucket *bucket, u32 id)
{
	struct peer *peer;

	lockdep_assert_held(&bucket->lock);
	hlist_for_each_entry(peer, &bucket->peers, node)
		if (peer->id == id)
			return peer;
	return NULL;
}

/* Rule 1: is the peer still there, so that its timers may be armed? */
static bool is_live(const struct peer *peer)
{
	return !hlist_unhashed(&peer->node);
}

/* Rule 2: from here on the peer is the caller's. */
static void take_out(struct peer *peer)
{
	hlist_del_init(&peer->node);
}

/* Its timers are idle and nobody will arm them. */
static void free_peer(struct peer *peer)
{
	/*
	 * Not needed, but if we were wrong, this would say so, and name the
	 * callback, instead of leaving the wheel with a pointer to nothing.
	 */
	twheel_destroy(&peer->timeout);
	twheel_destroy(&peer->keepalive);
	kfree(peer);
	atomic_long_inc(&peer_stats.freed);
}

/*
 * Softirq: the peer was silent for too long. twheel holds no lock here and does
 * not touch the timer any more, unless we arm it.
 */
static void peer_timed_out(struct twheel_timer *timer)
{
	struct peer *peer = container_of(timer, struct peer, timeout);
	struct peer_bucket *bucket = bucket_of(peer->id);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	/*
	 * While we were waiting for the lock the peer may have been taken out:
	 * its new owner awaits us. Or it was heard from at the last moment, and
	 * its timer is pending again.
	 */
	if (!is_live(peer) || twheel_pending(timer))
		goto out_unlock;

	if (peer->probes < PROBES) {
		/* Idle, as the timer is in its callback, so it may be added. */
		peer->probes++;
		twheel_add_after(timer, PROBE_INTERVAL);
		atomic_long_inc(&peer_stats.probed);
		goto out_unlock;
	}
	take_out(peer);
	atomic_long_inc(&peer_stats.expired);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);

	/*
	 * Ours, and our own timer is idle for good. The other one's callback
	 * may be running on another CPU, and looking at the peer; it never waits
	 * for us. shutdown rather than cancel: it also refuses to be armed.
	 * For our own timer it would return -EDEADLK.
	 */
	twheel_shutdown_sync(&peer->keepalive);
	free_peer(peer);
	return;

out_unlock:
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/*
 * Softirq: tell the peer that we live. twheel_forward() arms the timer for the
 * next point of its grid: however late we are, intervals do not add up to a
 * drift, and what was missed is skipped. (For an interval that never changes
 * twheel_add_periodic() does the same; see the survey below.)
 */
static void peer_keep_alive(struct twheel_timer *timer)
{
	struct peer *peer = container_of(timer, struct peer, keepalive);
	struct peer_bucket *bucket = bucket_of(peer->id);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	if (is_live(peer)) {
		twheel_forward(timer, KEEPALIVE);
		atomic_long_inc(&peer_stats.keepalives);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

static struct peer *new_peer(u32 id)
{
	struct peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL);

	if (!peer)
		return NULL;
	peer->id = id;
	/* Once, before the timer is used; it cannot be armed otherwise. */
	twheel_setup(&peer->timeout, peer_timed_out, 0);
	twheel_setup(&peer->keepalive, peer_keep_alive, 0);
	/* Nobody minds when exactly: those of many peers can go together. */
	twheel_set_slack(&peer->keepalive, KEEPALIVE_SLACK);
	return peer;
}

/**
 * peer_add - begin with a peer
 * @id: Who it is.
 *
 * Context: process; sleeps.
 *
 * Return: 0, -EEXIST, -ENOMEM, or -ESHUTDOWN if the table is stopped.
 */
int peer_add(u32 id)
{
	struct peer_bucket *bucket = bucket_of(id);
	struct peer *peer = new_peer(id);
	int ret = 0;

	if (!peer)
		return -ENOMEM;
	raw_spin_lock_irq(&bucket->lock);
	if (!bucket->open)
		ret = -ESHUTDOWN;
	else if (find(bucket, id))
		ret = -EEXIST;
	if (!ret) {
		hlist_add_head(&peer->node, &bucket->peers);
		/*
		 * Relative, and never short: the tick that has partly gone by
		 * does not count. twheel_add() takes an absolute deadline, and
		 * twheel_add_on() a CPU too: else it is this one.
		 */
		twheel_add_after(&peer->timeout, SILENCE);
		twheel_add_after(&peer->keepalive, KEEPALIVE);
		atomic_long_inc(&peer_stats.added);
	}
	raw_spin_unlock_irq(&bucket->lock);
	if (ret)
		kfree(peer);
	return ret;
}

/**
 * peer_heard - a peer has been heard from
 * @id: Who.
 *
 * Context: any; packets come in hardirqs too.
 *
 * Return: whether there is such a peer.
 */
bool peer_heard(u32 id)
{
	struct peer_bucket *bucket = bucket_of(id);
	unsigned long flags;
	struct peer *peer;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	peer = find(bucket, id);
	if (peer) {
		/*
		 * This is what twheel is best at: pushing a deadline back costs
		 * one atomic operation, whatever else is pending. If the timeout
		 * has run out just now, twheel_mod() arms it anew and returns
		 * 0, and the callback will find it pending.
		 */
		twheel_mod(&peer->timeout, twheel_after(SILENCE));
		peer->probes = 0;
		atomic_long_inc(&peer_stats.heard);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return peer;
}

/* Rules 2 and 3: the caller has taken the peer out, and holds no lock. */
static void end_peer(struct peer *peer)
{
	twheel_shutdown_sync(&peer->timeout);
	twheel_shutdown_sync(&peer->keepalive);
	free_peer(peer);
}

/**
 * peer_remove - end with a peer
 * @id: Who.
 *
 * Context: process or softirq, but not one of the callbacks above: it waits
 * for both.
 *
 * Return: whether there was such a peer.
 */
bool peer_remove(u32 id)
{
	struct peer_bucket *bucket = bucket_of(id);
	unsigned long flags;
	struct peer *peer;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	peer = find(bucket, id);
	if (peer) {
		take_out(peer);
		atomic_long_inc(&peer_stats.removed);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	if (!peer)
		return false;
	end_peer(peer);
	return true;
}

/**
 * peer_remaining - how long a peer may be silent still
 * @id: Who.
 *
 * Context: any.
 *
 * Return: In ticks, or -ENOENT.
 */
s64 peer_remaining(u32 id)
{
	struct peer_bucket *bucket = bucket_of(id);
	unsigned long flags;
	struct peer *peer;
	s64 ret = -ENOENT;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	peer = find(bucket, id);
	if (peer)
		ret = twheel_remaining(&peer->timeout);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return ret;
}

static long bucket_length(struct peer_bucket *bucket)
{
	struct peer *peer;
	long length = 0;

	raw_spin_lock_irq(&bucket->lock);
	hlist_for_each_entry(peer, &bucket->peers, node)
		length++;
	raw_spin_unlock_irq(&bucket->lock);
	return length;
}

/*
 * Process context, because of TWHEEL_PROCESS: this may take its time, sleep
 * and take mutexes. The timer is periodic: it is pending for its next period
 * already. If we take longer than that, we are not called twice at a time;
 * deadlines are skipped instead.
 */
static void survey(struct twheel_timer *timer)
{
	long longest = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		longest = max(longest, bucket_length(&table[i]));
		cond_resched();
	}
	mutex_lock(&survey_lock);
	survey_longest = longest;
	mutex_unlock(&survey_lock);
	atomic_long_inc(&peer_stats.surveys);
	atomic_long_add(twheel_missed(timer), &peer_stats.missed);
}

static struct twheel_timer survey_timer;

/**
 * peer_survey_longest - what the last survey found
 *
 * Context: process.
 *
 * Return: How many peers the fullest bucket had.
 */
long peer_survey_longest(void)
{
	long ret;

	mutex_lock(&survey_lock);
	ret = survey_longest;
	mutex_unlock(&survey_lock);
	return ret;
}

static void set_open(bool open)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		raw_spin_lock_irq(&table[i].lock);
		table[i].open = open;
		raw_spin_unlock_irq(&table[i].lock);
	}
}

/**
 * peer_table_start - let peers come
 *
 * At the beginning, and after peer_table_stop().
 */
void peer_table_start(void)
{
	/* A timer that was shut down can be used again once it is set up again. */
	twheel_setup(&survey_timer, survey, TWHEEL_PROCESS);
	twheel_add_periodic(&survey_timer, twheel_after(SURVEY_PERIOD), SURVEY_PERIOD);
	set_open(true);
}

static struct peer *take_any_out(struct peer_bucket *bucket)
{
	struct peer *peer;

	raw_spin_lock_irq(&bucket->lock);
	peer = hlist_entry_safe(bucket->peers.first, struct peer, node);
	if (peer) {
		take_out(peer);
		atomic_long_inc(&peer_stats.stopped);
	}
	raw_spin_unlock_irq(&bucket->lock);
	return peer;
}

/**
 * peer_table_stop - end with all peers
 *
 * Meanwhile peers may be heard from, removed and asked for; from now on none can
 * be added. Afterwards nothing of the table runs, but for calls of peer_remove()
 * that others have made.
 *
 * Context: process; sleeps.
 */
void peer_table_stop(void)
{
	struct peer *peer;
	unsigned int i;

	/* Sleeps until the survey has ended, if one is being taken. */
	twheel_shutdown_sync(&survey_timer);
	set_open(false);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		while ((peer = take_any_out(&table[i]))) {
			end_peer(peer);
			cond_resched();
		}
	}
	/*
	 * A callback that has taken its peer out is not waited for by anybody.
	 * It must be over before the module's code goes away: it is a softirq,
	 * and those have all returned after an RCU grace period.
	 */
	synchronize_rcu();
}
