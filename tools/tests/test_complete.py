# SPDX-License-Identifier: GPL-2.0
"""Completion in shells: complete."""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import tempfile

from harness import TIMEOUT, Skip, case, case_here, execute, good, is_, program, says, script


def completed(*words):
    """What "twheelctl complete" says of the last word."""
    return [line.split("\t")[0] for line in good("complete", *words).splitlines()]


@case_here
def complete_knows_commands_options_and_values():
    is_(completed("ne"), ["next"])
    is_(completed("--json", "l"), ["lease", "list"])
    is_(completed("--vers"), ["--version"])
    is_(completed("next", "@daily", "--f"), ["--from"])
    is_(completed("add", "1s", "--missed", ""), ["skip", "each", "restart"])
    is_(completed("add", "1s", "--missed", "e"), ["each"])
    is_(completed("lease", "l"), ["left"])
    is_(completed("help", "dra"), ["drain"])
    is_(completed("script", "x"), [":files"])
    is_(completed("--device", ""), [":files"])
    is_(completed("nonsense", ""), [])
    is_(completed("add", ""), [])
    for words, first in ((("add", "1s", "l"), 2), (("add", "1s", "--count", "2", "ls", "-"), 4),
                         (("run", "--restart", "--", "ls", "-"), 3), (("run", "l"), 1)):
        is_(completed(*words), [f":command {first}"])
    # The options are those of help.
    for name in completed(""):
        shown = re.findall(r"^  (?:-\w, )?(--\w+)", good("help", name), re.MULTILINE)
        if name not in ("help", "version"):
            is_(completed(name, "--"), shown, name)


@case
def complete_knows_the_files_of_other_programs():
    with script("add 1h") as (place, _):
        says(completed("list", "--of", place[:3]), place)
        is_(completed("list", "--of", "x"), [])


COMPLETION = pathlib.Path(__file__).resolve().parents[1] / "completion"
PATH = f"{os.path.dirname(program)}:{os.environ['PATH']}"


def in_shell(*command, **variables):
    """What a shell prints that finds twheelctl."""
    if not shutil.which(command[0]):
        raise Skip(f"this machine has no {command[0]}")
    return execute(*command, env={"PATH": PATH, **variables}).out.split("\n")


BASH = """
. /usr/share/bash-completion/bash_completion && . "$FILE"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=${LINE// : /:}
COMP_POINT=${#COMP_LINE} COMP_TYPE=9
_twheelctl 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


@case_here
def bash_completes():
    if not os.path.exists("/usr/share/bash-completion/bash_completion"):
        raise Skip("this machine has no bash-completion")

    def bash(*words):
        return in_shell("bash", "--norc", "-c", BASH, "bash", "twheelctl", *words,
                        FILE=COMPLETION / "twheelctl.bash",
                        LINE=" ".join(("twheelctl", *words)))[:-1]

    is_(bash("li"), ["list"])
    is_(bash("add", "1s", "--mi"), ["--missed"])
    is_(bash("add", "1s", "--missed", "r"), ["restart"])
    # A colon separates words there, and the command's own words begin behind.
    says(bash("at", "18", ":", "00", "twheelct"), "twheelctl")


@case_here
def fish_completes():
    def fish(line):
        return [found.split("\t")[0] for found in in_shell(
            "fish", "--no-config", "-c", 'source $FILE; complete -C "$LINE"',
            FILE=COMPLETION / "twheelctl.fish", LINE=line)[:-1]]

    is_(fish("twheelctl li"), ["list"])
    is_(fish("twheelctl add 1s --missed r"), ["restart"])
    says(fish("twheelctl next @daily --f"), "--from")
    says(fish("twheelctl every 1s twheelct"), "twheelctl")


@case_here
def zsh_completes():
    """A shell on a terminal: zsh completes nowhere else."""
    if not shutil.which("zsh"):
        raise Skip("this machine has no zsh")
    rc = tempfile.mkdtemp()
    with open(f"{rc}/.zshrc", "w", encoding="ascii") as file:
        file.write(f"fpath=({COMPLETION} $fpath)\n"
                   "autoload -U compinit; compinit -u -D; PS1=; unset zle_bracketed_paste\n")
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update(PATH=PATH, TERM="dumb", ZDOTDIR=rc)
        os.execvp("zsh", ["zsh", "-i"])
    try:
        seen = b""
        os.write(terminal, b"print rea''dy\n")
        for keys, wanted in ((b"", b"ready"), (b"twheelctl resu\t", b"resume "),
                             (b"\x15twheelctl add 1s --miss\t", b"--missed"),
                             (b"r\t", b"restart")):
            os.write(terminal, keys)
            while wanted not in seen:
                assert select.select([terminal], [], [], TIMEOUT)[0], seen
                seen += os.read(terminal, 4096)
            seen = seen[seen.index(wanted) + len(wanted):]
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
