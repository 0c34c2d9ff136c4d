# SPDX-License-Identifier: GPL-2.0
"""Rows of medians and ratios, and the targets of ratios."""

import collections

HEADER = "engine,kernel,metric,n,peer,twheel_ns,peer_ns,ratio"

# For each metric of programs, the greatest ratio to the best peer that is allowed, with the
# largest number of timers that was measured.
TARGETS = {
    "u_arm_single": 0.4, "u_arm_batch": 0.1, "u_cancel_single": 0.5,
    "u_cancel_batch": 0.1, "u_extend_single": 0.6, "u_extend_batch": 0.1,
    "u_extend_mmap": 0.02, "u_deliver_cpu": 0.15, "u_drain": 0.2, "u_bytes": 0.25}

Row = collections.namedtuple(
    "Row", "engine kernel metric n peer twheel_ns peer_ns ratio")


def parse(line):
    """Parse a line of CSV."""
    fields = line.split(",")
    if len(fields) != len(Row._fields):
        raise ValueError(f"not a row: {line}")
    return Row(*fields[:3], int(fields[3]), fields[4], *map(float, fields[5:]))


def verdicts(rows):
    """Yield pairs of a row and its target: for each metric of programs, the row against the
    best peer, with the most timers."""
    best = {}
    for row in rows:
        if row.metric in TARGETS and row.peer != "floor":
            best[row[:3]] = max(best.get(row[:3], row), row,
                                key=lambda one: (one.n, one.ratio))
    for row in best.values():
        yield row, TARGETS[row.metric]


def show_verdicts(rows):
    """Yield the lines of a table of ratios and targets."""
    yield (f"{'engine':6} {'kernel':22} {'metric':16} {'n':>8} "
           f"{'peer':14} {'twheel':>12} {'peer':>12} {'ratio':>7} "
           f"{'target':>7}")
    for row, target in verdicts(rows):
        met = "met" if row.ratio <= target else "missed"
        yield (f"{row.engine:6} {row.kernel:22} {row.metric:16} {row.n:8} "
               f"{row.peer:14} {row.twheel_ns:12.2f} {row.peer_ns:12.2f} "
               f"{row.ratio:7.3f} {target:7.2f} {met}")
