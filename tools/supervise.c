// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl run: a command with a lease
 *
 * The command pushes its lease, through a descriptor that it inherits. A command that does
 * not is killed. The tool reports how the command has ended, or starts it again.
 */
#include <errno.h>
#include <fcntl.h>
#include <libtwheel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"
#include "device.h"
#include "format.h"
#include "json.h"
#include "lease.h"
#include "parse.h"
#include "report.h"
#include "run.h"
#include "signals.h"
#include "status.h"

/* The time from the end of a command to its next start. */
#define RESTART_MS	100

enum { FIRST_FREE_FD = 3 };

/**
 * struct supervised - a command and its present run
 * @command: The command, ended by %NULL.
 * @lease_ns: The length of the lease.
 * @restarts: The command is started again if it fails or hangs.
 * @limited: The number of starts is limited.
 * @left: How many starts may still end, if @limited.
 * @device: The device.
 * @signals: A signalfd for the end of the command, and for signals to pass on.
 * @before: The signals that were blocked when the tool began.
 * @told_to_end: The tool has got a signal to end.
 * @pid: The process.
 * @handle: The timer that says that the process hangs.
 * @closed: The process has closed its lease.
 * @hung: The process hangs, and the tool has killed it.
 */
struct supervised {
	char		**command;
	uint64_t	lease_ns;
	bool		restarts;
	bool		limited;
	uint64_t	left;
	int		device;
	int		signals;
	sigset_t	before;
	bool		told_to_end;
	pid_t		pid;
	uint64_t	handle;
	bool		closed;
	bool		hung;
};

static void tell_started(const struct supervised *s)
{
	if (!json)
		return;
	json_open(NULL, '{');
	json_text("event", "started");
	json_number("pid", (unsigned int)s->pid);
	json_close('}');
	json_end();
}

static void tell_hung(const struct supervised *s)
{
	char text[FORMAT_SIZE];

	report("%s (process %d) %s for %s; killing it", s->command[0], s->pid,
	       s->closed ? "has closed its lease, and gone on" : "has not pushed its lease",
	       format_duration(s->lease_ns, text));
}

static void tell_ended(const struct supervised *s, int status)
{
	if (json) {
		json_open(NULL, '{');
		json_text("event", s->hung ? "hung" : "ended");
		json_number("pid", (unsigned int)s->pid);
		json_number("status", (unsigned int)status);
		json_close('}');
		json_end();
	}
	if (status && !s->hung)
		report("%s (process %d) ended with status %d", s->command[0], s->pid, status);
}

/*
 * Become the command, in the child. It gets a copy of the lease that survives exec(). The
 * number has one digit if possible: some shells can redirect to no other.
 */
static void exec_command(const struct supervised *s, int lease)
{
	int fd;

	setpgid(0, 0);
	close(s->device);
	close(s->signals);
	fd = fcntl(lease, F_DUPFD, FIRST_FREE_FD);
	if (fd < 0) {
		report("%s: %s", s->command[0], strerror(errno));
		_exit(126);
	}
	run_set_variable(LEASE_FD, (uint64_t)fd);
	run_set_variable(LEASE_NS, s->lease_ns);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
	run_exec(s->command);
}

/* Arm the timer that says that the command hangs. Returns 0 or a negative errno. */
static int arm(struct supervised *s)
{
	struct twheel_op op = twheel_after(s->lease_ns, 0);
	const int ret = twheel_add(s->device, &op);

	s->handle = op.handle;
	return ret;
}

/* Start the command. Returns an exit status. */
static int start(struct supervised *s)
{
	int lease, ret = arm(s);

	if (ret)
		return device_report("run", ret);
	lease = twheel_lease(s->device, s->handle, s->lease_ns, TWHEEL_LEASE_EXPIRE_ON_CLOSE);
	if (lease == -EDQUOT) {
		report("run: no more leases allowed; see max_leases_user in twheel(4)");
		return STATUS_FAILED;
	}
	if (lease < 0)
		return device_report("run", lease);
	s->closed = false;
	s->hung = false;
	fflush(stdout);
	s->pid = fork();
	if (!s->pid)
		exec_command(s, lease);
	ret = s->pid < 0 ? device_report(s->command[0], -errno) : STATUS_DONE;
	if (!ret) {
		/* the child does the same: whichever comes first */
		setpgid(s->pid, s->pid);
		tell_started(s);
	}
	close(lease);
	return ret;
}

static void serve_event(struct supervised *s)
{
	struct twheel_event event;

	/* An earlier run may have left an event. */
	if (twheel_read(s->device, &event, 1) != 1 || event.handle != s->handle)
		return;
	/*
	 * A command that has closed its lease is about to end. If it goes on for the length
	 * of another lease, it counts as hung.
	 */
	if (event.flags & TWHEEL_EVENT_LEASE_CLOSED && !arm(s)) {
		s->closed = true;
		return;
	}
	tell_hung(s);
	s->hung = true;
	kill(-s->pid, SIGKILL);
}

/* The next signal that the tool has got; 0 for none. */
static int next_signal(struct supervised *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	s->told_to_end |= info.ssi_signo != SIGCHLD;
	return (int)info.ssi_signo;
}

/*
 * Whether the command has ended. Other signals are passed on to it. One SIGCHLD may stand
 * for many children.
 */
static bool serve_signal(struct supervised *s, int *wait_status)
{
	const int number = next_signal(s);

	if (number == SIGCHLD)
		return signals_reap(s->pid, wait_status);
	if (number)
		kill(-s->pid, number);
	return false;
}

/* Wait for the end of the command. Returns its status as a shell would. */
static int wait_for_end(struct supervised *s)
{
	struct pollfd fds[] = {
		{ .fd = s->device, .events = POLLIN },
		{ .fd = s->signals, .events = POLLIN },
	};
	int wait_status;

	for (;;) {
		poll(fds, 2, -1);
		if (fds[1].revents && serve_signal(s, &wait_status))
			break;
		if (fds[0].revents)
			serve_event(s);
	}
	twheel_cancel(s->device, s->handle);
	return run_status(wait_status);
}

/* Whether the command is to be started again. One that cannot be run is not. */
static bool again(struct supervised *s, int status)
{
	struct pollfd signals = { .fd = s->signals, .events = POLLIN };

	if (!s->restarts || s->told_to_end || (!s->hung && (!status || status == 126 ||
							    status == 127)))
		return false;
	if (s->limited && !--s->left)
		return false;
	while (!s->told_to_end && poll(&signals, 1, RESTART_MS) > 0)
		if (next_signal(s) == SIGCHLD)
			signals_reap(0, NULL);
	return !s->told_to_end;
}

static int supervise(struct supervised *s)
{
	int ret, status;

	do {
		ret = start(s);
		if (ret)
			return ret;
		status = wait_for_end(s);
		tell_ended(s, status);
	} while (again(s, status));
	if (s->hung)
		return STATUS_COMMAND_HUNG;
	return status ? STATUS_COMMAND_FAILED : STATUS_DONE;
}

/* Returns whether the words before the command make sense. */
static bool parse(struct supervised *s, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		} else if (!strcmp(argv[i], "--restart")) {
			s->restarts = true;
		} else if (!strcmp(argv[i], "--lease") && i + 1 < argc) {
			if (!parse_duration(argv[++i], &s->lease_ns))
				return false;
		} else if (!strcmp(argv[i], "--count") && i + 1 < argc) {
			s->limited = true;
			if (!parse_number(argv[++i], &s->left))
				return false;
		} else {
			report("run: unknown option '%s', or its value is missing", argv[i]);
			return false;
		}
	}
	s->command = argv + i;
	if (!s->lease_ns || i == argc || (s->limited && (!s->left || !s->restarts))) {
		report("run: --lease DURATION [--restart [--count N]] COMMAND");
		return false;
	}
	return true;
}

/* The signals of the tool come through a descriptor from now on. */
static int open_signals(struct supervised *s)
{
	sigset_t signals;

	signals_block(&signals, &s->before);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int supervise_main(int argc, char **argv)
{
	struct supervised s = { 0 };
	int ret;

	if (!parse(&s, argc, argv))
		return STATUS_USAGE;
	s.device = device_open();
	if (s.device < 0)
		return -s.device;
	s.signals = open_signals(&s);
	if (s.signals < 0) {
		report("run: %s", strerror(errno));
		ret = STATUS_FAILED;
	} else {
		ret = supervise(&s);
		close(s.signals);
	}
	twheel_close(s.device);
	return ret;
}
