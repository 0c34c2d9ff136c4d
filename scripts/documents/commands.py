#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Check that what the commands in the documentation name exists.

usage: scripts/documents/commands.py [FILE...]

Reads pages of reStructuredText and Markdown, READMEs and manual pages: the given files, or
all of them. A command is a line of a block of code that begins with a prompt ("$" or "#"),
or whose first word is make, twheelctl, a script, or the program "run" of a folder. So is a
literal that begins with such a word.

A script must exist, and be executable; its options must be in its text. The programs that
scripts/selftests is to run must be in tests/selftests. A target of make
must be in the Makefile, and a variable in some makefile. A subcommand of twheelctl must be
in its manual page, and so must an option. Every other program behind a prompt must be in
ELSEWHERE, the list of programs that other projects have. Nothing is run. Prints what is
missing; the exit status is 1 if anything is.
"""

import os
import pathlib
import re
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import examples  # noqa: E402
from common import CHECKOUT, complain, main, option_parser, project_files  # noqa: E402

# Programs of other projects, behind a prompt
ELSEWHERE = ("apt", "awk", "cut", "dkms", "docker", "gdb", "getent", "modprobe", "mokutil",
             "podman", "rm", "spatch", "uname", "usermod")
# Words in front of the program that they run
BEFORE = ("sudo", "env", "exec", "then", "do", "if", "while", "time", "sg", "sh")
# Variables of make that the kernel's makefiles read, or a module of the reader's own
FOREIGN = ("DEPMOD", "KBUILD_EXTRA_SYMBOLS", "KCFLAGS", "M")
# Targets of the kernel's Makefile
KERNELS = ("modules", "modules_install", "clean")
# Blocks in these languages are no commands.
CODE = ("c", "cpp", "go", "make", "python", "rust", "text")
BUILT = re.compile(r"(^|/)(build|_build|out)(/|$)")
OPTION = re.compile(r"(--?[a-z][\w-]*)")
PLACEHOLDER = re.compile(r"[A-Z_]+$")


class Names:
    """What exists."""

    def __init__(self):
        self.files = project_files()
        self.folders = {str(pathlib.PurePath(name).parent) for name in self.files}
        makefiles = [name for name in self.files
                     if pathlib.PurePath(name).name in ("Makefile", "Kbuild")]
        self.makefiles = {name: self.text(name) for name in makefiles}
        self.tool = manual(self.text("man/twheelctl.1"))

    @staticmethod
    def text(name):
        return (CHECKOUT / name).read_text(encoding="utf-8", errors="replace")

    def is_program(self, word):
        """A word that can only be meant as a program of the project."""
        return (word == "make" or word.split("/")[-1] == "twheelctl"
                or word.endswith("/run") or word.startswith("scripts/")) and \
            word.rstrip("/") not in self.folders


def manual(text):
    """The text of a manual page, without the escapes that commands have."""
    for escape, meaning in ((r"\-", "-"), (r"\(aq", "'"), (r"\(rs", "\\"), (r"\&", "")):
        text = text.replace(escape, meaning)
    return text


def has_word(text, word):
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)


# Where commands are

def blocks_of_rst(lines):
    """Yield (number, line) of the blocks that no test compiles or runs."""
    for number, language, body in examples.blocks(lines):
        kind = re.search(r"^ *:class: *(\S+)$", "\n".join(body), re.MULTILINE)
        if not (language in CODE or kind and kind[1] in examples.CLASSES):
            yield from enumerate(body, number + 1)


def blocks_of_markdown(lines):
    fence = None
    for number, line in enumerate(lines, 1):
        mark = re.match(r"```(\w*)", line)
        if mark:
            fence = None if fence is not None else mark[1]
        elif fence not in CODE and (fence is not None or line.startswith(("    ", "\t"))):
            yield number, line


def blocks_of_manual(lines):
    inside = False
    for number, line in enumerate(lines, 1):
        if line in (".EX", ".EE"):
            inside = line == ".EX"
        elif inside:
            yield number, manual(line)


def literals(lines):
    for number, line in enumerate(lines, 1):
        for literal in re.findall(r"(`+)([^`]+)\1", line):
            yield number, literal[1]


def commands(path, text):
    """Yield (number, command, has a prompt)."""
    lines = text.expandtabs().splitlines()
    prompts = r"[$#] +" if path.endswith(".rst") else r"\$ +"
    if path.endswith(".rst"):
        blocks = blocks_of_rst(lines)
    elif re.search(r"\.[1-9]$", path):
        blocks = blocks_of_manual(lines)
    else:
        blocks = blocks_of_markdown(lines)
    begun = ""
    for number, line in blocks:
        line = begun + line.strip().removeprefix("ExecStart=")
        begun = line[:-1] if line.endswith("\\") else ""
        if not begun:
            prompt = re.match(prompts, line)
            yield number, line[len(prompt[0]):] if prompt else line, bool(prompt)
    for number, literal in literals(lines):
        yield number, literal, False


# What is wrong with a command

def simple_commands(line):
    """The words of each simple command of a line of a shell."""
    # $(COMMAND) may stand between quotes, so it is taken out first.
    inner = re.findall(r"\$\(([^()]*)\)", line)
    line = re.sub(r"\$\(([^()]*)\)", "$SUBSTITUTED", line)
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError:  # the command goes on behind the line
        tokens = line.replace("'", " ").replace('"', " ").split()
    words = []
    for token in tokens:
        if re.fullmatch(r"[;|&()]+", token):
            yield words
            words = []
        else:
            words.append(token)
    yield words
    for command in inner:
        yield from simple_commands(command)


def wrong_make(names, words):
    folder = ""
    for number, word in enumerate(words):
        if number and words[number - 1] == "-C":
            folder = word
        elif "=" in word:
            name = word.split("=")[0]
            if name not in FOREIGN and not any(has_word(text, name)
                                               for text in names.makefiles.values()):
                yield f"no variable {name}"
        elif not word.startswith("-") and not PLACEHOLDER.match(word):
            text = names.makefiles.get(str(pathlib.PurePath(folder, "Makefile")), "")
            if folder.startswith("$"):
                if word not in KERNELS:
                    yield f"no target {word} of the kernel"
            elif not re.search(rf"^(?:[\w -]* )?{re.escape(word)}(?: [\w -]*)?:",
                               text, re.MULTILINE):
                yield f"no target {word}"


def wrong_tool(names, words):
    words = [word for word in words if not word.startswith("@")]
    while words and words[0].startswith("-"):
        if words[0] != "-" and not has_word(names.tool, words[0]):
            yield f"no option {words[0]} of twheelctl"
        words = words[2:] if words[0] == "--device" else words[1:]
    if not words or PLACEHOLDER.match(words[0]):
        return
    if not re.search(rf'^\.(?:B|BI|BR) "?{re.escape(words[0])}\b', names.tool, re.MULTILINE):
        yield f"no subcommand {words[0]} of twheelctl"
    for word in words[1:]:
        if word.startswith("--") and not has_word(names.tool, word):
            yield f"no option {word} of twheelctl"


def wrong_program(names, page, path, words):
    beside = str(pathlib.PurePath(page).parent / path)
    path = beside if beside in names.files else path
    if BUILT.search(path) or re.search(r"[A-Z*]{3}", path):
        return
    if path not in names.files:
        yield f"no file {path}"
    elif (path.split("/")[0] == "scripts" and not path.endswith(".cocci") and
          not os.access(CHECKOUT / path, os.X_OK)):
        yield f"{path} cannot be executed"
    else:
        text = names.text(path)
        for word in words:
            option = OPTION.match(word)
            if option and option[1] not in ("-h", "--help") and not has_word(text, option[1]):
                yield f"no option {option[1]} of {path}"
        if path == "scripts/selftests":
            yield from wrong_selftests(names, text, words)


def wrong_selftests(names, text, words):
    words = [word for word in words if not word.startswith(("-", "$"))]
    if words and not PLACEHOLDER.match(words[0]) and not has_word(text, words[0]):
        yield f"scripts/selftests does not run {words[0]}"
    for word in words[1:]:
        program = word.split(":")[0]
        if not (PLACEHOLDER.match(program) or f"tests/selftests/{program}.c" in names.files):
            yield f"no program tests/selftests/{program}.c"


def wrong(names, page, words, prompt):
    """What a simple command names that does not exist."""
    words = [word for word in words if word not in ("<", ">", ">>", ">&", "#")]
    while words and (words[0] in BEFORE or re.match(r"\w+=", words[0])):
        if words[0] in ("sg", "sh") and "-c" in words:
            for text in words[words.index("-c") + 1:][:1]:
                for inner in simple_commands(text):
                    yield from wrong(names, page, inner, False)
            return
        del words[0]
    if not words or words[0].startswith("$") or PLACEHOLDER.match(words[0]):
        return
    program, words = words[0], words[1:]
    if "--" in words and program != "make":
        where = words.index("--")
        yield from wrong(names, page, words[where + 1:], False)
        words = words[:where]
    if program == "make":
        yield from wrong_make(names, words)
    elif program.split("/")[-1] == "twheelctl":
        yield from wrong_tool(names, words)
    elif names.is_program(program):
        yield from wrong_program(names, page, program, words)
    elif prompt and program not in ELSEWHERE:
        yield f"no program {program}: is it another project's?"


def run(arguments):
    names = Names()
    pages = option_parser(__doc__, "files...").parse_args(arguments).files or sorted(
        name for name in names.files if re.search(r"(\.md|\.rst|README|\.[1-9])$", name)
        and name != "CHANGELOG.md")
    return complain(f"{page}:{number}: {what}" for page in pages
                    for number, line, prompt in commands(page, names.text(page))
                    for words in simple_commands(line)
                    for what in wrong(names, page, words, prompt))


main(run)
