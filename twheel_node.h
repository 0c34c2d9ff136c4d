/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * twheel: what a wheel knows of a timer. Timers and wheels are built on this.
 */
#ifndef _TWHEEL_NODE_H
#define _TWHEEL_NODE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>

/* The latest deadline: a timer that never expires. See twheel.h. */
#define TWHEEL_NEVER		(U64_MAX - 2)

/* A flag: a timer that is due is deferred, for process context. See twheel.h. */
#define TWHEEL_PROCESS		0x00100000U

/* Embedded in a timer. For owners of wheels: engine/ and device/. */
struct twheel_node {
	/* The owner of the wheel serialises access to the first two. */
	union {
		/* links the timer into the wheel while it is pending */
		struct list_head entry;
		/* the last deadline, once the timer has expired or was cancelled */
		u64		last;
	};
	/* the deadline in ticks; or TWHEEL_IDLE or TWHEEL_DEAD */
	atomic64_t		state;
	/* the window; in engine/, also the timer's CPU and the flags of twheel_setup() */
	u32			flags;
	/* in ticks; 0: the timer runs once */
	u32			period;
};

#endif /* _TWHEEL_NODE_H */
