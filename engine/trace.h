/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: tracepoints, one for every change of a timer's state
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM twheel

#if !defined(_TWHEEL_ENGINE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TWHEEL_ENGINE_TRACE_H

#include <linux/tracepoint.h>
#include "base.h"

/* @expires: 0 for the deadline that the timer has now. */
DECLARE_EVENT_CLASS(twheel_deadline,

	TP_PROTO(const struct twheel_timer *timer, u64 expires),

	TP_ARGS(timer, expires),

	TP_STRUCT__entry(
		__field(const void *,	timer)
		__field(void *,		function)
		__field(u64,		expires)
		__field(u64,		now)
		__field(u32,		period)
		__field(u32,		cpu)
	),

	TP_fast_assign(
		__entry->timer		= timer;
		__entry->function	= timer->fn;
		__entry->expires	= expires ?: twheel_wheel_state(&timer->node);
		__entry->now		= get_jiffies_64();
		__entry->period		= timer->node.period;
		__entry->cpu		= READ_ONCE(timer->node.flags) & TWHEEL_CPU_MASK;
	),

	TP_printk("timer=%p function=%ps expires=%llu [timeout=%lld] period=%u cpu=%u",
		  __entry->timer, __entry->function, __entry->expires,
		  (s64)(__entry->expires - __entry->now), __entry->period,
		  __entry->cpu)
);

#define TWHEEL_DEADLINE_EVENT(_name)						\
	DEFINE_EVENT(twheel_deadline, _name,					\
		TP_PROTO(const struct twheel_timer *timer, u64 expires),	\
		TP_ARGS(timer, expires))

/* An idle timer is armed. */
TWHEEL_DEADLINE_EVENT(twheel_arm);
/* A pending timer gets another deadline, and another slot. */
TWHEEL_DEADLINE_EVENT(twheel_change);
/* A pending timer is disarmed; @expires was its deadline. */
TWHEEL_DEADLINE_EVENT(twheel_cancel);
/* A callback begins; @expires has come. */
TWHEEL_DEADLINE_EVENT(twheel_expire_entry);
/* A timer has moved to another CPU, because its own is offline. */
TWHEEL_DEADLINE_EVENT(twheel_migrate);

/* A deadline is pushed back without a lock. The timer may have expired since, and be freed. */
TRACE_EVENT(twheel_extend,

	TP_PROTO(const struct twheel_timer *timer, u64 expires),

	TP_ARGS(timer, expires),

	TP_STRUCT__entry(
		__field(const void *,	timer)
		__field(u64,		expires)
	),

	TP_fast_assign(
		__entry->timer		= timer;
		__entry->expires	= expires;
	),

	TP_printk("timer=%p expires=%llu", __entry->timer, __entry->expires)
);

/* A callback has ended, which may have freed its timer. */
TRACE_EVENT(twheel_expire_exit,

	TP_PROTO(const struct twheel_timer *timer, twheel_fn_t function),

	TP_ARGS(timer, function),

	TP_STRUCT__entry(
		__field(const void *,	timer)
		__field(void *,		function)
	),

	TP_fast_assign(
		__entry->timer		= timer;
		__entry->function	= function;
	),

	TP_printk("timer=%p function=%ps", __entry->timer, __entry->function)
);

#endif /* _TWHEEL_ENGINE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE engine/trace
#include <trace/define_trace.h>
