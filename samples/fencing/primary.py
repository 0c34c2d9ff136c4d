# SPDX-License-Identifier: MIT
"""A primary as a worker of gunicorn: a thread acts, and a request lets the worker hang.

struct shared of fencing.h says what is where in the shared memory.
"""

import mmap
import os
import struct
import threading
import time

MS, MARKS_OFFSET, MARKS = 10**6, 4096, 60000
RENEWED, HANG, SPIN, ACTORS, TIDS = 8, 24, 28, 32, 36

with open(os.environ["FENCING_SHARED"], "r+b") as file:
    shared = mmap.mmap(file.fileno(), MARKS_OFFSET + MARKS)
base, = struct.unpack_from("Q", shared)


def act():
    struct.pack_into("I", shared, TIDS, threading.get_native_id())
    struct.pack_into("I", shared, ACTORS, 1)
    while True:
        millisecond = (time.monotonic_ns() - base) // MS
        if millisecond < MARKS:
            shared[MARKS_OFFSET + millisecond] = 1
        if not shared[SPIN]:
            time.sleep(0.0005)


def app(_environment, _start):
    struct.pack_into("Q", shared, RENEWED, time.monotonic_ns())
    while True:
        time.sleep(1000)


# gunicorn starts another worker. It has no lease.
if not shared[HANG]:
    threading.Thread(target=act, daemon=True).start()
