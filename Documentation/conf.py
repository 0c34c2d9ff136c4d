# SPDX-License-Identifier: GPL-2.0
"""Configuration of Sphinx. scripts/docs runs it and sets the two variables."""

import os
import pathlib
import subprocess
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
KERNEL = pathlib.Path(os.environ["TWHEEL_KERNEL"])

sys.path.insert(0, str(KERNEL / "Documentation/sphinx"))
sys.dont_write_bytecode = True

project = "twheel"
release = version = subprocess.run([CHECKOUT / "scripts/version"], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout.strip()
author = "The twheel authors"
copyright = author  # Sphinx wants this name
extensions = ["kerneldoc"]
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

html_theme = "alabaster"
html_theme_options = {
    "description": f"Exact timers by the million. Release {release}",
    "fixed_sidebar": True,
    "page_width": "1100px",
    "font_size": "16px",
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_show_sourcelink = False
