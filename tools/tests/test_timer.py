# SPDX-License-Identifier: GPL-2.0
"""One timer: add, at and every."""

import datetime
import time

import brute_force
from harness import (BERLIN, COMMAND_FAILED, SECOND, USAGE, case, case_here, case_in_virtual_time,
                     ctl, ends, expired, good, good_objects, is_, says, set_clock)


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
