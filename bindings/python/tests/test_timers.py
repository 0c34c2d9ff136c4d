# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Timers, on the device."""

import errno
import gc
import os
import select
import signal
import threading
import time
import unittest
from unittest import mock

import twheel
from twheel import Flags, Op, Result, SECOND

FAR = 3600 * SECOND


class TimersTest(unittest.TestCase):
    def setUp(self):
        self.timers = self.enterContext(twheel.Timers())

    def test_versions(self):
        self.assertEqual(self.timers.info().abi_major, 1)
        self.assertRegex(twheel.version(), r"^1\.\d+$")
        self.assertIn(twheel.Feature.TABLE, self.timers.info().features)

    def test_timer_expires_once_and_not_early(self):
        self.assertEqual(self.timers.read(), [])  # does not block
        deadline = twheel.now() + 20_000_000
        handle = self.timers.add(deadline, cookie=42, flags=Flags.ABSTIME)
        events = self.timers.read()
        # On a slow machine, the first read may come after the deadline.
        if not events:
            self.assertTrue(self.timers.wait(30))
            events = self.timers.read()
        self.assertGreaterEqual(twheel.now(), deadline)
        event, = events
        self.assertEqual((event.handle, event.cookie, event.deadline_ns, event.count),
                         (handle, 42, deadline, 1))
        self.assertGreaterEqual(event.expired_ns, deadline)
        self.assertEqual(event.type, twheel.EventType.TIMER)
        for timeout in 0, -0.001, -5:
            self.assertFalse(self.timers.wait(timeout))

    def test_clocks(self):
        self.timers.add(5, cookie=1, clockid=time.CLOCK_REALTIME, flags=Flags.ABSTIME)
        self.timers.wait(30)
        event, = self.timers.read()
        self.assertEqual((event.clockid, event.deadline_ns), (time.CLOCK_REALTIME, 5))

    def test_periodic(self):
        period = self.timers.info().min_period_ns
        handle = self.timers.every(period, cookie=3)
        for short in 0, 1:
            with self.assertRaises(OSError) as caught:
                self.timers.every(short)
            self.assertEqual(caught.exception.errno, errno.EINVAL)
        first = 0
        for _ in range(3):
            self.timers.wait(30)
            event, = self.timers.read()
            self.assertEqual((event.deadline_ns - first) % period if first else 0, 0)
            first = event.deadline_ns
        self.timers.cancel(handle)

    def test_change_and_cancel(self):
        handle = self.timers.add(FAR)
        self.assertIs(self.timers.change(handle, 2 * FAR), False)
        self.assertGreater(self.timers.query(handle).time_ns, FAR)
        self.timers.change(handle, 0)
        self.timers.wait(30)
        self.assertEqual(self.timers.query(handle).result, Result.EXPIRED)
        self.assertIs(self.timers.change(handle, FAR), True)
        self.assertIs(self.timers.cancel(handle), False)
        for call in (self.timers.cancel, self.timers.query):
            with self.assertRaises(twheel.GoneError) as caught:
                call(handle)
            self.assertIsInstance(caught.exception, FileNotFoundError)
            self.assertEqual(caught.exception.errno, errno.ENOENT)

    def test_upsert(self):
        op = self.timers.upsert(0, FAR, cookie=5)
        self.assertEqual(op.result, Result.ADDED)
        self.assertEqual(self.timers.upsert(op.handle, 2 * FAR).result, 0)
        self.assertEqual(self.timers.query(op.handle).cookie, 5)

    def test_group(self):
        for delay in FAR, FAR, 0:
            self.timers.add(delay, group=9)
        self.timers.wait(30)
        self.assertEqual(self.timers.cancel_group(9), (3, 1))
        with self.assertRaises(twheel.GoneError):
            self.timers.cancel_group(9)

    def test_batch(self):
        ops = self.timers.submit(Op.add(FAR, cookie) for cookie in range(70_000))
        self.assertEqual(self.timers.info().timers, 70_000)
        self.assertEqual(len({op.handle for op in ops}), 70_000)
        mixed = [Op.cancel(ops[0].handle), Op.cancel(ops[0].handle), Op.add(FAR, clockid=77),
                 Op.query(ops[1].handle), Op.change(ops[2].handle, FAR), Op.cancel_group(1),
                 Op.upsert(0, FAR)]
        results = self.timers.submit(mixed)
        self.assertEqual([op.result for op in results],
                         [0, -errno.ENOENT, -errno.EINVAL, 0, 0, -errno.ENOENT, 2])
        self.assertEqual(results[3].cookie, 1)
        self.assertEqual(results[6].check(), Result.ADDED)
        with self.assertRaises(twheel.GoneError):
            results[1].check()
        with self.assertRaises(OSError) as caught:
            results[2].check()
        self.assertEqual(caught.exception.errno, errno.EINVAL)
        self.assertEqual(len(self.timers.submit([])), 0)
        # Operations may be submitted again: the results of the first time do not matter.
        for again in results, list(results):
            again = self.timers.submit(again)
            self.assertEqual([op.result for op in again[4:]], [0, -errno.ENOENT, 0])

    def test_drain(self):
        self.timers.submit(Op.add(FAR, cookie) for cookie in range(10))
        ops = self.timers.drain()
        self.assertEqual(sorted(op.cookie for op in ops), list(range(10)))
        with self.assertRaises(OSError) as caught:
            self.timers.add(FAR)
        self.assertEqual(caught.exception.errno, errno.ESHUTDOWN)
        self.assertEqual(len(self.timers.drain()), 0)
        self.timers.resume()
        self.assertEqual([op.check() for op in self.timers.submit(ops)], [0] * 10)
        self.assertEqual(len(self.timers.drain(4)), 4)
        self.assertEqual(len(self.timers.drain(0)), 0)
        info = self.timers.info()
        self.assertEqual(info.timers, 6)
        # More timers than there were when drain() asked
        with mock.patch.object(self.timers, "info", return_value=info._replace(timers=1)):
            self.assertEqual(len({op.cookie for op in self.timers.drain()}), 6)

    def test_list_and_restore(self):
        start = twheel.now()
        for cookie in range(3000):
            self.timers.add(start + FAR, cookie, flags=Flags.ABSTIME, window_ns=cookie)
        self.timers.add(0, cookie=3000)
        self.timers.wait(30)
        ops = list(self.timers.list_timers(flags=Flags.ABSTIME))
        self.assertEqual(sorted(op.cookie for op in ops), list(range(3001)))
        self.assertEqual([op.cookie for op in ops if op.result == Result.EXPIRED], [3000])
        with twheel.Timers() as other:
            self.assertEqual({op.result for op in other.restore(ops)}, {0})
            copies = list(other.list_timers(flags=Flags.ABSTIME))
            self.assertEqual({(op.handle, op.cookie, op.time_ns, op.window_ns) for op in ops},
                             {(op.handle, op.cookie, op.time_ns, op.window_ns)
                              for op in copies})
            self.assertEqual(other.restore(ops[:1])[0].result, -errno.EEXIST)
        with twheel.Timers() as empty:
            self.assertEqual(list(empty.list_timers()), [])

    def test_bad_input(self):
        with self.assertRaises(OSError) as caught:
            self.timers.add(1 << 63)
        self.assertEqual(caught.exception.errno, errno.EINVAL)
        with self.assertRaises(TypeError):
            self.timers.add("soon")
        with self.assertRaises(TypeError):
            self.timers.add(1, no_such_field=1)
        with self.assertRaisesRegex(FileNotFoundError, "twheel loaded.*'/dev/no/such'"):
            twheel.Timers("/dev/no/such")
        with self.assertRaisesRegex(OSError, "not the device of twheel.*'/dev/null'") as caught:
            twheel.Timers("/dev/null")
        self.assertEqual(caught.exception.errno, errno.ENODEV)

    def test_close(self):
        self.timers.close()
        self.timers.close()
        self.assertTrue(self.timers.closed)
        for call in (self.timers.fileno, self.timers.info, self.timers.read,
                     lambda: self.timers.add(1), self.timers.__enter__):
            with self.assertRaises(twheel.ClosedError):
                call()

    def test_unclosed_is_reported(self):
        timers = twheel.Timers()
        fd = timers.fileno()
        with self.assertWarns(ResourceWarning):
            del timers
            gc.collect()
        with self.assertRaises(OSError):
            os.fstat(fd)

    def test_from_fd(self):
        with twheel.Timers.from_fd(os.dup(self.timers.fileno())) as other:
            self.timers.add(FAR)
            self.assertEqual(other.info().timers, 1)
        with self.assertRaises(OSError):
            twheel.Timers.from_fd(0)

    def test_blocking_read_waits_in_one_thread(self):
        with twheel.Timers(blocking=True) as timers:
            found = []
            thread = threading.Thread(target=lambda: found.extend(timers.read()))
            thread.start()
            timers.add(10_000_000, cookie=8)
            thread.join(30)
            self.assertEqual([event.cookie for event in found], [8])

    def test_wait_goes_on_after_a_signal(self):
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        self.timers.add(100_000_000)
        self.assertTrue(self.timers.wait(30))

    def test_eventfd_and_epoll(self):
        eventfd = os.eventfd(0, os.EFD_NONBLOCK)
        self.addCleanup(os.close, eventfd)
        self.timers.set_eventfd(eventfd)
        with select.epoll() as epoll:
            epoll.register(self.timers, select.EPOLLIN)
            self.timers.add(0)
            self.assertEqual(epoll.poll(30), [(self.timers.fileno(), select.EPOLLIN)])
        self.assertGreater(os.eventfd_read(eventfd), 0)
        self.timers.set_eventfd(-1)
        self.timers.watch_clock()


if __name__ == "__main__":
    unittest.main()
