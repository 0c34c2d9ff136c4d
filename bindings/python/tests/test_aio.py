# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The event loop: its timers are in the device, and behave as those of asyncio."""

import asyncio
import contextlib
import errno
import math
import os
import unittest
from unittest import mock

import twheel
from twheel import aio


class LoopTest(unittest.TestCase):
    def setUp(self):
        self.loop = aio.EventLoop()
        self.addCleanup(self.loop.close)

    def turn(self):
        """One turn of the loop."""
        self.loop.call_soon(self.loop.stop)
        self.loop.run_forever()

    def timers(self):
        return self.loop._device.info().timers

    def test_timers_are_in_the_device(self):
        handles = [self.loop.call_later(3600, print) for _ in range(100)]
        self.turn()
        self.assertEqual((self.timers(), self.loop._scheduled), (100, []))
        for handle in handles[:60]:
            handle.cancel()
        self.turn()
        self.assertEqual(self.timers(), 40)

    def test_armed_and_cancelled_in_a_turn_costs_no_call(self):
        with mock.patch.object(self.loop._device, "submit") as submit:
            self.loop.call_later(3600, print).cancel()
            self.turn()
            submit.assert_not_called()

    def test_order_and_time(self):
        called = []

        def note(delay):
            called.append(delay)
            self.assertGreaterEqual(self.loop.time(), start + delay)
            if len(called) == len(delays):
                self.loop.stop()

        delays = [0.15, 0.05, 0.1, 0, -1]
        start = self.loop.time()
        for delay in delays:
            self.loop.call_at(start + delay, note, delay)
        self.loop.run_forever()
        self.assertEqual(called, sorted(delays))

    def test_order_of_expired_and_new_timers(self):
        called = []
        self.loop.call_later(0.005, called.append, "first")
        self.turn()
        # On a slow machine, the loop may have read the event in that turn already.
        self.assertTrue(called or self.loop._ready or self.loop._device.wait(30))
        self.loop.call_later(0, called.append, "second")
        for _ in range(2):
            self.turn()
        self.assertEqual(called, ["first", "second"])

    def test_cancelled_timers_do_not_run(self):
        """Not one that has expired but whose event is unread, nor one that is ready."""
        called = []
        first = self.loop.call_later(0.01, lambda: [h.cancel() for h in others])
        others = [self.loop.call_at(first.when(), called.append, n) for n in range(5)]
        self.loop.call_later(0.1, self.loop.stop)
        self.loop.run_forever()
        self.assertEqual(called, [])
        self.assertEqual(self.timers(), 0)
        others[0].cancel()
        first.cancel()

    def test_never(self):
        for when in math.inf, 1e300:
            self.loop.call_at(when, self.fail)
        self.turn()
        self.assertEqual(self.timers(), 2)
        for when, error in (None, TypeError), (math.nan, ValueError):
            with self.assertRaises(error):
                self.loop.call_at(when, print)

    def test_long_ago(self):
        called = []
        for when in -math.inf, -1e300, -1:
            self.loop.call_at(when, called.append, when)
        self.turn()
        self.assertEqual(called, [-math.inf, -1e300, -1])

    def test_refused_timers_go_to_the_heap(self):
        ran = []
        with mock.patch.object(aio.Op, "add", lambda *_, **__: twheel.Op.cancel(1)):
            self.loop.call_later(3, ran.append, 1)
            self.loop.call_later(3, ran.append, 2).cancel()
            later = self.loop.call_later(3, ran.append, 3)
            self.turn()
        self.assertEqual((self.timers(), len(self.loop._scheduled)), (0, 2))
        later.cancel()
        self.loop.call_later(4, self.loop.stop)
        self.loop.run_forever()
        self.assertEqual(ran, [1])

    def test_a_call_that_fails_loses_no_timer(self):
        ran = []
        cancelled = self.loop.call_later(3600, ran.append, 1)
        self.turn()
        cancelled.cancel()
        with mock.patch.object(self.loop._device, "submit",
                               side_effect=OSError(errno.ENOMEM, "no memory")):
            self.loop.call_later(0.2, ran.append, 2)
            self.turn()
        self.loop.call_later(0.3, self.loop.stop)
        self.loop.run_forever()
        self.assertEqual(ran, [2])

    def test_close_ends_the_timers(self):
        timer = self.loop.call_later(3600, print)
        self.turn()
        self.loop.close()
        timer.cancel()
        self.loop.close()
        self.assertTrue(self.loop._device.closed)
        with self.assertRaises(RuntimeError):
            self.loop.call_later(1, print)

    def test_close_of_a_running_loop_changes_nothing(self):
        def close():
            with self.assertRaises(RuntimeError):
                self.loop.close()
            self.loop.call_later(0.01, self.loop.stop)

        self.loop.call_soon(close)
        self.loop.run_forever()

    def test_debug(self):
        self.loop.set_debug(True)
        handle = self.loop.call_later(3600, print)
        self.assertIn("test_aio.py", repr(handle))
        with self.assertRaises(TypeError):
            self.loop.call_later(1, 5)

    def run_in(self, loop):
        ran = []
        with contextlib.closing(loop):
            loop.call_later(0.02, ran.append, 2)
            loop.call_later(0.01, ran.append, 1).cancel()
            loop.call_later(0.03, loop.stop)
            loop.run_forever()
        self.assertEqual(ran, [2])

    def test_without_a_device(self):
        with mock.patch.object(aio, "Timers", side_effect=PermissionError):
            with self.assertRaises(PermissionError):
                aio.EventLoop(device=True)
            loop = aio.EventLoop()
            self.assertIsInstance(loop.reason, PermissionError)
            self.run_in(loop)
            with mock.patch.dict(os.environ, {"TWHEEL_LOOP": "device"}):
                with self.assertRaises(PermissionError):
                    aio.EventLoop()

    def test_the_device_is_not_wanted(self):
        with mock.patch.object(aio, "Timers", side_effect=AssertionError):
            self.run_in(aio.EventLoop(device=False))
            with mock.patch.dict(os.environ, {"TWHEEL_LOOP": "process"}):
                loop = aio.EventLoop()
            self.assertIsNone(loop.reason)
            self.run_in(loop)
        with mock.patch.dict(os.environ, {"TWHEEL_LOOP": "nothing"}):
            with self.assertRaises(ValueError):
                aio.EventLoop()

    def test_events_in_a_coroutine(self):
        async def main():
            async with twheel.Timers() as timers:
                for cookie in range(5):
                    timers.add(cookie * 20_000_000, cookie)
                found = []
                async for event in timers:
                    found.append(event.cookie)
                    if len(found) == 5:
                        break
            self.assertTrue(timers.closed)
            self.assertEqual(found, list(range(5)))

        asyncio.run(main())
        self.loop.run_until_complete(main())

    def test_close_ends_the_wait_of_a_coroutine(self):
        async def consume(timers):
            async for _ in timers:
                pass

        async def main():
            timers = twheel.Timers(blocking=True)
            number = timers.fileno()
            task = asyncio.create_task(consume(timers))
            await asyncio.sleep(0.02)
            self.assertFalse(task.done())
            timers.close()
            # Another file has the number now, and is none of the coroutine's business.
            other = os.eventfd(0)
            if other != number:
                os.dup2(other, number)
                os.close(other)
            try:
                loop = asyncio.get_running_loop()
                loop.add_reader(number, int)
                with self.assertRaises(twheel.ClosedError):
                    await asyncio.wait_for(task, 30)
                self.assertTrue(loop.remove_reader(number))
            finally:
                os.close(number)

        asyncio.run(main())
        self.loop.run_until_complete(main())

    def test_the_end_of_a_lease_in_a_coroutine(self):
        async def main():
            async with twheel.Timers() as timers:
                handle = timers.add(20_000_000)
                async with timers.lease(handle, twheel.SECOND) as lease:
                    await asyncio.wait_for(lease.ended(), 30)
                    with self.assertRaises(twheel.GoneError):
                        lease.left()

        self.loop.run_until_complete(main())

    def test_run(self):
        async def main():
            self.assertIsInstance(asyncio.get_running_loop(), aio.EventLoop)
            with self.assertRaises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await asyncio.sleep(3600)
            await asyncio.gather(*(asyncio.sleep(0.01 * n) for n in range(5)))
            return 7

        self.assertEqual(aio.run(main()), 7)
        with asyncio.Runner(loop_factory=aio.EventLoopPolicy().new_event_loop) as runner:
            runner.run(main())


if __name__ == "__main__":
    unittest.main()
