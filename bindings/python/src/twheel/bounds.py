# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Integers that fit into a field of the kernel. ctypes would cut the others off."""

import operator


def integer(name: str, value: int, low: int, end: int) -> int:
    """VALUE, an integer from LOW to END - 1. The error says which NAME is wrong."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {type(value).__name__} is not an integer") from None
    if not low <= number < end:
        # Without the number: Python does not print one of more than 4,300 digits.
        raise OverflowError(f"{name}: not an integer from {low} to {end - 1}")
    return number


def u64(name: str, value: int) -> int:
    return integer(name, value, 0, 1 << 64)


def u32(name: str, value: int) -> int:
    return integer(name, value, 0, 1 << 32)


def s32(name: str, value: int) -> int:
    return integer(name, value, -(1 << 31), 1 << 31)
