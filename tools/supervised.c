// SPDX-License-Identifier: GPL-2.0
/* The beginning and the end of a command that has a lease */
#include <errno.h>
#include <fcntl.h>
#include <libtwheel.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "device.h"
#include "fence.h"
#include "json.h"
#include "lease.h"
#include "notify.h"
#include "report.h"
#include "run.h"
#include "status.h"
#include "supervised.h"

enum { FIRST_FREE_FD = 3 };

void supervised_tell(const struct supervised *s, const char *event)
{
	if (!json)
		return;
	json_open(NULL, '{');
	json_text("event", event);
	json_number("pid", (unsigned int)s->pid);
	json_close('}');
	json_end();
}

/*
 * Become the command, in the child. It gets a copy of the lease that survives exec(). The
 * number has one digit if possible: some shells can redirect to no other. The child waits for a
 * byte from @go: without one, the tool could not do its part.
 */
static void exec_command(const struct supervised *s, int lease, const int *go)
{
	char byte;
	int fd;

	setpgid(0, 0);
	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(126);
	close(go[0]);
	close(s->device);
	close(s->signals);
	if (s->notify >= 0) {
		notify_set_variables(s->notify, s->lease_ns);
		close(s->notify);
	}
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

int supervised_arm(struct supervised *s)
{
	struct twheel_op op = twheel_after(s->lease_ns, 0);
	const int ret = twheel_add(s->device, &op);

	s->handle = op.handle;
	return ret;
}

/* What the tool does for a child that waits. Returns an exit status. */
static int let_go(struct supervised *s, int go)
{
	int ret;

	/* The child does the same: whichever comes first. */
	setpgid(s->pid, s->pid);
	ret = s->fenced ? fence_begin(&s->fence, s->device, s->pid) : STATUS_DONE;
	/* The child ends by itself if there is no byte. */
	if (!ret && write(go, "", 1) == 1)
		supervised_tell(s, "started");
	return ret;
}

/* Make a child that becomes the command. Returns an exit status. */
static int fork_command(struct supervised *s, int lease)
{
	int go[2], ret;

	if (pipe2(go, O_CLOEXEC))
		return device_report("run", -errno);
	fflush(stdout);
	s->pid = fork();
	if (!s->pid)
		exec_command(s, lease, go);
	ret = s->pid < 0 ? device_report(s->command[0], -errno) : let_go(s, go[1]);
	close(go[0]);
	close(go[1]);
	return ret;
}

int supervised_start(struct supervised *s)
{
	int lease, ret;

	s->device = device_open();
	if (s->device < 0)
		return -s->device;
	ret = supervised_arm(s);
	if (ret)
		return device_report("run", ret);
	/* With a fence, the event would kill the children of a command that ends. */
	lease = twheel_lease(s->device, s->handle, s->lease_ns,
			     s->fenced ? 0 : TWHEEL_LEASE_EXPIRE_ON_CLOSE);
	if (lease == -EDQUOT) {
		report("run: no more leases allowed; see max_leases_user in twheel(4)");
		return STATUS_FAILED;
	}
	if (lease < 0)
		return device_report("run", lease);
	s->closed = false;
	s->hung = false;
	ret = fork_command(s, lease);
	if (s->notify >= 0)
		s->lease = lease;
	else
		close(lease);
	return ret;
}

void supervised_end(struct supervised *s)
{
	if (s->lease >= 0)
		close(s->lease);
	if (s->device >= 0) {
		twheel_cancel(s->device, s->handle);
		twheel_close(s->device);
	}
	s->lease = -1;
	s->device = -1;
}
