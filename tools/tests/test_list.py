# SPDX-License-Identifier: GPL-2.0
"""Timers of other programs: list, cancel, drain, resume and top."""

import os
import shutil
import subprocess
import tempfile
import time

from harness import (FAILED, NOBODY, NO_ACCESS, SECOND, USAGE, Background, case, ctl,
                     descriptors_with_timers, ends, good, good_objects, is_, program, says, script,
                     wait_until)


@case
def list_shows_who_has_timers():
    with script("add 1h", "add 2h") as (place, process):
        found, = good_objects("list")
        is_((found["pid"], found["timers"], found["unread"]), (process.pid, 2, 0))
        is_(found["program"], "twheelctl")
        left = found["next_deadline_ns"] - time.monotonic_ns()
        assert 3500 * SECOND < left <= 3600 * SECOND, left
        says(good("list"), "PID:FD", place, "twheelctl", "59 min")
    is_(good_objects("list"), [])


@case
def list_prints_no_name_that_changes_what_a_terminal_shows():
    name = shutil.copy(program, tempfile.mkdtemp() + "/\033[2J\u00e9")
    with Background("add", "1h", command=(name,)):
        is_(wait_until(descriptors_with_timers)[0]["program"], "?[2J??")


@case
def list_of_shows_the_timers_of_another_program():
    with script("add 1h --cookie 3 --window 5min", "every 2h --group 4") as (place, _):
        first, second = sorted(good_objects("list", "--of", place),
                               key=lambda record: record["left_ns"])
        is_((first["cookie"], first["window_ns"], first["state"]),
            (3, 300 * SECOND, "pending"))
        assert 3500 * SECOND < first["left_ns"] <= 3600 * SECOND, first
        is_((second["period_ns"], second["group"]), (7200 * SECOND, 4))
        assert "window_ns" not in second
        says(good("list", "--of", place), "HANDLE", str(first["handle"]), "59 min", "5 min")
        is_(ctl("list", "--of", place, "more").status, USAGE)
        # a list ends nothing
        is_([o["timers"] for o in good_objects("list")], [2])
        # drain prints what script understands
        lines = good("drain", "--of", place)
        says(lines, " --window 300000000000ns", "--period 7200000000000ns")
    is_(ctl("list", "--of").status, USAGE)
    is_(ctl("list", "more").status, USAGE)


@case
def window_lets_a_timer_be_late():
    record, = good_objects("add", "100ms", "--window", "100ms", "--count", "1")[-1:]
    is_(record["event"], "expired")
    with script("add 1h --window 10min") as (_, process):
        is_(process.ask("list")["window_ns"], 600 * SECOND)
    is_(ctl("add", "1s", "--window", "nonsense").status, USAGE)


@case
def cancel_ends_timers_of_another_program():
    with script("add 1h", "add 2h", "add 3h --group 8") as (place, _):
        good("cancel", "--of", place, "--group", "8")
        is_([o["timers"] for o in good_objects("list")], [2])
        # drain prints the handles of another program.
        handles = [o["handle"] for o in good_objects("drain", "--of", place)]
        is_(len(handles), 2)
    with script("add 2h") as (place, process):
        handle = process.ask("list")["handle"]
        is_([o["timers"] for o in good_objects("list")], [1])
        good("cancel", "--of", place, str(handle))
        is_([o["timers"] for o in good_objects("list")], [0])
        good("resume", "--of", place)
        is_(process.ask("add 3h")["event"], "added")
        is_([o["timers"] for o in good_objects("list")], [1])
        ends(ctl("cancel", "--of", place, "12345"), FAILED, "12345", "there is no such timer")
        # Nonsense ends nothing.
        handle = good_objects("list", "--of", place)[0]["handle"]
        for words in ((str(handle), "x"), ("--group",), ("--group", "1", "2")):
            assert ends(ctl("cancel", "--of", place, *words), USAGE).err
        is_([o["timers"] for o in good_objects("list")], [1])


@case
def drain_takes_timers_from_another_program_until_resume():
    with script("add 1h --cookie 3") as (place, process):
        record, = good_objects("drain", "--of", place)
        is_((record["cookie"], record["clock"]), (3, "monotonic"))
        assert 3500 * SECOND < record["left_ns"] <= 3600 * SECOND
        is_([o["timers"] for o in good_objects("list")], [0])
        good("resume", "--of", place)
        is_(process.ask("add 1ms")["event"], "added")


def broken_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


@case
def drain_loses_no_timer_that_it_cannot_print():
    with script(*["add 1h"] * 300) as (place, process), open("/dev/full", "w") as full, \
            broken_pipe() as broken:
        before = good_objects("list", "--of", place)
        for words, output in ((), full), (("--json",), full), ((), broken):
            ends(ctl(*words, "drain", "--of", place, stdout=output), FAILED,
                 "the last 256 timers are armed again")
        after = good_objects("list", "--of", place)
        is_({o["handle"] for o in after}, {o["handle"] for o in before})
        is_(process.ask("add 3h")["event"], "added")


@case
def timer_at_the_end_of_time_can_be_drained_and_added_again():
    with script("at @9223372036.854775807") as (place, _):
        line = good("drain", "--of", place)
    says(line, "@9223372036.854775807")
    with script(line.strip()) as (place, _):
        is_(good("drain", "--of", place), line)


@case
def output_that_cannot_be_written_is_told_of():
    with open("/dev/full", "w") as full:
        for words in ("--help",), ("next", "@daily"), ("--json", "stat"), ("add", "1ms"):
            ends(ctl(*words, stdout=full), FAILED, "cannot write the output")


@case
def stat_of_another_program():
    with script("add 1h", "add 2h") as (place, _):
        found, = good_objects("stat", "--of", place)
        is_(found["timers"], 2)
        is_(good_objects("stat")[0]["timers"], 0)


@case
def descriptors_that_are_not_there_are_told_of():
    ends(ctl("drain", "--of", "1:999"), FAILED, "no descriptor 1:999")
    ends(ctl("drain", "--of", f"{os.getpid()}:0"), FAILED, "is not an open file of twheel")
    for words in (("drain",), ("drain", "--of", "x"), ("cancel", "--of", "1:2x"),
                  ("resume", "--of", "0:1")):
        is_(ctl(*words).status, USAGE, words)


@case
def descriptors_of_others_are_for_root():
    with script("add 1h") as (place, _):
        ends(ctl("drain", "--of", place, user=NOBODY), NO_ACCESS, "the right to trace it")


@case
def top_shows_programs_by_timers_unread_and_late():
    # The second event waits while the first one's command runs.
    with script("add 1h", "add 2h") as (_, idle), \
            Background("script", stdin=subprocess.PIPE) as busy:
        try:
            busy.stdin.write("add 1ms sleep 1000\n" * 2)
            busy.stdin.close()
            wait_until(lambda: [o for o in good_objects("top", "--count", "1")[0]["programs"]
                                if o["pid"] == busy.pid and o["unread"] == 1])
            orders = {key: good_objects("top", "--sort", key, "--count", "2", "--interval",
                                        "10ms") for key in ("timers", "unread", "late")}
            text = good("top", "--count", "1")
        finally:
            busy.terminate()
            busy.wait()  # It passes the signal on.
    for key, first in ("timers", idle), ("unread", busy), ("late", busy):
        is_([o["programs"][0]["pid"] for o in orders[key]], [first.pid] * 2)
    found = {o["pid"]: o for o in orders["late"][1]["programs"]}
    is_(found.keys(), {idle.pid, busy.pid})
    is_({key: found[idle.pid][key] for key in ("descriptors", "timers", "unread", "late_ns")},
        {"descriptors": 1, "timers": 2, "unread": 0, "late_ns": 0})
    assert found[busy.pid]["late_ns"] > orders["late"][0]["programs"][0]["late_ns"] > 0
    says(text, "programs: 2", "PROGRAM", "LATE", "twheelctl")
    is_(ctl("top", "--sort", "pid").status, USAGE)
