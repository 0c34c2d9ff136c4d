/* SPDX-License-Identifier: GPL-2.0 */
/* A command with a lease: how one of its runs begins and ends. */
#ifndef _SUPERVISED_H
#define _SUPERVISED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "fence.h"

/**
 * struct supervised - a command and its present run
 * @command: The command, ended by %NULL.
 * @lease_ns: The length of the lease.
 * @restarts: The command is started again if it fails or hangs.
 * @limited: The number of starts is limited.
 * @left: How many starts may still end, if @limited.
 * @fenced: The kernel kills the command, too.
 * @cgroup: The folder of the cgroup for the command, or %NULL.
 * @fence: The fence.
 * @notify: The socket for messages of the command, or -1.
 * @device: The device: of the present run.
 * @lease: The lease of the present run, or -1 if the command alone has it.
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
	bool		fenced;
	const char	*cgroup;
	struct fence	fence;
	int		notify;
	int		device;
	int		lease;
	int		signals;
	sigset_t	before;
	bool		told_to_end;
	pid_t		pid;
	uint64_t	handle;
	bool		closed;
	bool		hung;
};

/* Start the command, with a device and a lease of its own. Returns an exit status. */
int supervised_start(struct supervised *s);

/* Arm the timer that says that the command hangs. Returns 0 or a negative errno. */
int supervised_arm(struct supervised *s);

/* Close what the run had. */
void supervised_end(struct supervised *s);

/* With --json, print an event of the command. */
void supervised_tell(const struct supervised *s, const char *event);

#endif /* _SUPERVISED_H */
