/* SPDX-License-Identifier: GPL-2.0 */
/*
 * twheel: makes older kernels look like the newest
 *
 * No other file deals with differences between kernels. Kbuild searches the kernel's
 * headers for each interface instead of comparing versions, because stable trees have
 * interfaces from later versions.
 */
#ifndef _TWHEEL_COMPAT_H
#define _TWHEEL_COMPAT_H

#include <linux/eventfd.h>
#include <linux/hrtimer.h>
#include <linux/io_uring.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/timer.h>

/* The kernels that twheel was tested on: Kbuild reads these lines, and scripts/matrix. */
#define TWHEEL_OLDEST_KERNEL	6.1
#define TWHEEL_NEWEST_KERNEL	7.3

/* kunit/visibility.h came with 6.2 (9c988fae6f6a), and went into some stable trees. */
#if __has_include(<kunit/visibility.h>)
#include <kunit/visibility.h>
#else
#define EXPORT_SYMBOL_IF_KUNIT(symbol)
#endif

/*
 * timer_delete() and timer_delete_sync() (bb663f0f3c39, 9b13df3fb64e) came with 6.2, and went into
 * 6.1.y late, together with timer_shutdown_sync(), for which Kbuild looks.
 */
#if !defined(TWHEEL_HAVE_TIMER_SHUTDOWN) || defined(TWHEEL_TEST_EARLY_TIMERS)
#define timer_delete(timer) del_timer(timer)
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

/* hrtimer_setup() came with 6.13 (908a1d775422). */
#ifndef TWHEEL_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/* WQ_PERCPU came with 6.17 (930c2ea566af); before, workqueues were per CPU by default. */
#ifndef TWHEEL_HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

/* eventfd_signal() lost its count with 6.8 (3652117f8548). */
#ifdef TWHEEL_HAVE_EVENTFD_SIGNAL_COUNT
#define eventfd_signal(ctx) eventfd_signal(ctx, 1)
#endif

/* vm_flags_mod() came with 6.3 (bc292ab00f6c). */
#ifndef TWHEEL_HAVE_VM_FLAGS_SET
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* struct io_uring_cmd has a header of its own since 6.8 (b66509b8497f). */
#if __has_include(<linux/io_uring/cmd.h>)
#define TWHEEL_URING_HEADER "linux/io_uring/cmd.h"
#else
#define TWHEEL_URING_HEADER "linux/io_uring.h"
#endif

/* The bytes of an io_uring command: reached by way of its entry since 6.5 (fd9b8547bc5c). */
#ifdef TWHEEL_HAVE_URING_CMD_POINTER
#define twheel_uring_payload(command) ((command)->cmd)
#else
#define twheel_uring_payload(command) ((const void *)(command)->sqe->cmd)
#endif

/* The mask of the flags that a program may set came with 6.4. */
#ifndef IORING_URING_CMD_MASK
#define IORING_URING_CMD_MASK IORING_URING_CMD_FIXED
#endif

/* io_uring_cmd_done() lost its second result with 6.18, to io_uring_cmd_done32(). */
#ifdef TWHEEL_HAVE_URING_DONE32
#define twheel_uring_done(command, result, flags) io_uring_cmd_done(command, result, flags)
#elif !__has_include(<linux/io_uring/cmd.h>) && !defined(TWHEEL_HAVE_URING_DONE_FLAGS)
/* Before 9d2789ac9d60 of 6.3, which 6.1.y has, too */
#define twheel_uring_done(command, result, flags) io_uring_cmd_done(command, result, 0)
#else
#define twheel_uring_done(command, result, flags) io_uring_cmd_done(command, result, 0, flags)
#endif

#endif /* _TWHEEL_COMPAT_H */
