/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An io_uring: one for each process.
 */
#ifndef _IO_RING_H
#define _IO_RING_H

#include <liburing.h>
#include <stddef.h>

#define IO_RING_ENTRIES	1024

extern struct io_uring io_ring;

/* Opens the ring, with room for @completions or as many as the kernel allows. */
void io_ring_open(size_t completions);

/* Submits the @count entries that were taken, and waits for @wait completions. */
void io_ring_submit(unsigned int count, unsigned int wait);

#endif /* _IO_RING_H */
