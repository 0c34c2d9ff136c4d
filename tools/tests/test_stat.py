# SPDX-License-Identifier: GPL-2.0
"""The module's counts: stat and watch."""

import pathlib
import re

from harness import (SECOND, USAGE, case, case_in_virtual_time, ctl, good, good_objects, is_, says,
                     script)


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
    assert values[f"twheel_user_timers{label}"] >= 2
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
    assert all(0 <= rate["late"] <= rate["fired"] for rate in rates), rates
    assert sum(rate["fired"] for rate in rates) > 0, rates


@case
def watch_shows_the_longest_run():
    good("add", "1ms")
    # No timer is left, so no wheel runs meanwhile.
    picture, = good_objects("watch", "--count", "1", "--interval", "50ms")
    for cpu in picture["cpus"]:
        text = pathlib.Path(f"/sys/kernel/debug/twheel/cpu{cpu['cpu']}").read_text("ascii")
        is_(f"run_max_ns {cpu['run_max_ns']}", re.search("^run_max_ns .*", text, re.M)[0])


@case_in_virtual_time
def watch_shows_exact_rates():
    with script("every 100ms --missed each true") as (_, process):
        # Its output is not read, and too short to fill the pipe.
        picture = good_objects("watch", "--count", "1", "--interval", "20s")[0]
        process.kill()
    fired = sum(cpu["per_second"]["fired"] for cpu in picture["cpus"])
    # A visit for each expiry, and at most another one after the program's call.
    assert 9.9 <= fired <= 20.1, fired
