# SPDX-License-Identifier: GPL-2.0
"""The architectures that the distribution has a kernel for, and a compiler for each."""

import dataclasses

from archive import Archive
from common import cache, lock, new_directory


@dataclasses.dataclass(frozen=True)
class Architecture:
    """An architecture: how its kernel is called, built for, and emulated."""

    debian: str         # its name in Debian's archive
    kbuild: str         # its name in the kernel's build, ARCH=
    image: str          # the package that depends on the newest kernel
    compiler: str       # the prefix of the cross compiler, or "" for the system's gcc
    flags: str          # options of the compiler, to build programs
    qemu: list[str]     # the emulator and its machine
    cpu: str            # the CPU of the machine
    console: str        # the console of the kernel in that machine

    @property
    def foreign(self):
        """Whether the host's programs do not run on this kernel."""
        return self.debian != "amd64"


# No page tables of five levels: with KASAN, an interrupt in the few instructions in which the
# kernel clears what it knows of its CPU reads a wrong address, once in many boots.
AMD64 = Architecture(
    "amd64", "x86_64", "linux-image-amd64", "", "",
    ["qemu-system-x86_64", "-machine", "q35"], "max,la57=off", "ttyS0")

# the distribution's kernels, by name
STOCKS = {
    "stock": AMD64,
    "stock-arm64": Architecture(
        "arm64", "arm64", "linux-image-arm64", "aarch64-linux-gnu-", "",
        ["qemu-system-aarch64", "-machine", "virt"], "cortex-a57", "ttyAMA0"),
    "stock-i386": Architecture(
        "i386", "i386", "linux-image-686", "", "-m32",
        ["qemu-system-i386", "-machine", "q35"], "qemu32", "ttyS0"),
    "stock-s390x": Architecture(
        "s390x", "s390", "linux-image-s390x", "s390x-linux-gnu-", "",
        ["qemu-system-s390x", "-machine", "s390-ccw-virtio"], "max", "ttysclp0"),
}


def prefix(architecture):
    """CROSS_COMPILE for this architecture. Fetches the compiler if necessary: the
    distribution's compilers for other machines exclude gcc-multilib."""
    if not architecture.compiler:
        return ""
    triplet = architecture.compiler.removesuffix("-")
    place = cache("cross", triplet)
    if not place.exists():
        with lock("cross-" + triplet):
            if not place.exists():
                with new_directory(place) as part:
                    _unpack(architecture, triplet, part, place)
    return f"{place}/bin/{architecture.compiler}"


def _unpack(architecture, triplet, scratch, place):
    archive = Archive("own")
    archive.want_lists()
    wanted = []
    for package in (f"gcc-{triplet}", f"libc6-dev-{architecture.debian}-cross"):
        wanted += archive.family(package, rf"-{triplet}|-{architecture.debian}-cross$")
    archive.unpack(sorted(set(wanted)), scratch)
    (scratch / "bin").mkdir()
    for tool in scratch.glob(f"usr/bin/{triplet}-*"):
        _wrap(tool.name, scratch / "bin", place)


def _wrap(tool, directory, place):
    """A program is not where it was to be installed: tell it where its libraries are, and
    the compiler also where the libraries of its programs are."""
    root = f" --sysroot={place}" if "-gcc" in tool else ""
    wrapper = directory / tool
    wrapper.write_text(f"#!/bin/sh\n"
                       f"export LD_LIBRARY_PATH={place}/usr/lib/x86_64-linux-gnu\n"
                       f'exec {place}/usr/bin/{tool}{root} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)


def compiler(architecture):
    """The command that compiles a program for this architecture."""
    return f"{prefix(architecture)}gcc {architecture.flags}".strip()
