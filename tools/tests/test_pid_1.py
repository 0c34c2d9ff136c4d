# SPDX-License-Identifier: GPL-2.0
"""The tool as PID 1 of a container, or as the subreaper of other processes."""

import contextlib
import ctypes
import os
import signal
import tempfile

from harness import (Background, Skip, case, case_here, execute, good, is_, processes, program,
                     wait_until)

# Leave three orphans, kill them, and wait until only this shell is a child of the tool.
ORPHANS = """
count() { grep -l "^PPid:.$PPID$" /proc/[0-9]*/status 2>/dev/null | wc -l; }
[ $(count) -eq 1 ] || exit 7
pids=$(for i in 1 2 3; do sh -c 'sleep 1000 >/dev/null & echo $!'; done)
[ $(count) -eq 4 ] || exit 8
kill $pids
for i in $(seq 100); do [ $(count) -eq 1 ] && exit 0; sleep 0.1; done
exit 9
"""


def become_subreaper():
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def children(parent):
    return [process.pid for process in processes() if process.parent == parent]


@case
def orphans_are_reaped_while_a_command_runs():
    for words in ("run", "--lease", "100s"), ("add", "1ms"):
        good(*words, "sh", "-c", ORPHANS, preexec_fn=become_subreaper)


@case
def orphans_are_reaped_while_no_command_runs():
    # The command leaves an orphan that ends later.
    with Background("every", "1h", "--first", "1ms", "sh", "-c", "sleep 1000 >/dev/null & echo $!",
                    preexec_fn=become_subreaper) as process:
        process.event()
        orphan = int(process.stdout.readline())
        is_(process.event()["event"], "ran")
        is_(children(process.pid), [orphan])
        os.kill(orphan, signal.SIGKILL)
        wait_until(lambda: not children(process.pid))


@case_here
def signals_end_the_tool_as_pid_1():
    as_pid_1 = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"]
    if execute(*as_pid_1, "true").status:
        raise Skip("unshare(1) cannot make a PID namespace here")
    # A script waits until somebody writes to the pipe.
    pipe = tempfile.mkdtemp() + "/pipe"
    os.mkfifo(pipe)
    with Background("script", pipe, command=(*as_pid_1, program)) as process:
        def tell_to_end():
            for tool in children(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(tool, signal.SIGTERM)
            return process.poll() is not None

        wait_until(lambda: [pid for pid in children(process.pid)
                            if os.readlink(f"/proc/{pid}/exe") == program])
        wait_until(tell_to_end)
    is_(process.returncode, 128 + signal.SIGTERM)
