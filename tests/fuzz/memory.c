// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that calls are given: good, bad, and in between. Programs that run in
 * two threads share it, so that arrays overlap.
 */
#include <errno.h>
#include <linux/twheel.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "world.h"

/* Room, a page that is read-only, room, and a page that is not there. */
#define READ_ONLY	ROOM
#define SECOND_ROOM	(READ_ONLY + PAGE)
#define NOTHING		(SECOND_ROOM + ROOM)
#define ARENA		(NOTHING + PAGE)

enum { TRIES = 32 };

static char *arena;
static __thread unsigned int tries;
__thread sigjmp_buf *on_fault;

static void fault(int signal, siginfo_t *info, void *context)
{
	if (on_fault)
		siglongjmp(*on_fault, 1);
	/* Memory may not have been there because that was made to fail. Try again. */
	if (++tries < TRIES)
		return;
	die("signal %d at %p where no fault was to be expected", signal,
	    info->si_addr);
}

/* What is there can be used as an operation, and arms a timer. */
static void fill_read_only(void)
{
	const struct twheel_op op = { .clockid = 1, .time_ns = NSEC_PER_SEC };
	size_t at;

	for (at = 0; at < PAGE; at += sizeof(op))
		memcpy(arena + READ_ONLY + at, &op, sizeof(op));
	mprotect(arena + READ_ONLY, PAGE, PROT_READ);
}

void memory_init(void)
{
	struct sigaction action = { .sa_sigaction = fault,
				    .sa_flags = SA_NODEFER | SA_SIGINFO };

	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		die("no memory");
	fill_read_only();
	mprotect(arena + NOTHING, PAGE, PROT_NONE);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

void memory_reset(void)
{
	tries = 0;
	madvise(arena, ROOM, MADV_DONTNEED);
	madvise(arena + SECOND_ROOM, ROOM, MADV_DONTNEED);
	memset(arena, 0, 4 * PAGE);
}

/* Where to put so many bytes. */
char *memory_at(__u64 where, size_t size)
{
	const size_t half = size / 2 < ROOM ? size / 2 : ROOM;

	switch (where % WHERE_COUNT) {
	case WHERE_ODD:
		return arena + 1;
	case WHERE_FRESH:
		madvise(arena + SECOND_ROOM, ROOM, MADV_DONTNEED);
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

/* As memcpy(), as far as that goes. Returns whether that is to the end. */
bool copy_guarded(void *to, const void *from, size_t size)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		on_fault = NULL;
		return false;
	}
	expect_fault(&here);
	memcpy(to, from, size);
	expect_fault(NULL);
	return true;
}
