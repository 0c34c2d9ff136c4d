// SPDX-License-Identifier: GPL-2.0
/*
 * twheel: the calls on /dev/twheel as commands of io_uring
 *
 * The interface is described at struct twheel_uring_cmd in include/uapi/linux/twheel.h.
 *
 * io_uring issues a command first in the task that submits it, with %IO_URING_F_NONBLOCK
 * and with the lock of its ring held. -EAGAIN makes io_uring issue the command again in a
 * worker thread, where it may wait. Page faults are allowed in the first issue, too, as for
 * socket options. A fault holds up only the program's own ring.
 *
 * No command stays with the driver. So io_uring need not cancel any when a ring ends, which older
 * kernels cannot do. The threads of io_uring share the memory, the files, the credentials and the
 * cgroup of the task that they serve. The quota is that of the opener.
 */
#include "calls.h"
#include "twheel_compat.h"
#include TWHEEL_URING_HEADER

/* Whether a call is left to a worker thread, because it may take long. */
static bool uring_may_wait(u32 call)
{
	return call == TWHEEL_IOC_DRAIN || call == TWHEEL_IOC_EVENTFD || call == TWHEEL_IOC_LEASE ||
	       call == TWHEEL_IOC_LIST;
}

/*
 * Carries out a command. Returns what the ioctl() returns, or -EIOCBQUEUED if the command has been
 * completed with that result; or -EAGAIN, and has done nothing, if the call may wait and the caller
 * may not.
 */
int twheel_uring_command(struct io_uring_cmd *command, unsigned int issue_flags)
{
	const struct twheel_uring_cmd *payload = twheel_uring_payload(command);
	/* The program may write to its queue meanwhile: read each field once. */
	u64 arg = READ_ONCE(payload->arg);
	long ret;

	if (READ_ONCE(payload->reserved) || command->flags & IORING_URING_CMD_MASK)
		return -EINVAL;
	if (arg != (unsigned long)arg)
		return -EFAULT;
	if (issue_flags & IO_URING_F_NONBLOCK && uring_may_wait(command->cmd_op))
		return -EAGAIN;
	ret = twheel_ioctl(command->file, command->cmd_op, arg);
	/* There is no system call to restart. */
	if (ret == -ERESTARTSYS)
		ret = -EINTR;
	if (ret <= 0)
		return ret;
	/*
	 * In older kernels, a command that returns a positive result is never completed if it runs
	 * in a worker thread, and breaks a chain of linked requests if it does not.
	 */
	twheel_uring_done(command, ret, issue_flags);
	return -EIOCBQUEUED;
}
