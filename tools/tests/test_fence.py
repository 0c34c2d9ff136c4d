# SPDX-License-Identifier: GPL-2.0
"""A fence, and sd_notify(3): run with --fence, --cgroup and --notify."""

import contextlib
import os
import signal
import socket
import sys
import tempfile
import time

from harness import (COMMAND_FAILED, COMMAND_HUNG, DONE, FAILED, NOBODY, Background, Skip,
                     case_in_real_time, ctl, ends, is_, kinds, objects, processes, program,
                     run_shell, wait_until)

CGROUPS = "/sys/fs/cgroup"


def state(pid):
    """The state of a process: Z if it has ended and waits for its parent; None if it is gone."""
    return next((process.state for process in processes() if process.pid == pid), None)


def helpers():
    """How many helpers of a fence there are."""
    return sum(process.name == "twheelctl-fence" and process.state != "Z"
               for process in processes())


@contextlib.contextmanager
def fenced(text, *words, lease="1s"):
    """A shell with a lease and a fence in the background: (its number, the tool)."""
    with Background("run", "--lease", lease, "--fence", *words, "sh", "-c", text) as process:
        yield process.event()["pid"], process


@case_in_real_time
def fence_kills_a_command_that_hangs():
    for text in ("sleep 1000 & sleep 1000", "kill -STOP $$", "while :; do :; done"):
        result = ends(run_shell(text, "--fence", lease="300ms"), COMMAND_HUNG, "sh (process ",
                      "has not pushed its lease for 300")
        is_(kinds(objects(result.out)), ["started", "hung"])
    wait_until(lambda: not helpers())


@case_in_real_time
def fence_lets_a_command_live_that_pushes_or_ends():
    loop = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.5; $CTL lease push; done; exit 3"
    result = run_shell(loop, "--fence", "--restart", "--count", "2", lease="5s")
    is_(kinds(objects(result.out)), ["started", "ended", "started", "ended"])
    is_(result.status, COMMAND_FAILED)
    # The children of a command that has ended go on, as without a fence.
    child = ends(run_shell("sleep 1000 >/dev/null 2>&1 & echo $!", "--fence", lease="2s"), DONE)
    pid = int(next(line for line in child.out.splitlines() if line.isdigit()))
    time.sleep(2.5)
    is_(state(pid), "S")
    os.kill(pid, signal.SIGKILL)


@case_in_real_time
def fence_acts_while_the_tool_is_stopped():
    with fenced("kill -STOP $$") as (pid, process):
        process.send_signal(signal.SIGSTOP)
        wait_until(lambda: state(pid) == "Z")
        is_(state(process.pid), "T")
        process.send_signal(signal.SIGCONT)
        is_(process.wait(), COMMAND_HUNG)


@case_in_real_time
def fence_acts_after_the_tool_was_killed():
    with fenced("sleep 1000 & while :; do :; done", lease="4s") as (pid, process):
        process.kill()
        process.wait()
        is_(helpers(), 1)
        # The end of both closes stdout.
        is_(process.stdout.read(), "")
        wait_until(lambda: state(pid) is None and not helpers())


@case_in_real_time
def lease_of_a_fence_can_be_pushed_after_the_tool_was_killed():
    began = time.monotonic()
    text = f"kill -9 $PPID; sleep 1; {program} lease push && echo pushed; sleep 1000"
    with fenced(text, lease="5s") as (pid, process):
        is_(process.stdout.read(), "pushed\n")
        wait_until(lambda: state(pid) is None)
    if time.monotonic() - began < 6:
        raise AssertionError("the fence did not wait for the lease")


@case_in_real_time
def fence_kills_what_has_left_the_group_by_its_cgroup():
    if not os.path.exists(CGROUPS + "/cgroup.procs"):
        raise Skip("no cgroup2 here")
    cgroup = CGROUPS + "/twheelctl-test"
    text = "setsid sh -c 'while :; do sleep 1; done' & sleep 1000"
    # The end of the child closes stdout, for which ctl() waits.
    is_(run_shell(text, "--cgroup", cgroup, lease="500ms").status, COMMAND_HUNG)
    wait_until(lambda: not os.path.exists(cgroup) or not helpers())
    with fenced(text, "--cgroup", cgroup) as (_, process):
        process.kill()
        is_(process.stdout.read(), "")
    wait_until(lambda: not helpers())
    os.rmdir(cgroup)


@case_in_real_time
def cgroup_of_a_fence_has_to_be_one_and_empty():
    folder = tempfile.mkdtemp()
    for path, why in ((folder, "cgroup.procs: No such file"),
                      (folder + "/new", "cgroup.procs: No such file"),
                      ("/no/such/cgroup", "No such file"),
                      (CGROUPS, "has processes" if os.path.exists(CGROUPS + "/cgroup.kill")
                       else "No such file")):
        ends(ctl("run", "--lease", "1s", "--cgroup", path, "true"), FAILED,
             "run: --cgroup: " + path, why)
    is_(os.listdir(folder), [])


# What a program with sd_notify(3) does: notify(TEXT, [DESCRIPTOR...])
NOTIFY = """
import os, socket, sys, time
def notify(text, *fds):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.connect(os.environ["NOTIFY_SOCKET"].replace("@", chr(0), 1))
        socket.send_fds(s, [text.encode()], fds)
"""


def run_notify(text, *options, lease, **more):
    return ctl("--json", "run", "--lease", lease, "--notify", *options, "--", sys.executable,
               "-c", NOTIFY + text, **more)


@case_in_real_time
def command_pushes_its_lease_by_sd_notify():
    text = """
notify("READY=1")
for i in range(14):
    time.sleep(0.5)
    notify("STATUS=works" + chr(10) + "WATCHDOG=1")
notify("STOPPING=1")
sys.exit(os.environ["WATCHDOG_USEC"] != "5000000" or "WATCHDOG_PID" in os.environ)
"""
    for options in (), ("--fence",):
        result = run_notify(text, *options, lease="5s", env={"WATCHDOG_PID": "1"})
        is_((result.status, result.err), (DONE, ""))
        is_(kinds(objects(result.out)), ["started", "ready", "stopping", "ended"])


@case_in_real_time
def command_that_sends_no_watchdog_is_killed():
    text = """
notify("READY=1")
while True:
    time.sleep(0.1)
    notify("STATUS=WATCHDOG=1")
"""
    for options in (), ("--fence",):
        result = ends(run_notify(text, *options, lease="4s"), COMMAND_HUNG)
        is_(kinds(objects(result.out)), ["started", "ready", "hung"])


@case_in_real_time
def messages_of_a_command_are_passed_on():
    text = """
r, w = os.pipe()
notify("READY=1" + chr(10) + "FDSTORE=1", w)
os.close(w)
os.read(r, 1)
"""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as outer:
        outer.bind(b"\0twheelctl-test")
        environment = {**os.environ, "NOTIFY_SOCKET": "@twheelctl-test"}
        with Background("run", "--lease", "100s", "--notify", sys.executable, "-c",
                        NOTIFY + text, env=environment) as process:
            data, fds, flags, _ = socket.recv_fds(outer, 4096, 4)
            is_((data, len(fds), flags), (b"READY=1\nFDSTORE=1", 1, 0))
            os.write(fds[0], b"x")
            os.close(fds[0])
            is_(process.wait(), DONE)


@case_in_real_time
def messages_of_other_users_are_ignored():
    text = f"""
if not os.fork():
    os.setsid()
    os.setuid({NOBODY})
    notify("READY=1")
    os._exit(0)
os.wait()
"""
    result = ends(run_notify(text, lease="100s"), DONE)
    is_(kinds(objects(result.out)), ["started", "ended"])
