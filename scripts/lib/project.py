# SPDX-License-Identifier: GPL-2.0
"""The project's kernel modules, built outside the checkout."""

import os
import pathlib
import re
import shutil
import sys

import architectures
import kernels
from common import (CHECKOUT, Fail, cache, clean_environment, digest, lock, new_directory,
                    output, run)

# rsync's filter rules for the files that a kernel build reads
SOURCES = ["--exclude=*.mod.c", "--exclude=.*", "--exclude=/scripts",
           "--include=*/", "--include=*.[chS]", "--include=Kbuild*",
           "--include=Kconfig*", "--include=Makefile*", "--exclude=*"]

# What a make says about BTF: it is absent, or the kernel was built when there was another
# pahole, or none.
ABOUT_BTF = re.compile("Skipping BTF generation|warning: pahole version differs|"
                       "  The kernel was built with: [0-9]+$|  You are using: +[0-9]+$")


def sync(project, place):
    """Copy the sources. Returns whether any have changed.

    A changed file gets the time of the copy, so that make sees the change even if
    the file was saved while the last build ran.
    """
    return output(["rsync", "-rlpi", "--checksum", "--delete", "--prune-empty-dirs",
                   *SOURCES, f"{project}/", f"{place}/"]) != ""


def _place(name, flavour, project, arguments):
    """The directory to build in, and a pattern for those where other checkouts, or
    runs that also call a checker for all (C=2), compile the same way. C=1 checks what is
    compiled, and must not begin with what was compiled without it."""
    compiling = [text for text in arguments
                 if "C=1" in arguments or not text.startswith(("C=", "CF="))]
    key = digest(kernels.build_directory(name, flavour),
                 os.path.relpath(project, CHECKOUT), *compiling)
    kind = f"{kernels.identity(name)}-{flavour}-{key}"
    place = cache("module", f"{kind}-{digest(project, *arguments)}")
    return place, f"{kind}-*"


def _seed(place, pattern):
    """Begin with a copy of the newest build of the same kind, so that make compiles only
    what differs. Its paths are replaced where make compares them."""
    others = sorted((path for path in place.parent.glob(pattern) if path != place
                     and (path / "Module.symvers").exists()),
                    key=lambda path: (path / "Module.symvers").stat().st_mtime)
    if not others:
        return
    with new_directory(place) as part:
        with lock(others[-1].name):
            shutil.copytree(others[-1], part, symlinks=True, dirs_exist_ok=True)
        for path in part.rglob("*"):
            if path.suffix in (".cmd", ".mod", ".order"):
                text, times = path.read_text("utf-8"), path.stat()
                path.write_text(text.replace(str(others[-1]), str(place)), "utf-8")
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def build(name, flavour, project=CHECKOUT, arguments=()):
    """Build the modules for a kernel. Returns the directory that they are in."""
    if not (project / "Kbuild").exists():
        raise Fail(f"no Kbuild in {project}: nothing to build")
    extra = arguments
    arguments = [*arguments, "TWHEEL_TESTS=1"]
    if flavour.endswith("-gcov"):
        arguments.append("GCOV_PROFILE=y")
    if flavour.endswith("-fuzz"):
        arguments.append("KCOV_INSTRUMENT=y")
    kernel = kernels.build(name, flavour)
    place, pattern = _place(name, flavour, project, arguments)
    with lock(place.name):
        # Coverage data goes where the first build of an object was.
        if not place.exists() and not flavour.endswith("-gcov"):
            _seed(place, pattern)
        place.mkdir(exist_ok=True)
        # An argument may name a file whose contents matter. Without arguments, a build
        # without a warning is as good as a second one.
        built = place / ".twheel-built"
        was_built = built.exists() and not extra
        built.unlink(missing_ok=True)
        if not sync(project, place) and was_built:
            built.touch()
            return place
        log = cache("logs", place.name + ".log")
        command = ["make", "-s", "-C", str(kernel), f"M={place}",
                   f"ARCH={kernels.architecture(name, flavour)}",
                   f"CROSS_COMPILE={architectures.prefix(kernels.machine(name))}", "W=1",
                   f"-j{os.cpu_count() or 1}", *kernels.toolchain(flavour), *arguments,
                   "modules"]
        try:
            run(f"building modules for {kernels.identity(name)} {flavour}",
                command, log=log, env=clean_environment(TWHEEL_ANY_KERNEL="1"))
            sys.stderr.writelines(f"{line}\n" for line in _warnings(log))
        finally:
            _compile_again(place, _warnings(log))
        _forget_old(place)
        if not _warnings(log):
            built.touch()
    return place


def _forget_old(place):
    """Remove modules that are no longer built: their sources are gone."""
    built = (place / "modules.order").read_text("utf-8")
    for path in place.rglob("*.ko"):
        if f"{path.relative_to(place).with_suffix('')}." not in built:
            path.unlink()


def _warnings(log):
    """What a silent make has warned about."""
    text = log.read_text(encoding="utf-8", errors="replace")
    return [line for line in text.splitlines() if not ABOUT_BTF.match(line)]


def _compile_again(place, warnings):
    """Let the next build compile what has a warning once more, and show it again."""
    for name in set(re.findall(r"(\S+\.[ch]):\d+", "\n".join(warnings))):
        path = pathlib.Path(place, name)
        if path.is_relative_to(place) and path.exists():
            path.touch()
