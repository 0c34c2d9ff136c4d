# SPDX-License-Identifier: GPL-2.0
"""herd7, which explores litmus tests, with the kernel's own memory model.

Debian 12 has no herd7. So herd7 comes from a newer suite of the archive, with the C
library of that suite, and runs from the cache.
"""

import re
import subprocess

import kernels
from archive import unpacked

# herd7, and the libraries that it is linked with
PACKAGES = ("herdtools7", "libc6", "libgmp10")
LIBRARIES = "usr/lib/x86_64-linux-gnu"


class Herd:
    """herd7 with the memory model of a kernel."""

    def __init__(self, kernel):
        self.model = kernels.source(kernel) / "tools/memory-model"
        place = unpacked("herd7", PACKAGES, "all")
        path = f"{place / LIBRARIES}:{place / 'usr/lib'}"
        self.command = [str(place / LIBRARIES / "ld-linux-x86-64.so.2"),
                        "--library-path", path, str(place / "usr/bin/herd7"),
                        "-I", str(place / "usr/share/herdtools7/herd"),
                        "-conf", "linux-kernel.cfg"]

    def judge(self, test):
        """Explore a test, a file. Returns the verdict, the number of states, and all that
        herd7 has printed. The verdict is "Never", "Sometimes" or "Always"; "data race"
        instead of "Never" if the test has one; or "error"."""
        result = subprocess.run([*self.command, str(test)], cwd=self.model,
                                capture_output=True, text=True, check=False)
        said = result.stdout + result.stderr
        verdict = re.search(r"^Observation \S+ (\w+)", said, re.M)
        states = re.search(r"^States (\d+)", said, re.M)
        if result.returncode or not verdict or not states:
            return "error", 0, said
        race = re.search(r"^Flag data-race", said, re.M)
        return "data race" if race and verdict[1] == "Never" else verdict[1], int(states[1]), said
