# SPDX-License-Identifier: GPL-2.0
"""Kernels by name: the package that a name means, its tree and its builds."""

import json
import os
import re
import shutil
import time

import bzimage
from architectures import AMD64, STOCKS
from archive import Archive
from common import (CHECKOUT, Fail, cache, clean_environment, digest, lock,
                    new_directory, output, run, say)

DAY = 86400
CONFIGS = CHECKOUT / "scripts" / "config"

# flavour: architecture and configuration fragments. Flavours with the same ones share a
# kernel: the modules for uml-fuzz are built in another way than those for uml-debug.
FLAVOURS = {
    "uml": ("um", ["uml", "uml-smp"]),
    "uml-tt": ("um", ["uml", "uml-tt"]),
    "uml-debug": ("um", ["uml", "uml-smp", "debug", "kasan", "kcov"]),
    "uml-fuzz": ("um", ["uml", "uml-smp", "debug", "kasan", "kcov"]),
    "uml-gcov": ("um", ["uml", "uml-smp", "gcov"]),
    "uml-debug-gcov": ("um", ["uml", "uml-smp", "debug", "kasan", "gcov"]),
    "x86": ("x86_64", ["x86"]),
    "x86-kasan": ("x86_64", ["x86", "debug", "kasan", "x86-kasan"]),
    "x86-kcfi": ("x86_64", ["x86", "x86-kcfi"]),
    "x86-kcsan": ("x86_64", ["x86", "x86-kcsan"]),
    "x86-rt": ("x86_64", ["x86", "debug", "x86-rt"]),
    "x86-trace": ("x86_64", ["x86", "x86-trace"]),
}
# What the commands of clang end with, for flavours that gcc cannot compile: the newest kernel
# wants a later clang than the distribution's default.
CLANG = {"x86-kcfi": "-19"}
STOCK = "stock"  # the distribution's own kernel, and the only flavour of all STOCKS
_resolved = {}  # the meanings of names in this run


def check(name, flavour=None):
    """Refuse unknown names before anything long starts."""
    if not is_stock(name) and name != "newest" and not re.fullmatch(r"\d+\.\d+", name):
        raise Fail(f"no kernel named '{name}'; there are: {', '.join(STOCKS)}, "
                   "newest, and X.Y, for example 6.1")
    if flavour is None:
        return
    wanted = [STOCK] if is_stock(name) else list(FLAVOURS)
    if flavour not in wanted:
        raise Fail(f"kernel {name} has no flavour '{flavour}'; "
                   f"there are: {', '.join(wanted)}")


def is_stock(name):
    return name in STOCKS


def default_flavour(name):
    return STOCK if is_stock(name) else "uml"


def machine(name):
    """The architecture of the computer that a kernel runs on."""
    return STOCKS.get(name, AMD64)


def _resolve_now(name, update):
    archive = (Archive("own", machine(name).debian) if is_stock(name)
               else Archive("all"))
    with lock("apt-" + archive.name):
        if update or not archive.ready():
            archive.update()
        if is_stock(name):
            return _resolve_stock(archive, machine(name).image)
        package = (archive.newest_source() if name == "newest"
                   else "linux-source-" + name)
        return {"package": package, "version": archive.candidate(package),
                "reach": archive.reach}


def _resolve_stock(archive, wanted):
    """Find image and headers of the same version and ABI."""
    version = archive.candidate(wanted)
    image = archive.depends(wanted, version)[0]
    wanted = wanted.replace("-image-", "-headers-")
    headers = archive.depends(wanted, version)[0]
    if image.replace("-image-", "-headers-") != headers:
        raise Fail(f"the archive's {image} and {headers} do not match")
    own = archive.candidate(headers)
    needs = [name for name in archive.depends(headers, own)
             if re.match(r"linux-(headers|kbuild|base)-\d", name)]
    return {"package": image, "version": version, "reach": archive.reach,
            "headers": [headers, *needs], "release": image[len("linux-image-"):]}


def resolve(name, update=False):
    """The package that a name means. After that package has been fetched, the name
    keeps its meaning until an update is asked for: no build comes unexpected."""
    check(name)
    if name in _resolved and not update:
        return _resolved[name]
    record = cache("resolved", name + ".json")
    known = None
    if record.exists():
        known = json.loads(record.read_text(encoding="utf-8"))
        fetched = cache("source", _identity(known)).exists()
        if not update and (fetched or time.time() - known["when"] < DAY):
            return _resolved.setdefault(name, known)
    try:
        meaning = _resolve_now(name, update=update or known is not None)
    except Fail as error:
        if not known:
            raise
        say(f"{error}; keeping {known['package']} {known['version']}")
        return _resolved.setdefault(name, known)
    meaning["when"] = time.time()
    scratch = record.with_suffix(f".{os.getpid()}")
    scratch.write_text(json.dumps(meaning, indent=1), encoding="utf-8")
    scratch.rename(record)
    _resolved[name] = meaning
    return meaning


def _identity(meaning):
    return f"{meaning['package']}_{meaning['version']}".replace("linux-", "", 1)


def identity(name):
    """The package and version that a name means, as one word."""
    return _identity(resolve(name))


def fetch(name):
    """The unpacked kernel of this name. Fetches it if necessary."""
    check(name)
    place = cache("source", identity(name))
    if place.exists():
        return place
    with lock("fetch-" + name):
        for attempt in range(2):
            place = cache("source", identity(name))
            if place.exists():
                break
            try:
                with new_directory(place) as part:
                    _unpack(name, resolve(name), part)
            except Fail as error:
                if attempt:
                    raise
                # The archive may have replaced this version by a point release.
                say(f"{error}; looking for another version")
                resolve(name, update=True)
    return place


def _unpack(name, meaning, place):
    wanted = [f"{meaning['package']}={meaning['version']}"]
    wanted += meaning.get("headers", [])
    architecture = machine(name)
    if architecture.foreign:
        # The programs that take part in a build run here, all others there.
        ours = [package for package in wanted if package.startswith("linux-kbuild-")]
        wanted = [package for package in wanted if package not in ours]
        _download_ours(ours, meaning, place / "debs")
        wanted.append("busybox-static")
    debs = Archive(meaning["reach"], architecture.debian).download(
        wanted, place / "debs")
    if is_stock(name):
        _unpack_stock(debs, meaning["release"], place)
    else:
        _unpack_source(debs[0], meaning["package"], place)
    shutil.rmtree(place / "debs")


def _download_ours(packages, meaning, directory):
    """Fetch packages of this machine's architecture."""
    archive = Archive(meaning["reach"])
    archive.want_lists()
    archive.download([f"{package}={meaning['version']}" for package in packages],
                     directory)


def _unpack_source(deb, package, place):
    script = ('set -eo pipefail; dpkg-deb --fsys-tarfile "$1" | '
              'tar -xO "./usr/src/$2.tar.xz" | xz -dc -T0 | '
              'tar -x --strip-components=1')
    run(f"unpacking {package}",
        ["bash", "-c", script, "unpack", str(deb), package], cwd=place)
    _add_slot(place)
    _make_room_for_registers(place)


def _make_room_for_registers(tree):
    """Let UML run on CPUs with AMX. UML saves 2,696 bytes of registers, on its stack;
    with AMX the host has 11,008 bytes and refuses to set fewer."""
    changed = {}
    for name, before, after in (
            ("arch/x86/um/user-offsets.c", "HOST_FP_SIZE, 2696", "HOST_FP_SIZE, 12288"),
            ("arch/um/Kconfig", "default 2 if 64BIT", "default 4 if 64BIT")):
        text = (tree / name).read_text(encoding="utf-8")
        if before not in text:
            return
        changed[name] = text.replace(before, after)
    for name, text in changed.items():
        (tree / name).write_text(text, encoding="utf-8")


def _add_slot(tree):
    """Add an empty driver directory to the tree. scripts/kunit fills it."""
    slot = tree / "drivers" / "twheel"
    slot.mkdir()
    for file in ("Kconfig", "Kbuild"):
        (slot / file).write_text("# SPDX-License-Identifier: GPL-2.0\n",
                                 encoding="ascii")
    with open(tree / "drivers" / "Makefile", "a", encoding="utf-8") as file:
        file.write("\nobj-y += twheel/\n")
    kconfig = tree / "drivers" / "Kconfig"
    text = kconfig.read_text(encoding="utf-8")
    start, end, rest = text.rpartition("endmenu")
    kconfig.write_text(f'{start}source "drivers/twheel/Kconfig"\n\n{end}{rest}',
                       encoding="utf-8")


def _unpack_stock(debs, release, place):
    for deb in debs:
        run(f"unpacking {deb.name}", ["dpkg", "-x", str(deb), str(place)])
    # The headers have the paths of an installed package: replace them. The tree gets
    # its final name later.
    final = place.with_name(place.name.removesuffix(".part"))
    headers = place / "usr/src" / f"linux-headers-{release}"
    makefile = headers / "Makefile"
    text = makefile.read_text(encoding="utf-8")
    makefile.write_text(text.replace("/usr/src/", f"{final}/usr/src/"),
                        encoding="utf-8")
    for link in (*headers.parent.glob("*/scripts"), *headers.parent.glob("*/tools")):
        if link.is_symlink() and str(link.readlink()).startswith("/"):
            target = link.readlink()
            link.unlink()
            link.symlink_to(f"{final}{target}")
    if not (place / "lib").exists():
        (place / "lib").symlink_to("usr/lib")
    modules = place / "lib/modules" / release
    if not modules.is_dir():
        raise Fail(f"the image package has no modules of {release}")
    output(["/sbin/depmod", "-b", str(place), release])


def fragments(flavour):
    return "\n".join((CONFIGS / part).read_text(encoding="utf-8")
                     for part in FLAVOURS[flavour][1])


def toolchain(flavour):
    """What make is told of the compiler."""
    return [f"LLVM={CLANG[flavour]}"] if flavour in CLANG else []


def compiler(flavour):
    if flavour in CLANG:
        return output(["clang" + CLANG[flavour], "-dumpversion"]).strip()
    return output(["gcc", "-dumpfullversion"]).strip()


def build_directory(name, flavour):
    """The directory where build() puts this kernel."""
    check(name, flavour)
    if is_stock(name):
        place = cache("source", identity(name))
        release = resolve(name)["release"]
        return place / "usr/src" / f"linux-headers-{release}"
    key = digest(fragments(flavour), compiler(flavour))
    flavour = next(first for first, parts in FLAVOURS.items() if parts == FLAVOURS[flavour])
    return cache("build", f"{identity(name)}-{flavour}-{key}")


def architecture(name, flavour):
    check(name, flavour)
    return machine(name).kbuild if is_stock(name) else FLAVOURS[flavour][0]


def kernel_image(name, flavour):
    """The file that boots."""
    if is_stock(name):
        image = fetch(name) / "boot" / f"vmlinuz-{resolve(name)['release']}"
        return image if machine(name).foreign else bzimage.unpacked(image)
    place = build_directory(name, flavour)
    if architecture(name, flavour) == "um":
        return place / "linux"
    return place / "arch/x86/boot/bzImage"


def make_command(tree, place, arch, *arguments):
    return ["make", "-C", str(tree), f"O={place}", f"ARCH={arch}",
            f"-j{os.cpu_count() or 1}", *arguments]


def build(name, flavour):
    """Build a kernel if necessary. Returns its build directory."""
    check(name, flavour)
    tree = fetch(name)
    place = build_directory(name, flavour)
    if is_stock(name) or (place / ".twheel-built").exists():
        return place
    with lock(place.name):
        if (place / ".twheel-built").exists():
            return place
        place.mkdir(exist_ok=True)
        configure(tree, place, flavour, fragments(flavour))
        what = f"building kernel {place.name.rpartition('-')[0]}"
        run(what, make_command(tree, place, architecture(name, flavour), *toolchain(flavour),
                               "all"))
        (place / ".twheel-built").touch()
    return place


def configure(tree, place, flavour, wanted):
    """Make .config from the wanted options. Say which options the kernel lacks."""
    fragment = place / "twheel.config"
    fragment.write_text(wanted, encoding="utf-8")
    arch = FLAVOURS[flavour][0]
    command = make_command(tree, place, arch, *toolchain(flavour), "-s", "allnoconfig")
    run(f"configuring {place.name}", command,
        env=clean_environment(KCONFIG_ALLCONFIG=str(fragment)))
    lacking = lacking_options(place, wanted)
    if lacking:
        say(f"{place.name} lacks {' '.join(lacking)}")


def lacking_options(place, wanted):
    config = set((place / ".config").read_text(encoding="utf-8").splitlines())
    # If an option is set twice, the last value counts.
    last = dict(re.findall(r"^(?:# )?CONFIG_(\w+)(?:=| is )(.*)$", wanted, re.M))
    return [option for option, value in last.items()
            if value != "not set" and f"CONFIG_{option}={value}" not in config]
