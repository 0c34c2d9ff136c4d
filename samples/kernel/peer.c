// SPDX-License-Identifier: MIT
/*
 * A sample of twheel.h: peers that are dropped when they fall silent
 *
 * A protocol keeps a table of its peers. Packets from peers come in any context. A
 * peer that is silent for too long is probed a few times and then dropped. The
 * protocol also sends each peer a keepalive at regular intervals. So struct peer
 * embeds two timers:
 *
 *	timeout		Pushed back by every packet, so that it hardly ever expires.
 *			Its callback probes the peer and arms the timer again, or
 *			drops the peer.
 *	keepalive	Expires at regular intervals, and may be a little late.
 *
 * One more timer surveys the table. Its callback sleeps.
 *
 * Locking and lifetime
 *
 * The functions of twheel.h may be called from any context and need no lock of the
 * caller. The lock of a bucket protects the lifetime of its peers, by three rules:
 *
 *	1. A peer's timers are armed only under the lock of its bucket, and only
 *	   while the peer is in the table. So no timer is armed after the peer was
 *	   taken out, and a callback that runs then finds that it has nothing to do.
 *	2. A peer is taken out of the table once, under the lock. The function that
 *	   takes it out owns it: it waits for both callbacks and frees the peer. A
 *	   callback that owns the peer must not wait: it leaves that to RCU.
 *	3. The owner waits without the lock, because the callbacks take the lock.
 *
 *	CPU 0: peer_timed_out()			CPU 1: peer_remove()
 *						lock; take the peer out; unlock
 *						twheel_shutdown_sync(timeout)
 *	lock; the peer is out; unlock		  waits
 *	return					  returns
 *						free the peer
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

/* How long a peer may be silent before it is probed; how often, and how many times. */
#define SILENCE		(HZ / 2)
#define PROBE_INTERVAL	(HZ / 10)
#define PROBES		3
/* The interval between keepalives. */
#define KEEPALIVE	(HZ / 5)
#define SURVEY_PERIOD	(HZ / 4)

#define TABLE_BITS	8

/**
 * struct peer - a peer
 * @node: Entry in the bucket; unhashed once the peer has been taken out.
 * @id: The peer's number.
 * @probes: Probes sent since its last packet. Protected by the bucket's lock.
 * @timeout: Expires when the peer has been silent for too long.
 * @keepalive: Expires when the next keepalive is due.
 * @rcu: Frees the peer when its timeout has taken it out.
 */
struct peer {
	struct hlist_node	node;
	u32			id;
	unsigned int		probes;
	struct twheel_timer	timeout;
	struct twheel_timer	keepalive;
	struct rcu_head		rcu;
};

/**
 * struct peer_bucket - a bucket of the hash table
 * @lock: Protects the other members. A raw spinlock, with interrupts disabled, because
 *	packets come in hardirq context, too.
 * @peers: The peers whose id hashes to this bucket.
 * @open: Whether peers may be added.
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

/* Rule 1: whether the peer is in the table, so that its timers may be armed. */
static bool is_live(const struct peer *peer)
{
	return !hlist_unhashed(&peer->node);
}

/* Rule 2: the caller owns the peer from here on. */
static void take_out(struct peer *peer)
{
	hlist_del_init(&peer->node);
}

/* Both timers are idle, no function arms them again, and their callbacks have returned. */
static void free_peer(struct peer *peer)
{
	/*
	 * Optional. If a timer were still pending, twheel_destroy() would warn and
	 * name its callback; without it, the wheel would keep a dangling pointer.
	 */
	twheel_destroy(&peer->timeout);
	twheel_destroy(&peer->keepalive);
	kfree(peer);
	atomic_long_inc(&peer_stats.freed);
}

static void free_peer_later(struct rcu_head *rcu)
{
	free_peer(container_of(rcu, struct peer, rcu));
}

/*
 * Softirq: the peer was silent for too long. twheel calls this without a lock. The timer
 * is idle, and twheel does not touch it again unless this function arms it: so a
 * callback may free the object that its timer is in.
 */
static void peer_timed_out(struct twheel_timer *timer)
{
	struct peer *peer = container_of(timer, struct peer, timeout);
	struct peer_bucket *bucket = bucket_of(peer->id);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	/*
	 * Before this CPU got the lock, another one may have taken the peer out: its
	 * owner then waits for this callback. Or a packet came at the last moment, and
	 * the timer is pending again.
	 */
	if (!is_live(peer) || twheel_pending(timer))
		goto out_unlock;

	if (peer->probes < PROBES) {
		/* The timer is idle while its callback runs, so it may be added. */
		peer->probes++;
		twheel_add_after(timer, PROBE_INTERVAL);
		atomic_long_inc(&peer_stats.probed);
		goto out_unlock;
	}
	take_out(peer);
	atomic_long_inc(&peer_stats.expired);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);

	/*
	 * This callback owns the peer now, and its own timer stays idle. The callback
	 * of the other timer may be running on another CPU and using the peer. With
	 * PREEMPT_RT, a callback must not wait for it. RCU does: callbacks run in
	 * softirq. A timer that was shut down cannot be armed any more, unlike one that
	 * was cancelled.
	 */
	twheel_shutdown(&peer->keepalive);
	call_rcu(&peer->rcu, free_peer_later);
	return;

out_unlock:
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/*
 * Softirq: send a keepalive. twheel_forward() adds whole intervals to the old deadline
 * until it is in the future, and arms the timer for that. So a late callback causes no
 * drift, and intervals that have passed are skipped. If the interval never changes,
 * twheel_add_periodic() does the same: see survey() below.
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
	/* Every timer has to be set up once, before its first use. */
	twheel_setup(&peer->timeout, peer_timed_out, 0);
	twheel_setup(&peer->keepalive, peer_keep_alive, 0);
	return peer;
}

/**
 * peer_add - add a peer to the table
 * @id: The peer's number.
 *
 * Context: process; may sleep.
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
		 * From now on; the rest of the current tick comes on top, so that the
		 * timer never expires early. twheel_add() takes an absolute deadline
		 * instead. Both use the wheel of this CPU; twheel_add_on() takes the CPU.
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
 * peer_heard - note that a packet has come from a peer
 * @id: The peer's number.
 *
 * Context: any; packets come in hardirq context, too.
 *
 * Return: whether the peer is in the table.
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
		 * The fast path of a protocol, and of twheel: pushing a deadline back
		 * takes one atomic operation. If the timeout has just expired,
		 * twheel_mod() arms the timer again and returns 0, and the callback
		 * finds the timer pending.
		 */
		twheel_mod(&peer->timeout, twheel_after(SILENCE));
		peer->probes = 0;
		atomic_long_inc(&peer_stats.heard);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return peer;
}

/* Rules 2 and 3: the caller has taken the peer out, and holds no lock. */
static void shut_down_peer(struct peer *peer)
{
	twheel_shutdown_sync(&peer->timeout);
	twheel_shutdown_sync(&peer->keepalive);
	free_peer(peer);
}

/**
 * peer_remove - remove a peer from the table and free it
 * @id: The peer's number.
 *
 * Waits for both callbacks of the peer.
 *
 * Context: process or softirq, but not from these callbacks.
 *
 * Return: whether the peer was in the table.
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
	shut_down_peer(peer);
	return true;
}

/**
 * peer_remaining - the time until the timeout of a peer
 * @id: The peer's number.
 *
 * Context: any.
 *
 * Return: the time in ticks, or -ENOENT if the peer is not in the table.
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
 * Process context, because the timer has TWHEEL_PROCESS: this may sleep and take
 * mutexes. The timer is periodic and already pending for its next deadline. Should this
 * function run for longer than a period, it is not called twice at a time: deadlines are
 * skipped, and twheel_missed() counts them.
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
 * peer_survey_longest - the result of the last survey
 *
 * Context: process.
 *
 * Return: the number of peers in the fullest bucket.
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
 * peer_table_start - open the table
 *
 * For a new table, and for one that was stopped.
 *
 * Context: process.
 */
void peer_table_start(void)
{
	/* A timer that was shut down has to be set up again before it is used again. */
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
 * peer_table_stop - close the table and remove all peers
 *
 * The other functions may be called meanwhile; peer_add() returns -ESHUTDOWN. After the
 * return no callback runs and no timer is pending, unless another CPU is still in
 * peer_remove().
 *
 * Context: process; sleeps.
 */
void peer_table_stop(void)
{
	struct peer *peer;
	unsigned int i;

	/* Sleeps until the callback has returned, if it is running. */
	twheel_shutdown_sync(&survey_timer);
	set_open(false);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		while ((peer = take_any_out(&table[i]))) {
			shut_down_peer(peer);
			cond_resched();
		}
	}
	/*
	 * A callback that has taken its peer out may still be running: the peer was not
	 * in the table for the loop above. It must return, and the peer be freed, before
	 * the module's code goes away. Callbacks run in softirq, so an RCU grace period
	 * waits for them; rcu_barrier() waits for the last free_peer_later().
	 */
	synchronize_rcu();
	rcu_barrier();
}
