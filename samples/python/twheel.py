# SPDX-License-Identifier: MIT
"""/dev/twheel from Python, with the standard library alone.

The constants and structures are those of <linux/twheel.h>. "python3 twheel.py"
prints them, so that a test can compare them with the header.

Two parts of the interface are left out:

The table of deadlines (TWHEEL_MMAP_TABLE). A program pushes a deadline back in
this table by an atomic compare-and-exchange of 8 bytes, which Python does not
have. A plain store could overwrite a later deadline of another thread. It could
also overwrite TWHEEL_WORD_CLOSED, with which the kernel marks a timer that has
expired: the program would then rely on a deadline that does not exist. Use
TWHEEL_IOC_BATCH instead, one system call for thousands of deadlines. It costs
less than the Python code around each of them.

The ring of events (TWHEEL_MMAP_RING). It needs loads with acquire order, stores
with release order, and reads of 8 bytes at once. Python promises none of these.
Little is lost: one read() fetches as many events as there are.
"""

import ctypes
import fcntl
import os
import struct
import time


# From <asm-generic/ioctl.h>: valid on x86, ARM, RISC-V and s390. MIPS, PowerPC,
# SPARC, PA-RISC and Alpha encode the direction in another way.
_NONE, _WRITE, _READ = 0, 1, 2


def _ioc(direction, number, size):
    return direction << 30 | size << 16 | ord("t") << 8 | number


class Structure(struct.Struct):
    """A structure of the header, from its fields as "name:type".

    The header's structures have no hidden padding, neither on 32 nor on 64 bits.
    """

    def __init__(self, name, text):
        self.name = name
        fields = [field.split(":") for field in text.split()]
        super().__init__("=" + "".join(kind for _, kind in fields))
        self.fields = [field for field, _ in fields]
        self.offsets = {
            field: struct.calcsize("=" + "".join(k for _, k in fields[:number]))
            for number, (field, _) in enumerate(fields)}


INFO = Structure("twheel_info", """abi_major:I abi_minor:I resolution_ns:I
    max_batch:I features:Q clocks:Q max_timers:Q timers:Q min_period_ns:Q
    max_timers_user:Q timers_user:Q unread:Q table_entries:I ring_entries:I
    reserved:5Q""")
OP = Structure("twheel_op", """op:I flags:I clockid:I result:i handle:Q
    cookie:Q time_ns:Q period_ns:Q group:Q window_ns:Q""")
BATCH = Structure("twheel_batch", "ops:Q count:I flags:I reserved:6Q")
EVENT = Structure("twheel_event", """handle:Q cookie:Q deadline_ns:Q
    expired_ns:Q count:Q type:I flags:I clockid:I pad:I reserved:Q""")
DRAIN = Structure("twheel_drain", "ops:Q count:I flags:I reserved:6Q")
EVENTFD = Structure("twheel_eventfd", "fd:i flags:I reserved:7Q")
LEASE = Structure("twheel_lease", "handle:Q cap_ns:Q flags:I fd:i reserved:5Q")
LIST = Structure("twheel_list", "ops:Q cursor:Q count:I flags:I reserved:5Q")

IOC_INFO = _ioc(_READ, 0xA0, INFO.size)
IOC_ADD = _ioc(_READ | _WRITE, 0xA1, OP.size)
IOC_CHANGE = _ioc(_WRITE, 0xA2, OP.size)
IOC_CANCEL = _ioc(_WRITE, 0xA3, OP.size)
IOC_QUERY = _ioc(_READ | _WRITE, 0xA4, OP.size)
IOC_BATCH = _ioc(_WRITE, 0xA5, BATCH.size)
IOC_UPSERT = _ioc(_READ | _WRITE, 0xA6, OP.size)
IOC_CANCEL_GROUP = _ioc(_READ | _WRITE, 0xA7, OP.size)
IOC_DRAIN = _ioc(_WRITE, 0xA8, DRAIN.size)
IOC_EVENTFD = _ioc(_WRITE, 0xA9, EVENTFD.size)
IOC_CLOCK_SET = _ioc(_NONE, 0xAA, 0)
IOC_LEASE = _ioc(_READ | _WRITE, 0xAB, LEASE.size)
IOC_LIST = _ioc(_READ | _WRITE, 0xAC, LIST.size)

# On the descriptor of a lease
LEASE_IOC_PUSH = _ioc(_NONE, 0xB0, 0)
LEASE_IOC_PUSH_BY = _ioc(_WRITE, 0xB1, 8)
LEASE_IOC_LEFT = _ioc(_READ, 0xB2, 8)

ABI_MAJOR = 1

OP_ADD, OP_CHANGE, OP_CANCEL, OP_QUERY, OP_UPSERT, OP_CANCEL_GROUP = range(1, 7)

ABSTIME = 1 << 0
EACH = 1 << 1
RESTART = 1 << 2
RESTORE = 1 << 3
SHARED = 1 << 4
KEEP_HANDLE = 1 << 5
LEASED = 1 << 6

RETRACTED = 1
EXPIRED = 1
ADDED = 2

EVENT_TIMER = 1
EVENT_CLOCK_SET = 2
EVENT_LEASE_CLOSED = 1 << 0

DRAIN_RESUME = 1 << 0

LEASE_EXPIRE_ON_CLOSE = 1 << 0


class Op:
    """An operation: struct twheel_op. The kernel sets the result and the handle."""

    __slots__ = ("op", "flags", "clockid", "result", "handle", "cookie",
                 "time_ns", "period_ns", "group", "window_ns")

    def __init__(self, op=0, flags=0, clockid=0, handle=0, cookie=0,
                 time_ns=0, period_ns=0, group=0, window_ns=0):
        self.op, self.flags, self.clockid = op, flags, clockid
        self.result, self.handle, self.cookie = 0, handle, cookie
        self.time_ns, self.period_ns = time_ns, period_ns
        self.group, self.window_ns = group, window_ns

    def pack_into(self, buffer, offset):
        OP.pack_into(buffer, offset, self.op, self.flags, self.clockid, 0,
                     self.handle, self.cookie, self.time_ns, self.period_ns,
                     self.group, self.window_ns)

    def unpack_from(self, buffer, offset):
        (self.op, self.flags, self.clockid, self.result, self.handle,
         self.cookie, self.time_ns, self.period_ns, self.group,
         self.window_ns) = OP.unpack_from(buffer, offset)


def add_op(time_ns, cookie, flags=0, period_ns=0, group=0):
    """For batch(): arm a new timer on CLOCK_MONOTONIC."""
    return Op(OP_ADD, flags, time.CLOCK_MONOTONIC, cookie=cookie,
              time_ns=time_ns, period_ns=period_ns, group=group)


def change_op(handle, time_ns, flags=0):
    """For batch(): give a timer a new deadline."""
    return Op(OP_CHANGE, flags, handle=handle, time_ns=time_ns)


def cancel_op(handle):
    """For batch(): cancel a timer."""
    return Op(OP_CANCEL, handle=handle)


class Event:
    """An event: struct twheel_event."""

    __slots__ = ("handle", "cookie", "deadline_ns", "expired_ns", "count",
                 "type", "clockid")

    def __init__(self, fields):
        (self.handle, self.cookie, self.deadline_ns, self.expired_ns,
         self.count, self.type, _, self.clockid, _, _) = fields


class Twheel:
    """An open file of /dev/twheel, with timers of its own.

    It has a fileno(), so selectors and asyncio's add_reader() accept it. Errors
    are raised as OSError. The constructor raises FileNotFoundError if the module
    is not loaded. An operation raises FileNotFoundError if the timer does not
    exist.
    """

    def __init__(self, path="/dev/twheel"):
        self.fd = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        if self.info()["abi_major"] != ABI_MAJOR:
            os.close(self.fd)
            raise OSError(f"{path} has another version of the interface")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def fileno(self):
        return self.fd

    def close(self):
        """Close the file, which ends all its timers."""
        os.close(self.fd)

    def info(self):
        buffer = bytearray(INFO.size)
        fcntl.ioctl(self.fd, IOC_INFO, buffer)
        return dict(zip(INFO.fields, INFO.unpack(buffer)))

    def _call(self, request, op):
        """Carry out one operation. The request names it, so its op field is 0."""
        buffer = bytearray(OP.size)
        op.op = 0
        op.pack_into(buffer, 0)
        result = fcntl.ioctl(self.fd, request, buffer)
        op.unpack_from(buffer, 0)
        return result

    def add(self, time_ns, cookie, flags=0, period_ns=0, group=0):
        """Arm a timer on CLOCK_MONOTONIC. Returns its handle."""
        op = add_op(time_ns, cookie, flags, period_ns, group)
        self._call(IOC_ADD, op)
        return op.handle

    def change(self, handle, time_ns, flags=0):
        """Give a timer a new deadline.

        Returns 0, or RETRACTED if the timer had expired and its event was not read.
        """
        return self._call(IOC_CHANGE, change_op(handle, time_ns, flags))

    def cancel(self, handle):
        """Cancel a timer. Returns 0 or RETRACTED, as change() does."""
        return self._call(IOC_CANCEL, cancel_op(handle))

    def query(self, handle, flags=0):
        """Returns 0 or EXPIRED, and an Op that describes the timer."""
        op = Op(flags=flags, handle=handle)
        return self._call(IOC_QUERY, op), op

    def lease(self, handle, cap_ns, flags=0):
        """Make a lease of a timer, and return its descriptor.

        A write to the descriptor, also by another process, pushes the deadline back to
        cap_ns from now.
        """
        buffer = bytearray(LEASE.pack(handle, cap_ns, flags, 0, *[0] * 5))
        fcntl.ioctl(self.fd, IOC_LEASE, buffer)
        return LEASE.unpack(buffer)[LEASE.fields.index("fd")]

    def batch(self, ops):
        """Carry out operations. Each gets a result, a negative errno if it failed."""
        most = self.info()["max_batch"]
        for first in range(0, len(ops), most):
            self._batch(ops[first:first + most])

    def _batch(self, ops):
        done = 0
        while done < len(ops):
            rest = ops[done:]
            buffer = bytearray(len(rest) * OP.size)
            for number, op in enumerate(rest):
                op.pack_into(buffer, number * OP.size)
            array = (ctypes.c_char * len(buffer)).from_buffer(buffer)
            # With a mutable buffer, fcntl.ioctl() returns the result of ioctl(2).
            call = bytearray(BATCH.pack(ctypes.addressof(array), len(rest), 0,
                                        *[0] * 6))
            count = fcntl.ioctl(self.fd, IOC_BATCH, call)
            for number in range(count):
                rest[number].unpack_from(buffer, number * OP.size)
            done += count

    def timers(self, flags=0, most=1024):
        """Yields an Op for each timer, which would add it again.

        Its result is 0 if the timer is pending, or EXPIRED.
        """
        buffer = bytearray(most * OP.size)
        array = (ctypes.c_char * len(buffer)).from_buffer(buffer)
        call = bytearray(LIST.pack(ctypes.addressof(array), 0, most, flags,
                                   *[0] * 5))
        while count := fcntl.ioctl(self.fd, IOC_LIST, call):
            for number in range(count):
                op = Op()
                op.unpack_from(buffer, number * OP.size)
                yield op

    def read(self, most=1024):
        """Read up to MOST events. Returns an empty list if there are none."""
        try:
            data = os.read(self.fd, most * EVENT.size)
        except BlockingIOError:
            return []
        return [Event(fields) for fields in EVENT.iter_unpack(data)]


def constants():
    """Yields C expressions, and the values that they must have in the header."""
    for name, value in sorted(globals().items()):
        if name.isupper() and isinstance(value, int) and name[0] != "_":
            yield f"TWHEEL_{name}", value
    for layout in (INFO, OP, BATCH, EVENT, DRAIN, EVENTFD, LEASE, LIST):
        yield f"sizeof(struct {layout.name})", layout.size
        for field, offset in layout.offsets.items():
            yield f"offsetof(struct {layout.name}, {field})", offset


if __name__ == "__main__":
    for expression, number in constants():
        print(number, expression)
