// SPDX-License-Identifier: GPL-2.0
/*
 * What is done with a descriptor, but for ioctl() and mmap().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/twheel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "world.h"

int file_of(__u64 slot)
{
	return world.file[slot % FILES];
}

/* A descriptor takes the place of another one, which is closed. */
static void put_file(__u64 slot, int fd)
{
	const int old = atomic_exchange(&world.file[slot % FILES], fd);

	if (old >= 0)
		close(old);
}

long do_open(const __u64 *arg)
{
	const int flags = O_CLOEXEC | (arg[1] & 1 ? O_NONBLOCK : 0) |
			  (arg[1] & 2 ? O_RDONLY : O_RDWR);
	const long fd = SYS(open("/dev/twheel", flags));

	if (fd >= 0)
		put_file(arg[0], fd);
	return fd < 0 ? fd : 0;
}

long do_close(const __u64 *arg)
{
	const int fd = atomic_exchange(&world.file[arg[0] % FILES], -1);

	return fd < 0 ? -EBADF : SYS(close(fd));
}

long do_dup(const __u64 *arg)
{
	const long fd = SYS(fcntl(file_of(arg[0]), F_DUPFD_CLOEXEC, 0));

	if (fd >= 0)
		put_file(arg[1], fd);
	return fd < 0 ? fd : 0;
}

/* Remembers the first handle, and returns something about the first event. */
static long look_at_events(const char *at, long size)
{
	struct twheel_event event;

	if (size < (long)sizeof(event))
		return size;
	if (!copy_guarded(&event, at, sizeof(event)))
		return 1;
	if (event.handle)
		remember_handle(event.handle);
	return 64 * event.type + 16 * (event.count > 1) + event.clockid +
	       8 * (size > (long)sizeof(event));
}

/* A call that is to fail must not wait. */
static long read_events(int file, const struct iovec *parts, int count, int flags)
{
	return SYS(preadv2(file, parts, count, -1,
			   fail_nth ? flags | RWF_NOWAIT : flags));
}

long do_read(const __u64 *arg)
{
	char *at = memory_at(arg[2], arg[1]);
	const struct iovec part = { .iov_base = at, .iov_len = arg[1] };

	if (fail_nth)
		return look_at_events(at, read_events(file_of(arg[0]), &part, 1, 0));
	return look_at_events(at, SYS(read(file_of(arg[0]), at, arg[1])));
}

long do_readv(const __u64 *arg)
{
	char *at = memory_at(arg[3], arg[1]);
	struct iovec parts[] = {
		{ .iov_base = at, .iov_len = arg[1] },
		{ .iov_base = memory_at(WHERE_ODD, arg[2]), .iov_len = arg[2] },
	};
	static const int flags[] = { 0, RWF_NOWAIT, RWF_HIPRI, RWF_APPEND };
	long ret;

	ret = read_events(file_of(arg[0]), parts, 2, flags[arg[4] % 4]);
	return arg[1] < sizeof(struct twheel_event) ? ret : look_at_events(at, ret);
}

long do_poll(const __u64 *arg)
{
	struct pollfd p = { .fd = file_of(arg[0]), .events = POLLIN | POLLOUT };
	const long ret = SYS(poll(&p, 1, 5 * (arg[1] % 8)));

	return ret > 0 ? 1 + p.revents : ret;
}

long do_epoll(const __u64 *arg)
{
	static const unsigned int events[] = {
		0, EPOLLIN, EPOLLIN | EPOLLET, EPOLLIN | EPOLLONESHOT
	};
	struct epoll_event event = { .events = events[arg[1] % 4] };
	const int file = file_of(arg[0]);
	int expected = -1, fd;

	if (world.epoll < 0) {
		fd = epoll_create1(EPOLL_CLOEXEC);
		if (fd >= 0 && !atomic_compare_exchange_strong(&world.epoll, &expected, fd))
			close(fd);
	}
	if (event.events)
		return SYS(epoll_ctl(world.epoll, EPOLL_CTL_ADD, file, &event));
	if (arg[1])
		return SYS(epoll_ctl(world.epoll, EPOLL_CTL_DEL, file, &event));
	return SYS(epoll_wait(world.epoll, &event, 1, 10));
}

long do_fcntl(const __u64 *arg)
{
	const int file = file_of(arg[0]);

	switch (arg[1] % 6) {
	case 0:
		return SYS(fcntl(file, F_SETFL, O_NONBLOCK));
	case 1:
		return SYS(fcntl(file, F_SETFL, 0));
	case 2:
		fcntl(file, F_SETOWN, getpid());
		return SYS(fcntl(file, F_SETFL, O_ASYNC));
	case 3:
		fcntl(file, F_SETOWN, getpid());
		return SYS(fcntl(file, F_SETFL, O_ASYNC | O_NONBLOCK));
	case 4:
		return SYS(fcntl(file, F_SETSIG, SIGUSR1));
	default:
		return SYS(fcntl(file, F_SETOWN, 0));
	}
}

long do_fdinfo(const __u64 *arg)
{
	char path[64], text[1024];
	long ret;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file_of(arg[0]));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = SYS(read(fd, text, sizeof(text) - 1));
	close(fd);
	return ret < 0 ? ret : !!memmem(text, ret, "next-deadline", 13);
}

/* What the device has not got. */
long do_misuse(const __u64 *arg)
{
	const int file = file_of(arg[0]);

	switch (arg[1] % 6) {
	case 0:
		return SYS(lseek(file, 64, SEEK_SET));
	case 1:
		return SYS(write(file, "", 1));
	case 2:
		return SYS(pread(file, memory_at(WHERE_ROOM, 64), 64, 64));
	case 3:
		return SYS(ftruncate(file, 64));
	case 4:
		return SYS(fsync(file));
	default:
		return SYS(splice(file, NULL, file, NULL, 64, 0));
	}
}
