#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Check that figures in the documentation are those on record.

usage: scripts/documents/figures.py [RECORD]

RECORD is bench/instructions.txt, or another file of that form. The tables that come from it
must be in the pages as scripts/bench --instructions --document writes them. Each figure in CLAIMS
must be that of a record, or of a table with a date, within 2 % and its last digit. Prints what
differs; the exit status is 1 if anything does.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/lib"), str(ROOT / "bench")]

import instructions  # noqa: E402
import tables  # noqa: E402
from common import CHECKOUT, Fail, complain, main, option_parser  # noqa: E402


def stock(metric, engine):
    """A count of the record."""
    return lambda: instructions.read()[metric, engine]


def newest(metric, engine):
    """A count of the newest kernel's record; that of a tick for each timer."""
    return lambda: (instructions.read(instructions.NEWEST)[metric, engine] /
                    (instructions.due(metric) or 1))


def ratio(one, other):
    return lambda: one() / other()


def rows_below(page, *marks):
    """The rows of the first simple table behind the MARKS, which follow one another."""
    text = (CHECKOUT / "Documentation" / page).read_text(encoding="utf-8")
    for mark in marks:
        text = text[text.index(mark) + len(mark):]
    lines = text.split("\n")
    at = next(n for n, line in enumerate(lines) if re.fullmatch(r"=+(  =+)+", line))
    spans = [match.span() for match in re.finditer("=+", lines[at])]
    # The last column may be wider than its rule.
    spans[-1] = (spans[-1][0], None)
    body = lines[at + 1:]
    body = body[next(n for n, line in enumerate(body) if line == lines[at]) + 1:]
    for line in body[:body.index(lines[at])]:
        yield [line[begin:end].strip() for begin, end in spans]


def cell(row, column, page, *marks):
    """A figure in a table: the row that begins with ROW."""
    def read():
        for cells in rows_below(page, *marks):
            if cells[0].startswith(row):
                return float(cells[column].split()[0].replace(",", ""))
        raise Fail(f"{page}: the table below {marks[-1]!r} has no row {row!r}")
    return read


def often(row, column):
    return cell(row, column, "performance-user.rst", "What they cost the machine")


def late(row):
    return cell(row, 1, "performance-user.rst", "How late they come")


def native(row, column):
    return cell(f"``{row}``", column, "performance-native.rst",
                "1,000,000 timers, due within an hour:")


def batches(row, column):
    return cell(f"``{row}``", column, "performance-native.rst", ".. table native_batches",
                "1,000,000 timers:")


def harm(attack, column):
    return cell(attack, column, "harm.rst", "``scripts/test-harm`` on")


def wakes(row):
    """What timers add to the interrupts of an idle CPU."""
    total, none = (cell(name, 1, "howto-port.rst", "On 2026-11-26, on the kernel 7.3")
                   for name in (row, "none"))
    return lambda: total() - none()


def worst_attack():
    return max(float(cells[2]) for cells in rows_below("harm.rst", "``scripts/test-harm`` on")
               if len(cells[2]) and cells[0] not in ("kill", "timerfd"))


TABLE, BATCHES, OWN = "twheel, the table", "twheel, batches", "a hierarchical wheel"

# page: its figures. Each has the words around it, and where the figure comes from.
CLAIMS = {
    "README.md": (
        ("in a batch takes about N instructions", stock("u_arm", "twheel_batch")),
        ("instructions; with io_uring N.", stock("u_arm", "io_uring")),
        ("each timer it takes N;", stock("u_arm", "twheel_single")),
        ("; with io_uring N, and", stock("u_arm", "io_uring_single")),
        ("with timerfd N:", stock("u_arm", "timerfd")),
    ),
    "CHANGELOG.md": (
        ("to push a deadline back N instead", stock("u_extend", "twheel_batch")),
        ("to cancel N instead", stock("u_cancel", "twheel_batch")),
        ("to arm N instead", stock("u_arm", "twheel_batch")),
        ("`twheel_add()` takes N,", stock("add", "twheel")),
        ("`twheel_cancel()` N.", stock("cancel", "twheel")),
        ("at a tick with two due timers takes N instead", stock("run_2", "twheel")),
    ),
    "Documentation/when.rst": (
        ("executes N times as many instructions with twheel's table",
         ratio(often(TABLE, 1), often(OWN, 1))),
        ("With sixteen, it executes N times", ratio(often(TABLE, 3), often(OWN, 3))),
        ("the machine executes N to", ratio(often(BATCHES, 3), often(OWN, 3))),
        ("to N times as many as with the program's own", ratio(often(BATCHES, 1), often(OWN, 1))),
        ("own wheel were N ms late", late(OWN)),
        ("they were N ms late", late(TABLE)),
        ("through batches N ms", late(BATCHES)),
        ("of twheel takes N to", ratio(newest("tick_200", "twheel"),
                                       newest("tick_200", "timer_list"))),
        ("to N times the instructions of ``timer_list``",
         ratio(newest("tick_2", "twheel"), newest("tick_2", "timer_list"))),
        ("and N to", ratio(newest("tick_200", "twheel"), newest("tick_200", "hrtimer"))),
        ("to N times those of ``hrtimer``",
         ratio(newest("tick_2", "twheel"), newest("tick_2", "hrtimer"))),
        ("an ``hrtimer``, and that takes N instructions", newest("add", "hrtimer")),
        ("``twheel_add()`` takes N (", newest("add", "twheel")),
    ),
    "Documentation/howto-port.rst": (
        ("CPU 1 then wakes up N times", wakes("timer_list")),
        ("With twheel it wakes up N times", wakes("twheel")),
        ("With a slack it wakes up N times", wakes("twheel, with a slack")),
    ),
    "Documentation/performance-user.rst": (
        ("io_uring adds N instructions", lambda: stock("u_arm", "twheel_command_1")() -
         stock("u_arm", "twheel_ioctl_1")()),
        ("the table costs the machine N times", ratio(often(TABLE, 1), often(OWN, 1))),
        ("and with sixteen N times", ratio(often(TABLE, 3), often(OWN, 3))),
    ),
    "Documentation/performance-native.rst": (
        ("(``heartbeat``) costs the engine N ns", native("heartbeat", 2)),
        ("``timer_list`` N ns without a lock", native("heartbeat", 3)),
        ("the red-black tree N ns", native("heartbeat", 4)),
        ("cost the wheel N and", native("add", 1)),
        ("and N ns, and ``timer_list``", native("cancel", 1)),
        ("ns, and ``timer_list`` N and", native("add", 3)),
        ("and N ns. With locks", native("cancel", 3)),
        ("they cost the engine N and", native("add", 2)),
        ("a whole slot at once N and", native("worst_tick", 6)),
        ("and N ms, and ``timer_list``", native("worst_tick", 5)),
        ("ms, and ``timer_list`` N ms", native("worst_tick", 3)),
        ("by batch costs a program N ns", batches("arm", 1)),
        ("pushing back N ns", batches("push_back", 1)),
        ("cancelling N ns", batches("cancel", 1)),
        ("on one set take N,", ratio(batches("arm", 3), batches("arm", 1))),
        ("as one thread, push back N times", lambda: 2 * batches("push_back", 1)() /
         batches("push_back", 3)()),
        ("and cancel N times", lambda: 2 * batches("cancel", 1)() / batches("cancel", 3)()),
        ("together they arm N times", lambda: 2 * batches("arm", 1)() / batches("arm", 3)()),
    ),
    "Documentation/performance-tried.rst": (
        ("add instructions 200 N ", stock("add", "twheel")),
        ("cancel instructions 105 N ", stock("cancel", "twheel")),
        ("re-arm at random instructions 130 N ", stock("rearm", "twheel")),
        ("200 timers due, for each instructions 180 N ",
         lambda: stock("tick_200", "twheel")() / 200),
        ("2 timers due, for each instructions 600 N ", lambda: stock("tick_2", "twheel")() / 2),
        ("batch: arm instructions 370 N ", stock("u_arm", "twheel_batch")),
        ("batch: push back instructions 170 N ", stock("u_extend", "twheel_batch")),
        ("batch: cancel instructions 200 N ", stock("u_cancel", "twheel_batch")),
        ("deliver, over a second instructions 450 N ", stock("u_deliver", "twheel_batch")),
        ("drain instructions 240 N ", stock("u_drain", "twheel_batch")),
        ("add in random order native 38 N ", native("add", 1)),
        ("re-arm at random native 55 N ", native("rearm", 1)),
        ("expire native 180 N ", native("expire", 1)),
        ("against the best peer native 32.3 N ", native("heartbeat", 1)),
        ("against the best peer native 20.3 N ", native("cancel", 1)),
        ("against the best wheel native 3.02 N ", native("worst_tick", 1)),
    ),
    "Documentation/design-device.rst": (
        ("for each user and credit N ", harm("boottime", 2)),
        ("the same with 16,000 timerfds N ", harm("timerfd", 2)),
        ("With the clock, they take N %", harm("pollers", 2)),
        ("it is N ms now", harm("watchers", 4)),
    ),
    "Documentation/security.rst": (
        ("on twheel in :doc:`harm` is N %", worst_attack),
    ),
}


def wrong_claims():
    for page, claims in CLAIMS.items():
        text = " ".join((CHECKOUT / page).read_text(encoding="utf-8").split())
        for words, figure in claims:
            before, after = map(re.escape, words.split("N", 1))
            found = re.search(rf"{before}([\d,]*\d(?:\.\d+)?){after}", text)
            if not found:
                yield f'{page}: no longer says "{words}": see CLAIMS'
                continue
            digits, value = found[1].replace(",", ""), figure()
            last = 10 ** -len(digits.partition(".")[2])
            if abs(float(digits) - value) > instructions.TOLERANCE * value + last / 2:
                yield f"{page}: {found[0]}: it is {value:.4g} on record"


def wrong_tables():
    for page in tables.PAGES:
        text = page.read_text(encoding="utf-8")
        if tables.fill(text) != text:
            yield f"{page.name}: not as on record: run scripts/bench --instructions --document"


def run(arguments):
    parser = option_parser(__doc__)
    parser.add_argument("record", nargs="?", type=pathlib.Path, default=instructions.RECORD)
    instructions.RECORD = parser.parse_args(arguments).record
    return complain([*wrong_tables(), *wrong_claims()])


if __name__ == "__main__":
    main(run)
