# SPDX-License-Identifier: GPL-2.0
"""Draws pictures of the figures with gnuplot: cost against number of timers."""

import collections
import shutil
import subprocess

TITLES = {
    "cost_add": "Five designs: arm", "cost_cancel": "Five designs: cancel",
    "cost_tick": "Five designs: a tick",
    "cost_bytes": "Five designs: memory a timer",
}
UNITS = {"cost_bytes": "bytes", "u_bytes": "bytes"}


def series(rows, spreads):
    """The lines of a picture: {engine: [(n, median, min, max)]}."""
    lines = collections.defaultdict(set)
    for row, spread in zip(rows, spreads):
        lines["twheel"].add((row.n, row.twheel_ns, spread.twheel_min,
                             spread.twheel_max))
        lines[row.peer].add((row.n, row.peer_ns, spread.peer_min,
                             spread.peer_max))
    return {who: sorted(points) for who, points in lines.items()}


def program(title, unit, lines, path):
    """Yield gnuplot's commands for a picture."""
    yield "set terminal svg size 640,420 font 'sans,12' background 'white'"
    yield f"set output '{path}'"
    yield f"set title '{title}' noenhanced"
    yield "set logscale xy"
    yield "set key outside below noenhanced"
    yield "set grid"
    yield "set format x '10^{%L}'"
    yield "set xlabel 'timers'"
    yield f"set ylabel '{unit}'"
    counts = [point[0] for points in lines.values() for point in points]
    yield f"set xrange [{min(counts) / 2}:{max(counts) * 2}]"
    for number, points in enumerate(lines.values()):
        yield f"$data{number} << end"
        for point in points:
            yield " ".join(f"{value:g}" for value in point)
        yield "end"
    yield "plot " + ", ".join(
        f"$data{number} with yerrorlines linewidth {2 if who == 'twheel' else 1} "
        f"pointtype 7 pointsize 0.5 title '{who}'"
        for number, who in enumerate(lines))


def draw(rows, spreads, place):
    """Draw a picture for each metric of each machine, and yield its path."""
    if not shutil.which("gnuplot"):
        raise FileNotFoundError("gnuplot is not installed; run scripts/setup bench")
    spread_of = {spread[:5]: spread for spread in spreads}
    figures = collections.defaultdict(list)
    for row in rows:
        if row[:5] in spread_of:
            figures[row.engine, row.kernel, row.metric].append(row)
    for (engine, kernel, metric), members in figures.items():
        path = place / f"{metric}-{engine}.svg"
        title = f"{TITLES.get(metric, metric)} ({engine}, {kernel})"
        lines = series(members, [spread_of[row[:5]] for row in members])
        commands = "\n".join(program(title, UNITS.get(metric, "ns"), lines,
                                     path))
        subprocess.run(["gnuplot"], input=commands, text=True, check=True)
        yield path
