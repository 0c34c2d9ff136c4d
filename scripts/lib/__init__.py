# SPDX-License-Identifier: GPL-2.0
""""import lib" lets the commands of scripts/ import the modules of this folder and of bench/."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "bench")]
