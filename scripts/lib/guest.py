# SPDX-License-Identifier: GPL-2.0
"""The initial file system of a virtual machine."""

import lzma
import os
import pathlib
import re
import shlex
import shutil

import kernels
from common import CHECKOUT, Fail, cache
from initramfs import Initramfs

INIT = pathlib.Path(__file__).with_name("guest-init")
NEEDED = ("9p", "9pnet_virtio", "virtio_pci", "virtio_console")
NINE = "trans=virtio,version=9p2000.L,msize=262144"


def busybox(name):
    """The program that a kernel's guest begins with."""
    if kernels.machine(name).foreign:
        return next(kernels.fetch(name).glob("**/bin/busybox")).read_bytes()
    path = shutil.which("busybox")
    if not path:
        raise Fail("no busybox here; run scripts/setup vm")
    data = pathlib.Path(path).read_bytes()
    if b"/lib64/ld-linux" in data[:4096]:
        raise Fail("busybox is not static; run scripts/setup vm")
    return data


def base_modules(plan):
    """The modules that a distribution's kernel needs to reach the host, in the order
    to load them."""
    if plan.root:
        root = plan.root / "lib/modules" / plan.kernel
    elif kernels.is_stock(plan.kernel):
        root = (kernels.fetch(plan.kernel) / "lib/modules"
                / kernels.resolve(plan.kernel)["release"])
    else:
        return []
    depends = {}
    for line in (root / "modules.dep").read_text(encoding="utf-8").splitlines():
        module, _, needs = line.partition(":")
        depends[module] = needs.split()
    order = []
    for module in depends:
        if re.sub(r"\.ko.*", "", os.path.basename(module)) in NEEDED:
            order += [*reversed(depends[module]), module]
    return [root / module for module in dict.fromkeys(order)]


def read_module(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def below_tmp(paths):
    """The directories directly below /tmp that contain any of the paths."""
    found = [path.parts[2] for path in map(pathlib.Path, paths)
             if path.parts[:2] == ("/", "tmp") and len(path.parts) > 2]
    return sorted({part for part in found if os.path.isdir("/tmp/" + part)})


def build(plan, out, control):
    """The archive for one run. out and control are devices of the guest."""
    image = Initramfs()
    for directory in ("proc", "sys", "dev", "host", "bin"):
        image.directory(directory)
    image.device("dev/console", 5, 1)
    image.device("dev/null", 1, 3)
    image.file("bin/busybox", busybox(plan.kernel), 0o755)
    init = INIT.read_bytes()
    image.file("init", init, 0o755)
    image.file("twheel/init", init, 0o755)

    base = base_modules(plan) if plan.engine == "qemu" else []
    names = [re.sub(r"\.xz$", "", path.name) for path in base]
    for name, path in zip(names, base):
        image.file("twheel/base/" + name, read_module(path))
    for path, parameters in plan.modules:
        image.file("twheel/modules/" + path.name, path.read_bytes())
        image.file(f"twheel/modules/{path.name}.parameters",
                   shlex.join(parameters).encode())

    config = {
        "engine": plan.engine,
        "foreign": "yes" if kernels.machine(plan.kernel).foreign else "no",
        "base_modules": " ".join(names),
        "nine": NINE + ",cache=loose",
        "nine_share": NINE + ",cache=none",
        "out": out,
        "control": control,
        "keep": "" if plan.root else " ".join(below_tmp([
            os.getcwd(), CHECKOUT, cache("x"), plan.share or "/", *plan.command])),
        "share": str(plan.share or ""),
        "modules": " ".join(path.name for path, _ in plan.modules),
    }
    image.file("twheel/config", "".join(
        f"{name}={shlex.quote(value)}\n" for name, value in config.items()
    ).encode())
    image.file("twheel/command", _command(plan).encode())
    return bytes(image)


def _command(plan):
    """A script that runs the command in the current directory of the host."""
    env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
           "HOME": "/root", "USER": "root", "LC_ALL": "C.UTF-8"}
    if "TERM" in os.environ:
        env["TERM"] = os.environ["TERM"]
    if os.isatty(1):
        size = os.get_terminal_size(1)
        env.update(COLUMNS=str(size.columns), LINES=str(size.lines))
    env.update(plan.environment)
    settings = [f"{name}={value}" for name, value in env.items()]
    directory = "/" if plan.root else os.getcwd()
    return (f"cd {shlex.quote(directory)} || exit 97\n"
            f"exec /usr/bin/env -i {shlex.join(settings + plan.command)}\n")
