#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Test twheelctl on the real device. Prints TAP.

usage: test.py [--here | --time-travel] TWHEELCTL [CASE...]

Run as root with the module loaded, as scripts/test-tools does. --time-travel says
that time is virtual: days pass at once, and a busy host delays nothing. --here runs
the cases that need neither root nor the module. With CASEs, run only those.
"""

import collections
import contextlib
import ctypes
import datetime
import json
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import brute_force

SECOND = 10**9
NOBODY = 65534
BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"
TIMEOUT = 120

DONE, FAILED, USAGE, NO_DEVICE, NO_ACCESS, COMMAND_FAILED, COMMAND_HUNG = range(7)

Result = collections.namedtuple("Result", "command status out err")
Process = collections.namedtuple("Process", "pid name state parent")

options = [word for word in sys.argv[1:] if word in ("--here", "--time-travel")]
arguments = [word for word in sys.argv[1:] if word not in options]
travels = "--time-travel" in options
place = (options or ["real"])[0]
# A copy that every user can run.
program = shutil.copy(arguments[0], tempfile.mkdtemp() + "/twheelctl")
os.chmod(os.path.dirname(program), 0o755)
cases = []


class Skip(Exception):
    """A case cannot be run here, for this reason."""


def case_in(*places):
    """Make a function a case in these places."""
    def add(function):
        cases.append((function, places))
        return function
    return add


case = case_in("real", "--time-travel")
case_in_real_time = case_in("real")
case_in_virtual_time = case_in("--time-travel")
case_here = case_in("--here")  # needs neither root nor the module


def is_(found, expected, more=""):
    if found != expected:
        raise AssertionError(f"{found!r}, not {expected!r} {more}")


def says(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"no {part!r} in {text!r}")


def ends(result, status, *parts):
    """A command has ended with this status, and stderr has these parts."""
    is_(result.status, status, result)
    says(result.err, *parts)
    return result


def wait_until(condition):
    for _ in range(1000):
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def execute(*command, env=(), stdin="", stdout=subprocess.PIPE, **options):
    """Run a command to its end, with these variables more in its environment."""
    # Virtual time stands still while a process polls, so a timeout would never end.
    found = subprocess.run(command, env=os.environ | dict(env), input=stdin, stdout=stdout,
                           stderr=subprocess.PIPE, text=True, check=False,
                           timeout=None if travels else TIMEOUT, **options)
    return Result(command, found.returncode, found.stdout, found.stderr)


def ctl(*words, zone=None, **options):
    if zone:
        options["env"] = {"TZ": zone}
    return execute(program, *words, **options)


def good(*words, **options):
    """What a command prints, which has to succeed and report nothing."""
    result = ctl(*words, **options)
    is_((result.status, result.err), (DONE, ""), words)
    return result.out


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def good_objects(*words, **options):
    return objects(good("--json", *words, **options))


def kinds(events):
    return [event["event"] for event in events]


def expired(events):
    return [event for event in events if event["event"] == "expired"]


class Background(subprocess.Popen):
    """A twheelctl in the background that prints JSON. It is killed at the end of a "with"."""

    def __init__(self, *words, command=(program,), **options):
        super().__init__([*command, "--json", *words],
                         **{"stdout": subprocess.PIPE, "text": True, **options})

    def __exit__(self, *exception):
        self.kill()
        super().__exit__(*exception)

    def event(self):
        """The next event that it prints."""
        return json.loads(self.stdout.readline())

    def events(self):
        """All events that it prints until it ends."""
        return objects(self.stdout.read())

    def ask(self, line):
        """Write a line to it. Returns the next event."""
        self.stdin.write(line + "\n")
        self.stdin.flush()
        return self.event()


@contextlib.contextmanager
def script(*lines):
    """Run a twheelctl script of these lines in the background: (PID:FD, process)."""
    with Background("script", stdin=subprocess.PIPE) as process:
        for line in lines:
            event = process.ask(line)
            # On a busy host, a timer of an earlier line expires meanwhile.
            while event["event"] == "expired":
                event = process.event()
            is_(event["event"], "added")
        found = [o for o in good_objects("list") if o["pid"] == process.pid]
        is_(len(found), 1)
        yield f"{process.pid}:{found[0]['fd']}", process


def descriptors_with_timers():
    return [o for o in good_objects("list") if o["timers"]]


def run_shell(text, *options, lease="100s"):
    """Run lines of a shell with a lease. $CTL is twheelctl."""
    return ctl("--json", "run", "--lease", lease, *options, "--", "sh", "-c",
               f"CTL={program}\n{text}")


def set_clock(text):
    """Set CLOCK_REALTIME to a time in UTC."""
    at = datetime.datetime.strptime(text + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    time.clock_settime(time.CLOCK_REALTIME, at.timestamp())


def processes():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", errors="replace") as file:
            found = re.match(r"\d+ \((.*)\) (.) (\d+)", file.read(), re.DOTALL)
            yield Process(int(pid), found[1], found[2], int(found[3]))


# One timer


def since_first(events):
    return [event["deadline_ns"] - events[0]["deadline_ns"] for event in events]


@case
def add_prints_a_line_when_due():
    says(good("add", "20ms"), "timer 1: add 20ms, ", " late\n")


@case
def add_in_json_has_times_handle_and_cookie():
    event, = good_objects("add", "20ms", "--cookie", "7")
    is_(event["event"], "expired")
    is_(event["cookie"], 7)
    is_(event["clock"], "monotonic")
    is_(event["count"], 1)
    is_(event["late_ns"], event["expired_ns"] - event["deadline_ns"])
    assert event["late_ns"] >= 0 and event["handle"] > 0
    datetime.datetime.strptime(event["time"], "%Y-%m-%dT%H:%M:%S.%f%z")


@case
def numbers_are_decimal_or_begin_with_0x():
    for text, number in ("010", 10), ("0x10", 16), ("08", 8), ("0", 0):
        is_(good_objects("add", "1ms", "--cookie", text)[0]["cookie"], number)


@case
def add_on_boottime_says_so():
    event, = good_objects("add", "1ms", "--clock", "boottime")
    is_(event["clock"], "boottime")


@case
def command_is_run_with_what_it_is_run_for():
    out = good("add", "1ms", "sh", "-c", "echo $TWHEEL_ID $TWHEEL_COUNT; cat")
    is_(out, "1 1\n")


@case
def command_that_fails_is_told_of():
    ends(ctl("add", "1ms", "--", "sh", "-c", "exit 9"), COMMAND_FAILED,
         "timer 1: sh ended with status 9")


@case
def command_that_is_not_there_is_told_of():
    ends(ctl("add", "1ms", "/no/such/command"), COMMAND_FAILED,
         "/no/such/command: No such file", "status 127")


@case
def status_of_a_command_in_json():
    _, ran = good_objects("add", "1ms", "true")
    is_(ran, {"event": "ran", "id": 1, "status": 0})


@case
def at_is_exact_on_the_clock_on_the_wall():
    when = int(time.time()) + 2
    event, = good_objects("at", f"@{when}")
    is_(event["deadline_ns"], when * SECOND)
    is_(event["clock"], "realtime")
    assert event["expired_ns"] >= when * SECOND


@case
def at_takes_local_time():
    when = int(time.time()) + 2
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when + 5 * 3600))
    event, = good_objects("at", text, zone="ABC-5")
    is_(event["deadline_ns"], when * SECOND)


@case
def at_a_time_that_clocks_leave_out_is_refused():
    ends(ctl("at", "2027-03-28T02:30", zone=BERLIN), USAGE, "the clocks skip it")


@case_here
def next_takes_times_that_exist_and_no_later_than_2262():
    for text, why in (("2026-02-30T00:00Z", "no such day"), ("2026-02-29T00:00", "no such day"),
                      ("2600-01-01T00:00", "before the year 2262"),
                      ("@9223372037", "before the year 2262"),
                      ("@99999999999999999999", "before the year 2262")):
        ends(ctl("next", "@daily", "--from", text), USAGE, why)
    says(good("next", "@daily", "--from", "2028-02-28T23:59:59.5Z", zone="UTC0"), "2028-02-29")


@case_in_virtual_time
def next_takes_no_time_that_clocks_skip_tomorrow():
    set_clock("2026-03-28T12:00:00")
    ends(ctl("next", "@daily", "--from", "02:30", zone=BERLIN), USAGE, "the clocks skip it")
    set_clock("2026-03-29T00:30:00")  # 01:30: today is the day
    says(good("next", "@daily", "--from", "02:30", zone=BERLIN), "2026-03-31")
    if brute_force.ZONES.exists():
        set_clock("2011-12-30T06:00:00")  # 29 December, 20:00: tomorrow is the 31st
        says(ctl("next", "@daily", "--from", "18:00", zone="Pacific/Apia").err,
             "the clocks skip it")


@case
def every_has_no_drift():
    events = good_objects("every", "30ms", "--count", "20")
    at = [ns / 30_000_000 for ns in since_first(events)]
    assert all(n == int(n) for n in at), at
    is_([e["deadline_ns"] for e in events],
        sorted({e["deadline_ns"] for e in events}))


@case_in_virtual_time
def every_10s_has_no_drift_in_a_day():
    events = good_objects("every", "10s", "--count", "8640")
    is_(since_first(events), [n * 10 * SECOND for n in range(8640)])
    assert max(e["late_ns"] for e in events) <= 20_000_000
    is_({e["count"] for e in events}, {1})


@case
def every_ends_after_count():
    is_(len(good_objects("every", "20ms", "--count", "3")), 3)


@case
def missed_periods_are_counted_and_skipped():
    events = expired(good_objects("every", "50ms", "--count", "3", "sleep", "0.4"))
    assert events[1]["count"] + events[2]["count"] > 8, events
    for before, after in zip(events, events[1:]):
        is_(after["deadline_ns"] - before["deadline_ns"],
            before["count"] * 50_000_000)


@case
def missed_each_makes_up_for_all():
    events = expired(good_objects("every", "50ms", "--missed", "each", "--count", "6",
                                  "sleep", "0.2"))
    is_(since_first(events), [n * 50_000_000 for n in range(6)])
    is_({e["count"] for e in events}, {1})


@case
def missed_restart_waits_a_period():
    events = expired(good_objects("every", "50ms", "--missed", "restart", "--count", "3",
                                  "sleep", "0.2"))
    for before, after in zip(events, events[1:]):
        assert after["deadline_ns"] >= before["expired_ns"] + 50_000_000


# Recurrences in local time


def following(spec, since, count, zone=BERLIN):
    """Local times without the year and the fraction of a second."""
    found = good_objects("next", spec, "--from", since, "--count", str(count), zone=zone)
    return [o["time"][5:16] + o["time"][-5:] for o in found]


@case_here
def next_monday_and_thursday_at_nine():
    is_(following("0 9 * * 1,4", "2026-12-21T09:00", 4),
        ["12-24T09:00+0100", "12-28T09:00+0100", "12-31T09:00+0100",
         "01-04T09:00+0100"])


@case_here
def next_twelfth_of_each_month_across_clock_changes():
    is_(following("0 9 12 * *", "2026-02-20T00:00", 3),
        ["03-12T09:00+0100", "04-12T09:00+0200", "05-12T09:00+0200"])


@case_here
def next_runs_after_the_gap_what_is_left_out_in_spring():
    is_(following("30 2 * * *", "2026-03-28T00:00", 3),
        ["03-28T02:30+0100", "03-29T03:00+0200", "03-30T02:30+0200"])


@case_here
def next_runs_once_what_comes_twice_in_autumn():
    is_(following("30 2 * * *", "2026-10-24T00:00", 3),
        ["10-24T02:30+0200", "10-25T02:30+0200", "10-26T02:30+0100"])


@case_here
def next_of_every_hour_goes_by_real_time():
    is_(following("0 * * * *", "2026-10-25T00:30", 5),
        ["10-25T01:00+0200", "10-25T02:00+0200", "10-25T02:00+0100",
         "10-25T03:00+0100", "10-25T04:00+0100"])


@case_here
def next_of_names_ranges_steps_and_leap_days():
    is_(following("*/20 8-9/1 * jan-feb mon", "2027-01-02T00:00", 4),
        ["01-04T08:00+0100", "01-04T08:20+0100", "01-04T08:40+0100",
         "01-04T09:00+0100"])
    is_(following("0 0 29 2 *", "2026-01-01T00:00", 2),
        ["02-29T00:00+0100"] * 2)
    is_(following("@monthly", "2026-01-01T00:00", 1), ["02-01T00:00+0100"])
    # Either the day of the month or the day of the week has to match.
    is_(following("0 0 13 * 5", "2026-11-10T00:00", 3, "UTC0"),
        ["11-13T00:00+0000", "11-20T00:00+0000", "11-27T00:00+0000"])


@case_here
def next_of_a_range_of_one_value_with_a_step_is_that_value():
    is_(following("38-38/2 * * * *", "2027-01-02T00:00", 2),
        ["01-02T00:38+0100", "01-02T01:38+0100"])
    is_(following("0 5-5/3 7-7/2 * *", "2027-01-02T00:00", 2),
        ["01-07T05:00+0100", "02-07T05:00+0100"])
    # A step without a range runs to the end of the field.
    is_(following("38/20 * * * *", "2027-01-02T00:00", 3),
        ["01-02T00:38+0100", "01-02T00:58+0100", "01-02T01:38+0100"])


# The same recurrences by brute force


def check_next(spec, sets, clock, most=200):
    """Compare the times of a recurrence with those that brute force finds."""
    expected = clock.due(spec, sets)[:most]
    result = ctl("--json", "next", spec, "--from", f"@{clock.first}",
                 "--count", str(len(expected) + 1), zone=clock.zone)
    where = f"{spec} from {clock.first} in {clock.zone}"
    if "never comes" in result.err:
        is_(expected, [], where)
        return
    found = [o["time_ns"] // SECOND for o in objects(result.out)]
    is_(found[:-1], expected, where)
    assert len(expected) == most or found[-1] > clock.last, where


def check_from(clock, wall):
    """--from is the first time at which clocks show a minute, if they do not skip it."""
    text = time.strftime("%Y-%m-%dT%H:%M", time.gmtime(wall))
    result = ctl("--json", "next", "* * * * *", "--from", text, zone=clock.zone)
    where = f"{text} in {clock.zone}"
    if wall not in clock.shown:
        is_(ends(result, USAGE, "the clocks skip it").err.count("\n"), 1, where)
        return
    since = clock.shown[wall][0]
    is_(objects(result.out)[0]["time_ns"] // SECOND,
        min(when for times in clock.shown.values() for when in times if when > since), where)


@case_here
def next_agrees_with_brute_force():
    rng = random.Random(14)
    for change in 1774746000, 1792890000, 1835222400:  # spring, autumn, a leap day
        clock = brute_force.WallClock("Europe/Berlin", change)
        for _ in range(100):
            check_next(*brute_force.random_spec(rng), clock)


@case_here
def next_agrees_with_brute_force_at_odd_changes():
    """Changes by 30 minutes, two hours, a day ... in all zones that had them, and Ramadan."""
    rng = random.Random(43)
    changes = list(brute_force.odd_changes())
    if not changes:
        raise Skip("this machine has no time zones")
    kinds = {added / 3600 for _, _, added, _ in changes}
    assert {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 24.0} <= kinds, kinds
    for zone, change, _, wall in changes:
        clock = brute_force.WallClock(zone, change)
        check_next("*/10 * * * *", [set(range(0, 60, 10)), *brute_force.ALL[1:]], clock, 999)
        check_next("*/30 0-23 * * *", [{0, 30}, *brute_force.ALL[1:]], clock)
        # The change comes on a day that does not match.
        weekday = (time.gmtime(wall).tm_wday + 2) % 7
        check_next(f"0 0 * * {weekday}", [{0}, {0}, *brute_force.ALL[2:4], {weekday}], clock)
        for _ in range(4):
            check_next(*brute_force.random_spec(rng), clock)
        for _ in range(3):
            check_from(clock, (wall // 60 + rng.randrange(-8 * 60, 8 * 60)) * 60)
    print(f"# {len(changes)} changes of {len(kinds)} kinds")


@case_here
def next_loses_no_midnight_after_a_day_with_a_change_of_three_hours():
    is_(following("0 0 * * Mon", "2018-10-06T12:00", 2, "Antarctica/Casey"),
        ["10-08T00:00+1100", "10-15T00:00+1100"])


@case_here
def next_from_a_time_that_comes_twice_is_from_the_first():
    is_(following("* * * * *", "2023-03-09T01:30", 1, "Antarctica/Casey"), ["03-09T01:31+1100"])
    # by seven hours
    is_(following("* * * * *", "1994-01-31T18:00", 1, "Antarctica/Vostok"), ["01-31T18:01+0700"])


@case_here
def next_from_a_time_that_clocks_skip_says_that_alone():
    result = ctl("next", "@daily", "--from", "2027-03-28T02:30", zone=BERLIN)
    is_((result.status, result.err), (USAGE, "twheelctl: '2027-03-28T02:30' does not exist: "
                                      "there is no such day, or the clocks skip it\n"))
    for words, says_what in ((("--count", "x"), "'x' is not a number"),
                             (("--count",), "--count: N is missing")):
        result = ctl("next", "@daily", *words)
        is_((result.status, result.err), (USAGE, f"twheelctl: {says_what}\n"))


@case_here
def next_takes_fields_of_any_length():
    odd = ",".join(str(n) for n in range(1, 60, 2))
    is_(following(f"{odd} * * * *", "2027-01-02T00:00", 3, "UTC0"),
        ["01-02T00:01+0000", "01-02T00:03+0000", "01-02T00:05+0000"])
    is_(following(",".join(["7"] * 10000) + "\t* * * *", "2027-01-02T00:00", 1, "UTC0"),
        ["01-02T00:07+0000"])
    hours = ",".join(str(n) for n in range(25)) + ",2"
    ends(ctl("next", f"{hours} 5 * *"), USAGE, "does not have five fields, but 4")


@case_here
def next_takes_ranges_to_sunday():
    for text, days in (("fri-sun", (5, 6, 7)), ("sat-Sun", (6, 7)), ("mon-sun", range(1, 8)),
                       ("6-0", (6, 7)), ("fri-sun/2", (5, 7)), ("sun-tue", (7, 1, 2)),
                       ("7-2", (7, 1, 2)), ("sun-sun", (7,)), ("7-0", (7,)), ("0-7", range(1, 8))):
        found = good_objects("next", f"0 0 * * {text}", "--from", "@0", "--count", "9",
                             zone="UTC0")
        is_({time.gmtime(o["time_ns"] // SECOND).tm_wday + 1 for o in found}, set(days), text)


@case_here
def next_says_what_to_write_instead_of_a_range_that_goes_down():
    rng = random.Random(7)
    for number in [*range(1, 5)] * 10:
        low, high = brute_force.LIMITS[number]
        high -= number == 4  # Sunday is 0 here
        size, first, step = high - low + 1, rng.randint(low + 2, high), rng.randint(1, 9)
        last = rng.randint(low + 1, first - 1)
        words = ["0", "0", "1" if number == 3 else "*", "*", "*"]
        words[number] = f"{first}-{last}/{step}"
        result = ends(ctl("next", " ".join(words)), USAGE)
        words[number] = result.err.split(": write ")[1].split("\n")[0]
        wanted = {(value - low) % size + low for value in range(first, last + size + 1, step)}
        found = good_objects("next", " ".join(words), "--from", "@0", "--count",
                             str(len(wanted) * 3), zone="UTC0")
        got = {time.gmtime(o["time_ns"] // SECOND) for o in found}
        is_({(tm.tm_hour, tm.tm_mday, tm.tm_mon, (tm.tm_wday + 1) % 7)[number - 1] for tm in got},
            wanted, words)


@case_here
def next_hints_at_steps_that_do_not_divide_their_field():
    result = ctl("next", "*/40 */5 * * *", "--count", "3", "--from", "2027-01-02T00:00Z",
                 zone="UTC0")
    is_([line[11:16] for line in result.out.splitlines()], ["00:40", "05:00", "05:40"])
    is_((result.status, result.err), (DONE, (
        "twheelctl: note: a step of 40 does not divide 60: the minute starts anew each hour\n"
        "twheelctl: note: a step of 5 does not divide 24: the hour starts anew each day\n")))
    for spec in "*/20 */6 * */3 *", "5/15 8-18/5 1-31/2 * mon-fri/2":
        good("next", spec)


@case_here
def next_tells_of_a_time_zone_that_is_not_there():
    for zone in "Nonsense/Zone", "Europe", "/etc/passwd", ":Nonsense", "CET-1CEST,nonsense":
        result = ends(ctl("next", "@daily", "--count", "3", zone=zone), DONE,
                      f"there is no time zone '{zone}' on this machine; local time is UTC+")
        is_(result.err.count("warning"), 1, result.err)
    for zone in BERLIN, "UTC", "<-03>3", "EST5EDT4:30,J60/2:00,300/-1", "":
        good("next", "@daily", zone=zone)
    if brute_force.ZONES.exists():
        for zone in "Europe/Berlin", ":Europe/Berlin", f"{brute_force.ZONES}/Europe/Berlin":
            good("next", "@daily", zone=zone)


@case_here
def next_refuses_nonsense_and_says_why():
    for spec, why in (
            ("", "five fields, but 0"), ("* * * *", "five fields, but 4"),
            ("* * * * * *", "five fields, but 6"), ("@never", "five fields"),
            ("60 * * * *", "the minute is 0 to 59"), ("* 24 * * *", "the hour is 0 to 23"),
            ("* * 0 * *", "the day of the month is 1 to 31"),
            ("* * * 13 *", "the month is 1 to 12, or jan to dec"),
            ("* * * * 8", "the day of the week is 0 to 7, or sun to sat"),
            ("* * * * mon-", "the day of the week is"), ("* * * * ?", "the day of the week is"),
            ("5-3 * * * *", "5-3 goes down: write 5-59,0-3"), ("* * 5-0 * *", "is 1 to 31"),
            ("* * * * fri-mon", "5-1 goes down: write 5-6,0-1"),
            ("* * * nov-feb *", "11-2 goes down: write 11-12,1-2"),
            ("*/0 * * * *", "a step is 1 to 60"), ("*/61 * * * *", "a step is 1 to 60"),
            ("*/4294967297 * * * *", "a step is 1 to 60"), ("*/-1 * * * *", "a step is 1 to 60"),
            ("*/18446744073709551617 * * * *", "a step is 1 to 60"),
            ("18446744073709551617 * * * *", "the minute is 0 to 59"),
            ("1, * * * *", "the minute is 0 to 59"), ("x * * * *", "the minute is 0 to 59"),
            ("* * * * monday", "a stray 'd'"), ("*-5 * * * *", "a stray '-'"),
            ("0 0 30 2 *", "never comes")):
        ends(ctl("next", spec), USAGE, why)


def deadlines(events, form):
    """Deadlines in UTC, by a format of strftime(3)."""
    return [time.strftime(form, time.gmtime(e["deadline_ns"] // SECOND)) for e in events]


def cron_from(since, spec, count):
    set_clock(since)
    events = good_objects("cron", spec, "--count", str(count), zone=BERLIN)
    for event in events:
        assert 0 <= event["late_ns"] <= 20_000_000, event
    return deadlines(events, "%m-%dT%H:%M:%S")


@case_in_virtual_time
def cron_runs_at_local_time_across_the_change_in_spring():
    is_(cron_from("2026-03-27T12:00:00", "0 9 * * *", 3),
        ["03-28T08:00:00", "03-29T07:00:00", "03-30T07:00:00"])


@case_in_virtual_time
def cron_runs_at_local_time_across_the_change_in_autumn():
    is_(cron_from("2026-10-23T12:00:00", "30 2 * * *", 4),
        ["10-24T00:30:00", "10-25T00:30:00", "10-26T01:30:00",
         "10-27T01:30:00"])


@case_in_virtual_time
def cron_runs_every_monday_and_thursday_of_a_month():
    is_(cron_from("2026-03-15T12:00:00", "0 9 * * 1,4", 8),
        ["03-16T08:00:00", "03-19T08:00:00", "03-23T08:00:00", "03-26T08:00:00",
         "03-30T07:00:00", "04-02T07:00:00", "04-06T07:00:00", "04-09T07:00:00"])


@case_in_virtual_time
def cron_follows_the_clock_when_it_is_put_forward():
    set_clock("2026-06-01T12:00:00")
    with Background("cron", "0 * * * *", "--count", "2") as process:
        wait_until(descriptors_with_timers)
        set_clock("2026-06-01T14:55:00")
        # Once for the times that were passed over, then by the new time.
        is_(deadlines(process.events(), "%H:%M"), ["13:00", "15:00"])


@case_in_virtual_time
def cron_believes_a_clock_that_is_put_back_a_lot():
    set_clock("2026-06-01T12:30:00")
    with script("cron '0 * * * *' --count 2") as (_, process):
        is_(process.event()["event"], "expired")
        set_clock("2026-05-01T06:30:00")
        is_(deadlines([process.event()], "%m-%dT%H:%M"), ["05-01T07:00"])


@case_in_virtual_time
def cron_serves_what_was_passed_over_while_it_was_busy():
    set_clock("2026-06-01T12:00:00")
    with script("cron '0 * * * *' --count 1", "add 1s sleep 30") as (_, process):
        is_(process.event()["event"], "expired")
        set_clock("2026-06-01T14:55:00")
        process.stdin.close()
        ran, event = process.events()
    is_(ran["event"], "ran")
    is_(deadlines([event], "%H:%M"), ["13:00"])


def deadlines_after_a_correction(*options):
    """Jobs of a machine that begins in 1990, of which the first three events are returned."""
    set_clock("1990-01-01T00:30:00")
    lines = (f"cron '{spec}' {' '.join(options)}" for spec in
             ("@yearly", "0 0 * * 1", "0 * * * *"))
    with script(*lines) as (_, process):
        set_clock("2026-06-01T12:30:00")
        events = [process.event() for _ in range(3)]
    return sorted(zip(deadlines(events, "%Y-%m-%dT%H:%M"), (e["id"] for e in events)))


@case_in_virtual_time
def cron_does_not_make_up_for_times_before_a_clock_was_right():
    is_(deadlines_after_a_correction(), [(f"2026-06-01T{hour}:00", 3) for hour in (13, 14, 15)])


@case_in_virtual_time
def cron_makes_up_for_times_before_a_clock_was_right_if_told_to():
    is_(deadlines_after_a_correction("--correction", "run"),
        [("1990-01-01T01:00", 3), ("1990-01-08T00:00", 2), ("1991-01-01T00:00", 1)])


@case_in_virtual_time
def cron_tells_of_times_that_it_does_not_make_up_for():
    # Three hours are no correction. The job counts only what it has run for.
    tells = ("twheelctl: timer 1: cron 0 0 * * * does not run for 2026-06-02T00:00:00.000+0000: "
             "the clock was set forward by 3 h 29 min\n")
    for minute, err in ("00", ""), ("30", tells):
        set_clock("2026-06-01T22:00:00")
        with Background("cron", "0 0 * * *", "--count", "1", stderr=subprocess.PIPE) as process:
            wait_until(descriptors_with_timers)
            set_clock(f"2026-06-02T01:{minute}:00")
            out, said = process.communicate()
        is_(said, err)
        is_(deadlines(objects(out)[:1], "%d"), ["03" if err else "02"])


@case_in_virtual_time
def cron_runs_for_a_time_that_came_before_the_clock_was_corrected():
    set_clock("2026-06-01T12:59:50")
    out = good_objects("script", stdin="cron '0 * * * *' --count 1\n"
                       "add 5s sh -c 'sleep 30; date -s @1900000000 >/dev/null'\n")
    is_(deadlines((e for e in expired(out) if e["id"] == 1), "%FT%R"), ["2026-06-01T13:00"])


@case_in_virtual_time
def cron_does_not_repeat_itself_when_the_clock_is_put_back_a_little():
    set_clock("2026-06-01T11:59:00")
    with Background("cron", "0 * * * *", "--count", "2") as process:
        events = [process.event()]
        set_clock("2026-06-01T11:30:00")
        events += process.events()
    is_(deadlines(events, "%H:%M"), ["12:00", "13:00"])


@case_in_virtual_time
def cron_tells_once_of_a_time_zone_that_is_not_there():
    result = ctl("cron", "* * * * *", "--count", "3", "true", zone="Nonsense/Zone")
    is_((result.status, result.err), (DONE, "twheelctl: warning: there is no time zone "
                                      "'Nonsense/Zone' on this machine; local time is UTC+0000\n"))


@contextlib.contextmanager
def crontab(*lines):
    with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        yield file.name


@case_in_virtual_time
def cron_runs_the_jobs_of_a_file():
    set_clock("2026-03-01T00:00:00")
    with crontab("GREETING = 'good  morning'", r"5,35 * * * * date -u +\%H:\%M",
                 "@hourly echo $GREETING, $0", "SHELL=/bin/bash", 'GREETING="bye"',
                 r"15 * * * * cat; echo $GREETING $0 50\%%one%two") as name:
        out = good("cron", "--count", "2", "--file", name, zone="UTC0")
        is_(out.splitlines(), ["00:05", "one", "two", "bye /bin/bash 50%", "00:35",
                               "good morning, /bin/sh", "one", "two", "bye /bin/bash 50%",
                               "good morning, /bin/sh"])
        with open(name, encoding="ascii") as file:
            set_clock("2026-03-01T00:00:00")
            is_(good("cron", "--count", "2", "--file", "-", zone="UTC0", stdin=file.read()), out)


@case_here
def cron_reports_all_bad_lines_of_a_file_and_runs_none():
    with crontab("* * * * * echo good", "60 * * * * echo", "@reboot echo", "CRON_TZ=UTC",
                 "* * * *", "@daily", "MAILTO=root") as name:
        result = ends(ctl("cron", "--file", name), USAGE, "line 2: the job is refused",
                      "the minute is 0 to 59", "line 3: @reboot is unknown",
                      "line 4: CRON_TZ is unknown", "line 5: a line is", "line 6: a line is",
                      "line 7: note: no mail is sent")
        is_(result.out, "")
        for words, why in (((name, "* * * * *"), "unexpected argument"),
                           ((name, "--correction", "x"), "--correction is skip or run"),
                           (("/dev/null",), "has no job")):
            ends(ctl("cron", "--file", *words), USAGE, why)
    ends(ctl("cron", "--file", "/no/such"), FAILED, "/no/such: No such file")


def in_own_etc(text, zone=None):
    """Run lines of a shell in an empty /etc of its own. $CTL is twheelctl."""
    if not brute_force.ZONES.exists():
        raise Skip("this machine has no time zones")
    return ends(execute(
        "env", f"TZ={zone}" if zone else "--unset=TZ", "unshare", "--mount", "sh", "-ec",
        f"mount -t tmpfs none /etc; ZONES={brute_force.ZONES} CTL={program}\n{text}"), DONE)


@case_in_virtual_time
def cron_notices_that_the_zone_has_changed():
    for zone in None, ":/etc/localtime":
        set_clock("2026-06-01T12:59:00")
        out = in_own_etc(
            "cp $ZONES/Etc/UTC /etc/localtime\n"
            "$CTL --json cron '0 * * * *' --count 3 -- "
            "sh -c \"cp $ZONES/Asia/Kolkata /etc/new; mv /etc/new /etc/localtime\"", zone).out
        # 14:00 was computed before. Then it is 19:30 in Kolkata.
        is_(deadlines(expired(objects(out)), "%R"), ["13:00", "14:00", "14:30"], zone)


@case
def next_tells_of_a_localtime_that_leads_nowhere():
    for make in ":", "cp $ZONES/Asia/Kolkata /etc/localtime":
        is_(in_own_etc(f"{make}; $CTL next @daily").err, "")
    for make in "ln -s /no/such/zone /etc/localtime", "echo TZ >/etc/localtime":
        says(in_own_etc(f"{make}; $CTL next @daily").err,
             "there is no time zone '/etc/localtime' on this machine; local time is UTC+0000")


# Many timers on one descriptor


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


# A command with a lease


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


# A fence, and sd_notify(3)


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
    with fenced("sleep 1000 & while :; do :; done") as (pid, process):
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


# As PID 1 of a container, or as the subreaper of other processes


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


# Timers of other programs


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


@case
def drain_loses_no_timer_that_it_cannot_print():
    with script(*["add 1h"] * 300) as (place, process), open("/dev/full", "w") as full:
        before = good_objects("list", "--of", place)
        for words in (), ("--json",):
            ends(ctl(*words, "drain", "--of", place, stdout=full), FAILED,
                 "the last 256 timers are armed again")
        after = good_objects("list", "--of", place)
        is_({o["handle"] for o in after}, {o["handle"] for o in before})
        is_(process.ask("add 3h")["event"], "added")


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


# The driver


@case
def stat_for_prometheus_has_metrics_of_all_programs():
    good("add", "1ms")
    with script("add 1h", "add 2h") as (place, _):
        lines = good("stat", "--prometheus").splitlines()
        result = ctl("stat", "--prometheus", "more")
    is_(result.status, USAGE)
    values = {}
    for line in lines:
        if line.startswith("# "):
            assert re.fullmatch(r"# (HELP twheel_\w+ [A-Z].*\.|TYPE twheel_\w+ (gauge|counter))",
                                line), line
            name = line.split()[2]
        else:
            # The samples of a metric come behind its head.
            found = re.fullmatch(rf'({name}(?:{{(?:\w+="[^"]*",?)+}})?) ([0-9.]+)', line)
            assert found and found[1] not in values, line
            values[found[1]] = float(found[2])
    pid, fd = place.split(":")
    label = f'{{pid="{pid}",fd="{fd}",program="twheelctl"}}'
    is_((values[f"twheel_timers{label}"], values[f"twheel_unread_events{label}"]), (2, 0))
    is_(len([key for key in values if key.startswith("twheel_timers{")]), 1)
    is_(values["twheel_module_armed_total"], values["twheel_module_pending"] +
        sum(value for key, value in values.items() if "ended_total" in key))
    assert 0 < values["twheel_tick_seconds"] < 1


@case
def stat_says_what_the_driver_can_do():
    found, = good_objects("stat")
    is_(found["timers"], 0)
    assert found["resolution_ns"] > 0 and found["max_batch"] >= 1024
    says(" ".join(found["features"]), "batch", "table", "ring", "drain")
    is_(sorted(found["clocks"]), ["boottime", "monotonic", "realtime"])
    says(good("stat"), "interface", "tick", "features", "all timers")


@case
def stat_counts_add_up():
    good("add", "1ms")
    counts = good_objects("stat")[0]["all"]
    is_(counts["armed"], counts["fired"] + counts["cancelled"] +
        counts["replaced"] + counts["pending"])
    assert counts["fired"] >= 1


@case
def watch_shows_levels_and_the_next_deadline():
    with script("add 1h", "add 3h", "add 10d"):
        picture, = good_objects("watch", "--count", "1", "--interval", "50ms")
        text = good("watch", "--count", "1", "--interval", "50ms")
    cpus = picture["cpus"]
    # The engine knows one timer for all visits of a user.
    is_(sum(cpu["pending"] for cpu in cpus), 1)
    assert sum(level["occupied"] for cpu in cpus for level in cpu["levels"]) >= 1
    for cpu in cpus:
        is_(len(cpu["levels"]), 6)
        is_({len(level["slots"]) for level in cpu["levels"]}, {128})
        if cpu["pending"]:
            assert 0 <= cpu["next_ns"] <= 10 * 86400 * SECOND
    says(text, "cpu0", " pending", "per second:")
    assert max(len(line) for line in text.splitlines()) <= 100


@case
def watch_shows_rates():
    with script("every 10ms", "add 1h"):
        pictures = good_objects("watch", "--count", "10", "--interval", "500ms")[1:]
    rates = [cpu["per_second"] for picture in pictures for cpu in picture["cpus"]]
    assert sum(rate["fired"] for rate in rates) > 0, rates


@case_in_virtual_time
def watch_shows_exact_rates():
    with script("every 100ms --missed each true") as (_, process):
        # Its output is not read, and too short to fill the pipe.
        picture = good_objects("watch", "--count", "1", "--interval", "20s")[0]
        process.kill()
    fired = sum(cpu["per_second"]["fired"] for cpu in picture["cpus"])
    # A visit for each expiry, and at most another one after the program's call.
    assert 9.9 <= fired <= 20.1, fired


# What goes wrong


NEED_THE_DEVICE = (("add", "1s"), ("stat",), ("watch",), ("script",), ("list",), ("top",),
                   ("run", "--lease", "1s", "true"))


@case_here
def module_that_is_not_loaded_is_told_of():
    for words in NEED_THE_DEVICE:
        result = ends(ctl("--device", "/dev/no-such", *words), NO_DEVICE,
                      "the module twheel is not loaded", "modprobe twheel")
        is_(result.out, "")


@case
def device_that_is_not_there_is_told_of():
    for words in NEED_THE_DEVICE:
        result = ends(ctl("--device", "/dev/no-such", *words), NO_DEVICE,
                      "/dev/no-such does not exist here, although the module", "in a container")
        is_(result.out, "")


@case
def another_device_is_told_of():
    ends(ctl("--device", "/dev/null", "stat"), NO_DEVICE, "/dev/null is not the device of twheel")


@case
def no_access_is_told_of():
    ends(ctl("add", "1s", user=NOBODY), NO_ACCESS, "no access to /dev/twheel", "as root")


@case
def debugfs_is_for_root():
    os.chmod("/dev/twheel", 0o666)
    try:
        ends(ctl("watch", "--count", "1", user=NOBODY), NO_ACCESS,
             "/sys/kernel/debug/twheel is for root")
        says(good("stat", user=NOBODY), "cannot read")
    finally:
        os.chmod("/dev/twheel", 0o600)


@case
def limit_is_told_of():
    limit = pathlib.Path("/sys/module/twheel/parameters/max_timers")
    before = limit.read_text()
    limit.write_text("1")
    try:
        ends(ctl("script", stdin="add 1ms\nadd 1ms\n"), FAILED, "no more timers allowed",
             "max_timers")
    finally:
        limit.write_text(before)


@case
def period_below_the_shortest_is_refused():
    ends(ctl("every", "1us"), FAILED, "every 1us: the shortest period is ", " ms")


@case
def nonsense_is_refused():
    for words in ((), ("nonsense",), ("--nonsense",), ("add",), ("add", "soon"),
                  ("add", "-1s"), ("add", "1s", "--cookie"),
                  ("add", "1s", "--cookie", "x"), ("add", "1s", "--nonsense", "1"),
                  ("add", "1s", "--missed", "each"), ("every", "0s"),
                  ("every", "1s", "--missed", "some"), ("every", "1s", "--count", "0"),
                  ("at", "tomorrow"), ("at", "2026-13-01T00:00"), ("at", "25:00"),
                  ("at", "@1", "--clock", "boottime"), ("cron", "* *"), ("next",),
                  ("next", "@daily", "--nonsense", "1"), ("list", "x"),
                  ("stat", "x"), ("watch", "--interval", "0s"), ("watch", "x"),
                  ("script", "a", "b"), ("add", "99999999999999999d"), ("run", "true"),
                  ("add", "106752d"), ("at", "@1", "--period", "1s", "--first", "1s"),
                  ("add", "1s", "--cookie", "0x"), ("--device",),
                  ("run", "--lease", "1s"), ("run", "--lease", "0s", "true"),
                  ("run", "--lease", "1s", "--count", "2", "true"),
                  ("cron", "@daily", "--correction", "each"),
                  ("every", "1s", "--correction", "run"),
                  ("run", "--lease", "1s", "--nonsense", "true")):
        result = ends(ctl(*words), USAGE)
        is_(result.out, "", words)
        assert result.err, words


@case_here
def help_and_version_are_on_stdout():
    for words in ("--help",), ("-h",), ("help",), ("--json", "-h"):
        says(good(*words), "usage: twheelctl", "cron SPEC")
    for words in ("run", "--help"), ("run", "-h"), ("help", "run"), ("--help", "run"):
        says(good(*words), "usage: twheelctl run --lease", "is killed", "--restart\n")
    for words in ("--version",), ("-V",), ("version",):
        says(good(*words), "twheelctl 1.")
    is_(ctl("help", "nonsense").status, USAGE)
    # Help of a command does not carry it out.
    says(good("cron", "nonsense", "--help"), "--correction skip|run")


@case_here
def options_stand_before_or_behind_the_words_of_a_command():
    plain = good("next", "@daily", "--from", "@0", "--count", "2", zone="UTC0")
    for words in ("next", "@daily", "--from=@0", "--count=2"), \
                 ("next", "@daily", "--count", "2", "--from", "@0"):
        is_(good(*words, zone="UTC0"), plain)
    for words in (("next", "@daily", "--json"), ("next", "--json", "@daily"),
                  ("--json", "next", "@daily")):
        assert objects(good(*words))[0]["time_ns"] > 0
    is_(ctl("stat", "--device=/dev/no-such").status, NO_DEVICE)


@case
def options_of_the_command_that_runs_are_its_own():
    is_(good("add", "--cookie=1", "1ms", "echo", "--json", "--nonsense"), "--json --nonsense\n")
    is_(good("add", "1ms", "--", "echo", "-h"), "-h\n")


@case_here
def unknown_word_comes_with_the_one_that_was_meant():
    for words, why in ((("lst",), "unknown command 'lst'; did you mean 'list'?"),
                       (("everyy", "1s"), "did you mean 'every'?"),
                       (("help", "wach"), "did you mean 'watch'?"),
                       (("nonsense",), "unknown command 'nonsense'; see twheelctl --help"),
                       (("--jsn", "list"), "did you mean '--json'?"),
                       (("add", "1s", "--cokie", "1"), "did you mean '--cookie'?"),
                       (("list", "--count", "1"), "'--count'; see twheelctl list --help"),
                       (("next", "@daily", "--nonsense"), "see twheelctl next --help"),
                       (("list", "--json=1"), "--json has no value"),
                       (("next", "@daily", "--from"), "--from: TIME is missing")):
        result = ends(ctl(*words), USAGE, why)
        is_(result.err.count("\n"), 1, result.err)


@case
def word_of_a_script_comes_with_the_one_that_was_meant():
    ends(ctl("script", stdin="canzel 1\nadd 1s --cokie 1\n"), USAGE,
         "did you mean 'cancel'?", "did you mean '--cookie'?")


# Completion


def completed(*words):
    """What "twheelctl complete" says of the last word."""
    return [line.split("\t")[0] for line in good("complete", *words).splitlines()]


@case_here
def complete_knows_commands_options_and_values():
    is_(completed("ne"), ["next"])
    is_(completed("--json", "l"), ["lease", "list"])
    is_(completed("--vers"), ["--version"])
    is_(completed("next", "@daily", "--f"), ["--from"])
    is_(completed("add", "1s", "--missed", ""), ["skip", "each", "restart"])
    is_(completed("add", "1s", "--missed", "e"), ["each"])
    is_(completed("lease", "l"), ["left"])
    is_(completed("help", "dra"), ["drain"])
    is_(completed("script", "x"), [":files"])
    is_(completed("--device", ""), [":files"])
    is_(completed("nonsense", ""), [])
    is_(completed("add", ""), [])
    for words, first in ((("add", "1s", "l"), 2), (("add", "1s", "--count", "2", "ls", "-"), 4),
                         (("run", "--restart", "--", "ls", "-"), 3), (("run", "l"), 1)):
        is_(completed(*words), [f":command {first}"])
    # The options are those of help.
    for name in completed(""):
        shown = re.findall(r"^  (?:-\w, )?(--\w+)", good("help", name), re.MULTILINE)
        if name not in ("help", "version"):
            is_(completed(name, "--"), shown, name)


@case
def complete_knows_the_files_of_other_programs():
    with script("add 1h") as (place, _):
        says(completed("list", "--of", place[:3]), place)
        is_(completed("list", "--of", "x"), [])


COMPLETION = pathlib.Path(__file__).resolve().parent / "completion"
PATH = f"{os.path.dirname(program)}:{os.environ['PATH']}"


def in_shell(*command, **variables):
    """What a shell prints that finds twheelctl."""
    if not shutil.which(command[0]):
        raise Skip(f"this machine has no {command[0]}")
    return execute(*command, env={"PATH": PATH, **variables}).out.split("\n")


BASH = """
. /usr/share/bash-completion/bash_completion && . "$FILE"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=${LINE// : /:}
COMP_POINT=${#COMP_LINE} COMP_TYPE=9
_twheelctl 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


@case_here
def bash_completes():
    if not os.path.exists("/usr/share/bash-completion/bash_completion"):
        raise Skip("this machine has no bash-completion")

    def bash(*words):
        return in_shell("bash", "--norc", "-c", BASH, "bash", "twheelctl", *words,
                        FILE=COMPLETION / "twheelctl.bash",
                        LINE=" ".join(("twheelctl", *words)))[:-1]

    is_(bash("li"), ["list"])
    is_(bash("add", "1s", "--mi"), ["--missed"])
    is_(bash("add", "1s", "--missed", "r"), ["restart"])
    # A colon separates words there, and the command's own words begin behind.
    says(bash("at", "18", ":", "00", "twheelct"), "twheelctl")


@case_here
def fish_completes():
    def fish(line):
        return [found.split("\t")[0] for found in in_shell(
            "fish", "--no-config", "-c", 'source $FILE; complete -C "$LINE"',
            FILE=COMPLETION / "twheelctl.fish", LINE=line)[:-1]]

    is_(fish("twheelctl li"), ["list"])
    is_(fish("twheelctl add 1s --missed r"), ["restart"])
    says(fish("twheelctl next @daily --f"), "--from")
    says(fish("twheelctl every 1s twheelct"), "twheelctl")


@case_here
def zsh_completes():
    """A shell on a terminal: zsh completes nowhere else."""
    if not shutil.which("zsh"):
        raise Skip("this machine has no zsh")
    rc = tempfile.mkdtemp()
    with open(f"{rc}/.zshrc", "w", encoding="ascii") as file:
        file.write(f"fpath=({COMPLETION} $fpath)\n"
                   "autoload -U compinit; compinit -u -D; PS1=; unset zle_bracketed_paste\n")
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update(PATH=PATH, TERM="dumb", ZDOTDIR=rc)
        os.execvp("zsh", ["zsh", "-i"])
    try:
        seen = b""
        os.write(terminal, b"print rea''dy\n")
        for keys, wanted in ((b"", b"ready"), (b"twheelctl resu\t", b"resume "),
                             (b"\x15twheelctl add 1s --miss\t", b"--missed"),
                             (b"r\t", b"restart")):
            os.write(terminal, keys)
            while wanted not in seen:
                assert select.select([terminal], [], [], TIMEOUT)[0], seen
                seen += os.read(terminal, 4096)
            seen = seen[seen.index(wanted) + len(wanted):]
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def run():
    wanted = [function for function, places in cases if place in places
              and function.__name__ in (arguments[1:] or [function.__name__])]
    failures = 0
    print(f"TAP version 13\n1..{len(wanted)}", flush=True)
    for number, function in enumerate(wanted, 1):
        result, more = "ok", ""
        try:
            function()
        except Skip as reason:
            more = f" # SKIP {reason}"
        except Exception:  # any exception fails the test
            result = "not ok"
            failures += 1
            for line in traceback.format_exc().splitlines()[-12:]:
                print("#", line[:400])
        print(result, number, function.__name__ + more, flush=True)
    return failures > 0


sys.exit(run())
