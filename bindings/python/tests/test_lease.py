# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Leases, also those that another process holds."""

import errno
import os
import signal
import subprocess
import sys
import unittest

import twheel
from twheel import EventFlags, SECOND

FAR = 3600 * SECOND


class LeaseTest(unittest.TestCase):
    def setUp(self):
        self.timers = self.enterContext(twheel.Timers())
        self.handle = self.timers.add(FAR, cookie=5)

    def lease(self, **options):
        return self.enterContext(self.timers.lease(self.handle, 3 * FAR, **options))

    def test_push_and_left(self):
        lease = self.lease()
        lease.push(2 * FAR)
        self.assertTrue(FAR < lease.left() <= 2 * FAR)
        lease.push()
        self.assertTrue(2 * FAR < lease.left() <= 3 * FAR)
        self.assertEqual(os.write(lease.fileno(), b"."), 1)
        for error, call in ((errno.EINVAL, lambda: lease.push(3 * FAR + 1)),
                            (errno.EBUSY, self.lease)):
            with self.assertRaises(OSError) as caught:
                call()
            self.assertEqual(caught.exception.errno, error)

    def test_end(self):
        lease = self.lease()
        self.assertFalse(lease.wait(0))
        self.assertFalse(lease.wait(-1))
        self.timers.cancel(self.handle)
        self.assertTrue(lease.wait(30))
        for call in lease.push, lease.left, lambda: lease.push(1), self.lease:
            with self.assertRaises(twheel.GoneError):
                call()

    def test_close(self):
        lease = self.lease(expire_on_close=True)
        lease.close()
        with self.assertRaises(twheel.ClosedError):
            lease.push()
        self.timers.wait(30)
        event, = self.timers.read()
        self.assertEqual((event.cookie, event.flags), (5, EventFlags.LEASE_CLOSED))

    def test_a_child_that_dies_is_noticed(self):
        lease = self.lease(expire_on_close=True)
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys, time, twheel\n"
             "lease = twheel.Lease(int(sys.argv[1])); lease.push()\n"
             "print('pushed', flush=True)\n"
             "time.sleep(3600)", str(lease.fileno())],
            pass_fds=[lease.fileno()], stdout=subprocess.PIPE)
        lease.close()
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), b"pushed\n")
        self.assertGreater(self.timers.query(self.handle).time_ns, 2 * FAR)
        self.assertFalse(self.timers.wait(0))
        child.kill()
        self.assertTrue(self.timers.wait(30))
        event, = self.timers.read()
        self.assertEqual(event.flags, EventFlags.LEASE_CLOSED)

    def test_a_stopped_group_is_killed_at_its_deadline(self):
        self.timers.cancel(self.handle)
        child = subprocess.Popen(["sh", "-c", "sleep 3600 & kill -STOP $$"],
                                 start_new_session=True, stdout=subprocess.PIPE)
        self.timers.fence(-child.pid)
        self.timers.add(SECOND // 2)
        # The sleep has the pipe, too: both must have ended.
        self.assertEqual(child.communicate(), (b"", None))
        self.assertEqual(child.returncode, -signal.SIGKILL)

    def test_a_fence_is_refused_or_ended(self):
        for error, arguments in ((errno.EINVAL, (0,)), (errno.EINVAL, (-1,)),
                                 (errno.EINVAL, (os.getpid(), 65)),
                                 (errno.ESRCH, (-0x7ffffff0,))):
            with self.assertRaises(OSError) as caught:
                self.timers.fence(*arguments)
            self.assertEqual(caught.exception.errno, error)
        with self.assertRaises(OverflowError):
            self.timers.fence(1 << 32)
        self.timers.fence(os.getpid())
        self.timers.end_fence()
        self.timers.add(0)
        self.assertTrue(self.timers.wait(30))

    def test_a_lease_comes_from_the_environment(self):
        lease = self.lease()
        program = ("import twheel; lease, ns = twheel.Lease.from_env(); lease.push(); "
                   "print(ns, lease.left() > 0)")
        environment = {**os.environ, "TWHEEL_LEASE_FD": str(lease.fileno()),
                       "TWHEEL_LEASE_NS": "5000000000"}
        done = subprocess.run([sys.executable, "-c", program], env=environment, check=True,
                              pass_fds=[lease.fileno()], stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, b"5000000000 True\n")
        self.assertGreater(lease.left(), 2 * FAR)
        with self.assertRaises(FileNotFoundError):
            twheel.Lease.from_env()


if __name__ == "__main__":
    unittest.main()
