/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _STUB_LINUX_LOCKDEP_H
#define _STUB_LINUX_LOCKDEP_H

struct lock_class_key {
	char unused;
};

#endif /* _STUB_LINUX_LOCKDEP_H */
