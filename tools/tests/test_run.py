# SPDX-License-Identifier: GPL-2.0
"""A command with a lease: run and lease."""

import os
import signal
import subprocess
import tempfile

from harness import (COMMAND_FAILED, COMMAND_HUNG, DONE, SECOND, USAGE, Background, case, ctl,
                     ends, good, is_, kinds, objects, program, run_shell, says, wait_until)


@case
def run_ends_as_its_command_does():
    is_(run_shell("exit 0").status, DONE)
    result = ends(run_shell("exit 9"), COMMAND_FAILED, "sh (process ", "ended with status 9")
    started, ended = objects(result.out)
    is_(ended, {"event": "ended", "pid": started["pid"], "status": 9})
    is_(objects(run_shell("kill -9 $$").out)[1]["status"], 128 + 9)


@case
def run_of_a_command_that_is_not_there():
    result = ends(ctl("run", "--lease", "1s", "--restart", "/no/such/command"), COMMAND_FAILED)
    is_(result.err.count("/no/such/command: No such file"), 1)


@case
def run_kills_a_command_that_hangs():
    for text in ("sleep 1000", "kill -STOP $$", "trap '' TERM; sleep 1000"):
        result = ends(run_shell(text, lease="200ms"), COMMAND_HUNG, "sh (process ",
                      "has not pushed its lease for 200")
        is_(kinds(objects(result.out)), ["started", "hung"])


@case
def run_kills_the_children_of_a_command_that_hangs():
    # The end of the child closes stdout, for which ctl() waits.
    is_(run_shell("sleep 1000 & sleep 1000", lease="200ms").status, COMMAND_HUNG)


@case
def run_lets_a_command_live_that_pushes():
    # The command lives longer than the lease, and pushes ten times in each.
    loop = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.5; {}; done"
    for push in ("$CTL lease push", "echo >&$TWHEEL_LEASE_FD", "$CTL lease push 4s"):
        is_(run_shell(loop.format(push), lease="5s").status, DONE, push)


@case
def run_gives_a_command_that_closes_its_lease_another_one():
    close = "eval \"exec $TWHEEL_LEASE_FD>&-\"\n"
    is_(run_shell(close + "sleep 0.1").status, DONE)
    ends(run_shell(close + "sleep 1000", lease="200ms"), COMMAND_HUNG, "has closed its lease")


@case
def run_restarts_a_command_that_fails_or_hangs():
    path = tempfile.mkdtemp() + "/runs"
    result = run_shell(f"echo >>{path}; case $(wc -l <{path}) in 1) exit 3;; 2) sleep 1000;; esac",
                       "--restart", lease="4s")
    is_(result.status, DONE)
    is_(kinds(objects(result.out)), ["started", "ended", "started", "hung", "started", "ended"])
    result = ends(run_shell("exit 3", "--restart", "--count", "2"), COMMAND_FAILED)
    is_(len(objects(result.out)), 4)


@case
def run_passes_signals_on_and_does_not_restart_then():
    with Background("run", "--lease", "100s", "--restart", "sleep", "1000") as process:
        is_(process.event()["event"], "started")
        process.send_signal(signal.SIGTERM)
        ended, = process.events()
        is_(process.wait(), COMMAND_FAILED)
    is_(ended["status"], 128 + signal.SIGTERM)


@case
def run_does_not_restart_after_a_signal_between_two_runs():
    # A busy host may give the signal to the next run. Then the test tries again.
    for _ in range(10):
        with Background("run", "--lease", "100s", "--restart", "false",
                        stderr=subprocess.DEVNULL) as process:
            process.event()
            is_(process.event()["event"], "ended")
            process.send_signal(signal.SIGTERM)
            rest = process.stdout.read()
        if not rest:
            break
    is_(rest, "")


@case
def run_leaves_out_signals_that_are_ignored():
    # The command ignores the signal, too. It is started again nevertheless.
    with Background("run", "--lease", "100s", "--restart", "--count", "2", "sh", "-c",
                    "sleep 0.5; exit 3", command=("nohup", program),
                    stderr=subprocess.DEVNULL) as process:
        is_(process.event()["event"], "started")
        process.send_signal(signal.SIGHUP)
        is_(kinds(process.events()), ["ended", "started", "ended"])


@case
def commands_end_though_a_parent_ignores_their_end():
    for words in ("run", "--lease", "2s", "true"), ("add", "1ms", "true"):
        good(*words, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))


@case
def command_gets_the_signals_of_the_tool():
    with subprocess.Popen([program, "every", "10ms", "sh", "-c",
                           "trap 'echo told; exit 3' TERM; echo on; sleep 5 & wait"],
                          stdout=subprocess.PIPE, text=True) as process:
        is_(process.stdout.readline(), "on\n")
        process.send_signal(signal.SIGTERM)
        is_(process.stdout.readline(), "told\n")
    is_(process.returncode, -signal.SIGTERM)


@case
def run_leaves_the_command_a_lease_that_has_ended():
    path = tempfile.mkdtemp() + "/said"
    ctl("run", "--lease", "100s", "--", "sh", "-c",
        f"kill -9 $PPID; sleep 0.5; {program} lease push 2>{path}.new; mv {path}.new {path}")
    wait_until(lambda: os.path.exists(path))
    with open(path, encoding="ascii") as file:
        says(file.read(), "the lease has ended")


@case
def lease_tells_the_time_that_is_left():
    out = run_shell("$CTL --json lease left").out
    # The command's lines may come before those of the tool that has started it.
    left = next(o for o in objects(out) if "left_ns" in o)
    assert 90 * SECOND < left["left_ns"] <= 100 * SECOND, left
    says(run_shell("echo $TWHEEL_LEASE_NS").out, f"{100 * SECOND}\n")


@case
def lease_refuses_nonsense():
    is_(ctl("lease", "push").status, USAGE)
    is_(ctl("lease").status, USAGE)
    says(run_shell("$CTL lease push 101s").err, "longer than the lease")
    says(run_shell("TWHEEL_LEASE_FD=1 $CTL lease push").err, "not a lease")
    says(run_shell("TWHEEL_LEASE_FD=99 $CTL lease push").err, "not a lease")
    # as every file without a path of its own
    says(run_shell("echo >/dev/fd/$TWHEEL_LEASE_FD").err, "No such device or address")
    for words in "push x", "left 1s", "pull":
        is_(run_shell(f"$CTL lease {words}; test $? -eq 2").status, DONE)


@case
def lease_push_says_that_a_program_in_between_has_closed_the_lease():
    child = "import os, subprocess; subprocess.run(['{}', 'lease', 'push'], {})"
    closed = run_shell(f"python3 -c \"{child.format(program, 'close_fds=True')}\"")
    says(closed.err, "lease push: descriptor 3 is not a lease; a program in between may have "
         "closed it", "pass_fds=[3]")
    passed = "pass_fds=[int(os.environ['TWHEEL_LEASE_FD'])]"
    kept = run_shell(f"python3 -c \"{child.format(program, passed)}\"")
    is_((kept.status, kept.err), (DONE, ""))
