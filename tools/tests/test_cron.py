# SPDX-License-Identifier: GPL-2.0
"""Recurrences on a clock that jumps, and in zones that change: cron."""

import contextlib
import subprocess
import tempfile
import time

import brute_force
from harness import (BERLIN, DONE, FAILED, SECOND, USAGE, Background, Skip, case, case_here,
                     case_in_virtual_time, ctl, descriptors_with_timers, ends, execute, expired,
                     good, good_objects, is_, objects, program, says, script, set_clock,
                     wait_until)


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
def cron_believes_a_command_that_puts_the_clock_back_a_lot():
    set_clock("2030-06-01T12:59:50")
    # The second job is due, too, while the first one's command sets the clock to 2026.
    out = good_objects("script", stdin="cron '0 * * * *' --count 1 "
                       "sh -c 'date -s @1780295400 >/dev/null'\n"
                       "cron '0 * * * *' --count 2\n")
    is_(deadlines((e for e in expired(out) if e["id"] == 2), "%FT%R"),
        ["2026-06-01T07:00", "2026-06-01T08:00"])


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
