# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The examples run, and check themselves."""

import pathlib
import subprocess
import sys
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


class ExamplesTest(unittest.TestCase):
    def test_examples(self):
        examples = sorted(EXAMPLES.glob("*.py"))
        self.assertGreater(len(examples), 1)
        for example in examples:
            with self.subTest(example.name):
                subprocess.run([sys.executable, "-B", example], check=True, timeout=60,
                               stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    unittest.main()
