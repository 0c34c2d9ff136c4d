# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The table of deadlines and the ring of events, in memory shared with the kernel.

libtwheel-ffi makes the atomic accesses. A mapping keeps the open file and its timers, as a
descriptor does, until close().
"""

import ctypes
import sys
import threading
from types import TracebackType
from typing import TypeVar

from .abi import EVENT, Event, EventsStructure, Pushed, TableStructure, events_from
from .bounds import integer, u64
from .errors import ClosedError
from .native import library


_Self = TypeVar("_Self", bound="_Mapping")


def _size(count: int) -> int:
    return integer("count", count, 0, 2 * sys.maxsize + 2)  # a size_t


class _Mapping:
    """What both have: close(), and use in a with statement."""

    closed = True

    def close(self) -> None:
        raise NotImplementedError

    def _check(self) -> None:
        if self.closed:
            raise ClosedError(f"the {type(self).__name__} is closed")

    def __enter__(self: _Self) -> _Self:
        self._check()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class Table(_Mapping):
    """A mapping of the table of deadlines, from Timers.map_table().

    Threads may use it at the same time.
    """

    def __init__(self, fd: int, count: int = 0) -> None:
        self._table = TableStructure()
        library.map_table(fd, _size(count), self._table)
        self.closed = False

    def __len__(self) -> int:
        """The number of entries."""
        return self._table.count

    def push_back(self, handle: int, deadline_ns: int) -> Pushed:
        """Give a Flags.SHARED timer a later deadline, a reading of CLOCK_MONOTONIC."""
        self._check()
        return Pushed(library.push_back(self._table, u64("handle", handle),
                                        u64("deadline_ns", deadline_ns)))

    def close(self) -> None:
        """Unmap the table. The timers stay."""
        if not self.closed:
            self.closed = True
            library.unmap_table(self._table)


class Ring(_Mapping):
    """A mapping of the ring of events, from Timers.map_ring().

    From the first mapping on, all events go to the ring, and Timers.read() fails. Threads
    take turns in read(); another process must not consume events at the same time.
    """

    def __init__(self, fd: int, count: int = 0) -> None:
        self._events = EventsStructure()
        self._turn = threading.Lock()
        library.map_ring(fd, _size(count), self._events)
        self.closed = False

    def __len__(self) -> int:
        """The number of events to consume."""
        with self._turn:
            self._check()
            return library.ring_count(self._events)

    @property
    def capacity(self) -> int:
        """The number of events that the ring holds."""
        self._check()
        return self._events.mask + 1

    @property
    def more(self) -> bool:
        """Whether the kernel may have more events: Timers.wait(0) fills the ring."""
        with self._turn:
            self._check()
            return bool(library.ring_more(self._events))

    def read(self, limit: int = 65536) -> list[Event]:
        """Consume up to LIMIT events."""
        with self._turn:
            self._check()
            count = min(u64("limit", limit), library.ring_count(self._events))
            events = events_from(self._copy(count))
            library.ring_advance(self._events, count)
        return events

    def _copy(self, count: int) -> bytes:
        """The next events. They may begin at the end of the ring."""
        if not count:
            return b""
        first = library.ring_peek(self._events, 0)
        end = self._events.events + (self._events.mask + 1) * EVENT.size
        before = min(count, (end - first) // EVENT.size)
        return (ctypes.string_at(first, before * EVENT.size) +
                ctypes.string_at(self._events.events, (count - before) * EVENT.size))

    def close(self) -> None:
        """Unmap the ring. Events still go to it; it can be mapped again."""
        if self.closed:
            return
        with self._turn:
            if not self.closed:
                self.closed = True
                library.unmap_ring(self._events)
