# SPDX-License-Identifier: GPL-2.0
"""Find reports of faults in a kernel log."""

import pathlib
import re

LIST = pathlib.Path(__file__).with_name("kernel-reports")
# In front of a message: "<4>[    0.123456][   T12] "
STAMP = re.compile(r"^(?:<\d+>)?(?:\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ?)?")
CONTEXT = 30  # lines of a report


def patterns():
    lines = LIST.read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    return re.compile("|".join(f"(?:{line})" for line in wanted))


def find(log, allowed=()):
    """The reports in a log, each a list of lines.

    A report that matches one of the allowed regular expressions is left out.
    """
    lines = log.replace("\r", "").splitlines()
    wanted = patterns()
    found = []
    end = 0
    for number, line in enumerate(lines):
        message = line[STAMP.match(line).end():]
        if not wanted.match(message):
            continue
        if any(re.search(regex, message) for regex in allowed):
            continue
        if number < end:
            continue  # this line is part of the last report
        end = number + CONTEXT
        found.append(lines[number:end])
    return found


def show(found, say):
    """Print the first three reports."""
    for report in found[:3]:
        say("the kernel reported:\n    " + "\n    ".join(report))
    if len(found) > 3:
        say(f"and {len(found) - 3} more reports")
