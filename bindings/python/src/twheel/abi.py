# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Constants and structures of <linux/twheel.h> and <libtwheel.h>."""

import ctypes
import enum
import struct
import time
from typing import Any, NamedTuple

from . import bounds, errors


ABI_MAJOR = 1


class Opcode(enum.IntEnum):
    """What an operation of a batch does: TWHEEL_OP_."""

    ADD = 1
    CHANGE = 2
    CANCEL = 3
    QUERY = 4
    UPSERT = 5
    CANCEL_GROUP = 6


class Flags(enum.IntFlag):
    """Flags of operations: TWHEEL_."""

    NONE = 0
    ABSTIME = 1 << 0
    EACH = 1 << 1
    RESTART = 1 << 2
    RESTORE = 1 << 3
    SHARED = 1 << 4
    KEEP_HANDLE = 1 << 5
    LEASED = 1 << 6


class Result(enum.IntEnum):
    """Results of operations that are neither 0 nor an error: TWHEEL_."""

    RETRACTED = 1
    EXPIRED = 1
    ADDED = 2


class Feature(enum.IntFlag):
    """What the driver can do: TWHEEL_FEATURE_."""

    BATCH = 1 << 0
    PERIODIC = 1 << 1
    RETRACT = 1 << 2
    UPSERT = 1 << 3
    GROUP = 1 << 4
    MISSED = 1 << 5
    DRAIN = 1 << 6
    EVENTFD = 1 << 7
    SIGIO = 1 << 8
    TABLE = 1 << 9
    RING = 1 << 10
    CLOCK_SET = 1 << 11
    LEASE = 1 << 12
    WINDOW = 1 << 13
    LIST = 1 << 14
    KEEP_HANDLE = 1 << 15
    URING = 1 << 16


class EventType(enum.IntEnum):
    """What an event reports: TWHEEL_EVENT_."""

    TIMER = 1
    CLOCK_SET = 2


class EventFlags(enum.IntFlag):
    """More about an event of a timer: TWHEEL_EVENT_."""

    LEASE_CLOSED = 1 << 0


class Pushed(enum.IntEnum):
    """The result of Table.push_back(): TWHEEL_PUSHED."""

    PUSHED = 0  # the timer has the new deadline
    BEFORE = 1  # the timer keeps its deadline, which is as late or later
    NOT = 2     # the timer has expired or is gone


class Op(ctypes.Structure):
    """An operation: struct twheel_op.

    The class methods make operations; the kernel fills in result, handle and, for a query,
    the rest. check() raises the error of an operation that has failed. A number that does
    not fit into its field is an OverflowError.
    """

    _fields_ = [("op", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("clockid", ctypes.c_uint32), ("result", ctypes.c_int32),
                ("handle", ctypes.c_uint64), ("cookie", ctypes.c_uint64),
                ("time_ns", ctypes.c_uint64), ("period_ns", ctypes.c_uint64),
                ("group", ctypes.c_uint64), ("window_ns", ctypes.c_uint64)]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FITTING:
            value = _FITTING[name](name, value)
        super().__setattr__(name, value)

    @classmethod
    def _of(cls, *values: int) -> "Op":
        """cls(*values), which is slow: it sets field by field."""
        try:
            return cls.from_buffer_copy(_OP.pack(*values))
        except struct.error:
            return cls(*values)  # which says what is wrong

    @classmethod
    def add(cls, time_ns: int, cookie: int = 0, *, flags: int = 0, period_ns: int = 0,
            clockid: int = time.CLOCK_MONOTONIC, group: int = 0,
            window_ns: int = 0) -> "Op":
        """Arm a timer: after a delay, or with Flags.ABSTIME when the clock says time_ns."""
        return cls._of(Opcode.ADD, flags, clockid, 0, 0, cookie, time_ns, period_ns, group,
                       window_ns)

    @classmethod
    def upsert(cls, handle: int, time_ns: int, cookie: int = 0, **fields: int) -> "Op":
        """Change the timer, or arm one as add() does if there is none."""
        op = cls.add(time_ns, cookie, **fields)
        op.op, op.handle = Opcode.UPSERT, handle
        return op

    @classmethod
    def change(cls, handle: int, time_ns: int, *, flags: int = 0) -> "Op":
        """Give a timer a new deadline."""
        return cls._of(Opcode.CHANGE, flags, 0, 0, handle, 0, time_ns, 0, 0, 0)

    @classmethod
    def cancel(cls, handle: int) -> "Op":
        """End a timer."""
        return cls._of(Opcode.CANCEL, 0, 0, 0, handle, 0, 0, 0, 0, 0)

    @classmethod
    def query(cls, handle: int, *, flags: int = 0) -> "Op":
        """Look at a timer: the time left, or with Flags.ABSTIME the deadline."""
        return cls._of(Opcode.QUERY, flags, 0, 0, handle, 0, 0, 0, 0, 0)

    @classmethod
    def cancel_group(cls, group: int) -> "Op":
        """End all timers of a group."""
        return cls(op=Opcode.CANCEL_GROUP, group=group)

    def check(self) -> int:
        """Return the result of the operation, or raise its error."""
        if self.result < 0:
            raise errors.from_timer(-self.result)
        return self.result

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)}"
                           for name in (field[0] for field in self._fields_)
                           if getattr(self, name))
        return f"Op({fields})"


_OP = struct.Struct("=3Ii6Q")
_FITTING = {name: {ctypes.c_uint32: bounds.u32, ctypes.c_int32: bounds.s32}.get(
    kind, bounds.u64) for name, kind, *_ in Op._fields_}


class Info(NamedTuple):
    """What the driver can do, and what the descriptor holds: struct twheel_info."""

    abi_major: int
    abi_minor: int
    resolution_ns: int
    max_batch: int
    features: Feature
    clocks: int
    max_timers: int
    timers: int
    min_period_ns: int
    max_timers_user: int
    timers_user: int
    unread: int
    table_entries: int
    ring_entries: int


class InfoStructure(ctypes.Structure):
    _fields_ = [("abi_major", ctypes.c_uint32), ("abi_minor", ctypes.c_uint32),
                ("resolution_ns", ctypes.c_uint32), ("max_batch", ctypes.c_uint32),
                ("features", ctypes.c_uint64), ("clocks", ctypes.c_uint64),
                ("max_timers", ctypes.c_uint64), ("timers", ctypes.c_uint64),
                ("min_period_ns", ctypes.c_uint64),
                ("max_timers_user", ctypes.c_uint64),
                ("timers_user", ctypes.c_uint64), ("unread", ctypes.c_uint64),
                ("table_entries", ctypes.c_uint32), ("ring_entries", ctypes.c_uint32),
                ("reserved", ctypes.c_uint64 * 5)]


class Event(NamedTuple):
    """An event: struct twheel_event."""

    handle: int
    cookie: int
    deadline_ns: int
    expired_ns: int
    count: int  # type: ignore[assignment] # hides tuple.count()
    type: int
    flags: int
    clockid: int


EVENT = struct.Struct("=5Q3I12x")


def events_from(data: bytes) -> list[Event]:
    """The events in an array of struct twheel_event."""
    return [Event._make(fields) for fields in EVENT.iter_unpack(data)]


class TableStructure(ctypes.Structure):
    _fields_ = [("words", ctypes.c_void_p), ("count", ctypes.c_size_t)]


class EventsStructure(ctypes.Structure):
    _fields_ = [("ring", ctypes.c_void_p), ("events", ctypes.c_void_p),
                ("mask", ctypes.c_uint32), ("size", ctypes.c_size_t)]
