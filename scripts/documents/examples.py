#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Take the examples out of the documentation.

usage: scripts/documents/examples.py markdown FILE HEADING
       scripts/documents/examples.py unmarked FILE...
       scripts/documents/examples.py files DIRECTORY FILE...
       scripts/documents/examples.py steps host|vm DIRECTORY FILE...

"markdown" prints the first C example below a heading of level 2.

In the pages of Documentation, an example is a code-block with one of these classes:

  file    to be saved under the name in its caption
  host    commands for a shell, in the top folder of the source
  vm      the same, in a virtual machine with the module loaded
  prints  lines that the commands before it print, in this order

"unmarked" prints the code-blocks without such a class that are not transcripts
(console), and fails if there are any. Nothing runs the commands of a transcript:
scripts/documents/commands.py checks that what they name exists. "files" writes the files
into the directory. "steps" writes each block of commands to DIRECTORY/NUMBER.sh and what it
prints to DIRECTORY/NUMBER.prints, and prints a line "NUMBER PAGE:LINE" for each.
"""

import dataclasses
import itertools
import pathlib
import re
import sys
import textwrap

CLASSES = ("file", "host", "vm", "prints")


@dataclasses.dataclass
class Example:
    """A code-block of a page."""

    where: str
    language: str
    options: dict
    text: str

    @property
    def kind(self):
        return self.options.get("class")


def blocks(lines):
    """(line number, language, lines) of each block of code. The language is None behind "::"."""
    number = 0
    while number < len(lines):
        number += 1
        head = re.match(r"( *)(?:\.\. code-block:: *(\S*)|(?!\.\.).*:: *$)", lines[number - 1])
        if head:
            body = list(itertools.takewhile(
                lambda line, indent=head[1] + " ": not line.strip() or line.startswith(indent),
                lines[number:]))
            yield number, head[2], body
            number += len(body)


def of_page(path):
    """The code-blocks of a page."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").expandtabs().splitlines()
    for number, language, body in blocks(lines):
        if language is None:
            continue
        body = textwrap.dedent("\n".join(body)).strip("\n").split("\n")
        options = {}
        while body and (option := re.match(r":(\w+): *(.*)", body[0])):
            options[option[1]] = option[2]
            del body[0]
        text = "\n".join(body).strip("\n") + "\n"
        yield Example(f"{path}:{number}", language, options, text)


def of_pages(paths):
    return [example for path in paths for example in of_page(path)]


def markdown(path, heading):
    """The first C example below a heading of a Markdown file."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(heading)}$.*?^```c$\n(.*?)^```$", text,
                      re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"{path} has no example under '{heading}'")
    return found[1]


def unmarked(paths):
    found = [example.where for example in of_pages(paths)
             if example.kind not in CLASSES and example.language != "console"]
    for where in found:
        print(f"{where}: an example that nothing compiles or runs")
    return 1 if found else 0


def write_files(directory, paths):
    for example in of_pages(paths):
        if example.kind == "file":
            place = pathlib.Path(directory, example.options["caption"])
            place.parent.mkdir(parents=True, exist_ok=True)
            text = example.text
            if example.language == "c":  # indented with blanks in a page
                text = re.sub(r"^(?: {8})+", lambda found: "\t" * (len(found[0]) // 8),
                              text, flags=re.MULTILINE)
            place.write_text(text, encoding="utf-8")
            print(place)


def write_steps(kind, directory, paths):
    number = 0
    last = None
    for example in of_pages(paths):
        if example.kind == kind:
            number += 1
            place = pathlib.Path(directory, f"{number}.sh")
            place.write_text(example.text, encoding="utf-8")
            place.with_suffix(".prints").write_text("", encoding="utf-8")
            print(number, example.where)
            last = number
        elif example.kind == "prints" and last:
            place = pathlib.Path(directory, f"{last}.prints")
            place.write_text(example.text, encoding="utf-8")
        if example.kind != kind:
            last = None


def main(arguments):
    match arguments:
        case ["markdown", path, heading]:
            print(markdown(path, heading), end="")
        case ["unmarked", *paths]:
            return unmarked(paths)
        case ["files", directory, *paths]:
            write_files(directory, paths)
        case ["steps", "host" | "vm" as kind, directory, *paths]:
            write_steps(kind, directory, paths)
        case _:
            print(__doc__.strip())
            return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
