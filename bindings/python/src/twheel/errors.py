# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Errors. Those of the device are OSErrors with its errno."""

import errno
import os

# What may be wrong if the device cannot be opened
_HINTS = {
    errno.ENOENT: "is the module twheel loaded?",
    errno.ENXIO: "is the module twheel loaded?",
    errno.EACCES: "is the user in the group twheel?",
    errno.ENODEV: "this is not the device of twheel",
    errno.EPROTO: "the driver has another version of the interface",
}


class GoneError(FileNotFoundError):
    """The handle names no timer: its last event was delivered, or it was cancelled."""


class ClosedError(ValueError):
    """The object is closed."""


def from_errno(number: int) -> OSError:
    """The error of an operation or a call with this errno."""
    if number == errno.EDQUOT:
        return OSError(number, "a limit of the user or of the descriptor is reached")
    return OSError(number, os.strerror(number))


def from_open(number: int, path: str | bytes) -> OSError:
    """The error of opening the device: it has the path, and says what may be wrong."""
    hint = f" ({_HINTS[number]})" if number in _HINTS else ""
    return OSError(number, os.strerror(number) + hint, path)


def from_timer(number: int) -> OSError:
    """The same, where ENOENT means that a timer or a group is gone."""
    if number == errno.ENOENT:
        return GoneError(number, "no such timer")
    return from_errno(number)
