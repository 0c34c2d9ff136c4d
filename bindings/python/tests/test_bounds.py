# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Numbers at the bounds of the fields. bindings/README has the table."""

import errno
import math
import unittest

import twheel
from twheel import Flags, Op, Pushed, SECOND

FAR = 3600 * SECOND
TIMES = [0, 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1]
TOO_LATE = [2**63, 2**64 - 1]  # fit into the field, and are an error of the device
NO_FIT = [-1, 2**64, 10**20, -10**5000, 10**5000]
NO_INTEGERS = [math.nan, math.inf, 1.5, "soon"]


class BoundsTest(unittest.TestCase):
    def setUp(self):
        self.timers = self.enterContext(twheel.Timers())
        self.handle = self.timers.add(FAR, 5)

    def refuses(self, name, call, values=tuple(NO_FIT)):
        """The call is an error that names the field, for all of these values."""
        for error, wrong in (OverflowError, values), (TypeError, NO_INTEGERS):
            for value in wrong:
                with self.subTest(name), self.assertRaisesRegex(error, f"^{name}: "):
                    call(value)

    def is_an_error(self, number, call, *arguments):
        with self.subTest(arguments), self.assertRaises(OSError) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.errno, number)

    def test_times(self):
        for time_ns in TIMES:
            with self.subTest(time_ns):
                handle = self.timers.add(time_ns, flags=Flags.ABSTIME)
                self.assertEqual(self.deadline(handle), time_ns)
                self.timers.change(self.handle, time_ns, flags=Flags.ABSTIME)
                self.assertEqual(self.deadline(self.handle), time_ns)
                before = twheel.now()
                self.timers.change(self.handle, time_ns)
                self.assertGreaterEqual(self.deadline(self.handle),
                                        min(before + time_ns, 2**63 - 1))
                self.timers.cancel(self.timers.add(FAR, window_ns=time_ns))
        for time_ns in TOO_LATE:
            for call in self.timers.add, self.timers.every:
                self.is_an_error(errno.EINVAL, call, time_ns)
            self.is_an_error(errno.EINVAL, self.timers.change, self.handle, time_ns)
            self.is_an_error(errno.EINVAL, self.timers.upsert, self.handle, time_ns)
        for period_ns in TIMES[2:]:
            self.timers.cancel(self.timers.every(period_ns))
        count = self.timers.info().timers
        self.refuses("time_ns", self.timers.add)
        self.refuses("time_ns", self.timers.every)
        self.refuses("period_ns", lambda value: self.timers.add(FAR, period_ns=value))
        self.refuses("window_ns", lambda value: self.timers.add(FAR, window_ns=value))
        self.refuses("time_ns", lambda value: self.timers.change(self.handle, value))
        self.refuses("time_ns", lambda value: self.timers.upsert(self.handle, value))
        self.assertEqual(self.timers.info().timers, count)

    def deadline(self, handle):
        return self.timers.query(handle, flags=Flags.ABSTIME).time_ns

    def test_numbers_of_the_program(self):
        for number in TIMES + TOO_LATE:
            with self.subTest(number):
                handle = self.timers.add(FAR, number, group=number)
                found = self.timers.query(handle)
                self.assertEqual((found.cookie, found.group), (number, number))

    def test_fields(self):
        sizes = {"op": 32, "flags": 32, "clockid": 32}
        for name, kind, *_ in Op._fields_:
            low, end = 0, 1 << sizes.get(name, 64)
            if name == "result":
                low, end = -(1 << 31), 1 << 31
            op = Op()
            for value in low, 1, end - 1:
                setattr(op, name, value)
                self.assertEqual(getattr(op, name), value)
                self.assertEqual(getattr(Op(**{name: value}), name), value)
            self.refuses(name, lambda value: setattr(op, name, value), (low - 1, end, 10**20))
            self.refuses(name, lambda value: Op(**{name: value}), (low - 1, end, 10**20))
            self.assertEqual(getattr(op, name), end - 1)

    def test_handles_and_flags(self):
        """Those of other timers, if they were cut to 64 bits or 32"""
        other = 2**64 + self.handle
        timers = self.timers
        wrong = NO_FIT + [other]
        for call in (timers.cancel, timers.query, Op.cancel, Op.query,
                     lambda value: timers.change(value, 1), lambda value: Op.change(value, 1),
                     lambda value: timers.upsert(value, 1), lambda value: timers.lease(value, 1)):
            self.refuses("handle", call, wrong)
        self.refuses("group", timers.cancel_group)
        self.refuses("flags", lambda value: timers.query(self.handle, flags=value), [2**32, -1])
        self.refuses("flags", lambda value: timers.change(self.handle, 1, flags=value), [2**32])
        self.refuses("flags", lambda value: list(timers.list_timers(flags=value)), [2**32])
        self.assertEqual((timers.query(self.handle).cookie, timers.info().timers), (5, 1))

    def test_leases(self):
        for cap_ns in TIMES[1:]:
            self.timers.lease(self.timers.add(FAR), cap_ns).close()
        for cap_ns in [0] + TOO_LATE:
            self.is_an_error(errno.EINVAL, self.timers.lease, self.handle, cap_ns)
        self.refuses("cap_ns", lambda value: self.timers.lease(self.handle, value))
        lease = self.enterContext(self.timers.lease(self.handle, 2**63 - 1))
        self.refuses("delay_ns", lease.push, NO_FIT)
        self.assertLessEqual(lease.left(), FAR)
        for delay_ns in TIMES:
            lease.push(delay_ns)
            self.assertGreaterEqual(self.deadline(self.handle), delay_ns)
        for delay_ns in TOO_LATE:
            self.is_an_error(errno.EINVAL, lease.push, delay_ns)

    def test_table(self):
        table = self.enterContext(self.timers.map_table(1000))
        handle = self.timers.add(twheel.now() + FAR, flags=Flags.ABSTIME | Flags.SHARED)
        self.refuses("deadline_ns", lambda value: table.push_back(handle, value))
        self.refuses("handle", lambda value: table.push_back(value, 1), NO_FIT + [2**64 + handle])
        for deadline_ns in TIMES[:4]:
            self.assertIs(table.push_back(handle, deadline_ns), Pushed.BEFORE)
        self.assertIs(table.push_back(handle, 2**53 + 1), Pushed.PUSHED)
        self.assertEqual(self.deadline(handle), 2**53 + 1)
        self.assertIs(table.push_back(handle, 2**63 - 1), Pushed.PUSHED)
        for deadline_ns in TOO_LATE:  # count as 2^63 - 1
            self.assertIs(table.push_back(handle, deadline_ns), Pushed.BEFORE)
        self.assertEqual(self.deadline(handle), 2**63 - 1)

    def test_counts_and_descriptors(self):
        for call in self.timers.map_table, self.timers.map_ring:
            self.refuses("count", call)
            for count in 2**31, 2**32, 2**63, 2**64 - 1:
                self.is_an_error(errno.EINVAL, call, count)
        for call in self.timers.read, self.timers.drain:
            self.refuses("limit", call, [-1, 2**64])
        self.assertEqual(self.timers.read(2**63), [])
        with self.timers.map_ring(64) as ring:
            self.refuses("limit", ring.read, [-1, 2**64])
            self.assertEqual(ring.read(2**63), [])
        # Cut to 32 bits, these are 0.
        for call in twheel.Lease, twheel.Timers.from_fd:
            self.refuses("fd", call, [2**32, -2**32, 2**31])
        self.refuses("eventfd", self.timers.set_eventfd, [2**32, -2**32, 2**31])
        self.is_an_error(errno.EBADF, self.timers.set_eventfd, 2**31 - 1)

    def test_waits(self):
        lease = self.enterContext(self.timers.lease(self.handle, FAR))
        for wait in self.timers.wait, lease.wait:
            for timeout in 0, -1, -2**63, -math.inf, -10**400:
                self.assertFalse(wait(timeout))
            with self.assertRaises(ValueError):
                wait(math.nan)
        self.timers.change(self.handle, 1)
        for wait in self.timers.wait, lease.wait:
            for timeout in (2147483.648, 2**31, 2**32, 2**53 + 1, 2**63, 2**64, 1e300, 10**400,
                            math.inf):
                with self.subTest(timeout):
                    self.assertTrue(wait(timeout))


if __name__ == "__main__":
    unittest.main()
