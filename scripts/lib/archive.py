# SPDX-License-Identifier: GPL-2.0
"""Debian's package archive, through apt, with package lists of our own.

The system's apt configuration stays as it is. Only the archive's address is taken
from it.
"""

import os
import pathlib
import platform
import re
import shutil

from common import Fail, cache, lock, new_directory, output, run, say, scratch

KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SUITES = ("bookworm", "bookworm-security", "bookworm-backports", "trixie",
          "trixie-security", "trixie-backports", "forky", "sid")


def codename():
    """The Debian release this system runs."""
    try:
        fields = platform.freedesktop_os_release()
    except OSError:
        return "stable"
    return fields.get("VERSION_CODENAME", "stable") if fields["ID"] == "debian" else "stable"


def addresses():
    """The URIs of the archive and of its security updates (or None)."""
    if os.environ.get("TWHEEL_MIRROR"):
        return os.environ["TWHEEL_MIRROR"], None
    if not shutil.which("apt-get"):
        raise Fail("kernels come from Debian's archive, and apt-get is missing")
    listing = output(["apt-get", "indextargets", "--format",
                      "$(RELEASE) $(COMPONENT) $(REPO_URI)",
                      "Created-By: Packages"])
    names = (codename(), "stable", "oldstable", "testing", "unstable", "sid")
    plain, security = [], []
    for line in listing.splitlines():
        release, component, uri = line.split()
        if component == "main" and release in names:
            plain.append(uri)
        elif component == "main" and release.endswith("-security"):
            security.append(uri)
    if not plain:
        raise Fail("no Debian archive in apt's sources; set TWHEEL_MIRROR to "
                   "the URI of a Debian mirror")
    # Other vendors also name their suites after Debian's.
    plain.sort(key=lambda uri: not uri.rstrip("/").endswith("/debian"))
    return plain[0], (security or [None])[0]


class Archive:
    """A set of suites with package lists of its own, for one of Debian's architectures.
    Its reach is "own", this system's release only, or "all", every release that is
    known to have kernels."""

    kind, lists = "deb", "Packages"

    def __init__(self, reach, architecture="amd64"):
        self.reach = reach
        self.architecture = architecture
        self.name = reach if architecture == "amd64" else f"{reach}-{architecture}"
        self.dir = cache("apt", self.name, "sources.list").parent

    def _options(self):
        place = self.dir
        options = {
            "Dir::State::Lists": place / "lists",
            "Dir::Cache": place / "cache",
            "Dir::Etc::sourcelist": place / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
            "APT::Architecture": self.architecture,
            "APT::Architectures": self.architecture,
        }
        if os.geteuid() == 0:
            options["APT::Sandbox::User"] = "root"
        return [f"-o{name}={value}" for name, value in options.items()]

    def _suites(self):
        own = codename()
        suites = [own, own + "-updates", own + "-security"]
        if self.reach == "all":
            suites += SUITES
        return list(dict.fromkeys(suites))

    def update(self):
        if not KEYRING.exists():
            raise Fail(f"no {KEYRING}; run scripts/setup kernel")
        plain, security = addresses()
        lines = []
        for suite in self._suites():
            uri = security if suite.endswith("-security") else plain
            if uri:
                lines.append(f"{self.kind} [signed-by={KEYRING}] {uri} {suite} main\n")
        for part in ("lists/partial", "cache/archives/partial"):
            (self.dir / part).mkdir(parents=True, exist_ok=True)
        (self.dir / "sources.list").write_text("".join(lines), encoding="utf-8")
        try:
            run("fetching package lists",
                ["apt-get", *self._options(), "update"], show=False)
        except Fail as error:
            # A suite may be missing. If a package cannot be found because of that,
            # the search for the package fails.
            say(f"{error}; continuing with the lists that were fetched")

    def ready(self):
        return any((self.dir / "lists").glob(f"*_{self.lists}*"))

    def want_lists(self, anew=False):
        with lock("apt-" + self.name):
            if anew or not self.ready():
                self.update()

    def newest_source(self):
        """The name of the linux-source-X.Y with the highest X.Y."""
        listing = output(["apt-cache", *self._options(), "search",
                          "--names-only", r"^linux-source-[0-9]+\.[0-9]+$"])
        names = re.findall(r"^linux-source-(\d+)\.(\d+) ", listing, re.M)
        if not names:
            raise Fail("the archive's lists have no linux-source package")
        return "linux-source-%d.%d" % max((int(a), int(b)) for a, b in names)

    def candidate(self, package):
        """The version of a package that apt would install."""
        listing = output(["apt-cache", *self._options(), "policy", package])
        found = re.search(r"Candidate: (\S+)", listing)
        if not found or found[1] == "(none)":
            raise Fail(f"the archive has no package {package}")
        return found[1]

    def depends(self, package, version):
        """The names of the packages that a version of a package depends on."""
        text = output(["apt-cache", *self._options(), "show",
                       f"{package}={version}"])
        found = re.search(r"^Depends: (.*)$", text, re.M)
        if not found:
            return []
        return [name.split()[0] for name in found[1].split(", ")]

    def family(self, package, pattern):
        """A package and those that it needs whose names match the pattern."""
        listing = output(["apt-cache", *self._options(), "depends", "--recurse",
                          "--important", package])
        names = re.findall(r"^(\w\S+)$", listing, re.M)
        return [name for name in names if re.search(pattern, name)]

    def download(self, packages, directory):
        """Fetch packages (name or name=version) into a directory."""
        directory.mkdir(parents=True, exist_ok=True)
        run(f"downloading {' '.join(packages)}",
            ["apt-get", *self._options(), "download", *packages], cwd=directory)
        return sorted(directory.glob("*.deb"))

    def unpack(self, packages, directory):
        """Put the files of packages into a directory, as if they were installed there."""
        self.want_lists()
        try:
            debs = self.download(packages, directory / "debs")
        except Fail:
            # The archive has replaced a package since its lists were fetched.
            self.want_lists(anew=True)
            debs = self.download(packages, directory / "debs")
        for deb in debs:
            run(f"unpacking {deb.name}", ["dpkg", "-x", str(deb), str(directory)])
        shutil.rmtree(directory / "debs")


def unpacked(name, packages, reach="own"):
    """The folder of that name in the cache, which has the packages as if they were installed.
    Nothing is installed, so no service is started."""
    place = cache(name)
    with lock(name):
        if not place.exists():
            with new_directory(place) as part:
                Archive(reach).unpack(packages, part)
    return place


class Sources(Archive):
    """The sources of Debian 12."""

    kind, lists = "deb-src", "Sources"

    def __init__(self):
        super().__init__("sources")

    def _suites(self):
        return ["bookworm", "bookworm-updates", "bookworm-security"]

    def fetch(self, package, version):
        """The directory with the source of a package, unpacked and patched by Debian's rules."""
        place = cache("source", f"{package}_{version}")
        with lock(f"fetch-{package}"):
            if place.exists():
                return place
            self.want_lists()
            with scratch("source-") as here:
                run(f"fetching the source of {package}",
                    ["apt-get", *self._options(), "source", f"{package}={version}"], cwd=here)
                tree, = (path for path in here.iterdir() if path.is_dir())
                tree.rename(place)
        return place
