# SPDX-License-Identifier: GPL-2.0
"""Many timers on one descriptor: script."""

from harness import (FAILED, SECOND, USAGE, case, case_in_real_time, ctl, ends, expired, good,
                     good_objects, is_, kinds, says)


@case
def script_adds_lists_changes_and_cancels():
    out = good_objects("script", stdin="""
        # a comment, and blanks
        add 1h --cookie 5 --group 9
        every 2h 'echo' "two words"
        list
        change 1 5h
        cancel 2
        list
        cancel 1
    """)
    is_(kinds(out), ["added", "added", "listed", "listed", "listed"])
    is_([o["id"] for o in out], [1, 2, 1, 2, 1])
    first, second, changed = out[2:]
    is_((first["cookie"], first["group"], first["state"]), (5, 9, "pending"))
    is_(second["period_ns"], 7200 * SECOND)
    assert 3500 * SECOND < first["left_ns"] <= 3600 * SECOND
    assert 17000 * SECOND < changed["left_ns"] <= 18000 * SECOND


@case
def script_ends_when_no_timer_is_left():
    events = good_objects("-", stdin="add 30ms\nevery 20ms --count 2")
    is_(sorted(e["id"] for e in expired(events)), [1, 2, 2])


@case
def script_waits_and_quits():
    events = good_objects("script",
                          stdin="every 10ms\nwait 3\nadd 1h\nquit\nadd 1ms\n")
    is_(kinds(events), ["added"] + ["expired"] * 3 + ["added"])
    events = good_objects("script", stdin="add 10ms\nwait\nadd 20ms\n")
    is_(kinds(events), ["added", "expired"] * 2)


@case_in_real_time
def script_runs_lines_while_timers_expire():
    # The next period ends before the command does.
    is_(good("script", stdin="every 10ms sleep 0.1\nwait 1\nquit\n"),
        "timer 1: every 10ms\n")


@case
def script_from_a_file():
    path = "/tmp/twheel-script"
    with open(path, "w", encoding="ascii") as file:
        file.write("add 1ms echo done")
    is_(good("script", path), "timer 1: add 1ms\ndone\n")
    is_(ctl("script", "/no/such").status, FAILED)


@case
def script_cancels_a_group():
    out = good_objects("script", stdin="add 1h --group 3\nadd 2h --group 3\n"
                       "add 3h --group 4\ncancel --group 3\nlist\nquit\n")
    is_([o["id"] for o in out if o["event"] == "listed"], [3])


@case
def script_goes_on_after_a_bad_line():
    result = ctl("script", stdin="nonsense\nadd\nadd 5x\ncancel 7\nadd 1ms echo on")
    is_(result.out, "timer 1: add 1ms\non\n")
    ends(result, FAILED, "unknown command 'nonsense'", "add: when?", "'5x'", "there is no timer 7")


@case
def script_reports_once_what_is_wrong_with_a_line():
    for line, why in (("change 7 1s", "there is no timer 7"), ("change 7", "change ID DURATION"),
                      ("change x 1s", "'x' is not a number"), ("cancel --group x", "'x'"),
                      ("wait x", "'x' is not a number")):
        result = ctl("script", stdin=line)
        assert result.status in (FAILED, USAGE), line
        says(result.err, why)
        is_(result.err.count("\n"), 1, result.err)


@case
def script_drains_to_what_adds_the_timers_again():
    first = good("script", stdin="add 1h --cookie 5 --group 9\nat @4000000000\n"
                 "every 10h --missed each --first 2h\nadd 9h --clock boottime\n"
                 "drain\nresume\nadd 1ms echo resumed\n")
    says(first, "resumed")
    lines = [line for line in first.splitlines() if line[:3] in ("add", "at ")]
    is_(len(lines), 4, first)
    says(lines[0], "--cookie 5 --group 9")
    again = good("script", stdin="\n".join(lines) + "\ndrain\n")
    lines2 = [line for line in again.splitlines() if line[:3] in ("add", "at ")]
    is_([line.split()[2:] for line in lines2], [line.split()[2:] for line in lines])
    is_(lines2[1], "at @4000000000.000000000")


@case
def script_tells_of_what_drain_refuses():
    ends(ctl("script", stdin="drain\nadd 1s\n"), FAILED, "no new timers since drain")
