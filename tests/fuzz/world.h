/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the calls of a program work on: descriptors, handles, mappings, memory. All
 * threads of a program share it.
 */
#ifndef _WORLD_H
#define _WORLD_H

#include <setjmp.h>

#include "fuzz.h"

enum { WORLD_FILES = 4, WORLD_HANDLES = 16, WORLD_MAPS = 4 };

struct mapping {
	char		*_Atomic at;
	atomic_size_t	size;
};

struct world {
	atomic_int	file[WORLD_FILES];
	atomic_ullong	handle[WORLD_HANDLES];
	atomic_uint	next_handle;
	struct mapping	map[WORLD_MAPS];
	atomic_int	eventfd;
	atomic_int	epoll;
	atomic_bool	clock_moved;
	atomic_bool	storm;		/* a thread writes garbage into a mapping */
};

extern struct world world;

/* world.c */
void world_init(void);
int world_file(__u64 slot);
void world_set_file(__u64 slot, int fd);
__u64 world_handle(__u64 slot);
void world_remember_handle(__u64 handle);
__u64 world_time(__u64 time, __u64 clockid);
void world_close_all(void);
void world_reset(void);

/* Where in memory a structure or array of a call lies. */
enum where {
	WHERE_ROOM,		/* enough memory */
	WHERE_ODD,		/* the same, unaligned */
	WHERE_FRESH,		/* the same, in pages that are not present yet */
	WHERE_TO_READ_ONLY,	/* the second half is read-only */
	WHERE_TO_NOTHING,	/* the second half is not accessible */
	WHERE_READ_ONLY,
	WHERE_NOTHING,
	WHERE_NULL,
	WHERE_KERNEL,
	WHERE_LAST,		/* wraps around */
	WHERE_MAP_0,		/* shared with the device */
	WHERE_MAP_1,
	WHERE_COUNT
};

#define MEMORY_PAGE	4096UL
#define MEMORY_ROOM	(16 * MEMORY_PAGE)

/* Where a fault takes this thread; NULL where no fault is expected. */
extern __thread sigjmp_buf *memory_on_fault;

/* The fences keep accesses on their side of the store, as the signal handler sees it. */
static inline void memory_expect_fault(sigjmp_buf *where)
{
	atomic_signal_fence(memory_order_seq_cst);
	memory_on_fault = where;
	atomic_signal_fence(memory_order_seq_cst);
}

/* memory.c */
void memory_init(void);
void memory_reset(void);
char *memory_at(__u64 where, size_t size);
bool memory_copy(void *to, const void *from, size_t size);

/* fail.c: the next call of this thread fails at its fail_nth-th chance; 0: it does not */
extern __thread unsigned int fail_nth;
void fail_init(void);
void fail_never(void);
void fail_begin(void);
void fail_end(void);

/* uring.c: the next ioctl of this thread is a command of io_uring; 0: it is not */
extern __thread unsigned int uring_mode;
long uring_issue(int fd, __u32 request, __u64 arg);

/* Make a system call, with the failure that was asked for. Returns -errno on error. */
#define SYSCALL(call)							\
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

/* alarm.c */
void alarm_init(void);
void alarm_create(void);
void alarm_set(bool on);

/* The calls of a program that one thread or process runs. */
struct part {
	const struct program	*program;
	unsigned int		from, to;
};

/* helper.c */
void helper_init(void (*run)(struct part *part));
void helper_share(struct part *part);
bool helper_is_main(void);
long helper_start(bool process, unsigned int calls);
void helper_join_all(void);

/* The calls, of the files do_*.c. They return a negative errno on error. */
typedef long do_call(const __u64 *arg);

extern do_call do_file_open, do_file_close, do_file_dup, do_file_read, do_file_readv,
	do_file_poll, do_file_epoll, do_file_fcntl, do_file_fdinfo, do_file_misuse;
extern do_call do_ioctl_info, do_ioctl_add, do_ioctl_upsert, do_ioctl_change,
	do_ioctl_cancel, do_ioctl_query, do_ioctl_cancel_group, do_ioctl_batch, do_ioctl_drain,
	do_ioctl_restore, do_ioctl_list, do_ioctl_eventfd, do_ioctl_clock_set, do_ioctl_raw;
extern do_call do_lease_make, do_lease_use;
extern do_call do_map_mmap, do_map_munmap, do_map_mprotect, do_map_mremap,
	do_map_madvise, do_map_store, do_map_push, do_map_consume, do_map_storm;
extern do_call do_env_wait, do_env_settime, do_env_user, do_env_fail, do_env_uring,
	do_env_thread, do_env_fork;

/* do_map.c */
void do_map_stop_storm(void);
void do_map_unmap_all(void);

#endif /* _WORLD_H */
