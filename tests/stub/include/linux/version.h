/* SPDX-License-Identifier: GPL-2.0 */
/* What Kbuild finds in the newest kernel: twheel_compat.h adds nothing. */
#ifndef _STUB_LINUX_VERSION_H
#define _STUB_LINUX_VERSION_H

#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE	KERNEL_VERSION(255, 255, 255)	/* newer than all */
#define TWHEEL_HAVE_TIMER_SHUTDOWN
#define TWHEEL_HAVE_IMPORT_NS_STRING
#define TWHEEL_HAVE_HRTIMER_SETUP
#define TWHEEL_HAVE_WQ_PERCPU
#define TWHEEL_HAVE_VM_FLAGS_SET

#endif /* _STUB_LINUX_VERSION_H */
