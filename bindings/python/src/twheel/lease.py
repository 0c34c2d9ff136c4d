# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""A lease: the descriptor by which another process keeps a timer from expiring."""

import ctypes

from .bounds import u64
from .descriptor import Descriptor
from .native import library


class Lease(Descriptor):
    """A lease on a timer, from Timers.lease() or of a descriptor that a parent passed on.

    Hand the descriptor to another process, by pass_fds of subprocess or by
    socket.send_fds(). The holder pushes the deadline back while it lives and works. When a
    lease has ended, its calls raise GoneError.
    """

    @classmethod
    def from_env(cls) -> "tuple[Lease, int]":
        """Take the lease that "twheelctl run" has given the program, and its length in ns.

        Call this once: the object owns the descriptor. FileNotFoundError if there is none.
        """
        length = ctypes.c_uint64()
        try:
            return cls(library.lease_from_env(length)), length.value
        except FileNotFoundError as error:
            raise FileNotFoundError(
                error.errno,
                "TWHEEL_LEASE_FD and TWHEEL_LEASE_NS are not set; twheelctl run sets them",
            ) from None

    def push(self, delay_ns: int | None = None) -> None:
        """Push the deadline back: to DELAY_NS from now, or as far as the lease allows."""
        if delay_ns is None:
            library.lease_push(self.fileno())
        else:
            library.lease_push_by(self.fileno(), u64("delay_ns", delay_ns))

    def left(self) -> int:
        """The time from now to the deadline."""
        left = ctypes.c_uint64()
        library.lease_left(self.fileno(), left)
        return left.value

    async def ended(self) -> None:
        """Wait in a coroutine for the end of the lease."""
        await self._readable()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the lease. False after TIMEOUT seconds, at once if negative."""
        return self._poll(0, timeout)
