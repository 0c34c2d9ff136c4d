#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Print the binary interface of a header, as the compiler sees it.

usage: abi.py HEADER [COMPILER-OPTION...]

gdb reads structures and enumerations from debugging information, and #defined constants from
variables that the compiler has initialised. Nothing is executed, so any word size works. Only
names that begin with twheel or TWHEEL_ are printed. Each line is complete by itself: a difference
between two outputs is a difference between two interfaces.
"""

import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from common import main, output  # noqa: E402

TYPE = re.compile(r"\b(struct|union|enum) (twheel\w*)\s*\{")
MACRO = re.compile(r"^#define (TWHEEL_\w+)(\(.*?\))? (.+)$", re.M)
VARIABLE = '__attribute__((section("abi"))) __typeof__({1}) abi_{0} = {1};\n'


def size_and_name(kind):
    """Of a type, as gdb has it."""
    import gdb

    if kind.code == gdb.TYPE_CODE_ARRAY:
        size, name = size_and_name(kind.target())
        first, last = kind.range()
        count = last - first + 1
        return size * count, f"{name}[{count or ''}]"
    return kind.sizeof, "pointer" if kind.code == gdb.TYPE_CODE_PTR else kind.name


def members(kind, start=0):
    """The named members with their offsets, also those of unnamed unions."""
    for member in kind.fields():
        at = start + member.bitpos // 8
        if member.bitsize:
            raise SystemExit(f"{member.name} is a bit field, which has no place in an ABI")
        if member.name:
            yield at, member
        else:
            yield from members(member.type, at)


def structure(word, kind, alignment):
    yield f"{word} {kind.name}: size {kind.sizeof}, alignment {alignment}"
    end = 0
    for at, member in members(kind):
        width, name = size_and_name(member.type)
        if word == "struct" and at > end:
            yield f"\t{end:4} {at - end:4}  hole in {kind.name}"
        yield f"\t{at:4} {width:4}  {kind.name}.{member.name} {name}"
        end = max(end, at + width)
    if end < kind.sizeof:
        yield f"\t{end:4} {kind.sizeof - end:4}  hole in {kind.name}"


def constant(name, value):
    bits = int(value) & (1 << 64) - 1
    if "_IOC_" in name:
        return f"ioctl {name} = {bits:#x}"
    return (f"constant {name} = {bits:#x} ({'signed' if value.type.is_signed else 'unsigned'}, "
            f"{value.type.sizeof} bytes)")


def interface(types, macros):
    """The lines of the output, in gdb."""
    import gdb

    def value(name):
        return gdb.parse_and_eval(f"abi_{name}")

    for word, name in types:
        if word != "enum":
            yield from structure(word, gdb.lookup_type(f"{word} {name}"), int(value(name)))
    for word, name in types:
        if word == "enum":
            kind = gdb.lookup_type(f"enum {name}")
            yield f"enum {name}: size {kind.sizeof}"
            yield from (f"\t{field.name} = {field.enumval}" for field in kind.fields())
    # Macros with arguments are printed as written.
    for name, arguments, text in macros:
        if arguments:
            yield f"macro {name}{arguments} {' '.join(text.split())}"
    yield from (constant(name, value(name)) for name, arguments, _ in macros if not arguments)


def run(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, end="", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        source, result = pathlib.Path(place, "a.c"), pathlib.Path(place, "a.o")
        source.write_text(f'#include "{pathlib.Path(arguments[0]).resolve()}"\n', "utf-8")
        compiler = [os.environ.get("CC", "gcc"), "-xc", "-w", *arguments[1:], str(source)]
        types = list(dict.fromkeys(TYPE.findall(output([*compiler, "-E"]))))
        macros = sorted(MACRO.findall(output([*compiler, "-E", "-dM"])))
        with open(source, "a", encoding="utf-8") as file:
            for word, name in types:
                file.write(VARIABLE.format(name, f"__alignof__({word} {name})"))
            for name, with_arguments, _ in macros:
                if not with_arguments:
                    file.write(VARIABLE.format(name, name))
        output([*compiler, "-g", "-c", "-fno-eliminate-unused-debug-types", "-o", str(result)])
        print(output(["gdb", "-batch", "-nx", "-ex", f"python types, macros = {types}, {macros}",
                      "-x", str(pathlib.Path(__file__).resolve()), str(result)]), end="")
    return 0


if "gdb" in sys.modules:  # gdb runs this file, too
    for line in interface(types, macros):  # noqa: F821
        print(line)
else:
    main(run)
