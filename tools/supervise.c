// SPDX-License-Identifier: GPL-2.0
/*
 * twheelctl run: a command with a lease
 *
 * The command pushes its lease, through a descriptor that it inherits, or by sd_notify(3). A
 * command that does not is killed: by the tool, and with a fence by the kernel, too. The tool
 * reports how the command has ended, or starts it again.
 */
#include <errno.h>
#include <libtwheel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"
#include "device.h"
#include "fence.h"
#include "format.h"
#include "json.h"
#include "notify.h"
#include "parse.h"
#include "report.h"
#include "run.h"
#include "signals.h"
#include "status.h"
#include "supervised.h"

/* The time from the end of a command to its next start. */
#define RESTART_MS	100

static void tell_hung(struct supervised *s)
{
	char text[FORMAT_SIZE];

	s->hung = true;
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

static void kill_hung(struct supervised *s)
{
	tell_hung(s);
	kill(-s->pid, SIGKILL);
	fence_kill_cgroup(&s->fence);
}

static void serve_event(struct supervised *s)
{
	struct twheel_event event;

	/* The event stays until the command has ended: without it, the kernel may not signal. */
	if (s->fenced) {
		kill_hung(s);
		return;
	}
	if (twheel_read(s->device, &event, 1) != 1)
		return;
	/*
	 * A command that has closed its lease is about to end. If it goes on for the length
	 * of another lease, it counts as hung.
	 */
	if (event.flags & TWHEEL_EVENT_LEASE_CLOSED && !supervised_arm(s)) {
		s->closed = true;
		return;
	}
	kill_hung(s);
}

static void serve_messages(struct supervised *s)
{
	const unsigned int said = notify_receive(s->notify, s->pid);

	if (said)
		twheel_lease_push(s->lease);
	if (said & NOTIFY_READY)
		supervised_tell(s, "ready");
	if (said & NOTIFY_STOPPING)
		supervised_tell(s, "stopping");
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
		{ .fd = s->notify, .events = POLLIN },
	};
	int wait_status;

	for (;;) {
		poll(fds, 3, -1);
		if (fds[2].revents)
			serve_messages(s);
		if (fds[1].revents && serve_signal(s, &wait_status))
			break;
		if (fds[0].revents)
			serve_event(s);
		if (s->hung)
			fds[0].fd = -1;
	}
	/* The last words of the command may have come after poll(). */
	if (s->notify >= 0)
		serve_messages(s);
	/* The kernel may have been faster than the tool. */
	if (s->fenced && !s->hung && WIFSIGNALED(wait_status) &&
	    twheel_wait(s->device, 0) > 0) {
		tell_hung(s);
		fence_kill_cgroup(&s->fence);
	}
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
		ret = supervised_start(s);
		status = ret ? ret : wait_for_end(s);
		supervised_end(s);
		if (ret)
			return ret;
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
		} else if (!strcmp(argv[i], "--fence")) {
			s->fenced = true;
		} else if (!strcmp(argv[i], "--notify")) {
			s->notify = 0;
		} else if (!strcmp(argv[i], "--cgroup") && i + 1 < argc) {
			s->fenced = true;
			s->cgroup = argv[++i];
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
	if (!s->lease_ns)
		report("run: --lease DURATION is missing, or 0");
	else if (i == argc)
		report("run: COMMAND is missing");
	else if (s->limited && !s->restarts)
		report("run: --count is for --restart");
	else if (s->limited && !s->left)
		report("run: --count 0 starts nothing");
	else
		return true;
	report("see twheelctl help run");
	return false;
}

/* The signals of the tool come through a descriptor from now on. */
static int open_signals(struct supervised *s)
{
	sigset_t signals;

	signals_block(&signals, &s->before);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Open what all runs of the command share. Returns an exit status. */
static int prepare(struct supervised *s)
{
	s->signals = open_signals(s);
	if (s->signals < 0)
		return device_report("run", -errno);
	if (s->notify >= 0) {
		s->notify = notify_open();
		if (s->notify < 0)
			return device_report("run: --notify", s->notify);
	}
	return s->cgroup ? fence_open_cgroup(&s->fence, s->cgroup) : STATUS_DONE;
}

int supervise_main(int argc, char **argv)
{
	struct supervised s = {
		.fence = FENCE_INIT,
		.notify = -1,
		.device = -1,
		.lease = -1,
		.signals = -1,
	};
	int ret;

	if (!parse(&s, argc, argv))
		return STATUS_USAGE;
	ret = prepare(&s);
	if (!ret)
		ret = supervise(&s);
	fence_close_cgroup(&s.fence);
	if (s.notify >= 0)
		close(s.notify);
	if (s.signals >= 0)
		close(s.signals);
	return ret;
}
