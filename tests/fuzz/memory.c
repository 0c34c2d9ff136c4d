// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for the arguments of calls: good, bad, and in between. All threads of a
 * program share it, so arrays overlap.
 */
#include "world.h"

/* The arena: room, a read-only page, room, an inaccessible page. */
#define READ_ONLY	MEMORY_ROOM
#define SECOND_ROOM	(READ_ONLY + MEMORY_PAGE)
#define NOTHING		(SECOND_ROOM + MEMORY_ROOM)
#define ARENA		(NOTHING + MEMORY_PAGE)

enum { MAX_TRIES = 32 };

static char *arena;
static __thread unsigned int tries;
__thread sigjmp_buf *memory_on_fault;

static void handle_fault(int signal, siginfo_t *info, void *context)
{
	if (memory_on_fault)
		siglongjmp(*memory_on_fault, 1);
	/* A page fault may fail because of fail.c. Retry the access. */
	if (++tries < MAX_TRIES)
		return;
	report_die("signal %d at %p, where no fault was expected", signal,
		   info->si_addr);
}

/* The read-only page is full of valid operations that arm a timer. */
static void fill_read_only(void)
{
	const struct twheel_op op = { .clockid = 1, .time_ns = NSEC_PER_SEC };
	size_t at;

	for (at = 0; at < MEMORY_PAGE; at += sizeof(op))
		memcpy(arena + READ_ONLY + at, &op, sizeof(op));
	mprotect(arena + READ_ONLY, MEMORY_PAGE, PROT_READ);
}

void memory_init(void)
{
	struct sigaction action = { .sa_sigaction = handle_fault,
				    .sa_flags = SA_NODEFER | SA_SIGINFO };

	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		report_die("no memory");
	fill_read_only();
	mprotect(arena + NOTHING, MEMORY_PAGE, PROT_NONE);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

void memory_reset(void)
{
	tries = 0;
	madvise(arena, MEMORY_ROOM, MADV_DONTNEED);
	madvise(arena + SECOND_ROOM, MEMORY_ROOM, MADV_DONTNEED);
	memset(arena, 0, 4 * MEMORY_PAGE);
}

char *memory_at(__u64 where, size_t size)
{
	const size_t half = size / 2 < MEMORY_ROOM ? size / 2 : MEMORY_ROOM;

	switch (where % WHERE_COUNT) {
	case WHERE_ODD:
		return arena + 1;
	case WHERE_FRESH:
		madvise(arena + SECOND_ROOM, MEMORY_ROOM, MADV_DONTNEED);
		return arena + SECOND_ROOM + 32;
	case WHERE_TO_READ_ONLY:
		return arena + READ_ONLY - half;
	case WHERE_TO_NOTHING:
		return arena + NOTHING - half;
	case WHERE_READ_ONLY:
		return arena + READ_ONLY;
	case WHERE_NOTHING:
		return arena + NOTHING;
	case WHERE_NULL:
		return NULL;
	case WHERE_KERNEL:
		return (char *)0xffff888000000000UL;
	case WHERE_LAST:
		return (char *)-32UL;
	case WHERE_MAP_0:
		return world.map[0].at;
	case WHERE_MAP_1:
		return world.map[1].at;
	default:
		return arena;
	}
}

/* Like memcpy(), but stops at a fault. Returns whether all was copied. */
bool memory_copy(void *to, const void *from, size_t size)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		memory_on_fault = NULL;
		return false;
	}
	memory_expect_fault(&here);
	memcpy(to, from, size);
	memory_expect_fault(NULL);
	return true;
}
