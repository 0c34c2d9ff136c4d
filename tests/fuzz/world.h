/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the calls of a program have to do with: descriptors, handles, mappings,
 * memory. Calls that run in two threads share all of it.
 */
#ifndef _WORLD_H
#define _WORLD_H

#include <setjmp.h>
#include <stdatomic.h>

#include "fuzz.h"

enum { FILES = 4, HANDLES = 16, MAPS = 4 };

/* Places in memory for what a call is given. */
enum where {
	WHERE_ROOM,		/* there is room */
	WHERE_ODD,		/* likewise, but not aligned */
	WHERE_FRESH,		/* likewise, in pages that are not there yet */
	WHERE_TO_READ_ONLY,	/* the second half cannot be written */
	WHERE_TO_NOTHING,	/* the second half is not there */
	WHERE_READ_ONLY,
	WHERE_NOTHING,
	WHERE_NULL,
	WHERE_KERNEL,
	WHERE_LAST,		/* wraps around */
	WHERE_MAP_0,		/* what is shared with the device */
	WHERE_MAP_1,
	WHERE_COUNT
};

#define PAGE	4096UL
#define ROOM	(16 * PAGE)

struct mapping {
	char		*_Atomic at;
	atomic_size_t	size;
};

struct world {
	atomic_int	file[FILES];
	atomic_ullong	handle[HANDLES];
	atomic_uint	next_handle;
	struct mapping	map[MAPS];
	atomic_int	eventfd;
	atomic_int	epoll;
	atomic_bool	clock_moved;
	atomic_bool	storm;		/* a thread writes garbage into a mapping */
};

extern struct world world;

/* The failure that the next call of this thread is to meet; 0: none. */
extern __thread unsigned int fail_nth;

/* Where a fault takes this thread, while it touches what may not be there. */
extern __thread sigjmp_buf *on_fault;

/* The handler sees it: what comes behind is not to be done before. */
static inline void expect_fault(sigjmp_buf *where)
{
	atomic_signal_fence(memory_order_seq_cst);
	on_fault = where;
	atomic_signal_fence(memory_order_seq_cst);
}

/* memory.c */
void memory_init(void);
void memory_reset(void);
char *memory_at(__u64 where, size_t size);
bool copy_guarded(void *to, const void *from, size_t size);

/* do_*.c share */
int file_of(__u64 slot);
__u64 handle_of(__u64 slot);
void remember_handle(__u64 handle);
__u64 time_of(__u64 time, __u64 clockid);
long do_ioctl(int fd, unsigned long request, unsigned long arg);

/* fail.c: a call, with the failure that was asked for, if any */
void fail_init(void);
void fail_never(void);
void fail_begin(void);
void fail_end(void);

#define SYS(call)							\
	({								\
		long ret_;						\
									\
		fail_begin();						\
		ret_ = (long)(call);					\
		if (ret_ == -1)						\
			ret_ = -errno;					\
		fail_end();						\
		ret_;							\
	})

/* do_map.c */
void storm_stop(void);
void unmap_all(void);

/* The calls, by file */
long do_open(const __u64 *arg);
long do_close(const __u64 *arg);
long do_dup(const __u64 *arg);
long do_read(const __u64 *arg);
long do_readv(const __u64 *arg);
long do_poll(const __u64 *arg);
long do_epoll(const __u64 *arg);
long do_fcntl(const __u64 *arg);
long do_fdinfo(const __u64 *arg);
long do_misuse(const __u64 *arg);

long do_info(const __u64 *arg);
long do_add(const __u64 *arg);
long do_upsert(const __u64 *arg);
long do_change(const __u64 *arg);
long do_cancel(const __u64 *arg);
long do_query(const __u64 *arg);
long do_cancel_group(const __u64 *arg);
long do_batch(const __u64 *arg);
long do_drain(const __u64 *arg);
long do_restore(const __u64 *arg);
long do_eventfd(const __u64 *arg);
long do_clock_set(const __u64 *arg);
long do_raw(const __u64 *arg);

long do_mmap(const __u64 *arg);
long do_munmap(const __u64 *arg);
long do_mprotect(const __u64 *arg);
long do_mremap(const __u64 *arg);
long do_madvise(const __u64 *arg);
long do_store(const __u64 *arg);
long do_push(const __u64 *arg);
long do_consume(const __u64 *arg);
long do_storm(const __u64 *arg);

long do_wait(const __u64 *arg);
long do_settime(const __u64 *arg);
long do_user(const __u64 *arg);
long do_fail(const __u64 *arg);
long do_thread(const __u64 *arg);
long do_fork(const __u64 *arg);

#endif /* _WORLD_H */
