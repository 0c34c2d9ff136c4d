# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The table of deadlines and the ring of events."""

import _ctypes
import errno
import threading
import time
import unittest

import twheel
from twheel import Flags, Op, Pushed, SECOND, library

FAR = 3600 * SECOND


class TableTest(unittest.TestCase):
    def setUp(self):
        self.timers = self.enterContext(twheel.Timers())
        self.table = self.enterContext(self.timers.map_table(1000))

    def test_push_back(self):
        start = twheel.now()
        handle = self.timers.add(start + FAR, flags=Flags.ABSTIME | Flags.SHARED)
        self.assertIs(self.table.push_back(handle, start + 2 * FAR), Pushed.PUSHED)
        self.assertIs(self.table.push_back(handle, start + FAR), Pushed.BEFORE)
        query = self.timers.query(handle, flags=Flags.ABSTIME)
        self.assertEqual(query.time_ns, start + 2 * FAR)
        self.timers.cancel(handle)
        self.assertIs(self.table.push_back(handle, start + 3 * FAR), Pushed.NOT)
        self.assertIs(self.table.push_back(1 << 23, 1), Pushed.NOT)

    def test_size(self):
        self.assertGreaterEqual(len(self.table), 1000)
        with self.timers.map_table() as again:
            self.assertEqual(len(again), len(self.table))
        with self.assertRaises(OSError) as caught:
            self.timers.map_table(len(self.table) + 1)
        self.assertEqual(caught.exception.errno, errno.EINVAL)

    def test_close(self):
        self.table.close()
        self.table.close()
        with self.assertRaises(twheel.ClosedError):
            self.table.push_back(1, 1)
        with self.assertRaises(twheel.ClosedError):
            self.table.__enter__()

    def test_threads_push_while_one_closes(self):
        handle = self.timers.add(FAR, flags=Flags.SHARED)

        def push():
            with self.assertRaises(twheel.ClosedError):
                while True:
                    self.table.push_back(handle, twheel.now() + FAR)

        threads = [threading.Thread(target=push) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        self.table.close()
        for thread in threads:
            thread.join(30)
            self.assertFalse(thread.is_alive())

    def test_calls_on_a_mapping_keep_the_lock(self):
        """No thread can unmap what another works on."""
        for function in (library.push_back, library.ring_count, library.ring_peek,
                         library.ring_advance, library.ring_more, library.unmap_ring,
                         library.unmap_table):
            self.assertTrue(function._flags_ & _ctypes.FUNCFLAG_PYTHONAPI, function.__name__)


class RingTest(unittest.TestCase):
    def setUp(self):
        self.timers = self.enterContext(twheel.Timers())
        self.ring = self.enterContext(self.timers.map_ring(64))

    def read_all(self, count):
        events = []
        while len(events) < count:
            events += self.ring.read(self.ring.capacity // 2 - 1)
            self.timers.wait(0)  # fills the ring up to its end and beyond
        return events

    def test_all_events_come_once(self):
        """Ten rings full of events pass through it, also across its end."""
        count = 10 * self.ring.capacity
        handles = {op.handle for op in self.timers.submit(
            Op.add(0, cookie) for cookie in range(count))}
        events = self.read_all(count)
        self.assertEqual({event.handle for event in events}, handles)
        self.assertEqual(sorted(event.cookie for event in events), list(range(count)))
        self.assertEqual((len(self.ring), self.ring.read()), (0, []))
        self.assertTrue(all(event.expired_ns >= event.deadline_ns > 0 for event in events))

    def test_more(self):
        self.assertFalse(self.ring.more)
        self.timers.submit(Op.add(0) for _ in range(self.ring.capacity + 1))
        while not self.ring.more:
            self.timers.wait(1)
        self.read_all(self.ring.capacity + 1)

    def test_read_fails(self):
        with self.assertRaises(OSError) as caught:
            self.timers.read()
        self.assertEqual(caught.exception.errno, errno.EBUSY)

    def test_close(self):
        self.ring.close()
        self.ring.close()
        for call in self.ring.read, self.ring.__len__, self.ring.__enter__:
            with self.assertRaises(twheel.ClosedError):
                call()
        self.timers.add(0, cookie=5)
        self.timers.wait(30)
        with self.timers.map_ring() as again:
            self.assertEqual([event.cookie for event in again.read()], [5])


if __name__ == "__main__":
    unittest.main()
