# SPDX-License-Identifier: GPL-2.0
"""What the cases share: registering them, running twheelctl, and assertions."""

import collections
import contextlib
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

SECOND = 10**9
NOBODY = 65534
BERLIN = "CET-1CEST,M3.5.0,M10.5.0/3"
TIMEOUT = 120

DONE, FAILED, USAGE, NO_DEVICE, NO_ACCESS, COMMAND_FAILED, COMMAND_HUNG = range(7)

Result = collections.namedtuple("Result", "command status out err")
Process = collections.namedtuple("Process", "pid name state parent")

options = [word for word in sys.argv[1:] if word in ("--here", "--time-travel")]
arguments = [word for word in sys.argv[1:] if word not in options]
travels = "--time-travel" in options
place = (options or ["real"])[0]
# All temporary files are here, with a copy of the tool that every user can run.
folder = tempfile.TemporaryDirectory()
os.chmod(folder.name, 0o755)
tempfile.tempdir = folder.name
program = shutil.copy(arguments[0], folder.name + "/twheelctl")
cases = []


class Skip(Exception):
    """A case cannot be run here, for this reason."""


def case_in(*places):
    """Make a function a case in these places."""
    def add(function):
        cases.append((function, places))
        return function
    return add


case = case_in("real", "--time-travel")
case_in_real_time = case_in("real")
case_in_virtual_time = case_in("--time-travel")
case_here = case_in("--here")  # needs neither root nor the module


def is_(found, expected, more=""):
    if found != expected:
        raise AssertionError(f"{found!r}, not {expected!r} {more}")


def says(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"no {part!r} in {text!r}")


def ends(result, status, *parts):
    """A command has ended with this status, and stderr has these parts."""
    is_(result.status, status, result)
    says(result.err, *parts)
    return result


def wait_until(condition):
    for _ in range(1000):
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def execute(*command, env=(), stdin="", stdout=subprocess.PIPE, **options):
    """Run a command to its end, with these variables more in its environment."""
    # Virtual time stands still while a process polls, so a timeout would never end.
    found = subprocess.run(command, env=os.environ | dict(env), input=stdin, stdout=stdout,
                           stderr=subprocess.PIPE, text=True, check=False,
                           timeout=None if travels else TIMEOUT, **options)
    return Result(command, found.returncode, found.stdout, found.stderr)


def ctl(*words, zone=None, **options):
    if zone:
        options["env"] = {"TZ": zone}
    return execute(program, *words, **options)


def good(*words, **options):
    """What a command prints, which has to succeed and report nothing."""
    result = ctl(*words, **options)
    is_((result.status, result.err), (DONE, ""), words)
    return result.out


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


def good_objects(*words, **options):
    return objects(good("--json", *words, **options))


def kinds(events):
    return [event["event"] for event in events]


def expired(events):
    return [event for event in events if event["event"] == "expired"]


class Background(subprocess.Popen):
    """A twheelctl in the background that prints JSON. It is killed at the end of a "with"."""

    def __init__(self, *words, command=(program,), **options):
        super().__init__([*command, "--json", *words],
                         **{"stdout": subprocess.PIPE, "text": True, **options})

    def __exit__(self, *exception):
        self.kill()
        super().__exit__(*exception)

    def event(self):
        """The next event that it prints."""
        return json.loads(self.stdout.readline())

    def events(self):
        """All events that it prints until it ends."""
        return objects(self.stdout.read())

    def ask(self, line):
        """Write a line to it. Returns the next event."""
        self.stdin.write(line + "\n")
        self.stdin.flush()
        return self.event()


@contextlib.contextmanager
def script(*lines):
    """Run a twheelctl script of these lines in the background: (PID:FD, process)."""
    with Background("script", stdin=subprocess.PIPE) as process:
        for line in lines:
            event = process.ask(line)
            # On a busy host, a timer of an earlier line expires meanwhile.
            while event["event"] == "expired":
                event = process.event()
            is_(event["event"], "added")
        found = [o for o in good_objects("list") if o["pid"] == process.pid]
        is_(len(found), 1)
        yield f"{process.pid}:{found[0]['fd']}", process


def descriptors_with_timers():
    return [o for o in good_objects("list") if o["timers"]]


def run_shell(text, *options, lease="100s"):
    """Run lines of a shell with a lease. $CTL is twheelctl."""
    return ctl("--json", "run", "--lease", lease, *options, "--", "sh", "-c",
               f"CTL={program}\n{text}")


def set_clock(text):
    """Set CLOCK_REALTIME to a time in UTC."""
    at = datetime.datetime.strptime(text + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    time.clock_settime(time.CLOCK_REALTIME, at.timestamp())


def processes():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", errors="replace") as file:
            found = re.match(r"\d+ \((.*)\) (.) (\d+)", file.read(), re.DOTALL)
            yield Process(int(pid), found[1], found[2], int(found[3]))
