# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Waiting for a descriptor in a coroutine."""

import asyncio

from .descriptor import Descriptor


async def readable(owner: Descriptor) -> None:
    """Wait until poll() would report the descriptor. One coroutine at a time may do so."""
    loop = asyncio.get_running_loop()
    fd = owner.fileno()
    ready: asyncio.Future[None] = loop.create_future()

    def end(error: Exception | None = None) -> None:
        # Before the descriptor is closed: its number may soon be that of another file.
        if owner._end_wait is end:
            owner._end_wait = None
            loop.remove_reader(fd)
        if ready.done():
            return
        if error:
            ready.set_exception(error)
        else:
            ready.set_result(None)

    loop.add_reader(fd, end)
    owner._end_wait = end
    try:
        await ready
    finally:
        end()
