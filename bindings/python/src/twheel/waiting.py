# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Waiting for a descriptor in a coroutine."""

import asyncio


async def readable(fd: int) -> None:
    """Wait until poll() would report the descriptor. One coroutine at a time may do so."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(fd, end)
    try:
        await ready
    finally:
        loop.remove_reader(fd)
