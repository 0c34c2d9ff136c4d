# SPDX-License-Identifier: GPL-2.0
"""Write an initial file system: a cpio archive in the "newc" format."""

import stat


class Initramfs:
    """Collects files. bytes() of it is the archive."""

    def __init__(self):
        self._parts = []
        self._inode = 0
        self._directories = set()

    def _entry(self, name, mode, data=b"", device=(0, 0)):
        self._inode += 1
        encoded = name.encode() + b"\0"
        fields = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device,
                  len(encoded), 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self._parts.append(_padded(header + encoded) + _padded(data))

    def directory(self, name):
        if name and name not in self._directories:
            self.directory(name.rpartition("/")[0])
            self._directories.add(name)
            self._entry(name, stat.S_IFDIR | 0o755)

    def file(self, name, data, mode=0o644):
        self.directory(name.rpartition("/")[0])
        self._entry(name, stat.S_IFREG | mode, data)

    def device(self, name, major, minor):
        self.directory(name.rpartition("/")[0])
        self._entry(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def __bytes__(self):
        self._entry("TRAILER!!!", 0)
        return b"".join(self._parts)


def _padded(data):
    return data + b"\0" * (-len(data) % 4)
