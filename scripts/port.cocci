// SPDX-License-Identifier: GPL-2.0-only
/// Convert a module from timer_list to twheel.h
///
///   spatch --sp-file port.cocci -D patch  --in-place FILES   convert
///   spatch --sp-file port.cocci -D report FILES              then list what needs a hand
///
/// Documentation/howto-port.rst has the table of equivalents. timer_list runs the tick after a
/// deadline. So an absolute deadline gets a tick more here, and a delay goes to a function
/// that takes delays.

virtual patch
virtual report

@ include depends on patch @
@@
- #include <linux/timer.h>
+ #include "twheel.h"

// The timer of struct sock is the kernel's. Its callback keeps its parameter, see below.
@ kernels depends on patch @
expression sk;
identifier fn;
@@
(
  timer_setup(&sk->sk_timer, fn, ...)
|
  sk->sk_timer.function = fn
)

// A delay that is not negative. Another delay may be a time that has passed.
@ delays depends on patch @
symbol jiffies, expires, HZ;
expression sk, t, e;
identifier f;
constant C;
@@
(
  f(&sk->sk_timer, ...)
|
- mod_timer(t, jiffies)
+ twheel_mod_after(t, 0)
|
- mod_timer(t, jiffies + HZ)
+ twheel_mod_after(t, HZ)
|
- mod_timer(t, jiffies + C)
+ twheel_mod_after(t, C)
|
- mod_timer(t, jiffies + C * HZ)
+ twheel_mod_after(t, C * HZ)
|
- mod_timer(t, jiffies + HZ * C)
+ twheel_mod_after(t, HZ * C)
|
- mod_timer(t, jiffies + HZ / C)
+ twheel_mod_after(t, HZ / C)
|
- mod_timer(t, jiffies + msecs_to_jiffies(e))
+ twheel_mod_after(t, msecs_to_jiffies(e))
|
- mod_timer(t, jiffies + secs_to_jiffies(e))
+ twheel_mod_after(t, secs_to_jiffies(e))
)

@ calls depends on patch @
expression sk, t, at, fn;
identifier f;
@@
(
  f(&sk->sk_timer, ...)
|
- mod_timer(t, at)
+ twheel_mod(t, twheel_from_jiffies(at) + 1)
|
- mod_timer_pending(t, at)
+ twheel_mod_pending(t, twheel_from_jiffies(at) + 1)
|
- timer_reduce(t, at)
+ twheel_reduce(t, twheel_from_jiffies(at) + 1)
|
- timer_pending(t)
+ twheel_pending(t)
|
- \(timer_delete\|del_timer\)(t)
+ twheel_cancel(t)
|
- \(timer_delete_sync\|del_timer_sync\|del_singleshot_timer_sync\)(t)
+ twheel_cancel_sync(t)
|
- \(timer_delete_sync_try\|try_to_del_timer_sync\)(t)
+ twheel_try_cancel_sync(t)
|
- timer_shutdown(t)
+ twheel_shutdown(t)
|
- timer_shutdown_sync(t)
+ twheel_shutdown_sync(t)
|
- timer_setup(t, fn, 0)
+ twheel_setup(t, fn, 0)
|
- timer_setup_on_stack(t, fn, 0)
+ twheel_setup_onstack(t, fn, 0)
|
- \(timer_destroy_on_stack\|destroy_timer_on_stack\)(t)
+ twheel_destroy_onstack(t)
)

// A deadline that is stored right before the timer is added
@ add depends on patch @
expression sk, t, at;
@@
(
  sk->sk_timer.expires = at;
  add_timer(&sk->sk_timer);
|
- t.expires = at;
- add_timer(&t);
+ twheel_add(&t, twheel_from_jiffies(at) + 1);
|
- t->expires = at;
- add_timer(t);
+ twheel_add(t, twheel_from_jiffies(at) + 1);
)

@ container depends on patch @
expression object, t, i;
identifier outer, member;
@@
(
- \(timer_container_of\|from_timer\)(object, t, member)
+ container_of(t, typeof(*object), member)
|
- \(timer_container_of\|from_timer\)(object, t, outer.member)
+ container_of(t, typeof(*object), outer.member)
|
- \(timer_container_of\|from_timer\)(object, t, member[i])
+ container_of(t, typeof(*object), member[i])
)

@ definition depends on patch @
declarer name DEFINE_TIMER;
declarer name DEFINE_TWHEEL_TIMER;
identifier timer, fn;
@@
- DEFINE_TIMER
+ DEFINE_TWHEEL_TIMER
  (timer, fn);

@ timer_type depends on patch @
@@
- struct timer_list
+ struct twheel_timer

@ kernels_callback depends on patch @
identifier kernels.fn, t;
@@
  fn(
- struct twheel_timer *t
+ struct timer_list *t
  ) { ... }

// What the rules above leave as it is, and what they cannot know

@ deadline depends on report @
symbol expires;
struct twheel_timer t;
struct twheel_timer *p;
position where;
@@
(
t.expires@where
|
p->expires@where
)

@ script:python @
where << deadline.where;
@@
print(f"{where[0].file}:{where[0].line}: a deadline is stored or read: see howto-port")

@ call depends on report @
identifier f = {timer_setup, timer_setup_on_stack, timer_init_key, __TIMER_INITIALIZER, add_timer,
                add_timer_on, add_timer_local, add_timer_global, mod_timer, timer_delete,
                del_timer, timer_container_of, from_timer, round_jiffies, round_jiffies_up,
                round_jiffies_relative, sk_reset_timer, sk_stop_timer, sk_stop_timer_sync,
                in_serving_softirq};
expression sk;
position where;
@@
(
f(..., &sk->sk_timer, ...)
|
f@where(...)
)

@ script:python @
where << call.where;
f << call.f;
@@
print(f"{where[0].file}:{where[0].line}: {f}(): see howto-port")

@ result depends on report @
identifier f = {twheel_mod, twheel_mod_after, twheel_mod_pending, twheel_reduce,
                twheel_cancel_sync, twheel_try_cancel_sync, twheel_shutdown_sync};
position where;
@@
(
f(...);
|
f@where(...)
)

@ script:python @
where << result.where;
f << result.f;
@@
print(f"{where[0].file}:{where[0].line}: {f}() may return a negative number")
