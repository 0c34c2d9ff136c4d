// SPDX-License-Identifier: GPL-2.0
/*
 * The calls on a descriptor, without ioctl() and mmap().
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#include "world.h"

long do_file_open(const __u64 *arg)
{
	const int flags = O_CLOEXEC | (arg[1] & 1 ? O_NONBLOCK : 0) |
			  (arg[1] & 2 ? O_RDONLY : O_RDWR);
	const long fd = SYSCALL(open("/dev/twheel", flags));

	if (fd >= 0)
		world_set_file(arg[0], fd);
	return fd < 0 ? fd : 0;
}

long do_file_close(const __u64 *arg)
{
	const int fd = atomic_exchange(&world.file[arg[0] % WORLD_FILES], -1);

	return fd < 0 ? -EBADF : SYSCALL(close(fd));
}

long do_file_dup(const __u64 *arg)
{
	const long fd = SYSCALL(fcntl(world_file(arg[0]), F_DUPFD_CLOEXEC, 0));

	if (fd >= 0)
		world_set_file(arg[1], fd);
	return fd < 0 ? fd : 0;
}

/* Remember the first handle. Returns, for coverage, a number that tells events apart. */
static long note_events(const char *at, long size)
{
	struct twheel_event event;

	if (size < (long)sizeof(event))
		return size;
	if (!memory_copy(&event, at, sizeof(event)))
		return 1;
	if (event.handle)
		world_remember_handle(event.handle);
	return 64 * event.type + 16 * (event.count > 1) + event.clockid +
	       8 * (size > (long)sizeof(event));
}

/* A call that is made to fail must not wait: signals are blocked (see fail.c). */
static long read_events(int file, const struct iovec *parts, int count, int flags)
{
	return SYSCALL(preadv2(file, parts, count, -1,
			       fail_nth ? flags | RWF_NOWAIT : flags));
}

long do_file_read(const __u64 *arg)
{
	char *at = memory_at(arg[2], arg[1]);
	const struct iovec part = { .iov_base = at, .iov_len = arg[1] };

	if (fail_nth)
		return note_events(at, read_events(world_file(arg[0]), &part, 1, 0));
	return note_events(at, SYSCALL(read(world_file(arg[0]), at, arg[1])));
}

long do_file_readv(const __u64 *arg)
{
	char *at = memory_at(arg[3], arg[1]);
	struct iovec parts[] = {
		{ .iov_base = at, .iov_len = arg[1] },
		{ .iov_base = memory_at(WHERE_ODD, arg[2]), .iov_len = arg[2] },
	};
	static const int flags[] = { 0, RWF_NOWAIT, RWF_HIPRI, RWF_APPEND };
	long ret;

	ret = read_events(world_file(arg[0]), parts, 2, flags[arg[4] % 4]);
	return arg[1] < sizeof(struct twheel_event) ? ret : note_events(at, ret);
}

long do_file_poll(const __u64 *arg)
{
	struct pollfd p = { .fd = world_file(arg[0]), .events = POLLIN | POLLOUT };
	const long ret = SYSCALL(poll(&p, 1, 5 * (arg[1] % 8)));

	return ret > 0 ? 1 + p.revents : ret;
}

long do_file_epoll(const __u64 *arg)
{
	static const unsigned int events[] = {
		0, EPOLLIN, EPOLLIN | EPOLLET, EPOLLIN | EPOLLONESHOT
	};
	struct epoll_event event = { .events = events[arg[1] % 4] };
	const int file = world_file(arg[0]);
	int expected = -1, fd;

	if (world.epoll < 0) {
		fd = epoll_create1(EPOLL_CLOEXEC);
		if (fd >= 0 && !atomic_compare_exchange_strong(&world.epoll, &expected, fd))
			close(fd);
	}
	if (event.events)
		return SYSCALL(epoll_ctl(world.epoll, EPOLL_CTL_ADD, file, &event));
	if (arg[1])
		return SYSCALL(epoll_ctl(world.epoll, EPOLL_CTL_DEL, file, &event));
	return SYSCALL(epoll_wait(world.epoll, &event, 1, 10));
}

long do_file_fcntl(const __u64 *arg)
{
	static const struct {
		int command, argument;
	} calls[] = {
		{ F_SETFL, O_NONBLOCK }, { F_SETFL, 0 }, { F_SETFL, O_ASYNC },
		{ F_SETFL, O_ASYNC | O_NONBLOCK }, { F_SETSIG, SIGUSR1 }, { F_SETOWN, 0 },
	};
	const unsigned int n = arg[1] % ARRAY_SIZE(calls);
	const int file = world_file(arg[0]);

	if (calls[n].argument & O_ASYNC)
		fcntl(file, F_SETOWN, getpid());
	return SYSCALL(fcntl(file, calls[n].command, calls[n].argument));
}

long do_file_fdinfo(const __u64 *arg)
{
	char path[64], text[1024];
	long ret;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", world_file(arg[0]));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = SYSCALL(read(fd, text, sizeof(text) - 1));
	close(fd);
	return ret < 0 ? ret : !!memmem(text, ret, "next-deadline", 13);
}

/* Operations that the device does not have. */
long do_file_misuse(const __u64 *arg)
{
	const int file = world_file(arg[0]);

	switch (arg[1] % 6) {
	case 0:
		return SYSCALL(lseek(file, 64, SEEK_SET));
	case 1:
		return SYSCALL(write(file, "", 1));
	case 2:
		return SYSCALL(pread(file, memory_at(WHERE_ROOM, 64), 64, 64));
	case 3:
		return SYSCALL(ftruncate(file, 64));
	case 4:
		return SYSCALL(fsync(file));
	default:
		return SYSCALL(splice(file, NULL, file, NULL, 64, 0));
	}
}
