// SPDX-License-Identifier: MIT
/*
 * A worker: a process that does nothing but report. It has no exec(), and touches few
 * pages, so that ten thousand of them fit into a small machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../common/exit.h"
#include "watchdog.h"

enum { NOBODY = 65534 };

/*
 * sd_notify() waits while the queue of the socket is full. Here the message is lost instead,
 * so that one way to watch does not make the worker late for the others.
 */
void worker_report(const struct watchdog *w, __u64 n, int lease)
{
	static const char message[] = "WATCHDOG=1";

	__atomic_store_n(&w->beats[n], now(), __ATOMIC_RELEASE);
	if (twheel_lease_push(lease))
		_exit(EXIT_FAILURE);
	send(w->notify[1], message, sizeof(message) - 1, MSG_DONTWAIT);
}

/* Report three times in each lease. Workers start at different times of the period. */
static void report_forever(const struct watchdog *w, __u64 n, int lease)
{
	const __u64 period = w->options.lease_ns / 3;
	__u64 next = now() + period / 1000 * (n * 617 % 1000);
	struct timespec until;

	for (;;) {
		worker_report(w, n, lease);
		while (next <= now())
			next += period;
		until.tv_sec = next / 1000000000;
		until.tv_nsec = next % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

/* Leave the worker what it needs: the lease, and what the other ways to watch share. */
static void give_up_rights(const struct watchdog *w)
{
	if (mprotect(w->workers, w->options.workers * sizeof(*w->workers), PROT_READ))
		err(EXIT_FAILURE, "mprotect");
	close(w->device);
	close(w->notify[0]);
	if (!getuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			  setresuid(NOBODY, NOBODY, NOBODY)))
		err(EXIT_FAILURE, "cannot give up root's rights");
	/* End with the launcher. A change of the user would undo this. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

pid_t worker_start(struct watchdog *w, __u64 n, int lease)
{
	const pid_t pid = fork();
	int device;

	if (pid)
		return pid < 0 ? -errno : pid;
	if (w->workers[n].fate != FATE_HOSTILE) {
		give_up_rights(w);
		report_forever(w, n, lease);
	}
	/* The hostile worker may use the device, but has no descriptor of the supervisor's. */
	device = twheel_open(0);
	give_up_rights(w);
	hostile_run(w, n, lease, device);
	_exit(EXIT_FAILURE);
}
