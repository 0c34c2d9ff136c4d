#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Requests with timeouts, on the event loop whose timers are in /dev/twheel.

Of a thousand requests, all but ten are answered in time. Nothing in the coroutines is special:
only run() differs from asyncio.run().
"""

import asyncio
import sys

from twheel import aio


async def request(number):
    try:
        async with asyncio.timeout(5):
            await asyncio.sleep(3600 if number % 100 == 7 else 0.01)
        return "answered"
    except TimeoutError:
        return "timed out"


async def main():
    results = await asyncio.gather(*(request(number) for number in range(1000)))
    for result in "answered", "timed out":
        print(f"{results.count(result)} {result}")
    return results.count("timed out")


if __name__ == "__main__":
    sys.exit(aio.run(main()) != 10)
