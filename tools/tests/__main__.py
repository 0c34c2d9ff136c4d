# SPDX-License-Identifier: GPL-2.0
"""Test twheelctl on the real device. Prints TAP.

usage: python3 -B tools/tests [--here | --time-travel] TWHEELCTL [CASE...]

Run as root with the module loaded, as scripts/test-tools does. --time-travel says
that time is virtual: days pass at once, and a busy host delays nothing. --here runs
the cases that need neither root nor the module. With CASEs, run only those.
"""

import importlib
import sys
import traceback

from harness import Skip, arguments, cases, place

# The cases run in this order.
PARTS = ("timer", "next", "cron", "script", "run", "fence", "pid_1", "list", "stat", "errors",
         "complete")

for part in PARTS:
    importlib.import_module(f"test_{part}")


def run():
    wanted = [function for function, places in cases if place in places
              and function.__name__ in (arguments[1:] or [function.__name__])]
    failures = 0
    print(f"TAP version 13\n1..{len(wanted)}", flush=True)
    for number, function in enumerate(wanted, 1):
        result, more = "ok", ""
        try:
            function()
        except Skip as reason:
            more = f" # SKIP {reason}"
        except Exception:  # any exception fails the test
            result = "not ok"
            failures += 1
            for line in traceback.format_exc().splitlines()[-12:]:
                print("#", line[:400])
        print(result, number, function.__name__ + more, flush=True)
    return failures > 0


sys.exit(run())
