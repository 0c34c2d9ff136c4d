# SPDX-License-Identifier: GPL-2.0
"""The project's kernel modules, built outside the checkout."""

import os
import sys

import kernels
from common import CHECKOUT, Fail, cache, digest, lock, output, run

# rsync's filter rules for the files that a kernel build reads
SOURCES = ["--exclude=*.mod.c", "--exclude=.*", "--exclude=/scripts",
           "--include=*/", "--include=*.[chS]", "--include=Kbuild*",
           "--include=Kconfig*", "--include=Makefile*", "--exclude=*"]


def sync(project, place):
    """Copy the sources.

    A changed file gets the time of the copy, so that make sees the change even if
    the file was saved while the last build ran.
    """
    output(["rsync", "-rlp", "--checksum", "--delete", "--prune-empty-dirs",
            *SOURCES, f"{project}/", f"{place}/"])


def _place(name, flavour, project, arguments):
    key = digest(kernels.build_directory(name, flavour), project, *arguments)
    return cache("module", f"{kernels.identity(name)}-{flavour}-{key}")


def build(name, flavour, project=CHECKOUT, arguments=()):
    """Build the modules for a kernel. Returns the directory that they are in."""
    if not (project / "Kbuild").exists():
        raise Fail(f"no Kbuild in {project}: nothing to build")
    arguments = [*arguments, "TWHEEL_TESTS=1"]
    if flavour.endswith("-gcov"):
        arguments.append("GCOV_PROFILE=y")
    if flavour.endswith("-fuzz"):
        arguments.append("KCOV_INSTRUMENT=y")
    kernel = kernels.build(name, flavour)
    place = _place(name, flavour, project, arguments)
    with lock(place.name):
        place.mkdir(parents=True, exist_ok=True)
        sync(project, place)
        log = cache("logs", place.name + ".log")
        command = ["make", "-s", "-C", str(kernel), f"M={place}",
                   f"ARCH={kernels.architecture(name, flavour)}", "W=1",
                   f"-j{os.cpu_count() or 1}", *arguments, "modules"]
        run(f"building modules for {kernels.identity(name)} {flavour}",
            command, log=log)
        _show_warnings(log)
    return place


def _show_warnings(log):
    """Print what a silent make that succeeded has warned about."""
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if not line.startswith("Skipping BTF generation"):
            print(line, file=sys.stderr)
