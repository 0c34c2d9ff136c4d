# SPDX-License-Identifier: GPL-2.0
"""Recurrences in local time: next."""

import random
import time

import brute_force
from harness import (BERLIN, DONE, SECOND, USAGE, Skip, case_here, ctl, ends, good, good_objects,
                     is_, objects)


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
