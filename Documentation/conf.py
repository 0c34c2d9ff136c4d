# SPDX-License-Identifier: GPL-2.0
"""Configuration of Sphinx. scripts/docs runs it and sets TWHEEL_KERNEL."""

import os
import pathlib
import subprocess
import sys

from sphinx.addnodes import desc_name
from sphinx.domains.c import CObject

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
KERNEL = pathlib.Path(os.environ["TWHEEL_KERNEL"])

sys.path.insert(0, str(KERNEL / "Documentation/sphinx"))
sys.dont_write_bytecode = True

project = "twheel"
release = version = subprocess.run([CHECKOUT / "scripts/version"], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout.strip()
author = "The twheel authors"
copyright = author  # Sphinx wants this name
extensions = ["kerneldoc", "sphinx_copybutton"]
exclude_patterns = ["_build"]
nitpicky = True
# The kernel's and the C library's names are not documented here. twheel's own are.
nitpick_ignore_regex = [("c:.*", r"(?!_*twheel|_*TWHEEL).*")]
primary_domain = "c"
highlight_language = "none"
smartquotes = False

# The extension takes comments out of the sources with the kernel's script.
kerneldoc_bin = str(KERNEL / "scripts/kernel-doc")
kerneldoc_srctree = str(CHECKOUT)


def name_of(_object, signature):
    return signature.next_node(desc_name).astext()


# Sphinx gives its C objects no name in the contents of a page.
CObject._toc_entry_name = name_of
CObject._object_hierarchy_parts = lambda self, signature: (name_of(self, signature),)

html_theme = "furo"
html_title = f"twheel {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
# What commands print is not copied, and neither are prompts.
copybutton_selector = "div:not(.prints) > div.highlight > pre"
copybutton_prompt_text = r"[$#] "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
