# SPDX-License-Identifier: GPL-2.0
"""Build the project into a kernel, for kernels that cannot load modules.

The build starts from a copy of the plain kernel's build, so that only
drivers/twheel is compiled. scripts/lib/kernels.py adds that directory to each tree.
"""

import shutil

import kernels
import project
from common import CHECKOUT, Fail, cache, lock, new_directory, run


def build(name, flavour, target):
    """Build a kernel with the project in it, and copy the kernel to the target: the
    next build overwrites the original."""
    if kernels.architecture(name, flavour) != "um":
        raise Fail(f"twheel is built into UML kernels only, not {flavour}")
    plain = kernels.build(name, flavour)
    tree = kernels.fetch(name)
    place = cache("kunit", plain.name)
    with lock(f"{tree.name}-slot"):
        if not place.exists():
            with new_directory(place) as part:
                run(f"copying {plain.name}", ["cp", "-a", f"{plain}/.", str(part)])
        project.sync(CHECKOUT, tree / "drivers" / "twheel")
        wanted = "\n".join((kernels.fragments(flavour),
                            (kernels.CONFIGS / "kunit").read_text("utf-8")))
        _configure(tree, place, flavour, wanted)
        run(f"building twheel into {plain.name.rpartition('-')[0]}",
            kernels.make_command(tree, place, "um", "-s", "linux"))
        image = kernels.kernel_image(name, flavour).relative_to(plain)
        shutil.copy2(place / image, target)
    return target


def _configure(tree, place, flavour, wanted):
    """Configure the kernel if the wanted options or the project's Kconfig changed."""
    kconfigs = sorted((tree / "drivers/twheel").rglob("Kconfig*"))
    state = wanted + "".join(path.read_text("utf-8") for path in kconfigs)
    record = place / ".twheel-configured"
    if record.exists() and record.read_text("utf-8") == state:
        return
    record.unlink(missing_ok=True)
    kernels.configure(tree, place, flavour, wanted)
    config = (place / ".config").read_text("utf-8")
    if "CONFIG_TWHEEL=y" not in config:
        raise Fail("the project's Kconfig has no TWHEEL that can be built in")
    record.write_text(state, "utf-8")
