# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Run tests of asyncio that come with Python on the loop of twheel.aio. Prints TAP.

usage: python3 cpython.py [MODULE...]

Each module of test.test_asyncio runs in a process of its own, with EventLoopPolicy as the
policy. The tests of loops in test_events, which is not run unless named, make an EventLoop;
they need TCP. Tests that make asyncio's TestLoop, which has no clock, run as they are. A
module fails if a test fails, or if none of its timers were in the device.
"""

import asyncio
import importlib
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from twheel import aio

MODULES = ("test_timeouts", "test_locks", "test_tasks", "test_waitfor", "test_taskgroups",
           "test_queues")


def load(name):
    module = importlib.import_module(f"test.test_asyncio.{name}")
    if name != "test_events":
        return unittest.defaultTestLoader.loadTestsFromModule(module)
    return unittest.defaultTestLoader.loadTestsFromTestCase(type(
        "TwheelLoopTests", (module.UnixEventLoopTestsMixin, module.SubprocessTestsMixin,
                            module.test_utils.TestCase),
        {"create_event_loop": lambda self: aio.EventLoop()}))


def run_module(name):
    """Run the tests of a module, and count its loops and its timers in the device."""
    counts = {"loops": 0, "timers": 0}

    def init(self, *arguments):
        counts["loops"] += 1
        original_init(self, *arguments)

    def tell_device(self):
        before = len(self._armed)
        original_tell_device(self)
        counts["timers"] += len(self._armed) - before

    original_init, original_tell_device = aio.EventLoop.__init__, aio.EventLoop._tell_device
    with mock.patch.multiple(aio.EventLoop, __init__=init, _tell_device=tell_device):
        asyncio.set_event_loop_policy(aio.EventLoopPolicy())
        result = unittest.TextTestRunner(sys.stdout).run(load(name))
    print(f"{result.testsRun} tests, {len(result.skipped)} skipped, {counts['loops']} loops, "
          f"{counts['timers']} timers")
    return 0 if result.wasSuccessful() and counts["timers"] else 1


def main(names):
    print("TAP version 13")
    for number, name in enumerate(names, 1):
        with tempfile.TemporaryDirectory() as place:
            found = subprocess.run([sys.executable, "-B", os.path.abspath(__file__),
                                    "--module", name],
                                   cwd=place, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        last = found.stdout.splitlines()[-1:] or [""]
        if found.returncode:
            print("".join(f"# {line}\n" for line in found.stdout.splitlines()[-60:]), end="")
        print(f"{'not ' * bool(found.returncode)}ok {number} CPython's {name}: {last[0]}")
    print(f"1..{len(names)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--module"]:
        sys.exit(run_module(sys.argv[2]))
    main(sys.argv[1:] or MODULES)
