#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Sessions that end when they fall silent.

Three begin. Every 20 ms, two of them are heard from, and their deadlines are pushed back in
shared memory. The first that falls silent ends the program.
"""

import sys

import twheel

PATIENCE = 3 * twheel.SECOND


def main():
    with twheel.Timers() as timers, timers.map_table(100) as table:
        handles = [timers.add(PATIENCE, number, flags=twheel.Flags.SHARED)
                   for number in range(3)]
        while not timers.wait(0.02):
            deadline = twheel.now() + PATIENCE
            for handle in handles[:2]:
                table.push_back(handle, deadline)
        silent = [event.cookie for event in timers.read()]
        print(f"session {silent[0]} is silent")
        return 0 if silent == [2] else 1


if __name__ == "__main__":
    sys.exit(main())
