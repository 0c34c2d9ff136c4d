# SPDX-License-Identifier: GPL-2.0
"""Errors of the machine and of the command line; help."""

import os
import pathlib

from harness import (FAILED, NOBODY, NO_ACCESS, NO_DEVICE, USAGE, case, case_here, ctl, ends, good,
                     is_, objects, says)

NEED_THE_DEVICE = (("add", "1s"), ("stat",), ("watch",), ("script",), ("list",), ("top",),
                   ("run", "--lease", "1s", "true"))


def lacks_the_device(*texts):
    """Each command that needs the device ends, and says these texts on stderr alone."""
    for words in NEED_THE_DEVICE:
        result = ends(ctl("--device", "/dev/no-such", *words), NO_DEVICE, *texts)
        is_(result.out, "")


@case_here
def module_that_is_not_loaded_is_told_of():
    lacks_the_device("the module twheel is not loaded", "modprobe twheel")


@case
def device_that_is_not_there_is_told_of():
    lacks_the_device("/dev/no-such does not exist here, although the module", "in a container")


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
