# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The calls of the device: by libtwheel-ffi where it is installed, otherwise by ioctl()."""

import time

try:
    from . import library
except ImportError:
    from . import ioctls as library  # type: ignore[no-redef]

__all__ = ["library", "now"]


def now(clockid: int = time.CLOCK_MONOTONIC) -> int:
    """Read a clock, in ns."""
    return time.clock_gettime_ns(clockid)
