# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""An open file of /dev/twheel."""

import contextlib
import ctypes
import errno
import os
import select
import signal
from typing import AsyncIterator, Iterable, Iterator, NamedTuple, Sequence, cast

from . import errors
from .abi import (ABI_MAJOR, EVENT, Event, Feature, Flags, Info, InfoStructure, Op, Opcode,
                  events_from)
from .bounds import s32, u32, u64
from .descriptor import Descriptor
from .lease import Lease
from .mappings import Ring, Table
from .native import library

SECOND = 1_000_000_000


class Group(NamedTuple):
    """What Timers.cancel_group() has ended."""

    ended: int
    retracted: int


def _array(ops: Iterable[Op]) -> "ctypes.Array[Op]":
    if isinstance(ops, ctypes.Array):
        return ops
    ops = list(ops)
    return (Op * len(ops))(*ops)


def _clear_results(array: "ctypes.Array[Op]") -> None:
    """Forget the results of an earlier batch, or of a list: the kernel wants 0."""
    if array:
        results = memoryview(array).cast("B").cast("i")[Op.result.offset // 4::
                                                        ctypes.sizeof(Op) // 4]
        results[:] = memoryview(bytes(4 * len(array))).cast("i")


class Timers(Descriptor):
    """A set of timers: an open file of the device.

    Closing the file ends its timers, unless another process or a mapping still has it.
    The descriptor is close-on-exec and, unless blocking is set, non-blocking. An error
    is an OSError: FileNotFoundError if the module is not loaded.
    """

    def __init__(self, path: str | os.PathLike[str] = "/dev/twheel", *,
                 blocking: bool = False) -> None:
        try:
            fd = library.open_path(os.fsencode(path), 0 if blocking else os.O_NONBLOCK)
        except OSError as error:
            raise errors.from_open(error.errno or 0, os.fspath(path)) from None
        super().__init__(fd)

    @classmethod
    def from_fd(cls, fd: int) -> "Timers":
        """Take over a descriptor of the device, for example one from a parent."""
        info = InfoStructure()
        library.get_info(s32("fd", fd), info)
        if info.abi_major != ABI_MAJOR:
            raise errors.from_errno(errno.EPROTO)
        self = cls.__new__(cls)
        Descriptor.__init__(self, fd)
        return self

    def info(self) -> Info:
        """What the driver can do, and how many timers there are."""
        info = InfoStructure()
        library.get_info(self.fileno(), info)
        fields = {name: getattr(info, name) for name in Info._fields}
        return Info(**fields | {"features": Feature(info.features)})

    # One operation

    def add(self, time_ns: int, cookie: int = 0, **fields: int) -> int:
        """Arm a timer, see Op.add(), and return its handle."""
        op = Op.add(time_ns, cookie, **fields)
        library.add(self.fileno(), op)
        return op.handle

    def every(self, period_ns: int, cookie: int = 0, **fields: int) -> int:
        """Arm a periodic timer, which expires first after one period.

        An OSError (EINVAL) if the period is 0, or otherwise below Info.min_period_ns.
        """
        # 0 would mean a one-shot timer.
        return self.add(period_ns, cookie, period_ns=period_ns or 1, **fields)

    def change(self, handle: int, time_ns: int, *, flags: int = 0) -> bool:
        """Give a timer a new deadline. True if an unread event was withdrawn."""
        return bool(library.change(self.fileno(), u64("handle", handle),
                                   u64("time_ns", time_ns), u32("flags", flags)))

    def cancel(self, handle: int) -> bool:
        """End a timer. True if an unread event was withdrawn."""
        return bool(library.cancel(self.fileno(), u64("handle", handle)))

    def query(self, handle: int, *, flags: int = 0) -> Op:
        """Look at a timer. The result is Result.EXPIRED if its event is unread."""
        op = Op()
        op.result = library.query(self.fileno(), u64("handle", handle), op,
                                  u32("flags", flags))
        return op

    def upsert(self, handle: int, time_ns: int, cookie: int = 0, **fields: int) -> Op:
        """Change a timer, or add one if it is gone: Result.ADDED, and a new handle."""
        op = Op.upsert(handle, time_ns, cookie, **fields)
        op.result = library.upsert(self.fileno(), op)
        return op

    def cancel_group(self, group: int) -> Group:
        """End all timers of a group."""
        retracted = ctypes.c_uint64()
        ended = library.cancel_group(self.fileno(), u64("group", group), retracted)
        return Group(ended, retracted.value)

    # Many operations

    def submit(self, ops: Iterable[Op]) -> Sequence[Op]:
        """Carry out operations, and return them with their results.

        A Sequence that submit(), restore() or drain() has returned is not copied.
        """
        array = _array(ops)
        _clear_results(array)
        done = 0
        while done < len(array):
            rest = ctypes.byref(array, done * ctypes.sizeof(Op))
            done += library.submit(self.fileno(), ctypes.cast(rest, ctypes.POINTER(Op)),
                                   len(array) - done)
        return cast(Sequence[Op], array)

    def drain(self, limit: int | None = None) -> Sequence[Op]:
        """Refuse new timers, and take back up to LIMIT pending timers, or all of them.

        submit() adds them again, after resume().
        """
        room = self.info().timers + 1 if limit is None else u64("limit", limit)
        ops = (Op * room)()
        count = library.drain(self.fileno(), ops, room)
        taken = (Op * count).from_buffer(ops)
        if limit is None and count == room:  # some were added before the drain
            with contextlib.suppress(OSError):  # those of the first drain have ended
                taken = _array([*taken, *self.drain()])
        return cast(Sequence[Op], taken)

    def resume(self) -> None:
        """Accept new timers again."""
        library.resume(self.fileno())

    def list_timers(self, *, flags: int = 0) -> Iterator[Op]:
        """Look at all timers, and change nothing.

        Each Op would arm its timer again, see restore(). Its result is Result.EXPIRED if
        the event is unread. A timer that is there throughout comes exactly once.
        """
        cursor = ctypes.c_uint64()
        ops = (Op * 1024)()
        flags = u32("flags", flags)
        while count := library.list(self.fileno(), cursor, ops, len(ops), flags):
            # The caller may keep an Op: it has memory of its own.
            yield from (Op.from_buffer_copy(ops[index]) for index in range(count))

    def restore(self, ops: Iterable[Op]) -> Sequence[Op]:
        """Arm timers under the handles that they had, from drain() or list_timers()."""
        array = _array(ops)
        for op in array:
            op.op = Opcode.ADD
            op.flags |= Flags.RESTORE | Flags.KEEP_HANDLE
        return self.submit(array)

    def lease(self, handle: int, cap_ns: int, *, expire_on_close: bool = False) -> Lease:
        """Make a lease on a timer, which pushes the deadline at most CAP_NS ahead.

        With expire_on_close, the timer expires when the last copy of the lease is closed:
        its event then has EventFlags.LEASE_CLOSED.
        """
        return Lease(library.lease(self.fileno(), u64("handle", handle),
                                   u64("cap_ns", cap_ns), int(bool(expire_on_close))))

    def fence(self, owner: int, number: int = signal.SIGKILL) -> None:
        """Have the kernel send a signal when a timer expires, whatever programs do then.

        OWNER is a process, or a process group as a negative number. Use Timers with one timer
        for this, and do not read its events. libtwheel(3), "Fences", has the limits.
        """
        if not owner:
            raise errors.from_errno(errno.EINVAL)
        library.fence(self.fileno(), s32("owner", owner), s32("number", number))

    def end_fence(self) -> None:
        """Send no signal any more."""
        library.fence(self.fileno(), 0, 0)

    # Events

    def read(self, limit: int = 1024) -> list[Event]:
        """Read up to LIMIT events; an empty list if there are none. See also wait()."""
        try:
            count = min(u64("limit", limit), 65536)
            return events_from(os.read(self.fileno(), count * EVENT.size))
        except BlockingIOError:
            return []

    async def __aiter__(self) -> AsyncIterator[Event]:
        """The events as they come, for "async for" in one coroutine at a time.

        When the loop ends, in whatever way, events that it has not taken are lost. The
        descriptor becomes non-blocking, which belongs to the open file.
        """
        os.set_blocking(self.fileno(), False)
        while True:
            for event in self.read():
                yield event
            await self._readable()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for events. False after TIMEOUT seconds, at once if negative.

        If events go to a ring, this also lets the kernel fill the ring.
        """
        return self._poll(select.POLLIN, timeout)

    def set_eventfd(self, eventfd: int) -> None:
        """Signal an eventfd when timers expire; -1 to stop."""
        library.set_eventfd(self.fileno(), s32("eventfd", eventfd))

    def watch_clock(self) -> None:
        """Ask for an event whenever CLOCK_REALTIME is set."""
        library.watch_clock(self.fileno())

    # Mappings

    def map_table(self, count: int = 0) -> Table:
        """Map the table of deadlines, with COUNT entries or as it is."""
        return Table(self.fileno(), count)

    def map_ring(self, count: int = 0) -> Ring:
        """Map the ring of events, with room for COUNT events or as it is."""
        return Ring(self.fileno(), count)
