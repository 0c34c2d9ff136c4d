# SPDX-License-Identifier: GPL-2.0
"""The kernel in a bzImage. Documentation/arch/x86/boot.rst of the kernel has the format."""

import lzma
import struct
import subprocess

from common import Fail, lock

SECTOR = 512
SETUP_SECTORS = 0x1f1  # a byte: how many follow the first
PAYLOAD = 0x248        # two words: offset behind those sectors, and length
XZ = b"\xfd7zXZ\0"
ZSTD = b"\x28\xb5\x2f\xfd"


def unpacked(image):
    """The kernel as an ELF file beside the image. QEMU boots it by the PVH protocol, in
    half of the time: an emulated CPU takes seconds to unpack a kernel. Without PVH, or if
    the compression is unknown here, the image itself."""
    config = image.with_name(image.name.replace("vmlinuz", "config"))
    elf = image.with_name(image.name.replace("vmlinuz", "vmlinux"))
    if "\nCONFIG_PVH=y\n" not in config.read_text("utf-8"):
        return image
    with lock(elf.name):
        if not elf.exists():
            kernel = _unpack(image.read_bytes())
            if not kernel:
                return image
            if not kernel.startswith(b"\x7fELF"):
                raise Fail(f"{image} has no ELF file")
            scratch = elf.with_name(elf.name + ".part")
            scratch.write_bytes(kernel)
            scratch.rename(elf)
    return elf


def _unpack(data):
    offset, length = struct.unpack_from("<2I", data, PAYLOAD)
    start = (1 + data[SETUP_SECTORS]) * SECTOR + offset
    payload = data[start:start + length]
    if payload.startswith(XZ):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(ZSTD):
        try:
            # Behind the compressed data comes its length, which zstd complains about.
            return subprocess.run(["zstd", "-dcq"], input=payload, check=False,
                                  capture_output=True).stdout
        except FileNotFoundError:
            pass
    return None
