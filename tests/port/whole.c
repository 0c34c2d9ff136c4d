// SPDX-License-Identifier: GPL-2.0
/*
 * A module that uses timer_list. scripts/port.cocci must make each line what its comment says, and
 * leave nothing to do by hand.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timer.h> /* #include "twheel.h" */
#include <net/sock.h>

struct session {
	unsigned long		last;
	struct timer_list	idle; /* struct twheel_timer	idle; */
	struct timer_list	retry; /* struct twheel_timer	retry; */
	struct {
		struct timer_list	timer; /* struct twheel_timer	timer; */
	} probe;
	struct timer_list	rounds[2]; /* struct twheel_timer	rounds[2]; */
};

static void tick_fn(struct timer_list *t); /* static void tick_fn(struct twheel_timer *t); */
static DEFINE_TIMER(tick, tick_fn); /* static DEFINE_TWHEEL_TIMER(tick, tick_fn); */
static struct session *session;
static int left = -1;

static void tick_fn(struct timer_list *t)
{
	mod_timer(t, jiffies); /* twheel_mod_after(t, 0); */
	mod_timer(t, jiffies + HZ); /* twheel_mod_after(t, HZ); */
	mod_timer(t, jiffies + 5 * HZ); /* twheel_mod_after(t, 5 * HZ); */
	mod_timer(t, jiffies + HZ / 4); /* twheel_mod_after(t, HZ / 4); */
	mod_timer(t, jiffies + msecs_to_jiffies(9)); /* twheel_mod_after(t, msecs_to_jiffies(9)); */
	mod_timer(t, jiffies + left); /* twheel_mod(t, twheel_from_jiffies(jiffies + left) + 1); */
	mod_timer(t, jiffies - 1); /* twheel_mod(t, twheel_from_jiffies(jiffies - 1) + 1); */
}

static void idle_fn(struct timer_list *t)
{
	struct session *s = timer_container_of(s, t, idle);

	timer_reduce(&s->retry, 4); /* twheel_reduce(&s->retry, twheel_from_jiffies(4) + 1); */
	mod_timer(t, s->last); /* twheel_mod(t, twheel_from_jiffies(s->last) + 1); */
}

static void retry_fn(struct timer_list *t)
{
	struct session *s = from_timer(s, t, retry);

	if (timer_pending(t)) /* if (twheel_pending(t)) */
		timer_delete(t); /* twheel_cancel(t); */
	mod_timer_pending(t, 4); /* twheel_mod_pending(t, twheel_from_jiffies(4) + 1); */
	try_to_del_timer_sync(&s->idle); /* twheel_try_cancel_sync(&s->idle); */
	timer_delete_sync_try(&s->idle); /* twheel_try_cancel_sync(&s->idle); */
	timer_shutdown(&s->retry); /* twheel_shutdown(&s->retry); */
}

static void probe_fn(struct timer_list *t)
{
	struct session *s = timer_container_of(s, t, probe.timer);

	del_timer(&s->retry); /* twheel_cancel(&s->retry); */
}

static void round_fn(struct timer_list *t)
{
	struct session *s = timer_container_of(s, t, rounds[1]);

	del_timer(&s->rounds[0]); /* twheel_cancel(&s->rounds[0]); */
}

/* The timer of a socket is the kernel's. */
static void keep_fn(struct timer_list *t); /* static void keep_fn(struct timer_list *t); */

static void end_fn(struct timer_list *t) /* static void end_fn(struct timer_list *t) */
{
}

static void keep(struct sock *sk)
{
	timer_setup(&sk->sk_timer, keep_fn, 0); /* timer_setup(&sk->sk_timer, keep_fn, 0); */
	mod_timer(&sk->sk_timer, jiffies); /* mod_timer(&sk->sk_timer, jiffies); */
	sk_reset_timer(sk, &sk->sk_timer, 4);
	sk->sk_timer.function = end_fn;
}

static void keep_fn(struct timer_list *t)
{
	struct sock *sk = timer_container_of(sk, t, sk_timer);

	if (timer_pending(&sk->sk_timer)) /* if (timer_pending(&sk->sk_timer)) */
		keep(sk);
	sk->sk_timer.expires = 4;
	add_timer(&sk->sk_timer); /* add_timer(&sk->sk_timer); */
}

static void try_on_stack(void)
{
	struct timer_list t;

	timer_setup_on_stack(&t, tick_fn, 0); /* twheel_setup_onstack(&t, tick_fn, 0); */
	t.expires = 2;
	add_timer(&t); /* twheel_add(&t, twheel_from_jiffies(2) + 1); */
	del_timer_sync(&t); /* twheel_cancel_sync(&t); */
	destroy_timer_on_stack(&t); /* twheel_destroy_onstack(&t); */
}

static int __init port_init(void)
{
	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return -ENOMEM;
	timer_setup(&session->idle, idle_fn, 0); /* twheel_setup(&session->idle, idle_fn, 0); */
	timer_setup(&session->retry, retry_fn, 0); /* twheel_setup(&session->retry, retry_fn, 0); */
	timer_setup(&session->probe.timer, probe_fn, 0);
	timer_setup(&session->rounds[1], round_fn, 0);
	session->idle.expires = 4;
	add_timer(&session->idle); /* twheel_add(&session->idle, twheel_from_jiffies(4) + 1); */
	try_on_stack();
	return 0;
}
module_init(port_init);

static void __exit port_exit(void)
{
	del_timer(&tick); /* twheel_cancel(&tick); */
	timer_delete_sync(&tick); /* twheel_cancel_sync(&tick); */
	timer_shutdown_sync(&session->idle); /* twheel_shutdown_sync(&session->idle); */
	timer_shutdown_sync(&session->retry); /* twheel_shutdown_sync(&session->retry); */
	timer_shutdown_sync(&session->probe.timer);
	kfree(session);
}
module_exit(port_exit);

MODULE_DESCRIPTION("Uses timer_list");
MODULE_LICENSE("GPL");
