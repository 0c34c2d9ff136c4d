# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Errors. Those of the device are OSErrors with its errno."""

import errno
import os


class GoneError(FileNotFoundError):
    """The handle names no timer: its last event was delivered, or it was cancelled."""


class ClosedError(ValueError):
    """The object is closed."""


def from_errno(number: int) -> OSError:
    """The error of an operation or a call with this errno."""
    return OSError(number, os.strerror(number))


def from_timer(number: int) -> OSError:
    """The same, where ENOENT means that a timer or a group is gone."""
    if number == errno.ENOENT:
        return GoneError(number, "no such timer")
    return from_errno(number)
