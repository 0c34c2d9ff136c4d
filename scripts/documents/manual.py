#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Print a manual page as reStructuredText, for the site of the documentation.

usage: scripts/documents/manual.py FILE

The page's headings become sections of the site, so that its navigation and its search know
them. What is below each heading is the HTML of mandoc.
"""

import html
import pathlib
import re
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

from common import main, option_parser, output  # noqa: E402

SECTION = re.compile(r"</?section\b[^>]*>\n?")
HEADING = re.compile(r'<h([12]) class="S[hs]" id="([^"]*)">(.*?)</h\1>\n?', re.DOTALL)
UNDERLINE = {"1": "=", "2": "-"}
REFERENCE = re.compile(r"<b>(twheel|libtwheel-loop|libtwheel|twheelctl)</b>\(\d\)")


def title(text):
    """The text of a heading, without markup."""
    plain = " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())
    return re.sub(r"([\\*`_|])", r"\\\1", plain)


def restructured(text):
    """The HTML of a manual page as reStructuredText."""
    for part in ("head", "foot"):
        text = re.sub(rf'<table class="{part}">.*?</table>\n?', "", text, flags=re.DOTALL)
    text = REFERENCE.sub(r'<a href="man-\1.html">\g<0></a>', SECTION.sub("", text.strip()))
    text = text.removeprefix('<div class="manual-text">').removesuffix("</div>")
    _, *parts = HEADING.split(text)
    for level, anchor, heading, body in zip(*[iter(parts)] * 4):
        name = title(heading)
        yield f"{name}\n{UNDERLINE[level] * len(name)}\n"
        # Links within the page name the heading as mandoc does.
        yield ".. raw:: html\n\n" + textwrap.indent(f'<span id="{anchor}"></span>\n{body}', "   ")


def run(arguments):
    file = option_parser(__doc__, "file").parse_args(arguments).file
    page = output(["mandoc", "-T", "html", "-O", "fragment", file])
    print("\n".join(restructured(page)))
    return 0


main(run)
