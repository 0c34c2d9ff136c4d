# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The scenario of bindings/README, by the package."""

import errno
import time

from twheel import Flags, Op, Pushed, Result, SECOND, Timers, now

COUNT = 100_000
HOUR = 3600 * SECOND
PAST = 1  # a deadline that has passed


def row(name, count):
    print(f"{name:16}{count:12}", flush=True)


class Scenario:
    """The timers, and the steps in their order."""

    def __init__(self, timers, table):
        self.timers, self.table = timers, table
        self.start = now()
        self.handles = []

    def count(self, ops, result=0):
        """Carry out operations, and count those with this result."""
        return sum(op.result == result for op in self.timers.submit(ops))

    def push(self, turn, deadline, result):
        return sum(self.table.push_back(handle, deadline) == result
                   for handle in self.handles[turn::4])

    def expire(self, turn):
        """Give timers a deadline that has passed, and wait until all have expired."""
        changed = self.count(Op.change(handle, PAST, flags=Flags.ABSTIME)
                             for handle in self.handles[turn::4])
        while self.timers.info().unread < changed:
            self.timers.wait(0)
            time.sleep(0.001)

    def arm(self):
        ops = self.timers.submit(
            Op.add(self.start + HOUR, number, flags=Flags.ABSTIME | Flags.SHARED)
            for number in range(COUNT))
        row("armed", sum(op.result == 0 for op in ops))
        self.handles = [op.handle for op in ops]

    def push_and_query(self):
        row("pushed", self.push(0, self.start + 2 * HOUR, Pushed.PUSHED))
        row("pushed-before", self.push(0, self.start + HOUR, Pushed.BEFORE))
        found = self.timers.submit(Op.query(handle, flags=Flags.ABSTIME)
                                   for handle in self.handles[0::4])
        row("queried", sum(op.time_ns == self.start + 2 * HOUR and op.cookie == 4 * number
                           for number, op in enumerate(found)))

    def cancel(self):
        for name, result in ("cancelled", 0), ("gone", -errno.ENOENT):
            row(name, self.count(map(Op.cancel, self.handles[1::4]), result))

    def expire_and_read(self):
        self.expire(2)
        events = []
        while more := self.timers.read():
            events += more
        row("expired", len(events))
        row("expired-sum", sum(event.cookie for event in events))
        row("early", sum(event.expired_ns < event.deadline_ns for event in events))
        row("pushed-not", self.push(2, self.start + 2 * HOUR, Pushed.NOT))

    def retract(self):
        self.expire(3)
        row("retracted", self.count(
            (Op.change(handle, self.start + HOUR, flags=Flags.ABSTIME)
             for handle in self.handles[3::4]), Result.RETRACTED))
        row("events-left", len(self.timers.read()))

    def drain_and_restore(self):
        row("pending", self.timers.info().timers)
        ops = self.timers.drain()
        row("drained", len(ops))
        row("drained-sum", sum(op.cookie for op in ops))
        self.timers.resume()
        with self.timers.map_ring(4096) as ring:
            for op in ops:
                op.time_ns = 0
            row("restored", self.count(ops))
            events = []
            while len(events) < len(ops):
                if more := ring.read():
                    events += more
                else:
                    self.timers.wait(1)
            row("ring", len(events))
            row("ring-sum", sum(event.cookie for event in events))
        row("left", self.timers.info().timers)


def main():
    with Timers() as timers, timers.map_table(COUNT) as table:
        scenario = Scenario(timers, table)
        scenario.arm()
        scenario.push_and_query()
        scenario.cancel()
        scenario.expire_and_read()
        scenario.retract()
        scenario.drain_and_restore()


if __name__ == "__main__":
    main()
