# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Timers by the million, on /dev/twheel.

Timers is an open file of the device. Its methods are those of libtwheel, with the same
names. Times are integers in nanoseconds; now() reads a clock. A negative time, or another
number that does not fit into its field, is an OverflowError that names the field. A time from
2^63 ns on, 292 years, is an OSError (EINVAL).

    with twheel.Timers() as timers:
        handle = timers.add(5 * twheel.SECOND, cookie=7)
        timers.change(handle, 10 * twheel.SECOND)

Op is an operation, and Timers.submit() carries out a list of them in one call. Table and
Ring are the two mappings. twheel.aio has an event loop for asyncio.
"""

from .abi import (Event, EventFlags, EventType, Feature, Flags, Info, Op, Opcode,
                  Pushed, Result)
from .errors import ClosedError, GoneError
from .lease import Lease
from .mappings import Ring, Table
from .native import library, now
from .timers import SECOND, Timers

version = library.version

__all__ = ["ClosedError", "Event", "EventFlags", "EventType", "Feature", "Flags",
           "GoneError", "Info", "Lease", "Op", "Opcode", "Pushed", "Result", "Ring",
           "SECOND", "Table", "Timers", "now", "version"]
