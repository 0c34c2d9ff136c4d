# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""An object that owns a file descriptor."""

import os
import select
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

from .bounds import s32
from .errors import ClosedError

_DAY = 24 * 3600

_Self = TypeVar("_Self", bound="Descriptor")


class Descriptor:
    """fileno(), close(), and use in a with statement."""

    # Ends the wait of a coroutine with an error.
    _end_wait: Callable[[Exception], None] | None = None

    def __init__(self, fd: int) -> None:
        self._fd = s32("fd", fd)

    def fileno(self) -> int:
        """The descriptor, which selectors, poll() and asyncio accept."""
        if self._fd < 0:
            raise ClosedError(f"the {type(self).__name__} is closed")
        return self._fd

    @property
    def closed(self) -> bool:
        return self._fd < 0

    def close(self) -> None:
        """Close the descriptor."""
        if self._fd >= 0:
            os.close(self.detach())

    def detach(self) -> int:
        """Give the descriptor up without closing it.

        A coroutine that waits for it gets a ClosedError. So if there is one, call this, or
        close(), in the thread of its loop.
        """
        fd = self.fileno()
        if self._end_wait:
            self._end_wait(ClosedError(f"the {type(self).__name__} is closed"))
        self._fd = -1
        return fd

    def _poll(self, events: int, timeout: float | None) -> bool:
        """Wait for events of poll(), or POLLHUP. False after TIMEOUT seconds."""
        poll = select.poll()
        poll.register(self.fileno(), events)
        if timeout is None:
            return bool(poll.poll())
        # poll() takes at most 24.8 days. It refuses NaN.
        while timeout > _DAY:
            if poll.poll(_DAY * 1000):
                return True
            timeout -= _DAY
        # poll() would wait for ever if the time were negative.
        return bool(poll.poll(max(timeout, 0) * 1000))

    def __enter__(self: _Self) -> _Self:
        self.fileno()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self: _Self) -> _Self:
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        self.close()

    async def _readable(self) -> None:
        """Wait in a coroutine until poll() would report the descriptor."""
        # Programs without coroutines need not wait for asyncio's import.
        from .waiting import readable
        await readable(self)

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self)
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"fd={self._fd}"
        return f"<twheel.{type(self).__name__} {state}>"
