# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The package's constants and structures are those of the recorded interface."""

import ctypes
import pathlib
import re
import unittest

from twheel import abi, ioctls

RECORDS = pathlib.Path(__file__).resolve().parents[3] / "Documentation/abi"
# What the library keeps to itself
HIDDEN = re.compile(r"ABI_M|MMAP_|WORD_CLOSED|RING_MORE|DRAIN_RESUME|LEASE_EXPIRE|IOC_")
NAMES = {"OP_": [abi.Opcode], "FEATURE_": [abi.Feature],
         "EVENT_": [abi.EventType, abi.EventFlags], "PUSHED_": [abi.Pushed],
         "PUSHED": [abi.Pushed], "": [abi.Result, abi.Flags]}
STRUCTURES = {"twheel_op": abi.Op, "twheel_info": abi.InfoStructure,
              "twheel_table": abi.TableStructure, "twheel_events": abi.EventsStructure}


def record(name):
    return (RECORDS / f"{name}.txt").read_text(encoding="utf-8")


def value_of(name):
    """The value of TWHEEL_name in the package."""
    for prefix, groups in NAMES.items():
        if name.startswith(prefix):
            rest = name.removeprefix(prefix) or name
            return next((group[rest] for group in groups if rest in group.__members__), None)


class AbiTest(unittest.TestCase):
    def test_constants(self):
        found = re.findall(r"^(?:constant |\t)TWHEEL_(\w+) = (\w+)",
                           record("twheel") + record("libtwheel"), re.M)
        checked = 0
        for name, value in found:
            if not HIDDEN.match(name):
                with self.subTest(name):
                    self.assertEqual(value_of(name), int(value, 0))
                    checked += 1
        self.assertGreater(checked, 30)

    def test_structures(self):
        text = record("twheel") + record("libtwheel")
        for name, structure in STRUCTURES.items():
            with self.subTest(name):
                size, = re.findall(rf"^struct {name}: size (\d+)", text, re.M)
                self.assertEqual(ctypes.sizeof(structure), int(size))
                members = re.findall(rf"^\t *(\d+) +(\d+)  {name}\.(\w+)", text, re.M)
                ours = [(field.offset, field.size) for field in
                        (getattr(structure, name) for name, _ in structure._fields_)]
                # A union has two names for a place.
                places = dict.fromkeys((int(at), int(width)) for at, width, _ in members)
                self.assertEqual(list(places), ours)

    def test_ioctls(self):
        found = re.findall(r"^ioctl TWHEEL_(?:LEASE_)?IOC_(\w+) = (\w+)", record("twheel"), re.M)
        self.assertEqual(len(found), 16)
        for name, value in found:
            self.assertEqual(getattr(ioctls, f"_{name}"), int(value, 0), name)

    def test_event(self):
        size, = re.findall(r"^struct twheel_event: size (\d+)", record("twheel"), re.M)
        self.assertEqual(abi.EVENT.size, int(size))
        members = re.findall(r"^\t *\d+ +(\d+)  twheel_event\.(\w+)", record("twheel"), re.M)
        names = [name for _, name in members][:len(abi.Event._fields)]
        self.assertEqual([name.removesuffix("_ns") for name in names],
                         [name.removesuffix("_ns") for name in abi.Event._fields])


if __name__ == "__main__":
    unittest.main()
