// SPDX-License-Identifier: MIT
/*
 * The launcher: it starts the workers and the watchers, lets a while pass in which all is
 * well, then strikes, and reports who noticed what.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../common/exit.h"
#include "watchdog.h"

static void step(const char *what)
{
	printf("%s ...\n", what);
	fflush(stdout);
}

static void *share(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		err(EXIT_FAILURE, "no memory for the workers");
	return memory;
}

/*
 * Let queues of AF_UNIX sockets hold as many messages as systemd does when it starts, where
 * this program may. Otherwise they hold ten.
 */
static void make_queues_long(void)
{
	FILE *file = fopen("/proc/sys/net/unix/max_dgram_qlen", "we");

	if (file) {
		fputs("512\n", file);
		fclose(file);
	}
}

/* A socket with a name that the kernel chooses, and one connected to it. */
static void open_sockets(int *notify)
{
	const int on = 1, size = 1 << 20;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(sa_family_t);

	make_queues_long();
	notify[0] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	notify[1] = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(notify[0], (struct sockaddr *)&name, length))
		err(EXIT_FAILURE, "cannot make a socket");
	length = sizeof(name);
	if (setsockopt(notify[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    getsockname(notify[0], (struct sockaddr *)&name, &length) ||
	    connect(notify[1], (struct sockaddr *)&name, length))
		err(EXIT_FAILURE, "cannot make a socket");
	/* all workers share it; only root may have as much */
	setsockopt(notify[1], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
}

static void open_all(struct watchdog *w)
{
	const __u64 workers = w->options.workers;
	struct rlimit files = { workers + 100, workers + 100 };

	w->device = twheel_open(0);
	if (w->device < 0)
		exit_without_device(w->device);
	/* the watcher by pidfd has a descriptor for each worker */
	if (setrlimit(RLIMIT_NOFILE, &files))
		err(EXIT_FAILURE, "cannot have a descriptor for each worker");
	w->workers = share(workers * sizeof(*w->workers));
	w->beats = share(workers * sizeof(*w->beats));
	w->attack = share(sizeof(*w->attack) + workers * sizeof(*w->attack->won));
	open_sockets(w->notify);
}

/* Memory that programs could still have, in KiB. */
static long long memory_left(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	long long left = 0;
	char line[128];

	while (file && !left && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lld", &left) != 1)
			left = 0;
	if (file)
		fclose(file);
	return left;
}

/* Arm a timer, make its lease, and start the worker that holds it. */
static void start_one(struct watchdog *w, __u64 n)
{
	struct twheel_op op = twheel_after(w->options.lease_ns, n);
	const int error = twheel_add(w->device, &op);
	int lease;

	if (error)
		errx(EXIT_FAILURE, "cannot add a timer: %s", strerror(-error));
	lease = twheel_lease(w->device, op.handle, w->options.lease_ns,
			     TWHEEL_LEASE_EXPIRE_ON_CLOSE);
	if (lease < 0)
		errx(EXIT_FAILURE, "cannot make a lease: %s", strerror(-lease));
	w->workers[n].handle = op.handle;
	w->workers[n].pid = worker_start(w, n, lease);
	if (w->workers[n].pid < 0)
		errx(EXIT_FAILURE, "cannot start worker %llu: %s", (unsigned long long)n,
		     strerror(-w->workers[n].pid));
	/* now the worker has the only copy */
	close(lease);
}

static void start_all(struct watchdog *w)
{
	const long long before = memory_left();
	__u64 n;

	for (n = 0; n < w->options.workers; n++) {
		start_one(w, n);
		if ((n + 1) % 1000 == 0) {
			printf("%llu workers have started\n", (unsigned long long)n + 1);
			fflush(stdout);
		}
	}
	printf("%llu workers take %.0f KiB of memory each, kernel and all\n",
	       (unsigned long long)w->options.workers,
	       (before - memory_left()) / (double)w->options.workers);
}

/* Wait until every worker has reported, and the start has gone by. */
static void settle(const struct watchdog *w)
{
	const __u64 period = w->options.lease_ns / 3;
	const struct timespec time = { period / 1000000000, period % 1000000000 };
	const struct timespec pause = { 0, 100000000 };
	__u64 n;

	nanosleep(&time, NULL);
	for (n = 0; n < w->options.workers; n++)
		while (!__atomic_load_n(&w->beats[n], __ATOMIC_ACQUIRE))
			nanosleep(&pause, NULL);
}

static void end_all(const struct watchdog *w)
{
	__u64 n;
	int way;

	for (way = 0; way < WAYS; way++)
		kill(watchers[way].pid, SIGKILL);
	for (n = 0; n < w->options.workers; n++)
		kill(w->workers[n].pid, SIGKILL);
}

int main(int argc, char **argv)
{
	struct watchdog w = { 0 };
	__u64 forged;
	bool passed;

	options_parse(&w.options, argc, argv);
	open_all(&w);
	strike_choose(&w);
	step("starting the workers");
	start_all(&w);
	watchers_start(&w);
	step("letting them settle");
	settle(&w);
	step("watching while all is well");
	watchers_idle(&w);
	step("killing and stopping workers");
	strike_all(&w);
	step("waiting until the last lease is due");
	strike_wait(&w);
	step("looking for forged leases");
	forged = forgery_count(&w);
	end_all(&w);
	passed = report(&w, forged);
	return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
