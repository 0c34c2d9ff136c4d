// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The header and the shared library from C++.
#include <libtwheel.h>
#include <cstdio>
#include <linux/io_uring.h>

int main()
{
	struct twheel_info info;
	struct twheel_event event;
	struct twheel_table table = {};
	struct twheel_events events = {};
	struct twheel_op ops[2] = { twheel_after(1000, 1), twheel_every(1000000000, 2) };
	struct twheel_op op = twheel_at(CLOCK_MONOTONIC, twheel_now(CLOCK_MONOTONIC), 3);
	uint64_t retracted, cursor = 0, left;
	int fd = twheel_open(0);

	std::printf("library %s\n", twheel_version());
	if (fd < 0)
		return fd == -ENOENT ? 77 : 1;
	if (twheel_get_info(fd, &info) || twheel_submit(fd, ops, 2) != 2 ||
	    twheel_add(fd, &op) || twheel_wait(fd, -1) != 1 ||
	    twheel_read(fd, &event, 1) != 1)
		return 1;
	twheel_sort_events(&event, 1);
	ops[0].window_ns = 0;
	if (twheel_list(fd, &cursor, ops, 1, 0) < 0 || twheel_restore(fd, ops, 0))
		return 1;
	if (twheel_lease(fd, 1, 1, 0) != -ENOENT || twheel_lease_push(fd) != -ENOTTY ||
	    twheel_lease_push_by(fd, 1) != -ENOTTY || twheel_lease_left(fd, &left) != -ENOTTY ||
	    twheel_lease_wait(-1, -1) != -EBADF)
		return 1;
	struct io_uring_sqe sqe;
	twheel_prep_command(&sqe, fd, TWHEEL_IOC_ADD, &op);
	if (sqe.fd != fd)
		return 1;
	if (twheel_cancel(fd, ops[1].handle) || twheel_change(fd, 1, 1, 0) != -ENOENT ||
	    twheel_query(fd, 1, &op, TWHEEL_ABSTIME) != -ENOENT ||
	    twheel_cancel_group(fd, 1, &retracted) != -ENOENT)
		return 1;
	if (twheel_map_table(fd, 1, &table) || twheel_map_ring(fd, 1, &events))
		return 1;
	if (twheel_push_back(&table, 0, 1) != TWHEEL_PUSHED_NOT)
		return 1;
	if (const struct twheel_event *first = twheel_ring_peek(&events, 0))
		twheel_ring_advance(&events, first->count);
	if (twheel_ring_more(&events) || twheel_ring_count(&events))
		return 1;
	twheel_unmap_ring(&events);
	twheel_unmap_table(&table);
	return twheel_close(fd) ? 1 : 0;
}
