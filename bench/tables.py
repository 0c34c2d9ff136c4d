# SPDX-License-Identifier: GPL-2.0
"""Writes the figures into pages, as tables of reStructuredText.

Two comments in a page mark the place of a table. What is between them is replaced::

    .. table NAME

    .. end of table
"""

import collections
import re

import figures
import instructions

MARK = re.compile(r"(\.\. table (\w+)\n)(.*?)(\.\. end of table\n)", re.DOTALL)


def table(head, body):
    """Format a simple table of reStructuredText."""
    rows = [[str(cell) for cell in row] for row in [head, *body]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    # In reStructuredText, an empty first cell would continue the row above.
    rule = "  ".join("=" * max(width, 1) for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths))
             .rstrip() for row in rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def number(value):
    """Format a number with about three digits."""
    return (f"{value:,.0f}" if value >= 1000 else
            f"{value:.1f}" if value >= 3 else f"{value:.2f}")


def small(ratio):
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def code(text):
    return f"``{text}``"


def user_ratios(rows):
    """The table of timers of programs, with a column for each peer."""
    ratio = collections.defaultdict(dict)
    ours, floor, peers = {}, {}, []
    for row in rows:
        if row.metric not in figures.TARGETS or row.engine != "qemu":
            continue
        ours[row.metric, row.n] = row.twheel_ns
        if row.peer == "floor":
            floor[row.metric, row.n] = row.peer_ns
            continue
        ratio[row.metric, row.n][row.peer] = row.ratio
        if row.peer not in peers:
            peers.append(row.peer)
    body = []
    for (metric, n), of in ratio.items():
        target = figures.TARGETS[metric]
        body.append((code(metric), f"{n:,}", number(ours[metric, n]),
                     number(floor[metric, n]) if (metric, n) in floor else "",
                     *[small(of[peer]) if peer in of else "" for peer in peers],
                     target,
                     "met" if max(of.values()) <= target else "**missed**"))
    return table(("metric", "timers", "twheel, ns", "floor, ns",
                  *map(code, peers), "target", "result"), body)


def designs(rows):
    """The table of five designs, by number of timers."""
    costs = collections.defaultdict(dict)
    for row in rows:
        if row.metric in figures.COSTS:
            costs[row.metric, row.peer][row.n] = row.peer_ns
            costs[row.metric, "twheel"][row.n] = row.twheel_ns
    counts = sorted({n for of in costs.values() for n in of})
    order = [*figures.DESIGNS, "twheel"]
    body = [(code(metric), who.replace("_", " "),
             *[number(of[n]) if n in of else "" for n in counts])
            for (metric, who), of in sorted(
                costs.items(), key=lambda item: (
                    figures.COSTS.index(item[0][0]), order.index(item[0][1])))]
    return table(("metric", "design", *[f"{n:,}" for n in counts]), body)


KERNEL_PATHS = {
    "add": "add", "cancel": "cancel", "rearm": "re-arm at random",
    "rearm_later": "re-arm ten minutes later", "tick_0": "a tick, 0 timers due",
    "tick_2": "a tick, 2 timers due", "run_2": "the same, only twheel's run",
    "tick_80": "a tick, 80 timers due", "run_80": "the same, only twheel's run",
    "tick_200": "a tick, 200 timers due", "run_200": "the same, only twheel's run"}
USER_PATHS = {
    "u_arm": "arm", "u_extend": "push back", "u_cancel": "cancel",
    "u_deliver": "deliver, over a second", "u_drain": "deliver, all at once"}


def instructions_kernel(_rows):
    """The table of instructions of the kernel paths."""
    counts = instructions.read()
    engines = ("twheel", "timer_list", "hrtimer")
    body = []
    for metric, path in KERNEL_PATHS.items():
        found = [counts.get((metric, engine)) for engine in engines]
        body.append((path, *["" if x is None else number(x) for x in found]))
        due = instructions.due(metric)
        if due:
            body.append((f"{path.rpartition(',')[0]}, each of {due} timers",
                         *[number(x / due) for x in found]))
    return table(("instructions", *map(code, engines)), body if counts else [])


def instructions_user(_rows):
    """The table of instructions of the program paths, with a row for each mechanism."""
    counts = instructions.read()
    engines = ("twheel_single", "twheel_batch", "twheel_mmap", "twheel_ring", "timerfd",
               "posix", "io_uring", "io_uring_single")
    body = [(code(engine), *[number(counts[metric, engine])
                             if (metric, engine) in counts else ""
                             for metric in USER_PATHS]) for engine in engines]
    return table(("instructions", *USER_PATHS.values()), body if counts else [])


def instructions_best(_rows):
    """The table of the program paths beside the best peer of each, with the goals."""
    counts = instructions.read()
    body = []
    for what, metric, engine, goal in (
            ("arm, by batch", "u_arm", "twheel_batch", 0.1),
            ("push back, in the table", "u_extend", "twheel_mmap", 0.02),
            ("deliver, over a second", "u_deliver", "twheel_batch", 0.15),
            ("deliver, all at once", "u_drain", "twheel_batch", 0.2)):
        peers = instructions.peers(counts, metric)
        if not peers:
            return ""
        best = min(peers, key=peers.get)
        ours = counts[metric, engine]
        body.append((what, number(ours), code(best), number(peers[best]),
                     small(ours / peers[best]), goal,
                     "yes" if ours <= goal * peers[best] else "no"))
    return table(("instructions", "twheel", "best peer", "its count", "ratio", "goal", "met"),
                 body)


def instructions_io_uring(_rows):
    """The table of batches by ioctl() and by commands of io_uring."""
    counts = instructions.read()
    ways = [(metric, way) for metric in ("u_arm", "u_extend", "u_cancel")
            for way in ("ioctl", "command")]
    body = [(size, *[number(counts[metric, f"twheel_{way}_{size}"]) for metric, way in ways])
            for size in (1, 8, 64)] if counts else []
    return table(("batch of", *[f"{USER_PATHS[metric]}, by {way}" for metric, way in ways]),
                 body)


TABLES = {make.__name__: make
          for make in (user_ratios, designs, instructions_kernel, instructions_user,
                       instructions_best, instructions_io_uring)}


def fill(page, rows):
    """Return PAGE with new tables. A table without figures stays as it is."""
    def replacement(match):
        text = TABLES[match[2]](rows)
        if text.count("\n") < 4:
            return match[0]
        return f"{match[1]}\n{text}\n\n{match[4]}"
    return MARK.sub(replacement, page)
