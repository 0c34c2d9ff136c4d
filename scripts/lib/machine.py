# SPDX-License-Identifier: GPL-2.0
"""Start a virtual machine, carry its output, and end it."""

import ctypes
import os
import pathlib
import re
import selectors
import signal
import socket
import subprocess
import sys
import time

import kernels
from common import Fail, cache

PR_SET_PDEATHSIG = 1
REPORT_ALL = ["ignore_loglevel", "panic=-1", "oops=panic"]
# On a busy host, a machine's CPU may not run for a while. That is not its fault.
PATIENT = ["rcupdate.rcu_cpu_stall_timeout=120"]
PATIENT_QEMU = [*PATIENT, "no_timer_check", "watchdog_thresh=60"]
# The memory controller flushes its statistics every few seconds: half the work of an idle
# kernel, in virtual time.
CALM = ["cgroup_disable=memory"]
# QEMU's emulated CPUs share one time-stamp counter. The kernel does not know, and would read
# the time from a device, with a lock of QEMU's.
FAST_CLOCK = "tsc=reliable"
# A string instruction of the emulated CPU copies byte by byte. Without ERMS, the kernel copies
# words, and a machine takes an eighth less time. Counts of instructions have been recorded with
# ERMS.
WORD_COPIES = ",erms=off"
# What UML says if the host refuses what UML needs, and the name of that
REFUSALS = (("SMP is not supported with PTRACE", "seccomp filters"),
            ("check_ptrace : expected SIGSTOP", "ptrace"))
FIRMWARE = "/usr/share/OVMF/OVMF_CODE_4M.fd"
LIBC = ctypes.CDLL(None)


class Channel:
    """A connection from the guest: our end, and the machine's."""

    def __init__(self):
        self.ours, self.theirs = socket.socketpair()
        for end in (self.ours, self.theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)

    @property
    def fd(self):
        return self.theirs.fileno()

    def close(self):
        self.ours.close()
        self.theirs.close()


def use_kvm():
    """Whether hardware virtualisation works. /dev/kvm may exist without working, but
    then the CPU lacks the flag."""
    try:
        cpu = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False
    return (re.search(r"^flags.*\b(vmx|svm)\b", cpu, re.M) is not None
            and os.access("/dev/kvm", os.R_OK | os.W_OK))


def qemu_command(plan, image, initrd, channels):
    """QEMU with console, command output and control on three channels."""
    architecture = kernels.machine(plan.kernel)
    emulated = plan.icount or architecture.foreign or not use_kvm()
    threads = "single" if plan.one_thread else "multi"
    # shift=0: an instruction takes a nanosecond. sleep=off: idle time passes at once.
    clock = ["-icount", "shift=0,sleep=off"] if plan.icount else []
    boot = [f"console={architecture.console}", *REPORT_ALL, *PATIENT_QEMU]
    cpu = architecture.cpu
    if emulated and not plan.icount and not architecture.foreign:
        boot.append(FAST_CLOCK)
        cpu += WORD_COPIES
    # The last: what follows "--" is for the guest's init.
    boot += plan.append.split()
    command = [*architecture.qemu, "-cpu", cpu, "-nodefaults", "-no-user-config",
               "-no-reboot", "-display", "none",
               "-accel", f"tcg,thread={threads}" if emulated else "kvm", *clock,
               "-smp", str(plan.cpus), "-m", str(plan.mem), "-kernel", str(image),
               "-append", " ".join(boot), "-initrd", str(initrd), "-device", "virtio-serial",
               "-virtfs", f"local,path={plan.root or '/'},mount_tag=hostroot,"
                          "security_model=none,readonly=on,multidevs=remap"]
    for name, channel in zip(("console", "out", "control"), channels):
        command += ["-chardev", f"socket,id={name},fd={channel.fd}"]
    command += ["-serial", "chardev:console",
                "-device", "virtserialport,chardev=out,nr=1",
                "-device", "virtserialport,chardev=control,nr=2"]
    if plan.firmware:
        flash = "if=pflash,format=raw,file="
        command += ["-drive", f"{flash}{FIRMWARE},readonly=on",
                    "-drive", f"{flash}{plan.firmware}"]
    if plan.gdb:
        command += ["-gdb", f"unix:{plan.gdb},server=on,wait=off"]
    if plan.share:
        command += ["-virtfs", f"local,path={plan.share},mount_tag=share,"
                               "security_model=none,multidevs=remap"]
    return command


def uml(image, plan, append, travel="time-travel=inf-cpu"):
    """The command for UML. The caller adds the consoles."""
    command = [str(image), f"mem={plan.mem}M", "con=null", "console=tty0",
               *REPORT_ALL, *PATIENT]
    if plan.flavour == "uml-tt":
        command += [travel, *CALM]
    else:
        command += [f"ncpus={plan.cpus}", "seccomp=auto"]
    return [*command, *append, *plan.append.split()]


def uml_command(plan, image, initrd, channels):
    """UML with the same channels as consoles 0, 1 and 2."""
    consoles = [f"con{number}=null,fd:{channel.fd}"
                for number, channel in enumerate(channels)]
    return uml(image, plan, [f"initrd={initrd}", *consoles])


def lacking(console):
    """Whether the host refused what UML needs. Then stdout gets a document of TAP that says
    what."""
    for text, name in REFUSALS:
        if text in console:
            print(f"1..0 # SKIP this host has no {name}, which this UML needs", flush=True)
            return True
    return False


def environment(plan):
    """UML keeps its memory in a file. Choose a directory that has room for it. UML also makes
    a folder in its home, and crashes if it has none."""
    needed = (plan.mem + 64) << 20
    directory = "/dev/shm"
    try:
        place = os.statvfs(directory)
        fits = (place.f_bavail * place.f_frsize >= needed
                and not place.f_flag & os.ST_NOEXEC
                and os.access(directory, os.W_OK | os.X_OK))
    except OSError:
        fits = False
    if not fits:
        directory = str(cache("run", "x").parent)
    return {"HOME": directory, **os.environ, "TMPDIR": directory}


def start(command, plan, **options):
    """Start a machine in a process group of its own. It is killed if we die."""
    if plan.verbose:
        print("+", " ".join(command), file=sys.stderr)
    try:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, process_group=0,
            env=environment(plan), preexec_fn=_die_with_parent, **options)
    except FileNotFoundError as error:
        raise Fail(f"no {command[0]} here; run scripts/setup vm arch") from error


def _die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def kill(process):
    """Kill a machine with all its processes, if it still runs."""
    if process.returncode is not None:
        return  # another process may have its number by now
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


DEVICES = {"qemu": ("/dev/vport0p1", "/dev/vport0p2"),
           "uml": ("/dev/tty1", "/dev/tty2")}
COMMANDS = {"qemu": qemu_command, "uml": uml_command}


class Machine:
    def __init__(self, plan, initrd):
        self.plan = plan
        self.console = b""
        self.control = b""
        self.channels = [Channel() for _ in range(3)]
        self._started = time.monotonic()
        self._heard = self._started
        self._ended = None
        if plan.root:
            image = plan.root / "boot" / f"vmlinuz-{plan.kernel}"
        else:
            image = kernels.kernel_image(plan.kernel, plan.flavour)
        command = COMMANDS[plan.engine](plan, image, initrd, self.channels)
        self.process = start(command, plan, pass_fds=[
            channel.fd for channel in self.channels])
        for channel in self.channels:
            channel.theirs.close()

    def pump(self):
        """Carry output until the machine ends. Returns False if time ran out, or if the
        machine fell silent while it booted."""
        console, out, control = (channel.ours for channel in self.channels)
        streams = {console: self._on_console, out: _on_output,
                   control: self._on_control,
                   self.process.stdout: self._on_console}
        with selectors.DefaultSelector() as selector:
            for stream in streams:
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                left = self._time_left()
                if left <= 0:
                    return self._finished()
                for key, _ in selector.select(left):
                    data = _read(key.fileobj)
                    if data:
                        streams[key.fileobj](data)
                    else:
                        selector.unregister(key.fileobj)
        return True

    def _time_left(self):
        if self._finished():
            # The guest has reported everything. Give it 3 s to power off.
            self._ended = self._ended or time.monotonic()
            return self._ended + 3 - time.monotonic()
        limit = self._started + self.plan.timeout
        if not self._booted():
            limit = min(limit, self._heard + self.plan.silence)
        return limit - time.monotonic()

    def _booted(self):
        return b"booted\n" in self.control

    def fell_silent(self):
        """Whether the machine fell silent before it loaded or ran anything of ours."""
        silence = time.monotonic() - self._heard
        return not self._booted() and silence >= self.plan.silence

    def _finished(self):
        return self.control.endswith(b"\nend\n")

    def _on_console(self, data):
        self._heard = time.monotonic()
        self.console += data
        if self.plan.verbose:
            sys.stderr.buffer.write(data)
            sys.stderr.flush()

    def _on_control(self, data):
        self.control += data

    def said(self, word):
        """The rest of the line that the guest's init began with this word, or None."""
        head = self.control.partition(b"\nlog\n")[0].decode(errors="replace")
        found = re.search(rf"^{word}\b ?(.*)$", head, re.M)
        return found[1] if found else None

    def kernel_log(self):
        log = self.control.partition(b"\nlog\n")[2].removesuffix(b"end\n")
        return log.decode(errors="replace")

    def console_log(self):
        return self.console.decode(errors="replace")

    def end(self):
        kill(self.process)
        for channel in self.channels:
            channel.close()


def _read(stream):
    try:
        return os.read(stream.fileno(), 1 << 18)
    except (ConnectionResetError, BlockingIOError):
        return b""


def _on_output(data):
    while data:
        data = data[os.write(1, data):]
