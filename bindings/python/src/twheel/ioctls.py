# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The functions of library.py by ioctl() alone, for machines without libtwheel-ffi.

The two mappings need atomic accesses, which Python has not: they fail with EOPNOTSUPP.
"""

import ctypes
import errno
import fcntl
import os
import signal
from ctypes import c_int32, c_uint32, c_uint64
from typing import Any, Callable, NoReturn

from . import errors
from .abi import ABI_MAJOR, InfoStructure, Op

_CALL_MAX = 4096  # operations in one call: no more than any driver takes
_DRAIN_RESUME = 1


class _Many(ctypes.Structure):
    """struct twheel_batch and twheel_drain."""

    _fields_ = [("ops", c_uint64), ("count", c_uint32), ("flags", c_uint32),
                ("reserved", c_uint64 * 6)]


class _List(ctypes.Structure):
    _fields_ = [("ops", c_uint64), ("cursor", c_uint64), ("count", c_uint32),
                ("flags", c_uint32), ("reserved", c_uint64 * 5)]


class _Eventfd(ctypes.Structure):
    _fields_ = [("fd", c_int32), ("flags", c_uint32), ("reserved", c_uint64 * 7)]


class _Lease(ctypes.Structure):
    _fields_ = [("handle", c_uint64), ("cap_ns", c_uint64), ("flags", c_uint32),
                ("fd", c_int32), ("reserved", c_uint64 * 5)]


# The bits of the direction, which a few architectures number in another way.
_WAYS = {"": 0, "w": 2, "r": 4, "wr": 6}
if os.uname().machine.startswith(("alpha", "mips", "ppc", "sparc")):
    _WAYS = {"": 1, "r": 2, "w": 4, "wr": 6}


def _number(direction: str, number: int, kind: Any = None) -> int:
    """_IO() and the like of <linux/ioctl.h>."""
    size = ctypes.sizeof(kind) if kind else 0
    return _WAYS[direction] << 29 | size << 16 | ord("t") << 8 | number


_INFO = _number("r", 0xA0, InfoStructure)
_ADD, _CHANGE, _CANCEL = (_number(way, 0xA1 + n, Op) for n, way in enumerate(("wr", "w", "w")))
_QUERY, _BATCH = _number("wr", 0xA4, Op), _number("w", 0xA5, _Many)
_UPSERT, _CANCEL_GROUP = _number("wr", 0xA6, Op), _number("wr", 0xA7, Op)
_DRAIN, _EVENTFD = _number("w", 0xA8, _Many), _number("w", 0xA9, _Eventfd)
_CLOCK_SET, _LEASE = _number("", 0xAA), _number("wr", 0xAB, _Lease)
_LIST = _number("wr", 0xAC, _List)
_PUSH, _PUSH_BY = _number("", 0xB0), _number("w", 0xB1, c_uint64)
_LEFT = _number("r", 0xB2, c_uint64)


def _call(fd: int, number: int, argument: Any = 0,
          error: Callable[[int], OSError] = errors.from_errno) -> int:
    try:
        return fcntl.ioctl(fd, number, argument)
    except OSError as failed:
        raise error(failed.errno or errno.EIO) from None


def _one(fd: int, number: int, op: Op,
         error: Callable[[int], OSError] = errors.from_errno) -> int:
    """An operation whose call wants op and result to be 0."""
    kind, op.op, op.result = op.op, 0, 0
    try:
        return _call(fd, number, op, error)
    finally:
        op.op = kind


def open_path(path: bytes, flags: int) -> int:
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY | flags)
    info = InfoStructure()
    try:
        get_info(fd, info)
        if info.abi_major != ABI_MAJOR:
            raise errors.from_errno(errno.EPROTO)
    except OSError as error:
        os.close(fd)
        if error.errno == errno.ENOTTY:
            raise errors.from_errno(errno.ENODEV) from None
        raise
    return fd


def get_info(fd: int, info: InfoStructure) -> None:
    _call(fd, _INFO, info)


def add(fd: int, op: Op) -> None:
    _one(fd, _ADD, op)


def change(fd: int, handle: int, time_ns: int, flags: int) -> int:
    return _one(fd, _CHANGE, Op(handle=handle, time_ns=time_ns, flags=flags), errors.from_timer)


def cancel(fd: int, handle: int) -> int:
    return _one(fd, _CANCEL, Op(handle=handle), errors.from_timer)


def query(fd: int, handle: int, op: Op, flags: int) -> int:
    op.handle, op.flags = handle, flags
    return _one(fd, _QUERY, op, errors.from_timer)


def upsert(fd: int, op: Op) -> int:
    return _one(fd, _UPSERT, op)


def cancel_group(fd: int, group: int, retracted: c_uint64) -> int:
    op = Op(group=group)
    ended = _one(fd, _CANCEL_GROUP, op, errors.from_timer)
    retracted.value = op.time_ns
    return ended


def _fill(fd: int, number: int, argument: Any, ops: Any, room: int, *, end: bool) -> int:
    """Make a call on an array until it is full, after signals too. With END, a call that does
    nothing ends that. Returns how many operations are done."""
    start, done = ctypes.cast(ops, ctypes.c_void_p).value or 0, 0
    while done < room:
        argument.ops = start + done * ctypes.sizeof(Op)
        argument.count = min(room - done, _CALL_MAX)
        try:
            count = _call(fd, number, argument)
        except InterruptedError:
            continue
        except OSError:
            if done:
                break
            raise
        if end and not count:
            break
        done += count
    return done


def submit(fd: int, ops: Any, count: int) -> int:
    return _fill(fd, _BATCH, _Many(), ops, count, end=False)


def drain(fd: int, ops: Any, room: int) -> int:
    return _fill(fd, _DRAIN, _Many(), ops, room, end=True)


def resume(fd: int) -> None:
    _call(fd, _DRAIN, _Many(flags=_DRAIN_RESUME))


def list(fd: int, cursor: c_uint64, ops: Any, room: int, flags: int) -> int:
    argument = _List(cursor=cursor.value, flags=flags)
    count = _fill(fd, _LIST, argument, ops, room, end=True)
    cursor.value = argument.cursor
    return count


def lease(fd: int, handle: int, cap_ns: int, flags: int) -> int:
    argument = _Lease(handle=handle, cap_ns=cap_ns, flags=flags)
    _call(fd, _LEASE, argument, errors.from_timer)
    return argument.fd


def lease_push(fd: int) -> None:
    _call(fd, _PUSH, 0, errors.from_timer)


def lease_push_by(fd: int, delay_ns: int) -> None:
    _call(fd, _PUSH_BY, c_uint64(delay_ns), errors.from_timer)


def lease_left(fd: int, left: c_uint64) -> None:
    _call(fd, _LEFT, left, errors.from_timer)


def _number_of(name: str, most: int) -> int:
    text = os.environ.get(name)
    if text is None:
        raise errors.from_errno(errno.ENOENT)
    if not (text.isascii() and text.isdecimal()) or int(text) > most:
        raise errors.from_errno(errno.EINVAL)
    return int(text)


def lease_from_env(length: c_uint64) -> int:
    fd = _number_of("TWHEEL_LEASE_FD", (1 << 31) - 1)
    ns = _number_of("TWHEEL_LEASE_NS", (1 << 63) - 1)
    try:
        lease_left(fd, c_uint64())
    except errors.GoneError:
        pass  # A lease that has ended is one.
    os.set_inheritable(fd, False)
    length.value = ns
    return fd


def _refuse_unread(fd: int) -> None:
    """The kernel sends no signal for an event that is there already."""
    info = InfoStructure()
    get_info(fd, info)
    if info.unread:
        raise errors.from_errno(errno.EBUSY)


def fence(fd: int, owner: int, number: int) -> None:
    get_info(fd, InfoStructure())  # Other files have F_SETOWN, too.
    flags = fcntl.fcntl(fd, fcntl.F_GETFL) & ~os.O_ASYNC
    if owner in (-1, -1 << 31) or not (1 <= number <= signal.SIGRTMAX if owner else not number):
        raise errors.from_errno(errno.EINVAL)
    if owner:
        os.kill(owner, 0)
        _refuse_unread(fd)
    fcntl.fcntl(fd, fcntl.F_SETFL, flags)
    fcntl.fcntl(fd, fcntl.F_SETOWN, owner)
    fcntl.fcntl(fd, fcntl.F_SETSIG, number)
    if not owner:
        return
    fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        _refuse_unread(fd)  # A timer may have expired before the signals were on.
    except OSError:
        fcntl.fcntl(fd, fcntl.F_SETFL, flags)
        raise


def set_eventfd(fd: int, eventfd: int) -> None:
    _call(fd, _EVENTFD, _Eventfd(fd=eventfd))


def watch_clock(fd: int) -> None:
    _call(fd, _CLOCK_SET)


def version() -> str:
    """The version of libtwheel that these functions stand for."""
    return "1.1"


def _needs_library(*_: Any) -> NoReturn:
    raise OSError(errno.EOPNOTSUPP, "the table and the ring need libtwheel-ffi.so.1")


map_table = map_ring = unmap_table = unmap_ring = push_back = _needs_library
ring_count = ring_peek = ring_advance = ring_more = _needs_library
