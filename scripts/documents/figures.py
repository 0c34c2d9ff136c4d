#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Check that figures in the documentation are those on record.

usage: scripts/documents/figures.py [RECORD]

RECORD is bench/instructions.txt, or another file of that form. The tables that come from it
must be in the pages as scripts/bench --document writes them. Each count in CLAIMS must be
within 2 % of the record, as scripts/bench --instructions demands of the count itself. Prints
what differs; the exit status is 1 if anything does.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/lib"), str(ROOT / "bench")]

import instructions  # noqa: E402
import tables  # noqa: E402
from common import CHECKOUT, main  # noqa: E402

# page: its counts. Each has the words around it, and the metric and the engine of the record.
CLAIMS = {
    "README.md": (
        ("takes about N instructions to arm", "u_arm", "twheel_batch"),
        ("with io_uring N,", "u_arm", "io_uring"),
        ("with timerfd N ", "u_arm", "timerfd"),
    ),
    "CHANGELOG.md": (
        ("to push a deadline back N instead", "u_extend", "twheel_batch"),
        ("to cancel N instead", "u_cancel", "twheel_batch"),
        ("to arm N instead", "u_arm", "twheel_batch"),
        ("`twheel_add()` takes N,", "add", "twheel"),
        ("`twheel_cancel()` N.", "cancel", "twheel"),
        ("at a tick with two due timers takes N instead", "run_2", "twheel"),
    ),
    "Documentation/when.rst": (
        ("an ``hrtimer``, and that takes N instructions", "add", "hrtimer"),
        ("``twheel_add()`` takes N (", "add", "twheel"),
    ),
}


def wrong_claims(counts):
    for page, claims in CLAIMS.items():
        text = " ".join((CHECKOUT / page).read_text(encoding="utf-8").split())
        for words, metric, engine in claims:
            before, after = map(re.escape, words.split("N", 1))
            found = re.search(rf"{before}([\d,]+){after}", text)
            if not found:
                yield f'{page}: no longer says "{words}": see CLAIMS'
                continue
            said, counted = float(found[1].replace(",", "")), counts[metric, engine]
            if abs(said - counted) > instructions.TOLERANCE * counted:
                yield f"{page}: {found[0]}: {metric} {engine} on record is {counted}"


def wrong_tables():
    for page in tables.PAGES:
        text = page.read_text(encoding="utf-8")
        if tables.fill(text, []) != text:
            yield f"{page.name}: not as on record: run scripts/bench --instructions --document"


def run(arguments):
    if arguments[:1] in (["-h"], ["--help"]) or len(arguments) > 1:
        print(__doc__.strip())
        return 0 if len(arguments) == 1 else 2
    if arguments:
        instructions.RECORD = pathlib.Path(arguments[0])
    found = [*wrong_tables(), *wrong_claims(instructions.read())]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


main(run)
