# SPDX-License-Identifier: GPL-2.0
"""How long twheel was tested, on which kernel, with which checks, over all runs on record.

Documentation/soak.csv has a line for each stage of each run: date, commit, stage, kernel,
checks, tests, armings, seconds. Lines are added, and never changed.
"""

import csv
import pathlib

FILE = pathlib.Path(__file__).resolve().parents[2] / "Documentation/soak.csv"
HEAD = ["date", "commit", "stage", "kernel", "checks", "tests", "armings", "seconds"]


def read():
    with open(FILE, encoding="ascii", newline="") as file:
        return list(csv.reader(file))[1:]


def write(rows):
    with open(FILE, "w", encoding="ascii", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *sorted(rows)])


def add(rows):
    """Add the lines that are not there yet. Returns all lines."""
    known = {tuple(row[:3]): row for row in read()}
    for row in rows:
        known.setdefault(tuple(row[:3]), row)
    write(known.values())
    return list(known.values())


def table(rows):
    """(kernel, checks, hours, days, tests, armings) for each kernel with its checks."""
    sums = {}
    for date, _, _, kernel, checks, tests, armings, seconds in rows:
        if kernel:
            total = sums.setdefault((kernel, checks), [0, set(), 0, 0])
            total[0] += int(seconds)
            total[1].add(date)
            total[2] += int(tests)
            total[3] += int(armings or 0)
    return [(*key, f"{seconds / 3600:.1f}", f"{min(dates)} to {max(dates)}", f"{tests:,}",
             f"{armings:,}" if armings else "")
            for key, (seconds, dates, tests, armings) in sorted(sums.items())]
