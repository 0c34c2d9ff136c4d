#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""Simulated clients that go offline when they fall silent.

usage: clients.py [--loop asyncio|selectors] [--clients N] [--seconds S]
                  [--timeout MS]

Each client has a timer; all timers are on one descriptor of /dev/twheel. A
client reports several times within its timeout, and each report pushes its
deadline back. One system call does this for all clients of a turn. Every
hundredth client is silent. The event loop watches the descriptor like any other
descriptor: it is readable when timers have expired. At the end the program
checks that every silent client went offline, and no client went offline early.

Exit status: 0 if all checks passed, 1 if not, 2 for a bad command line, 3 if
there is no device. The package twheel is in bindings/python.
"""

import argparse
import asyncio
import selectors
import sys
import time

from twheel import Flags, Op, Result, Timers, now

TURNS = 4  # turns within a timeout; a client reports once a turn
PATIENCE = 60  # seconds to wait for an overdue event before the test has failed


class Clients:
    """All clients. The number of a client is the cookie of its timer."""

    def __init__(self, timers, count, timeout_ns):
        self.timers, self.count, self.timeout_ns = timers, count, timeout_ns
        self.handles = [0] * count
        self.deadlines = [0] * count
        self.offline = {}
        self.reports = self.early = self.wrong = self.late = 0
        self.worst = 0

    def silent(self, client):
        return client % 100 == 7

    def connect(self):
        deadline = now() + self.timeout_ns
        ops = self.timers.submit(Op.add(deadline, client, flags=Flags.ABSTIME)
                                 for client in range(self.count))
        for client, op in enumerate(ops):
            op.check()
            self.handles[client] = op.handle
            self.deadlines[client] = deadline

    def report(self):
        """One turn: each client that is online and not silent reports."""
        deadline = now() + self.timeout_ns
        speaking = [client for client in range(self.count)
                    if not self.silent(client) and client not in self.offline]
        ops = self.timers.submit(
            Op.change(self.handles[client], deadline, flags=Flags.ABSTIME)
            for client in speaking)
        for client, op in zip(speaking, ops):
            # The timer had expired, but its event was not read: the change took the
            # event back. That is right unless the deadline is still ahead.
            if op.check() == Result.RETRACTED and now() < self.deadlines[client]:
                self.early += 1
            self.deadlines[client] = deadline
        self.reports += len(ops)

    def expire(self):
        """Read events. The event loop calls this when the descriptor is readable."""
        for event in self.timers.read():
            client = event.cookie
            if (client in self.offline or event.handle != self.handles[client]
                    or event.deadline_ns != self.deadlines[client]):
                self.wrong += 1
            if event.expired_ns < self.deadlines[client]:
                self.early += 1
            self.late += not self.silent(client)
            self.worst = max(self.worst, event.expired_ns - event.deadline_ns)
            self.offline[client] = event.expired_ns

    def missing(self):
        """The number of silent clients that are online."""
        return sum(client not in self.offline for client in range(self.count)
                   if self.silent(client))


async def run_asyncio(clients, seconds):
    loop = asyncio.get_running_loop()
    turn = clients.timeout_ns / TURNS / 1e9
    end = loop.time() + seconds
    changed = asyncio.Event()

    def expire():
        clients.expire()
        changed.set()

    loop.add_reader(clients.timers, expire)
    while loop.time() < end:
        await asyncio.sleep(turn)
        clients.report()
    while clients.missing():
        changed.clear()
        try:
            await asyncio.wait_for(changed.wait(), PATIENCE)
        except asyncio.TimeoutError:
            break
    loop.remove_reader(clients.timers)


def run_selectors(clients, seconds):
    turn = clients.timeout_ns / TURNS / 1e9
    end = time.monotonic() + seconds
    due = time.monotonic() + turn
    with selectors.DefaultSelector() as selector:
        selector.register(clients.timers, selectors.EVENT_READ)
        while time.monotonic() < end:
            if selector.select(max(due - time.monotonic(), 0)):
                clients.expire()
            if time.monotonic() >= due:
                clients.report()
                due += turn
        while clients.missing():
            if not selector.select(PATIENCE):
                break
            clients.expire()


def verify(clients):
    """Check the result, and cancel all timers. Returns whether everything is right."""
    online = clients.count - len(clients.offline)
    faults = [
        (clients.early, "clients went offline early"),
        (clients.missing(), "silent clients did not go offline"),
        (clients.wrong, "events do not fit the last report of their client"),
        (abs(clients.timers.info().timers - online),
         "timers are missing, or have no client online")]
    ops = clients.timers.submit(
        Op.cancel(clients.handles[client])
        for client in range(clients.count) if client not in clients.offline)
    faults.append((sum(op.result < 0 for op in ops), "timers were lost"))
    faults.append((clients.timers.info().timers, "timers are left"))
    for count, what in faults:
        if count:
            print(f"clients.py: {count} {what}", file=sys.stderr)
    return not any(count for count, _ in faults)


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.partition("usage: ")[2].partition("\n\n")[0],
        description=__doc__.partition("\n")[0])
    parser.add_argument("--loop", choices=("asyncio", "selectors"),
                        default="asyncio")
    parser.add_argument("--clients", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--timeout", type=int, default=2000)
    options = parser.parse_args()
    if min(options.clients, options.timeout) < 1:
        parser.error("--clients and --timeout must be at least 1")
    try:
        timers = Timers()
    except FileNotFoundError:
        print("clients.py: there is no /dev/twheel: is the module loaded? "
              "(insmod twheel.ko)", file=sys.stderr)
        return 3
    except OSError as error:
        print(f"clients.py: cannot use /dev/twheel: {error.strerror or error}",
              file=sys.stderr)
        return 3
    with timers:
        clients = Clients(timers, options.clients, options.timeout * 1000000)
        clients.connect()
        if options.loop == "asyncio":
            asyncio.run(run_asyncio(clients, options.seconds))
        else:
            run_selectors(clients, options.seconds)
        passed = verify(clients)
    print(f"loop            {options.loop}")
    print(f"clients         {options.clients}")
    print(f"heartbeats      {clients.reports}")
    print(f"offline         {len(clients.offline)}")
    print(f"too_slow        {clients.late} of them had a report under way")
    print(f"lateness_us     {clients.worst // 1000} at worst")
    print(f"verdict         {'ok' if passed else 'FAILED'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
