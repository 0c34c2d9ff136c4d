# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""An event loop for asyncio whose timers are in /dev/twheel.

    twheel.aio.run(main())
    asyncio.Runner(loop_factory=twheel.aio.EventLoop)
    asyncio.set_event_loop_policy(twheel.aio.EventLoopPolicy())

call_at() and call_later(), and so asyncio.sleep(), timeout() and wait_for(), arm timers of
the device. asyncio's own loops keep timers in a heap: each costs O(log n), and a cancelled
timer stays until its deadline or until half of the heap is cancelled. Here the loop makes one
system call in a turn for all timers that were armed and cancelled since the last turn. A
timer that is armed and cancelled in the same turn costs none.

A callback runs at the first tick of the system at or after its time, never early.

Where the device cannot be used, the loop is asyncio's own, with its heap. EventLoop(device=True)
demands the device, and EventLoop(device=False) does without. Otherwise the environment variable
TWHEEL_LOOP, "device" or "process", may do the same. EventLoop.reason says why the timers are not
in the device.
"""

import asyncio
import errno
import heapq
import math
import os
import time
from contextvars import Context
from operator import attrgetter
from typing import Any, Callable, Coroutine, TypeVar

from .abi import Flags, Op
from .timers import SECOND, Timers

_T = TypeVar("_T")
_NEVER = (1 << 63) - 1  # the latest deadline of the device


class _Timer(asyncio.TimerHandle):
    """A timer of the loop. "device" is its handle in the device, or 0."""

    __slots__ = ("deadline", "device")


def _deadline(when: float) -> int:
    """A time of the loop as a reading of CLOCK_MONOTONIC."""
    return _NEVER if when >= _NEVER / SECOND else math.ceil(max(when, 0) * SECOND)


def _wanted(device: bool | None) -> bool | None:
    """Whether the device is wanted: by the program, or else by its user. None: if possible."""
    wish = os.environ.get("TWHEEL_LOOP")
    if device is not None or wish is None:
        return device
    if wish not in ("device", "process"):
        raise ValueError(f"TWHEEL_LOOP is {wish!r}, neither 'device' nor 'process'")
    return wish == "device"


class EventLoop(asyncio.SelectorEventLoop):
    """A SelectorEventLoop that keeps its timers in /dev/twheel.

    With device=True, the constructor fails with an OSError if the device cannot be opened.
    Without, the timers are then in asyncio's heap, and "reason" is that error. If the device
    refuses a timer, because the user has too many or memory is short, the timer goes to
    asyncio's heap, too.
    """

    def __init__(self, selector: Any = None, *, device: bool | None = None) -> None:
        wanted = _wanted(device)
        self.reason: OSError | None = None
        self._device: Timers | None = None
        super().__init__(selector)
        try:
            if wanted is not False:
                self._device = Timers()
        except OSError as error:
            if wanted:
                super().close()
                raise
            self.reason = error
        self._armed: dict[int, _Timer] = {}      # by handle
        self._unarmed: dict[int, _Timer] = {}    # by id()
        self._cancelled: list[int] = []          # handles
        if self._device:
            self.add_reader(self._device, self._run_expired)

    def call_at(self, when: float, callback: Callable[..., object], *args: Any,
                context: Context | None = None) -> asyncio.TimerHandle:
        """Call a function at a time of the loop's clock."""
        if not self._device:
            return super().call_at(when, callback, *args, context=context)
        if when is None:
            raise TypeError("when cannot be None")
        self._check_closed()
        if self._debug:
            self._check_thread()
            self._check_callback(callback, "call_at")
        timer = _Timer(when, callback, args, self, context)
        if timer._source_traceback:
            del timer._source_traceback[-1]
        timer.deadline, timer.device, timer._scheduled = _deadline(when), 0, True
        self._unarmed[id(timer)] = timer
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if not handle._scheduled:
            return
        if not self._device:
            super()._timer_handle_cancelled(handle)
            return
        if self._armed.pop(handle.device, None):
            self._cancelled.append(handle.device)
        elif not self._unarmed.pop(id(handle), None):
            super()._timer_handle_cancelled(handle)  # the timer is in the heap
            return
        handle._scheduled = False

    def _run_once(self) -> None:
        if self._unarmed or self._cancelled:
            self._tell_device()
        super()._run_once()

    def _tell_device(self) -> None:
        """End the cancelled timers, and arm the new ones."""
        now = time.monotonic_ns()
        assert self._device
        due: list[_Timer] = []
        later: list[_Timer] = []
        for timer in self._unarmed.values():
            (due if timer.deadline <= now else later).append(timer)
        if due and self._armed:
            due += self._expired()  # their time came before
        self._make_ready(due)
        ops = [Op.cancel(device) for device in self._cancelled]
        ops += [Op.add(timer.deadline, flags=Flags.ABSTIME) for timer in later]
        self._unarmed.clear()
        self._cancelled.clear()
        try:
            added = self._device.submit(ops)[len(ops) - len(later):]
        except OSError as error:
            # What the call has added or left is not armed here: its events mean nothing.
            added = [Op(result=-(error.errno or errno.EIO))] * len(later)
        for op, timer in zip(added, later):
            if op.result < 0:
                heapq.heappush(self._scheduled, timer)
            else:
                timer.device = op.handle
                self._armed[op.handle] = timer

    def _expired(self) -> list[_Timer]:
        """The timers that have expired. A timer that was cancelled is not armed."""
        assert self._device
        return [timer for event in self._device.read(4096)
                if (timer := self._armed.pop(event.handle, None))]

    def _run_expired(self) -> None:
        self._make_ready(self._expired())

    def _make_ready(self, timers: list[_Timer]) -> None:
        for timer in sorted(timers, key=attrgetter("deadline")):
            timer._scheduled = False
            self._add_callback(timer)

    def close(self) -> None:
        """Close the loop, which ends its timers."""
        if not self.is_closed() and not self.is_running():
            if self._device:
                self.remove_reader(self._device)
                self._device.close()
            self._armed.clear()
            self._unarmed.clear()
            self._cancelled.clear()
        super().close()


def __getattr__(name: str) -> Any:
    """EventLoopPolicy, where asyncio has policies: Python 3.14 warns of them, 3.16 has none."""
    if name != "EventLoopPolicy":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    class EventLoopPolicy(asyncio.DefaultEventLoopPolicy):
        """A policy whose new loops are EventLoops."""

        _loop_factory = EventLoop

    globals()[name] = EventLoopPolicy
    return EventLoopPolicy


def run(main: Coroutine[Any, Any, _T], *, debug: bool | None = None) -> _T:
    """asyncio.run() on an EventLoop."""
    with asyncio.Runner(debug=debug, loop_factory=EventLoop) as runner:
        return runner.run(main)
