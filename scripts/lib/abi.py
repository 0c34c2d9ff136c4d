#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Print the binary interface of a header, as the compiler sees it.

usage: abi.py HEADER [COMPILER-OPTION...]

Structures and enumerations come from debugging information; #defined constants
are evaluated by the compiler. Nothing is executed, so any word size works. Only
names that begin with twheel or TWHEEL_ are printed. Each line is complete by
itself: a difference between two outputs is a difference between two interfaces.
"""

import os
import pathlib
import re
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from common import Fail, main, output  # noqa: E402

COMPILER = os.environ.get("CC", "gcc")
DIE = re.compile(r"^ <(\d+)><([0-9a-f]+)>: .*\(DW_TAG_(\w+)\)$")
ATTRIBUTE = re.compile(r"^ +<[0-9a-f]+> +DW_AT_(\w+) *: (?:\(.*?\): )?(.*)$")
MACRO = re.compile(r"^#define (TWHEEL_\w+)(\(.*?\))? (.+)$", re.M)
VALUE = struct.Struct("<QIi")  # value, size, whether the type is signed


class Entry:
    """An entry of the debugging information, with the entries inside it."""

    def __init__(self, tag):
        self.tag, self.attributes, self.inside = tag, {}, []

    @property
    def name(self):
        return self.attributes.get("name", "").strip() or "(none)"

    def number(self, name):
        return int(self.attributes[name].split()[0], 0)


def read_entries(text):
    """All entries, by their offsets."""
    entries, parents, entry = {}, {}, None
    for line in text.splitlines():
        found = DIE.match(line)
        if found:
            level, place, tag = int(found[1]), found[2], found[3]
            entry = entries[place] = parents[level] = Entry(tag)
            if level:
                parents[level - 1].inside.append(entry)
            continue
        found = ATTRIBUTE.match(line)
        if found and entry:
            entry.attributes[found[1]] = found[2]
    return entries


def type_of(entries, entry):
    return entries[entry.attributes["type"].strip("<>").removeprefix("0x")]


def elements(entry):
    """How many elements an array has."""
    count = 1
    for part in entry.inside:
        if "upper_bound" in part.attributes:
            count *= part.number("upper_bound") + 1
        else:
            count = 0  # a flexible array
    return count


def size_and_name(entries, entry):
    if entry.tag == "array_type":
        size, name = size_and_name(entries, type_of(entries, entry))
        count = elements(entry)
        return size * count, f"{name}[{count or ''}]"
    if entry.tag == "typedef":
        return size_and_name(entries, type_of(entries, entry))[0], entry.name
    if entry.tag == "pointer_type":
        return entry.number("byte_size"), "pointer"
    if "byte_size" not in entry.attributes:
        raise Fail(f"{entry.tag} {entry.name} has no size")
    return entry.number("byte_size"), entry.name


def offset_of(member):
    if "bit_size" in member.attributes:
        raise Fail(f"{member.name} is a bit field, which has no place in an ABI")
    return member.number("data_member_location") if (
        "data_member_location" in member.attributes) else 0


def members(entries, entry, start=0):
    """The named members with their offsets, also those of unnamed unions."""
    for member in entry.inside:
        if member.tag != "member":
            continue
        at = start + offset_of(member)
        if "name" in member.attributes:
            yield at, member
        else:
            yield from members(entries, type_of(entries, member), at)


def structure(entries, entry, alignment):
    size = entry.number("byte_size")
    kind = entry.tag.removesuffix("_type").replace("structure", "struct")
    yield f"{kind} {entry.name}: size {size}, alignment {alignment}"
    end = 0
    for at, member in members(entries, entry):
        width, name = size_and_name(entries, type_of(entries, member))
        if kind == "struct" and at > end:
            yield f"\t{end:4} {at - end:4}  hole in {entry.name}"
        yield f"\t{at:4} {width:4}  {entry.name}.{member.name} {name}"
        end = max(end, at + width)
    if end < size:
        yield f"\t{end:4} {size - end:4}  hole in {entry.name}"


def enumeration(entry):
    yield f"enum {entry.name}: size {entry.number('byte_size')}"
    for value in entry.inside:
        yield f"\t{value.name} = {value.number('const_value')}"


class Header:
    """A header, and the options and directory to compile it."""

    def __init__(self, header, options, place):
        self.place = place
        self.include = f'#include "{pathlib.Path(header).resolve()}"\n'
        self.options = list(options)

    def compile(self, text, *options):
        source, result = self.place / "a.c", self.place / "a.o"
        source.write_text(self.include + text, encoding="utf-8")
        output([COMPILER, "-xc", "-w", *self.options, *options, str(source),
                "-o", str(result)])
        return result

    def entries(self):
        result = self.compile("", "-g", "-c", "-fno-eliminate-unused-debug-types")
        return read_entries(output(["readelf", "--debug-dump=info", "-wN",
                                    str(result)]))

    def macros(self):
        result = self.compile("", "-E", "-dM")
        return sorted(MACRO.findall(result.read_text(encoding="utf-8")))

    def evaluate(self, expressions):
        """The values of expressions, with their sizes and signs."""
        if not expressions:
            return []
        rows = ",\n".join(
            f"{{ (__u64)({text}), sizeof({text}), "
            f"(__typeof__(({text}) + 0))-1 < 0 }}" for text in expressions)
        result = self.compile(
            "#include <linux/types.h>\n"
            "__attribute__((used, section(\"abi\"))) static const struct {\n"
            "__u64 v; __u32 size; __s32 sign; } values[] = {\n" + rows
            + "\n};\n", "-c")
        binary = self.place / "abi"
        output(["objcopy", "-O", "binary", "-j", "abi", str(result),
                str(binary)])
        return list(VALUE.iter_unpack(binary.read_bytes()))


def constants(header):
    """Constants with their values. Macros with arguments are printed as written."""
    plain = []
    for name, arguments, text in header.macros():
        if arguments:
            yield f"macro {name}{arguments} {' '.join(text.split())}"
        else:
            plain.append(name)
    for name, (value, size, sign) in zip(plain, header.evaluate(plain)):
        if "_IOC_" in name:
            yield f"ioctl {name} = {value:#x}"
            continue
        yield (f"constant {name} = {value:#x} "
               f"({'signed' if sign else 'unsigned'}, {size} bytes)")


def types(header):
    entries = header.entries()
    ours = [entry for entry in entries.values()
            if entry.name.startswith("twheel") and entry.inside]
    records = [entry for entry in ours
               if entry.tag in ("structure_type", "union_type")]
    words = [f"__alignof__({'struct' if e.tag[0] == 's' else 'union'} {e.name})"
             for e in records]
    alignments = [value for value, _, _ in header.evaluate(words)]
    for entry, alignment in zip(records, alignments):
        yield from structure(entries, entry, alignment)
    for entry in ours:
        if entry.tag == "enumeration_type":
            yield from enumeration(entry)


def run(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, end="", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        header = Header(arguments[0], arguments[1:], pathlib.Path(place))
        for line in (*types(header), *constants(header)):
            print(line)
    return 0


main(run)
