# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Waits of more than 24.8 days, the longest of poll(). In virtual time, days pass at once."""

import unittest

import twheel
from twheel import SECOND

DAY = 24 * 3600


class DaysTest(unittest.TestCase):
    def test_waits(self):
        with twheel.Timers() as timers:
            handle = timers.add(100 * DAY * SECOND)
            with timers.lease(handle, 100 * DAY * SECOND) as lease:
                start = twheel.now()
                for wait in timers.wait, lease.wait:
                    self.assertFalse(wait(30 * DAY))
                self.assertGreaterEqual(twheel.now() - start, 60 * DAY * SECOND)
                self.assertTrue(timers.wait(2**64))
                self.assertGreaterEqual(twheel.now() - start, 100 * DAY * SECOND)
                self.assertLess(twheel.now() - start, 101 * DAY * SECOND)
                self.assertTrue(lease.wait(30 * DAY))


if __name__ == "__main__":
    unittest.main()
