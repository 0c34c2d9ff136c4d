// SPDX-License-Identifier: GPL-2.0
/*
 * What scripts/port.cocci cannot convert. It must list each line that has the comment "by hand",
 * and no other line.
 */
#include <linux/timer.h>

static void rest(struct timer_list *t, struct timer_list *other, struct sock *sk)
{
	timer_setup(t, rest_fn, TIMER_PINNED); /* by hand */
	timer_setup_on_stack(t, rest_fn, TIMER_IRQSAFE); /* by hand */
	t->expires = jiffies; /* by hand */
	pr_info("%lu\n", t->expires); /* by hand */
	add_timer(t); /* by hand */
	add_timer_on(t, 0); /* by hand */
	if (mod_timer(t, jiffies + HZ)) /* by hand */
		timer_delete_sync(other);
	if (in_serving_softirq()) /* by hand */
		sk_reset_timer(sk, t, jiffies + HZ); /* by hand */
	mod_timer(t, round_jiffies(jiffies + HZ)); /* by hand */
	if (timer_delete(t))
		mod_timer(other, jiffies + HZ);
}
