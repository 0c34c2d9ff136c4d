// SPDX-License-Identifier: MIT
/*
 * The hostile worker: it writes garbage into its own lease, and tries everything that it
 * can think of to change the leases of others.
 *
 * It knows the handles of all leases. It may open the device, but has no descriptor of the
 * supervisor's. It reports, as other workers do, so that it is not taken for one that hangs.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "watchdog.h"

/* How often a round begins, and how many of the leases of others it attacks. */
#define ROUND_NS	50000000
enum { EACH_ROUND = 250, MOST_BYTES = 4096 };

static void count(__u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Write, seek, map, and make calls of the device with arguments without sense. */
static void write_garbage(const struct watchdog *w, int lease, __u64 *state)
{
	static __u64 bytes[MOST_BYTES / sizeof(__u64)];
	const unsigned int number = 0xa0 + random_next(state) % 0x20;
	size_t i, size;
	void *map;

	for (i = 0; i < MOST_BYTES / sizeof(*bytes); i++)
		bytes[i] = random_next(state);
	count(&w->attack->garbage);
	if (write(lease, bytes, 1 + random_next(state) % (MOST_BYTES - 1)) < 0)
		return;
	lseek(lease, random_next(state) >> 1, SEEK_SET);
	size = 8 << random_next(state) % 4;
	ioctl(lease, _IOC(random_next(state) % 4, 't', number, size), bytes);
	map = mmap(NULL, MOST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, lease,
		   number % 2 ? TWHEEL_MMAP_TABLE : TWHEEL_MMAP_RING);
	if (map != MAP_FAILED)
		munmap(map, MOST_BYTES);
}

/* Push the own lease by more than the cap. */
static void push_too_far(const struct watchdog *w, int lease, __u64 *state)
{
	const __u64 by = w->options.lease_ns + random_next(state) % (1ULL << 62);
	uint64_t left;

	twheel_lease_push_by(lease, by);
	twheel_lease_push_by(lease, ~0ULL);
	if (!twheel_lease_left(lease, &left) && left > w->options.lease_ns)
		count(&w->attack->beyond_cap);
}

/* Act on the lease of another worker by its handle, through both own descriptors. */
static void attack_handle(const struct watchdog *w, __u64 n, int lease, int device)
{
	struct twheel_op op = { .handle = w->workers[n].handle, .time_ns = 1000000000000 };
	struct twheel_lease make = { .handle = op.handle, .cap_ns = 1000000000000 };

	count(&w->attack->tries);
	if (!ioctl(lease, TWHEEL_IOC_CHANGE, &op) || !ioctl(device, TWHEEL_IOC_CHANGE, &op) ||
	    !ioctl(lease, TWHEEL_IOC_LEASE, &make) || !ioctl(device, TWHEEL_IOC_LEASE, &make))
		w->attack->won[n] = true;
	op.time_ns = 0;
	if (!ioctl(lease, TWHEEL_IOC_CANCEL, &op) || !ioctl(device, TWHEEL_IOC_CANCEL, &op))
		w->attack->won[n] = true;
}

/* Steal the victim's lease. Older C libraries lack these two calls. */
static void steal_lease(const struct watchdog *w, __u64 n, int lease)
{
	const int pidfd = (int)syscall(SYS_pidfd_open, w->workers[n].pid, 0);
	const int stolen = (int)syscall(SYS_pidfd_getfd, pidfd, lease, 0);

	count(&w->attack->tries);
	if (stolen >= 0 && write(stolen, "", 1) == 1)
		w->attack->won[n] = true;
	close(stolen);
	close(pidfd);
}

/* Send a message as if it came from the victim. */
static void send_in_the_name_of(const struct watchdog *w, __u64 n)
{
	char message[10] = "WATCHDOG=1";
	struct iovec text = { message, sizeof(message) };
	struct ucred from = { w->workers[n].pid, getuid(), getgid() };
	char control[CMSG_SPACE(sizeof(from))] = { 0 };
	struct msghdr header = {
		.msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *said = CMSG_FIRSTHDR(&header);

	said->cmsg_level = SOL_SOCKET;
	said->cmsg_type = SCM_CREDENTIALS;
	said->cmsg_len = CMSG_LEN(sizeof(from));
	memcpy(CMSG_DATA(said), &from, sizeof(from));
	sendmsg(w->notify[1], &header, MSG_DONTWAIT);
}

/* Keep the victims alive, by each way to watch. */
static void keep_victims_alive(const struct watchdog *w, int lease)
{
	__u64 n;

	for (n = 0; n < w->options.workers; n++) {
		if (!__atomic_load_n(&w->workers[n].victim, __ATOMIC_ACQUIRE))
			continue;
		steal_lease(w, n, lease);
		send_in_the_name_of(w, n);
		__atomic_store_n(&w->beats[n], now(), __ATOMIC_RELEASE);
	}
}

void hostile_run(struct watchdog *w, __u64 n, int lease, int device)
{
	const struct timespec pause = { 0, ROUND_NS };
	__u64 state = w->options.seed + 1, other = 0, rounds, i;

	for (rounds = 0;; rounds++) {
		write_garbage(w, lease, &state);
		push_too_far(w, lease, &state);
		for (i = 0; i < EACH_ROUND; i++, other++)
			if (other % w->options.workers != n)
				attack_handle(w, other % w->options.workers, lease, device);
		/* once a second */
		if (rounds % (1000000000 / ROUND_NS) == 0) {
			worker_report(w, n, lease);
			keep_victims_alive(w, lease);
		}
		nanosleep(&pause, NULL);
	}
}
