#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Read, count and copy TAP, and KTAP, the kernel's form of it.

usage: scripts/lib/tap.py [--first N] [--prefix TEXT] [--plan] [--no-skips]
                          [--totals FILE]

Copies TAP documents from stdin to stdout, to become part of one document: drops
version lines and plans, numbers the results anew, and turns what is not TAP
into comments.

  --first N      number of the first result (1)
  --prefix TEXT  put TEXT in front of each description
  --plan         print a plan at the end: the sum of those of the documents
  --no-skips     a skipped test has failed
  --totals FILE  write "RAN FAILED PLANNED" to FILE; PLANNED is "none" if no
                 document had a plan

The exit status is 1 if --no-skips made a test fail, otherwise 0.
"""

import argparse
import dataclasses
import re
import sys

from common import main, option_parser

VERSION, PLAN, RESULT, BAIL_OUT, NOTE, OTHER = range(6)

LINE = re.compile(r"""
    (?P<indent>[ ]*)
    (?: (?P<version> K?TAP[ ]version[ ] )
      | 1\.\.(?P<plan>\d+)(?P<all>.*)
      | (?P<result> not[ ]ok | ok )\b
        (?P<rest> (?:[ ](?P<number>\d+))? (?P<tail>.*) )
      | Bail[ ]out!(?P<reason>.*)
      | (?P<note> \#(?:[ ]|$) )
    )""", re.VERBOSE)
SKIP = re.compile(r"# skip", re.IGNORECASE)
SUITE, CASE = 0, 4  # indentations of KUnit's results
# The exit status of a command that cannot run on this host. It prints "1..0 # SKIP", and why.
LACKING = 96
# How scripts/lib/tap.sh says why more tests are skipped
THE_SAME = "for the same reason"


@dataclasses.dataclass
class Line:
    """One line of a stream, taken apart."""

    kind: int
    text: str
    indent: int = 0
    tests: int = 0  # PLAN
    passed: bool = False  # RESULT
    skipped: bool = False  # RESULT, PLAN
    number: int | None = None  # RESULT
    rest: str = ""  # RESULT: all behind "ok"
    tail: str = ""  # RESULT, PLAN: all behind the number
    reason: str = ""  # BAIL_OUT

    @property
    def description(self):
        return self.tail.removeprefix(" -").strip()

    @property
    def name(self):
        """The description without a directive, and without the kernel in brackets."""
        return re.sub(r" \[.*\]$", "", SKIP.split(self.description)[0].strip())


def parse(text):
    text = text.rstrip("\n")
    found = LINE.match(text)
    if not found:
        return Line(OTHER, text)
    indent = len(found["indent"])
    if found["version"]:
        return Line(VERSION, text, indent)
    if found["plan"]:
        tests = int(found["plan"])
        return Line(PLAN, text, indent, tests=tests, tail=found["all"],
                    skipped=not tests and SKIP.search(found["all"]) is not None)
    if found["note"]:
        return Line(NOTE, text, indent)
    if found["reason"] is not None:
        return Line(BAIL_OUT, text, indent, reason=found["reason"].strip())
    passed = found["result"] == "ok"
    # No directive excuses a "not ok": neither TODO nor SKIP.
    return Line(RESULT, text, indent, passed=passed,
                skipped=passed and SKIP.search(found["rest"]) is not None,
                number=int(found["number"]) if found["number"] else None,
                rest=found["rest"].strip(), tail=found["tail"])


class Count:
    """Counts the results of a stream at one level, given by its indentation."""

    def __init__(self, indent=0):
        self.indent = indent
        self.passed = self.failed = self.skipped = 0
        self.failures = []  # what has failed
        self.ran = {}  # by the name of a test: whether it was not skipped
        self.planned = None
        self.bail_out = None
        self.lacking = False  # whether the host lacks what all tests need

    def take(self, text):
        """Count a line. Returns it, taken apart."""
        line = parse(text)
        if line.kind == BAIL_OUT:
            self.bail_out = line.reason or "no reason given"
        elif line.kind == PLAN and line.skipped:
            self.lacking = True
        elif line.kind == PLAN and line.indent == self.indent == 0:
            self.planned = line.tests
        elif line.kind == RESULT and line.indent == self.indent:
            self.add(line)
        return line

    def add(self, line):
        self.ran[line.name] = not line.skipped or self.ran.get(line.name, False)
        if not line.passed:
            self.fail(line.rest)
        elif line.skipped:
            self.skipped += 1
        else:
            self.passed += 1

    def fail(self, what):
        self.failed += 1
        self.failures.append(what)

    @property
    def tests(self):
        return self.passed + self.failed + self.skipped

    def close(self, status=0):
        """The stream is over, and its command has ended with a status: one
        failure more if either shows that tests are missing."""
        if self.lacking and status == LACKING:
            self.skipped += 1
            return
        if self.planned is not None and self.tests != self.planned:
            self.fail(f"{self.planned} tests were planned, {self.tests} run")
        elif self.bail_out and not self.failed:
            self.fail(f"bailed out: {self.bail_out}")
        elif status and not self.failed:
            self.fail(f"ended with status {status}")
        elif not self.tests:
            self.fail("ran no test")


class KernelLog(Count):
    """Counts KUnit's test cases in a kernel log.

    Suites are one level further out than cases, parameters one further in.
    """

    def __init__(self):
        super().__init__(CASE)
        self.started = False
        self.ended = False
        self._missing = {}  # by level: results that are still to come

    def take(self, text):
        """Count a line of the log. Returns what to print for it, or None."""
        line = parse(text)
        if line.kind == VERSION:
            self.started = True
            return text
        if not self.started or self.ended:
            return None
        if line.kind == PLAN:
            self._missing[line.indent] = line.tests
            self.ended = line.indent == SUITE and line.tests == 0
        elif line.kind == RESULT and line.number is not None:
            self._result(line)
        elif line.kind != NOTE:
            return f"# {text}" if text.strip() else None
        return text

    def _result(self, line):
        for deeper in [i for i in self._missing if i > line.indent]:
            if self._missing.pop(deeper) > 0:
                self.fail(f"{line.description}: ended early")
        self._missing[line.indent] = self._missing.get(line.indent, 0) - 1
        if line.indent == CASE:
            self.add(line)
        elif line.indent == SUITE:
            if not line.passed and not self.failed:
                self.fail(line.rest)  # the suite itself, none of its cases
            self.ended = self._missing[SUITE] <= 0

    def complaint(self):
        """Why the run is no success, or None."""
        if not self.started:
            return "the kernel printed no test results"
        if not self.ended:
            return "the kernel died before the last test"
        if self.failed:
            return f"{self.failed} tests failed"
        if not self.tests:
            return "there were no tests"
        return None


class Copy:
    """Makes the outermost level of documents part of another document."""

    def __init__(self, first=1, prefix="", no_skips=False):
        self.first = self.next = first
        self.prefix, self.no_skips = prefix, no_skips
        self.failed = self.unskipped = 0
        self.plans = []

    def take(self, text):
        """What to print for a line, or None."""
        line = parse(text)
        if line.indent and line.kind != OTHER:
            return line.text
        if line.kind == PLAN and line.skipped:
            return self._result(dataclasses.replace(
                line, passed=True, tail=f" all tests{line.tail}"))
        if line.kind == PLAN:
            self.plans.append(line.tests)
        elif line.kind == RESULT:
            return self._result(line)
        elif line.kind == NOTE:
            return line.text
        elif line.kind != VERSION and line.text.strip():
            return f"# {line.text}"
        return None

    def _result(self, line):
        passed, tail = line.passed, line.tail
        if line.skipped and self.no_skips:
            passed, tail = False, SKIP.sub("#", tail)
            self.unskipped += 1
        if self.prefix:
            tail = f" {self.prefix}{tail.removeprefix(' -').rstrip()}"
        self.failed += not passed
        self.next += 1
        return f"{'ok' if passed else 'not ok'} {self.next - 1}{tail}"

    def totals(self):
        planned = sum(self.plans) if self.plans else "none"
        return f"{self.next - self.first} {self.failed} {planned}"


def merge(text):
    """The lines of several KTAP documents, of a suite each, as one document."""
    lines = text.splitlines()
    documents = sum(line.kind == VERSION and not line.indent
                    for line in map(parse, lines))
    yield "KTAP version 1"
    yield f"1..{documents}"
    copy = Copy()
    for line in lines:
        copied = copy.take(line)
        if copied is not None:
            yield copied


class Writer:
    def __init__(self, planned=None):
        self.count = self.failures = 0
        self.planned = planned
        print("TAP version 13", flush=True)
        if planned is not None:
            print(f"1..{planned}", flush=True)

    def check(self, good, text, *notes):
        """A result. If it is bad, the notes come first."""
        self.count += 1
        if not good:
            print(*(f"# {note}\n" for note in notes), sep="", end="")
        self.failures += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {text}", flush=True)

    def end(self):
        """The plan, unless it came first. Returns the exit status."""
        if self.planned is None:
            print(f"1..{self.count}", flush=True)
        return 1 if self.failures or self.planned not in (None, self.count) else 0


def run(arguments):
    parser = option_parser(__doc__, "--plan", "--no-skips")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--prefix", default="")
    parser.add_argument("--totals", type=argparse.FileType("w"))
    args = parser.parse_args(arguments)
    sys.stdin.reconfigure(errors="replace")
    copy = Copy(args.first, args.prefix, args.no_skips)
    for text in sys.stdin:
        copied = copy.take(text)
        if copied is not None:
            print(copied, flush=True)
    if args.plan and copy.plans:
        print(f"1..{sum(copy.plans)}", flush=True)
    if args.totals:
        print(copy.totals(), file=args.totals)
    return 1 if copy.unskipped else 0


if __name__ == "__main__":
    main(run)
