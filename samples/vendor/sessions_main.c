// SPDX-License-Identifier: MIT
/*
 * A sample of the wheel in a module of your own: sessions that end, without twheel.ko
 *
 * A lock serialises all calls on the wheel. A timer of the kernel drives the wheel: it looks at the
 * tick that the wheel asks for.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>
#include "twheel_core.h"

#define SESSIONS	10000U

struct session {
	struct twheel_node	node;
	u64			deadline;
};

static struct session *sessions;
static void *levels;
static struct timer_list driver;
static DECLARE_COMPLETION(all_ended);

/* Protects all that follows. */
static DEFINE_SPINLOCK(lock);
static struct twheel_wheel wheel;
static unsigned int ended, early, late;

/*
 * Has the driver look at the wheel when the wheel asks for it. A timer of the kernel runs the tick
 * after its deadline, and one that is far away up to an eighth late. So the driver comes nearer in
 * legs, and the last leg is exact.
 */
static void sessions_drive(void)
{
	u64 next = twheel_wheel_next(&wheel), now = get_jiffies_64(), ahead;

	if (next == TWHEEL_NEVER)
		return;
	ahead = next > now ? min(next - now, (u64)HZ) : 1;
	if (ahead > 40)
		ahead -= ahead / 8;
	mod_timer(&driver, (unsigned long)now + ahead - 1);
}

static void sessions_end(struct session *session, u64 now)
{
	ended++;
	early += now < session->deadline;
	late += now > session->deadline;
	if (ended == SESSIONS)
		complete(&all_ended);
}

static void sessions_look(struct timer_list *timer)
{
	unsigned int budget = 1000;
	struct twheel_node *node;
	u64 now;

	spin_lock(&lock);
	now = get_jiffies_64();
	while ((node = twheel_wheel_expire(&wheel, now, &budget)))
		sessions_end(container_of(node, struct session, node), now);
	sessions_drive();
	spin_unlock(&lock);
}

static void sessions_begin(struct session *session, u64 deadline)
{
	session->deadline = deadline;
	twheel_wheel_forward(&wheel, get_jiffies_64());
	twheel_wheel_insert(&wheel, &session->node, deadline);
}

static void sessions_free(void)
{
	vfree(levels);
	vfree(sessions);
}

static int __init sessions_init(void)
{
	unsigned int i;

	sessions = vzalloc(array_size(SESSIONS, sizeof(*sessions)));
	levels = vzalloc(TWHEEL_LEVELS_BYTES);
	if (!sessions || !levels) {
		sessions_free();
		return -ENOMEM;
	}
	timer_setup(&driver, sessions_look, 0);
	spin_lock_bh(&lock);
	twheel_wheel_init(&wheel, get_jiffies_64());
	twheel_wheel_add_all_levels(&wheel, levels);
	for (i = 0; i < SESSIONS; i++)
		sessions_begin(&sessions[i], get_jiffies_64() + 10 + i % (10 * HZ));
	/* A session that goes on is pushed back, without a lock if need be. */
	for (i = 0; i < SESSIONS; i += 2)
		if (twheel_wheel_extend(&sessions[i].node, sessions[i].deadline + HZ))
			sessions[i].deadline += HZ;
	sessions_drive();
	spin_unlock_bh(&lock);

	wait_for_completion(&all_ended);
	pr_info("sessions: %u ended, %u early, %u late\n", ended, early, late);
	return 0;
}
module_init(sessions_init);

static void __exit sessions_exit(void)
{
	timer_delete_sync(&driver);
	sessions_free();
}
module_exit(sessions_exit);

MODULE_DESCRIPTION("A sample of the wheel in a module of your own");
MODULE_LICENSE("Dual MIT/GPL");
