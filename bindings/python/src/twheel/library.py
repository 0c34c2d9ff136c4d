# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The functions of libtwheel-ffi, with their types. An error becomes an exception."""

import ctypes
from ctypes import (POINTER, c_char_p, c_int, c_long, c_size_t, c_uint32, c_uint64,
                    c_void_p)
from typing import Any, Callable

from . import errors
from .abi import EventsStructure, InfoStructure, Op, TableStructure

NAME = "libtwheel-ffi.so.1"

try:
    _blocking = ctypes.CDLL(NAME)
    # Functions that return at once keep the interpreter's lock. So no other thread can
    # unmap what they work on.
    _quick = ctypes.PyDLL(NAME)
except OSError as _error:
    raise ImportError(f"{NAME} is not installed: {_error}") from _error


def _function(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(library, f"twheel_{name}")
    function.restype, function.argtypes = result, arguments
    return function


def _call(name: str, *arguments: Any, result: Any = c_int,
          error: Callable[[int], OSError] = errors.from_errno) -> Any:
    def check(value: int, *_: Any) -> int:
        if value < 0:
            raise error(-value)
        return value

    function = _function(_blocking, name, result, *arguments)
    function.errcheck = check
    return function


_ops, _table, _events = POINTER(Op), POINTER(TableStructure), POINTER(EventsStructure)

open_path = _call("open_path", c_char_p, c_int)
get_info = _call("get_info", c_int, POINTER(InfoStructure))
add = _call("add", c_int, _ops)
change = _call("change", c_int, c_uint64, c_uint64, c_uint32, error=errors.from_timer)
cancel = _call("cancel", c_int, c_uint64, error=errors.from_timer)
query = _call("query", c_int, c_uint64, _ops, c_uint32, error=errors.from_timer)
upsert = _call("upsert", c_int, _ops)
cancel_group = _call("cancel_group", c_int, c_uint64, POINTER(c_uint64),
                     error=errors.from_timer)
submit = _call("submit", c_int, _ops, c_size_t, result=c_long)
drain = _call("drain", c_int, _ops, c_size_t, result=c_long)
resume = _call("resume", c_int)
list = _call("list", c_int, POINTER(c_uint64), _ops, c_size_t, c_uint32, result=c_long)
lease = _call("lease", c_int, c_uint64, c_uint64, c_uint32, error=errors.from_timer)
lease_push = _call("lease_push", c_int, error=errors.from_timer)
lease_push_by = _call("lease_push_by", c_int, c_uint64, error=errors.from_timer)
lease_from_env = _call("lease_from_env", POINTER(c_uint64))
fence = _call("fence", c_int, c_int, c_int)
lease_left = _call("lease_left", c_int, POINTER(c_uint64), error=errors.from_timer)
set_eventfd = _call("set_eventfd", c_int, c_int)
watch_clock = _call("watch_clock", c_int)
map_table = _call("map_table", c_int, c_size_t, _table)
map_ring = _call("map_ring", c_int, c_size_t, _events)
unmap_table = _function(_quick, "unmap_table", None, _table)
unmap_ring = _function(_quick, "unmap_ring", None, _events)
push_back = _function(_quick, "push_back", c_int, _table, c_uint64, c_uint64)
ring_count = _function(_quick, "ring_count", c_size_t, _events)
ring_peek = _function(_quick, "ring_peek", c_void_p, _events, c_size_t)
ring_advance = _function(_quick, "ring_advance", None, _events, c_size_t)
ring_more = _function(_quick, "ring_more", c_int, _events)
_version = _function(_quick, "version", c_char_p)


def version() -> str:
    """The version of libtwheel, "MAJOR.MINOR"."""
    return _version().decode()
