#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Check that what the documentation names exists.

usage: scripts/documents/links.py [FILE...]
       scripts/documents/links.py --site DIRECTORY

Looks at relative links in Markdown, and at paths in literal text in Markdown,
reStructuredText and READMEs, of the given files or of all pages. With --site, looks at the
links in the HTML pages of the directory: each page, picture and anchor that they name must be
there. Links to other hosts are left out. Prints what is missing; the exit status is 1 if
anything is.
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

from common import CHECKOUT, complain, main, option_parser, project_files  # noqa: E402

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
LITERAL = re.compile(r"`{1,2}([\w.][\w./+-]*)`{1,2}")
# It has old names.
OLD = ("CHANGELOG.md",)
PLACEHOLDER = re.compile(r"[A-Z]{3}")
BUILT = re.compile(r"(^|/)(build|_build|out)(/|$)")


def tracked():
    """The files of the project, and their folders."""
    names = project_files()
    return names | {str(parent) for name in names
                    for parent in pathlib.PurePath(name).parents}


def is_path(word, folders):
    """A word that can only be meant as a path in the source."""
    return ("/" in word and word.split("/")[0] in folders
            and not BUILT.search(word) and not PLACEHOLDER.search(word))


def spellings(here, word):
    """The names that a word may mean: from the top, from its page's folder, or of a
    program that is built from one source file."""
    word = word.rstrip("/")
    return {word, str(here / word), word + ".c"}


def missing(path, names):
    text = (CHECKOUT / path).read_text(encoding="utf-8")
    folders = {name for name in names if "/" not in name and name != "."}
    here = pathlib.PurePath(path).parent
    for number, line in enumerate(text.splitlines(), 1):
        links = LINK.findall(line) if path.endswith(".md") else []
        for link in links:
            # resolve() would follow symbolic links
            parts = []
            for part in (here / link).parts:
                parts = parts[:-1] if part == ".." else [*parts, part]
            if "/".join(parts) not in names:
                yield f"{path}:{number}: no file {link}"
        for word in LITERAL.findall(line):
            if is_path(word, folders) and not names & spellings(here, word):
                yield f"{path}:{number}: no file {word}"


class Page(html.parser.HTMLParser):
    """The anchors of an HTML page, and what it refers to."""

    def __init__(self, path):
        super().__init__()
        self.anchors = set()
        self.links = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or tag == "a" and name == "name":
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append((self.getpos()[0], value))


def missing_in_site(directory):
    root = pathlib.Path(directory).resolve()
    pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
    if not pages:
        yield f"{directory}: no page"
    for path, page in pages.items():
        for number, link in page.links:
            where = urllib.parse.urlsplit(link)
            if where.scheme or where.netloc:
                continue
            named = urllib.parse.unquote(where.path)
            target = (path.parent / named).resolve() if named else path
            anchor = urllib.parse.unquote(where.fragment)
            if not target.is_file():
                yield f"{path.relative_to(root)}:{number}: no file {named}"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{path.relative_to(root)}:{number}: no anchor {link}"


def run(arguments):
    parser = option_parser(__doc__, "files...")
    parser.add_argument("--site")
    args = parser.parse_args(arguments)
    if args.site:
        return complain(missing_in_site(args.site))
    names = tracked()
    pages = args.files or sorted(name for name in names if name not in OLD
                                 and name.endswith((".md", ".rst", "README")))
    return complain(line for page in pages for line in missing(page, names))


main(run)
