# SPDX-License-Identifier: GPL-2.0
"""Writes the figures into pages, as tables of reStructuredText.

Two comments in a page mark the place of a table. What is between them is replaced::

    .. table NAME

    .. end of table
"""

import pathlib
import re
import subprocess

import instructions

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[1] / "Documentation"
PAGES = [DOCUMENTATION / name for name in (
    "performance.rst", "performance-user.rst", "performance-tried.rst", "when.rst")]
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


KERNEL_PATHS = {
    "add": "add", "cancel": "cancel", "rearm": "re-arm at random",
    "rearm_later": "re-arm ten minutes later", "tick_0": "a tick without due timers",
    "tick_2": "2 timers due on a tick", "run_2": "2 timers due, twheel's run alone",
    "tick_80": "80 timers due on a tick", "run_80": "80 timers due, twheel's run alone",
    "tick_200": "200 timers due on a tick", "run_200": "200 timers due, twheel's run alone"}
USER_PATHS = {
    "u_arm": "arm", "u_extend": "push back", "u_cancel": "cancel",
    "u_deliver": "deliver, over a second", "u_drain": "deliver, all at once"}


def kernel_paths(counts):
    """The table of instructions of the kernel paths."""
    engines = ("twheel", "timer_list", "hrtimer")
    body = []
    for metric, path in KERNEL_PATHS.items():
        found = [counts.get((metric, engine)) for engine in engines]
        body.append((path, *["" if x is None else number(x) for x in found]))
        due = instructions.due(metric)
        if due:
            body.append((f"each of {path}",
                         *[number(x / due) for x in found]))
    return table(("instructions", *map(code, engines)), body)


def instructions_kernel():
    return kernel_paths(instructions.read())


def instructions_newest():
    return kernel_paths(instructions.read(instructions.NEWEST))


def instructions_user():
    """The table of instructions of the program paths, with a row for each mechanism."""
    counts = instructions.read()
    engines = ("twheel_single", "twheel_batch", "twheel_mmap", "twheel_ring", "timerfd",
               "posix", "io_uring", "io_uring_single")
    body = [(code(engine), *[number(counts[metric, engine])
                             if (metric, engine) in counts else ""
                             for metric in USER_PATHS]) for engine in engines]
    return table(("instructions", *USER_PATHS.values()), body)


# The paths of programs for which there is a goal: the ratio to the best peer
GOALS = (
    ("arm, one call each", "u_arm", "twheel_single", 0.4),
    ("arm, by batch", "u_arm", "twheel_batch", 0.1),
    ("push back, one call each", "u_extend", "twheel_single", 0.6),
    ("push back, by batch", "u_extend", "twheel_batch", 0.1),
    ("push back, in the table", "u_extend", "twheel_mmap", 0.02),
    ("cancel, one call each", "u_cancel", "twheel_single", 0.5),
    ("cancel, by batch", "u_cancel", "twheel_batch", 0.1),
    ("deliver, over a second", "u_deliver", "twheel_batch", 0.15),
    ("deliver, all at once", "u_drain", "twheel_batch", 0.2))


def beside_best():
    """(path, twheel's count, best peer, its count, goal) of the paths of programs."""
    counts = instructions.read()
    for what, metric, engine, goal in GOALS:
        peers = instructions.peers(counts, metric)
        best = min(peers, key=peers.get)
        yield what, counts[metric, engine], best, peers[best], goal


def instructions_best():
    """The table of the program paths beside the best peer of each."""
    return table(("instructions", "twheel", "best peer", "its count", "ratio"),
                 [(what, number(ours), code(best), number(theirs), small(ours / theirs))
                  for what, ours, best, theirs, _ in beside_best()])


def instructions_goals():
    """The same with the goals."""
    return table(("instructions", "best peer", "ratio", "goal", "met"),
                 [(what, code(best), small(ours / theirs), goal,
                   "yes" if ours <= goal * theirs else "no")
                  for what, ours, best, theirs, goal in beside_best()])


def when_modules():
    """The table of instructions of the kernel paths for people who choose."""
    counts = instructions.read(instructions.NEWEST)
    body = [(path, *[f"{counts[metric, engine] / (instructions.due(metric) or 1):,.0f}"
                     for engine in ("twheel", "timer_list", "hrtimer")])
            for path, metric in (("arm", "add"), ("push back by ten minutes", "rearm_later"),
                                 ("cancel", "cancel"),
                                 ("run, 200 timers due on a tick", "tick_200"),
                                 ("run, two timers due on a tick", "tick_2"))]
    return table(("instructions", *map(code, ("twheel", "timer_list", "hrtimer"))), body)


def when_programs():
    """The table of fractions of the peers' instructions for people who choose."""
    counts = instructions.read()
    body = [(path, *[small(counts[metric, ours] / counts[metric, peer])
                     for peer in ("timerfd", "posix", io_uring)])
            for path, metric, ours, io_uring in (
                ("arm, one call each", "u_arm", "twheel_single", "io_uring_single"),
                ("arm, 256 a call", "u_arm", "twheel_batch", "io_uring"),
                ("push back, one call each", "u_extend", "twheel_single", "io_uring_single"),
                ("push back, 256 a call", "u_extend", "twheel_batch", "io_uring"),
                ("push back in shared memory", "u_extend", "twheel_mmap", "io_uring"),
                ("cancel, one call each", "u_cancel", "twheel_single", "io_uring_single"),
                ("cancel, 256 a call", "u_cancel", "twheel_batch", "io_uring"),
                ("deliver, spread over a second", "u_deliver", "twheel_batch", "io_uring"),
                ("deliver, all at once", "u_drain", "twheel_batch", "io_uring"))]
    return table(("operation", "timerfd", "POSIX timers", "io_uring"), body)


def instructions_io_uring():
    """The table of batches by ioctl() and by commands of io_uring."""
    counts = instructions.read()
    ways = [(metric, way) for metric in ("u_arm", "u_extend", "u_cancel")
            for way in ("ioctl", "command")]
    body = [(size, *[number(counts[metric, f"twheel_{way}_{size}"]) for metric, way in ways])
            for size in (1, 8, 64)]
    return table(("batch of", *[f"{USER_PATHS[metric]}, by {way}" for metric, way in ways]),
                 body)


TABLES = {make.__name__: make
          for make in (instructions_kernel, instructions_newest, instructions_user,
                       instructions_best, instructions_goals, instructions_io_uring, when_modules,
                       when_programs)}


def from_record(name):
    """The table of a name, from the records of instructions."""
    return TABLES[name]()


def fill(text, make=from_record):
    """The text of a page with new tables. MAKE gives the table of a name; if it gives nothing, the
    old one stays."""
    def replacement(match):
        made = make(match[2])
        return f"{match[1]}\n{made}\n\n{match[4]}" if made else match[0]
    return MARK.sub(replacement, text)


def put(*pages, make=from_record):
    """Put new tables into the pages, and draw the pictures that have the same figures."""
    for page in pages:
        page.write_text(fill(page.read_text("utf-8"), make), "utf-8")
    pictures = DOCUMENTATION / "pictures"
    subprocess.run([pictures / "draw.py", pictures], check=True)
