#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Print the UEFI variable "db" with a certificate, as a file of efivarfs wants it.

usage: scripts/lib/efi_db.py CERTIFICATE.der

Firmware without a platform key takes such a variable without looking at its signature,
which is empty here. The kernel puts the certificate on its platform keyring.
"""

import pathlib
import struct
import sys
import uuid

X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072").bytes_le
PKCS7 = uuid.UUID("4aafd29d-68df-49ee-8aa9-347d375665a7").bytes_le
OWNER = bytes(16)
# Kept over boots; for the kernel too; written with a time and a signature
ATTRIBUTES = 0x27


def variable(certificate):
    size = len(OWNER) + len(certificate)
    signatures = (X509 + struct.pack("<III", 28 + size, 0, size)
                  + OWNER + certificate)
    time = struct.pack("<HBBBBBBIhBB", 2026, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)
    empty = struct.pack("<IHH", 8 + len(PKCS7), 0x200, 0xEF1) + PKCS7
    return struct.pack("<I", ATTRIBUTES) + time + empty + signatures


if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
sys.stdout.buffer.write(variable(pathlib.Path(sys.argv[1]).read_bytes()))
