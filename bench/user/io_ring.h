/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An io_uring, by its system calls: one for each process.
 */
#ifndef _IO_RING_H
#define _IO_RING_H

#include <linux/io_uring.h>
#include <stddef.h>
#include <string.h>

#define IO_RING_ENTRIES	1024

/**
 * struct io_ring - the mappings of the ring
 * @sq_tail: The tail of the submission queue.
 * @sqes: Its entries, of which @sq_mask + 1 are in use.
 * @cq_head: The head of the completion queue.
 * @cq_tail: Its tail.
 * @cqes: Its entries, as many as @cq_mask + 1.
 */
struct io_ring {
	unsigned int		*sq_tail;
	unsigned int		sq_mask;
	struct io_uring_sqe	*sqes;
	unsigned int		*cq_head;
	unsigned int		*cq_tail;
	unsigned int		cq_mask;
	struct io_uring_cqe	*cqes;
};

extern struct io_ring io_ring;

/* Opens the ring, with room for @completions or as many as the kernel allows. */
void io_ring_open(size_t completions);

/* io_uring_enter(): lets the kernel take @submit entries, and waits for @wait completions. */
void io_ring_enter(unsigned int submit, unsigned int wait);

/* Clears and returns the submission queue's entry at @i places after the tail. */
static inline struct io_uring_sqe *io_ring_get_sqe(unsigned int i)
{
	struct io_uring_sqe *sqe = &io_ring.sqes[(*io_ring.sq_tail + i) & io_ring.sq_mask];

	memset(sqe, 0, sizeof(*sqe));
	return sqe;
}

/* Submits the next @count entries, and waits for @wait completions. */
void io_ring_submit(unsigned int count, unsigned int wait);

/* Takes one completion, which is there, and returns its result. */
int io_ring_take(void);

#endif /* _IO_RING_H */
