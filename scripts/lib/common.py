# SPDX-License-Identifier: GPL-2.0
"""What all scripts share: options, errors, the cache, locks, long commands."""

import argparse
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = "scripts/" + pathlib.Path(sys.argv[0]).name
HEARTBEAT = 15  # seconds between two lines of progress

# Variables that an outer make or the user's shell has set for another build
FOREIGN = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "GNUMAKEFLAGS",
           "ARCH", "SUBARCH", "CROSS_COMPILE", "KDIR", "M", "O", "V", "C", "W",
           "KBUILD_OUTPUT", "KBUILD_EXTMOD", "KCFLAGS", "KCPPFLAGS",
           "KBUILD_MODPOST_WARN", "KCONFIG_CONFIG", "KCONFIG_ALLCONFIG",
           "INSTALL_MOD_PATH", "LOCALVERSION", "CFLAGS", "LDFLAGS")


class Fail(Exception):
    """An error that is shown to the user as one line."""


def say(text):
    print(f"{PROGRAM}: {text}", file=sys.stderr, flush=True)


def option_parser(doc, *words):
    """A parser for a script whose docstring is its help text, with arguments of these names:
    "--NAME" is an option without a value, and "NAMES..." takes the rest. If the docstring does not
    list the options, --help does."""
    title, _, rest = doc.partition("\n\n")
    usage, _, rest = rest.partition("\n\n")
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=title, usage=usage.removeprefix("usage: "), epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    if "\n  --" in doc:
        parser.format_help = lambda: doc
    for word in words:
        if word.startswith("--"):
            parser.add_argument(word, action="store_true")
        elif word.endswith("..."):
            parser.add_argument(word.removesuffix("..."), nargs="*")
        else:
            parser.add_argument(word)
    return parser


def complain(lines):
    """Print what is wrong, a line each. Returns the exit status."""
    found = list(lines)
    print("".join(f"{line}\n" for line in found), end="")
    return 1 if found else 0


def main(function):
    """Call the function with the command line. Turn Fail and Ctrl-C into a line on
    stderr and an exit status."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    try:
        sys.exit(function(sys.argv[1:]))
    except Fail as error:
        say(error)
        sys.exit(1)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)


def _interrupt(_signal, _frame):
    raise KeyboardInterrupt


def cache(*parts):
    """A path in the cache. Its directory is created."""
    root = os.environ.get("TWHEEL_CACHE") or "~/.cache/twheel"
    try:
        path = pathlib.Path(root).expanduser().absolute().joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise Fail(f"no cache in {root} ({error}): "
                   "set TWHEEL_CACHE to a writable directory") from error
    return path


def digest(*texts):
    return hashlib.sha256("\0".join(map(str, texts)).encode()).hexdigest()[:12]


@contextlib.contextmanager
def scratch(prefix):
    """A directory for one run. Also removes those of runs killed a day ago."""
    parent = cache("run", "x").parent
    for old in parent.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > 86400:
                shutil.rmtree(old)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as place:
        yield pathlib.Path(place)


@contextlib.contextmanager
def new_directory(place):
    """A directory to be filled, which is moved to its place at the end."""
    part = place.with_name(place.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
    except BaseException:
        shutil.rmtree(part)
        raise
    part.rename(place)


@contextlib.contextmanager
def lock(name):
    """Hold the cache's lock of this name. Say so if another run holds it."""
    with open(cache("locks", name), "w", encoding="ascii") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another run that works on {name}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def project_files():
    """The names of the files that git knows or would add."""
    names = output(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                   cwd=CHECKOUT).splitlines()
    return {name for name in names if (CHECKOUT / name).exists()}


def clean_environment(**extra):
    """The environment for a build that no outer build affects, in the C locale."""
    env = {k: v for k, v in os.environ.items() if k not in FOREIGN}
    env["LC_ALL"] = "C"
    env.update(extra)
    return env


def run(what, command, log=None, cwd=None, env=None, show=True):
    """Run a long command with its output in a log, and print progress.

    If the command fails, prints the end of the log and raises Fail.
    """
    log = log or cache("logs", digest(what, *command) + ".log")
    start = time.monotonic()
    with open(log, "wb") as output:
        with subprocess.Popen(command, stdout=output, stderr=output, cwd=cwd,
                              stdin=subprocess.DEVNULL, process_group=0,
                              env=env or clean_environment()) as process:
            try:
                _wait(process, what, log, start)
            except BaseException:
                os.killpg(process.pid, signal.SIGTERM)
                raise
    if process.returncode:
        if show:
            sys.stderr.write(tail(log, 30))
        raise Fail(f"{what} failed with status {process.returncode}; "
                   f"its output is in {log}")
    seconds = time.monotonic() - start
    if seconds >= 2:
        say(f"{seconds:4.0f} s  {what}: done")


def build_folder(folder, place, *targets):
    """Build the programs of a folder. Returns the place that they are in."""
    with lock(f"{place.parent.name}-{place.name}"):
        run(f"building {folder}", ["make", "-C", str(CHECKOUT / folder), f"O={place}", *targets])
    return place


def _wait(process, what, log, start):
    while True:
        try:
            return process.wait(HEARTBEAT)
        except subprocess.TimeoutExpired:
            last = tail(log, 1).strip()[-60:]
            say(f"{time.monotonic() - start:4.0f} s  {what}: {last}")


def tail(path, lines):
    """The last lines of a text file."""
    with open(path, "rb") as handle:
        handle.seek(0, os.SEEK_END)
        handle.seek(max(0, handle.tell() - 300 * lines))
        text = handle.read().decode(errors="replace")
    return "".join(text.splitlines(keepends=True)[-lines:])


def output(command, **options):
    """The output of a short command. Raises Fail if the command fails."""
    try:
        return subprocess.run(command, check=True, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL,
                              env=clean_environment(), **options).stdout
    except FileNotFoundError as error:
        raise Fail(f"no {command[0]} here; run scripts/setup") from error
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Fail(f"{command[0]} failed: {reason}") from error
