# SPDX-License-Identifier: GPL-2.0
"""Read KUnit's results out of a kernel log."""

import re

RESULT = re.compile(r"^( *)(not ok|ok) (\d+)(?: -)? ?(.*?)(?: # (SKIP\b.*|.*))?$")
PLAN = re.compile(r"^( *)1\.\.(\d+)$")
HEAD = re.compile(r"^ *K?TAP version ")
NOTE = re.compile(r"^ *# ")


class Results:
    """Feed lines; counts and complaints are kept."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.started = False
        self.ended = False
        self._plans = {}  # indent: results still to come

    def line(self, text):
        """Take a line of the log; what to print for it, or None."""
        if HEAD.match(text):
            self.started = True
            return text
        if not self.started or self.ended:
            return None
        plan, result = PLAN.match(text), RESULT.match(text)
        if plan:
            self._plan(len(plan[1]), int(plan[2]))
        elif result:
            self._result(len(result[1]), result[2], result[5] or "")
        elif not NOTE.match(text):
            return f"# {text}" if text.strip() else None
        return text

    def _plan(self, indent, tests):
        self._plans[indent] = tests
        if indent == 0 and tests == 0:
            self.ended = True

    def _result(self, indent, result, directive):
        for deeper in [i for i in self._plans if i > indent]:
            if self._plans.pop(deeper) > 0:
                self.failed += 1  # a suite that ended early
        self._plans[indent] = self._plans.get(indent, 0) - 1
        if indent == 4:  # a test case; suites are outside, parameters inside
            if directive.startswith("SKIP"):
                self.skipped += 1
            elif result == "ok":
                self.passed += 1
            else:
                self.failed += 1
        elif indent == 0:
            if result == "not ok":
                self.failed += not self.failed  # its suite's own failure
            self.ended = self._plans[0] <= 0

    def complaint(self):
        """Why this run is no success, or None."""
        if not self.started:
            return "the kernel printed no test results"
        if not self.ended:
            return "the kernel died before the last test"
        if self.failed:
            return f"{self.failed} tests failed"
        if not self.passed + self.skipped:
            return "there were no tests"
        return None


def merge(text):
    """The lines of several KTAP documents, of one suite each, as one."""
    documents = re.split(r"^(?=K?TAP version )", text, flags=re.M)[1:]
    yield "KTAP version 1"
    yield f"1..{len(documents)}"
    for number, document in enumerate(documents, 1):
        for line in document.splitlines()[2:]:
            yield re.sub(r"^(ok|not ok) \d+", rf"\1 {number}", line)
