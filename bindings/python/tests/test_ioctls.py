# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The package without libtwheel-ffi: other tests pass by ioctl() alone."""

import pathlib
import subprocess
import sys
import unittest

WITHOUT = """
import sys, unittest
sys.modules["twheel.library"] = None    # as if the library were not installed
import twheel
assert twheel.version.__module__ == "twheel.ioctls"
unittest.main(module=None, argv=["", *sys.argv[1:]])
"""
MAPPINGS = """
import errno, sys
sys.modules["twheel.library"] = None
import twheel
with twheel.Timers() as timers:
    for call in timers.map_table, timers.map_ring:
        try:
            call(1)
        except OSError as error:
            assert error.errno == errno.EOPNOTSUPP
        else:
            raise AssertionError
"""


class IoctlsTest(unittest.TestCase):
    def python(self, *arguments):
        found = subprocess.run([sys.executable, "-B", "-W", "ignore::ResourceWarning", "-c",
                                *arguments], cwd=pathlib.Path(__file__).parent, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(found.returncode, 0, found.stdout)

    def test_other_tests(self):
        self.python(WITHOUT, "test_timers", "test_lease", "test_aio")

    def test_mappings_say_what_they_need(self):
        self.python(MAPPINGS)


if __name__ == "__main__":
    unittest.main()
