#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Mend what Debian 12's packages of Sphinx and of the theme break in a site.

usage: scripts/documents/mend.py SITE

- furo.js imports a module, but the pages load it as a plain script. So it does not run.
- furo.css imports normalize.css from the root of a web server, where it is not.
- furo.css has lost the rule for browsers that prefer dark pages.
- The search for two words forgets the first word if the second is in a page twice.

What newer packages have right stays as it is. scripts/documents/browse.py tests each of these.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

from common import main, option_parser  # noqa: E402

IMPORT_SCRIPT = re.compile(r'^import Gumshoe from "\./(gumshoe-patched\.js)";\n')
IMPORT_STYLE = re.compile(r"@import url\(/javascript/(normalize\.css/normalize\.css)\);")
DARK = re.compile(r'body\[data-theme="dark"\] (\{[^}]*--color-background-primary[^}]*\})')
PREFERS_DARK = """
@media not print {{
  @media (prefers-color-scheme: dark) {{
    body:not([data-theme="light"]) {0}
  }}
}}
"""
FORGETS = """\
        if (fileMap.has(file) && fileMap.get(file).indexOf(word) === -1)
          fileMap.get(file).push(word);
        else fileMap.set(file, [word]);
"""
KEEPS = """\
        if (!fileMap.has(file)) fileMap.set(file, [word]);
        else if (!fileMap.get(file).includes(word)) fileMap.get(file).push(word);
"""


def with_script(text, static):
    return IMPORT_SCRIPT.sub(
        lambda found: (static / "scripts" / found[1]).read_text("utf-8"), text)


def with_styles(text, _static):
    text = IMPORT_STYLE.sub(
        lambda found: pathlib.Path("/usr/share/javascript", found[1]).read_text("utf-8"), text)
    dark = DARK.search(text)
    if dark and "prefers-color-scheme" not in text:
        text += PREFERS_DARK.format(dark[1])
    return text


def with_search(text, _static):
    return text.replace(FORGETS, KEEPS)


MENDS = {"scripts/furo.js": with_script, "styles/furo.css": with_styles,
         "searchtools.js": with_search}


def run(arguments):
    static = pathlib.Path(option_parser(__doc__, "site").parse_args(arguments).site, "_static")
    for name, mend in MENDS.items():
        path = static / name
        text = path.read_text("utf-8")
        path.write_text(mend(text, static), "utf-8")
    return 0


main(run)
