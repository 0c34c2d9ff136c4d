# SPDX-License-Identifier: GPL-2.0
"""Compares counts of instructions with those on record.

bench/instructions.txt has a line for each count: metric, engine, instructions; and
instructions-newest.txt has those of modules in the newest kernel. A count of
twheel may not be more than 2 % above its record. Neither may it be more than 2 % below,
because such a record would let the next change lose what this one has won.

Another kernel or compiler has other counts. So the record names both, and with others
nothing is compared.
"""

import pathlib

RECORD = pathlib.Path(__file__).resolve().parent / "instructions.txt"
NEWEST = RECORD.with_name("instructions-newest.txt")
TOLERANCE = 0.02
# These counts vary by so many instructions, with the other timers that the kernel has: a softirq
# searches the wheel of timer_list.
SLACK = {"run_0": 50, "tick_2": 100}
HEAD = """\
# SPDX-License-Identifier: GPL-2.0
# Instructions for an operation, an event or a tick, on x86-64, with 20,000 timers: metric,
# engine, instructions. scripts/bench writes this file: --instructions --record, or
# --newest --record for the newest kernel.
"""
MADE_WITH = "# made with: "


def parse(lines):
    """{(metric, engine): instructions} of the lines of a record; or a longer key."""
    counts = {}
    for line in lines:
        if line.strip() and not line.startswith("#"):
            *key, count = line.split()
            counts[tuple(key)] = float(count)
    return counts


def read(record=None):
    record = record or RECORD
    return parse(record.read_text("ascii").splitlines()) if record.exists() else {}


def made_with(record=None):
    """The kernel and the compiler of the record."""
    record = record or RECORD
    for line in record.read_text("ascii").splitlines() if record.exists() else ():
        if line.startswith(MADE_WITH):
            return line.removeprefix(MADE_WITH)
    return None


def write(counts, tools, record, head=HEAD):
    lines = [" ".join(map(str, key)) + f" {count:.1f}\n"
             for key, count in sorted(counts.items())]
    record.write_text(f"{head}{MADE_WITH}{tools}\n" + "".join(lines), "ascii")


def peers(counts, metric):
    """{peer: instructions} for a metric."""
    return {engine: count for (same, engine), count in sorted(counts.items())
            if same == metric and not ours(engine)}


def due(metric):
    """How many timers are due in the tick that a metric is about."""
    return int(metric.removeprefix("tick_")) if metric.startswith("tick_") else 0


def ours(engine):
    return engine.startswith("twheel")


def judge(metric, now, before):
    """What is wrong with a count of twheel, or None."""
    allowed = before * TOLERANCE + SLACK.get(metric, 0)
    if now > before + allowed:
        return "worse than the record"
    if now < before - allowed:
        return ("better than the record: lower it by "
                "scripts/bench --instructions --record --document")
    return None


def check_judge(writer):
    """Print TAP: what is more than 2 % off the record is found."""
    for now, expected in (103, "worse"), (97, "better"), (101, "nothing"), (99, "nothing"):
        found = (judge("add", now, 100) or "nothing").split()[0]
        writer.check(found == expected,
                     f"instructions: {now}, with 100 on record, is {expected} to complain about")


def check(counts, tools, writer, file):
    """Print TAP: a test for each count of twheel, and comments for its peers. Without a record of
    the same kernel and compiler, print comments alone."""
    check_judge(writer)
    record = read(file) if tools == made_with(file) else {}
    if not record:
        writer.check(True, f"instructions: {tools} # SKIP the record is of {made_with(file)}: "
                     "make it anew with --record")
    for (metric, engine), now in sorted(counts.items()):
        before = record.get((metric, engine))
        text = f"{metric} {engine}: {now:.1f}"
        if before is not None:
            text += f", on record {before:.1f}"
            if before:
                text += f" ({now / before - 1:+.1%})"
        if not ours(engine) or not record:
            print(f"# instructions: {text}", flush=True)
        elif before is None:
            writer.check(False, f"instructions: {text}, not on record")
        else:
            wrong = judge(metric, now, before)
            writer.check(not wrong, f"instructions: {text}" +
                         (f", {wrong}" if wrong else ""))
    for metric, engine in sorted(record.keys() - counts.keys()):
        writer.check(False, f"instructions: {metric} {engine} was measured")
