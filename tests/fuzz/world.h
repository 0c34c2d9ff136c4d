/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the calls of a program work on: descriptors, handles, mappings, memory. All
 * threads of a program share it.
 */
#ifndef _WORLD_H
#define _WORLD_H

#include <setjmp.h>
#include <stdatomic.h>

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

/* do_file.c */
long do_file_open(const __u64 *arg);
long do_file_close(const __u64 *arg);
long do_file_dup(const __u64 *arg);
long do_file_read(const __u64 *arg);
long do_file_readv(const __u64 *arg);
long do_file_poll(const __u64 *arg);
long do_file_epoll(const __u64 *arg);
long do_file_fcntl(const __u64 *arg);
long do_file_fdinfo(const __u64 *arg);
long do_file_misuse(const __u64 *arg);

/* do_ioctl.c */
long do_ioctl_info(const __u64 *arg);
long do_ioctl_add(const __u64 *arg);
long do_ioctl_upsert(const __u64 *arg);
long do_ioctl_change(const __u64 *arg);
long do_ioctl_cancel(const __u64 *arg);
long do_ioctl_query(const __u64 *arg);
long do_ioctl_cancel_group(const __u64 *arg);
long do_ioctl_batch(const __u64 *arg);
long do_ioctl_drain(const __u64 *arg);
long do_ioctl_restore(const __u64 *arg);
long do_ioctl_list(const __u64 *arg);
long do_ioctl_eventfd(const __u64 *arg);
long do_ioctl_clock_set(const __u64 *arg);
long do_ioctl_raw(const __u64 *arg);

/* do_lease.c */
long do_lease_make(const __u64 *arg);
long do_lease_use(const __u64 *arg);

/* do_map.c */
long do_map_mmap(const __u64 *arg);
long do_map_munmap(const __u64 *arg);
long do_map_mprotect(const __u64 *arg);
long do_map_mremap(const __u64 *arg);
long do_map_madvise(const __u64 *arg);
long do_map_store(const __u64 *arg);
long do_map_push(const __u64 *arg);
long do_map_consume(const __u64 *arg);
long do_map_storm(const __u64 *arg);
void do_map_stop_storm(void);
void do_map_unmap_all(void);

/* do_env.c */
long do_env_wait(const __u64 *arg);
long do_env_settime(const __u64 *arg);
long do_env_user(const __u64 *arg);
long do_env_fail(const __u64 *arg);
long do_env_uring(const __u64 *arg);
long do_env_thread(const __u64 *arg);
long do_env_fork(const __u64 *arg);

#endif /* _WORLD_H */
