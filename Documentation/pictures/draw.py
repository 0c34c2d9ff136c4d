#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Draw the pictures of the pages.

usage: Documentation/pictures/draw.py DIRECTORY

Writes an SVG file for each of PICTURES into the directory. fencing.svg has the figures of the
table in howto-fencing.rst; modules.svg and programs.svg have those of the records of
scripts/bench, and designs.svg those of the table in performance-native.rst.
"""

import math
import pathlib
import re
import sys

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(DOCUMENTATION.parent / "bench"))

import instructions  # noqa: E402

INK, PALE, BLUE, RED, AMBER, GREEN = (
    "#24303c", "#e3e8ed", "#3b78b5", "#c8372d", "#e0a030", "#4f8f4f")

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0; drawn by Documentation/pictures/draw.py -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"
 height="{height}" font-family="sans-serif" font-size="14" fill="{ink}">
<title>{title}</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"
 markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="{ink}"/></marker></defs>
<rect width="100%" height="100%" fill="white"/>
"""


class Picture:
    """An SVG picture."""

    def __init__(self, title, width, height):
        self.parts = [HEAD.format(title=title, width=width, height=height, ink=INK)]

    def shape(self, tag, text=None, **attributes):
        values = "".join(f' {name.replace("_", "-")}="{value}"'
                         for name, value in attributes.items())
        end = "/>" if text is None else f">{text}</{tag}>"
        self.parts.append(f"<{tag}{values}{end}\n")

    def text(self, x, y, *lines, anchor="start", **more):
        for number, line in enumerate(lines):
            self.shape("text", line, x=x, y=y + 19 * number, text_anchor=anchor, **more)

    def box(self, x, y, width, height, *lines, fill=PALE, color=INK):
        self.shape("rect", x=x, y=y, width=width, height=height, rx=6, fill=fill)
        top = y + height / 2 + 5 - 9.5 * (len(lines) - 1)
        self.text(x + width / 2, top, *lines, anchor="middle", fill=color)

    def arrow(self, path, dash=None):
        more = {"stroke_dasharray": dash} if dash else {}
        self.shape("path", d=path, fill="none", stroke=INK, stroke_width=1.5,
                   marker_end="url(#tip)", **more)

    def slot(self, center, radii, number, fill):
        """A slot of a level: a piece of a ring of 128 pieces."""
        points = []
        for radius, edges in zip(radii, ((0.08, 0.92), (0.92, 0.08))):
            for edge in edges:
                angle = 2 * math.pi * (number + edge) / 128
                points.append(f"{center[0] + radius * math.sin(angle):.1f},"
                              f"{center[1] - radius * math.cos(angle):.1f}")
        self.shape("polygon", points=" ".join(points), fill=fill)

    def write(self, path):
        path.write_text("".join(self.parts) + "</svg>\n", encoding="utf-8")


def wheel(picture):
    center = (240, 240)
    # level: radii, current slot, occupied slots
    levels = {0: ((175, 225), 9, {12, 15, 20, 31, 44, 61, 73, 90}),
              1: ((118, 168), 27, {33, 40, 47, 58, 66, 79, 95, 101}),
              2: ((61, 111), 50, {57, 68, 80, 96, 109, 120})}
    for level, (radii, hand, occupied) in levels.items():
        for number in range(128):
            fill = BLUE if number in occupied else PALE
            if number == hand:
                fill = RED
            elif level and number == hand + 1:
                fill = AMBER
            picture.slot(center, radii, number, fill)
    picture.text(240, 236, "three of", "six levels", anchor="middle", font_size=13)
    picture.text(490, 50, "One wheel", font_weight="bold")
    for y, name, slot in ((80, "outer ring, level 0", "a slot is 1 tick"),
                          (125, "next ring, level 1", "a slot is 64 ticks"),
                          (170, "inner ring, level 2", "a slot is 4,096 ticks")):
        picture.text(490, y, name, slot)
    for y, color, lines in (
            (225, RED, ("the current slot of the level",)),
            (255, BLUE, ("a slot that holds timers",)),
            (285, AMBER, ("the coming slot: its timers move to the ring",
                          "outside, a few on each tick, until it is empty"))):
        picture.shape("rect", x=490, y=y - 12, width=14, height=14, fill=color)
        picture.text(514, y, *lines)
    picture.text(490, 350, "A ring has 128 slots. A timer goes to the lowest",
                 "level that reaches its deadline. It moves outwards",
                 "as the deadline comes near, and runs on its own tick.",
                 "A timer that is pushed back stays where it is.")


def doors(picture):
    picture.box(30, 30, 400, 60, "programs", "twheelctl, libtwheel, any language",
                fill="#d8e6f3")
    picture.box(450, 30, 320, 60, "other kernel modules", fill="#dcecdc")
    picture.box(30, 150, 400, 56, "/dev/twheel", "a descriptor has a wheel for millions of timers",
                fill=BLUE, color="white")
    picture.box(450, 150, 320, 56, "twheel.h", "a timer is embedded in an object",
                fill=GREEN, color="white")
    picture.arrow("M150 90V148")
    picture.text(160, 116, "system calls,", "many timers in each", font_size=12)
    picture.arrow("M320 90V148")
    picture.text(330, 116, "shared memory,", "no system call", font_size=12)
    picture.arrow("M610 90V148")
    picture.text(620, 123, "function calls", font_size=12)
    picture.arrow("M230 206V258")
    picture.text(240, 237, "one timer for each user", font_size=12)
    picture.arrow("M610 206V258")
    picture.shape("rect", x=30, y=260, width=740, height=100, rx=6, fill=PALE)
    picture.text(400, 282, "the engine: a wheel on each CPU, driven by the tick",
                 anchor="middle")
    for number in range(4):
        x = 115 + 185 * number
        picture.shape("circle", cx=x, cy=322, r=25, fill="none", stroke=INK,
                      stroke_width=6, stroke_dasharray="5.8 2")
        picture.shape("path", d=f"M{x} 322L{x + 4 * number + 4} 305", stroke=RED,
                      stroke_width=3)
        picture.text(x + 36, 327, f"CPU {number}")


def life(picture):
    picture.box(30, 110, 100, 60, "idle")
    picture.box(230, 60, 330, 160, fill="#d8e6f3")
    picture.text(395, 84, "pending", anchor="middle", font_weight="bold")
    for number, name in enumerate(("level 2", "level 1", "level 0")):
        picture.box(250 + 105 * number, 110, 80, 60, name, fill="white")
    picture.arrow("M330 140H353")
    picture.arrow("M435 140H458")
    picture.text(395, 200, "moves to finer levels as the deadline comes near",
                 anchor="middle", font_size=12)
    picture.box(660, 110, 120, 60, "callback runs", "or event is read", fill=GREEN,
                color="white")
    picture.arrow("M130 140H248")
    picture.text(182, 130, "armed", anchor="middle")
    picture.arrow("M540 140H658")
    picture.text(608, 130, "the tick", anchor="middle")
    picture.arrow("M300 60C300 26 490 26 490 58")
    picture.text(395, 22, "pushed back: it stays in its slot until that slot comes up",
                 anchor="middle", font_size=12)
    picture.arrow("M340 220C340 262 80 262 80 172")
    picture.text(158, 196, "cancelled,", "at any time", anchor="middle")
    picture.arrow("M720 170C720 310 50 310 50 172")
    picture.text(560, 292, "it may be armed again, or freed", anchor="middle",
                 font_size=12)


# What samples/fencing/run has printed: ms in which two were active; None: without end.
STRIKES = ("killed", "stopped", "fifo", "starved", "frozen")
BOTH_MS = {"fence": (0, 0, 0, 0, 0),
           "socket": (None, 1, 834, 0, 1),
           "thread": (None, 3, 866, 0, 3),
           "timer_create": (None, None, None, None, None),
           "+ pdeathsig": (0, 0, 876, 0, 0),
           "gunicorn": (None, 3, 700, 1, 855),
           "etcd": (None, None, "kept", "kept", None)}


def fencing(picture):
    for column, strike in enumerate(STRIKES):
        picture.text(140 + 132 * column, 30, strike, font_weight="bold")
    for row, (way, results) in enumerate(BOTH_MS.items()):
        y = 48 + 34 * row
        picture.text(16, y + 17, way)
        for column, both in enumerate(results):
            x = 140 + 132 * column
            picture.shape("rect", x=x, y=y, width=120, height=24, fill=PALE)
            if both == "kept":
                picture.text(x + 8, y + 17, "no standby", font_size=12)
            elif both is None:
                picture.shape("rect", x=x, y=y, width=120, height=24, fill=RED)
                picture.text(x + 8, y + 17, "goes on", font_size=12, fill="white")
            else:
                picture.shape("rect", x=x, y=y, width=round(both / 25), height=24, fill=RED)
                label = {"fill": "white"} if both > 1500 else {}
                picture.text(x + (8 if both > 1500 else round(both / 25) + 8), y + 17,
                             f"{both:,} ms", font_size=12, **label)


def bars(picture, groups, colors, most):
    """Bars on a logarithmic scale from 10 to MOST: {group: {bar: value}}."""
    def width(value):
        return round(520 * math.log10(value / 10) / math.log10(most / 10))

    for power in range(1, round(math.log10(most)) + 1):
        x = 200 + width(10 ** power)
        picture.shape("path", d=f"M{x} 48V{62 + sum(18 * len(of) + 14 for of in groups.values())}",
                      stroke=PALE, stroke_width=1)
        picture.text(x, 42, f"{10 ** power:,}", anchor="middle", font_size=12)
    for number, (name, color) in enumerate(colors.items()):
        picture.shape("rect", x=200 + 130 * number, y=8, width=12, height=12, fill=color)
        picture.text(218 + 130 * number, 19, name, font_size=13)
    y = 58
    for group, of in groups.items():
        picture.text(186, y + 9 * len(of) + 4, group, anchor="end", font_size=13)
        for name, value in of.items():
            picture.shape("rect", x=200, y=y, width=width(value), height=15, fill=colors[name])
            picture.text(206 + width(value), y + 12, f"{value:,.0f}", font_size=11)
            y += 18
        y += 14


def modules(picture):
    counts = instructions.read(instructions.NEWEST)
    colors = {"twheel": BLUE, "timer_list": AMBER, "hrtimer": GREEN}
    bars(picture, {text: {who: counts[metric, who] / (instructions.due(metric) or 1)
                          for who in colors}
                   for text, metric in (("arm", "add"), ("push back", "rearm_later"),
                                        ("cancel", "cancel"), ("run, 200 on a tick", "tick_200"),
                                        ("run, 2 on a tick", "tick_2"))},
         colors, 1000)


def programs(picture):
    counts = instructions.read()
    colors = {"twheel": BLUE, "io_uring": AMBER, "timerfd": GREEN, "POSIX timers": RED}
    bars(picture, {text: {name: counts[metric, who] for name, who in zip(
                              colors, ("twheel_batch", "io_uring", "timerfd", "posix"))}
                   for text, metric in (("arm", "u_arm"), ("push back", "u_extend"),
                                        ("cancel", "u_cancel"),
                                        ("deliver, over a second", "u_deliver"),
                                        ("deliver, at once", "u_drain"))},
         colors, 100000)


def lateness(picture):
    """How late a timer may be at most, by the widths of slots; at HZ=250, in ms."""
    def place(distance, late):
        return (120 + 130 * math.log10(distance / 10), 300 - 62 * math.log10(late))

    def slot(distance):
        """The width of the slot of timer_list: eight times as wide from level to level."""
        level = 0
        while distance / 4 >= 63 * 8 ** level:
            level += 1
        return 4 * 8 ** level

    for power, text in enumerate(("10 ms", "0.1 s", "1 s", "10 s", "100 s", "17 min"), 1):
        x, _ = place(10 ** power, 1)
        picture.shape("path", d=f"M{x:.0f} 40V300", stroke=PALE)
        picture.text(x, 320, text, anchor="middle", font_size=12)
    for power, text in enumerate(("1 ms", "10 ms", "0.1 s", "1 s", "10 s")):
        _, y = place(10, 10 ** power)
        picture.shape("path", d=f"M120 {y:.0f}H770", stroke=PALE)
        picture.text(108, y + 4, text, anchor="end", font_size=12)
    picture.text(445, 344, "distance of the deadline", anchor="middle", font_size=13)
    picture.text(20, 28, "late, at most", font_size=13)
    for color, name, width, (x, y) in (
            (AMBER, "timer_list: up to an eighth of the distance", slot, (300, 70)),
            (BLUE, "twheel: its own tick, 4 ms at HZ=250", lambda distance: 4, (400, 240))):
        points = [place(distance, width(distance))
                  for distance in (10 ** (1 + step / 100) for step in range(501))]
        picture.shape("polyline", points=" ".join(f"{px:.1f},{py:.1f}" for px, py in points),
                      fill="none", stroke=color, stroke_width=3)
        picture.text(x, y, name, font_size=13, font_weight="bold", fill=color)


def table_of_designs():
    """{metric: {design: [(timers, figure)]}} of the table in performance-native.rst."""
    text = (DOCUMENTATION / "performance-native.rst").read_text(encoding="utf-8")
    lines = text.partition(".. table designs\n")[2].partition("\n.. end of table")[0].split("\n")
    _, _, *counts = re.split("  +", lines[2])
    metrics = {}
    for metric, design, *cells in (re.split("  +", line) for line in lines[4:-2]):
        metrics.setdefault(metric.strip("`"), {})[design] = [
            tuple(float(text.replace(",", "")) for text in point) for point in zip(counts, cells)]
    return metrics


def panel(picture, left, top, lines, colors):
    """A logarithmic diagram of {name: [(x, y)]}."""
    def place(x, y):
        return (left + 300 * (math.log10(x) - first) / (last - first),
                top + 180 * (high - math.log10(y)) / (high - low))

    points = [point for of in lines.values() for point in of]
    (first, last), (low, high) = (
        (math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))))
        for values in zip(*points))
    for power in range(first, last + 1):
        x, y = place(10 ** power, 10 ** low)
        picture.shape("path", d=f"M{x:.0f} {top}V{y:.0f}", stroke=PALE)
        picture.text(round(x), round(y) + 18, f"{10 ** power:,}", anchor="middle", font_size=11)
    for power in range(low, high + 1):
        x, y = place(10 ** first, 10 ** power)
        picture.shape("path", d=f"M{left} {y:.0f}H{left + 300}", stroke=PALE)
        picture.text(left - 8, round(y) + 4, f"{10 ** power:,}", anchor="end", font_size=11)
    for name, of in lines.items():
        picture.shape("polyline", fill="none", stroke=colors[name], stroke_width=2.5,
                      points=" ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*at) for at in of)))


def designs(picture):
    colors = {"scan": RED, "heap": AMBER, "simple wheel": GREEN, "hashed wheel": INK,
              "twheel": BLUE}
    for number, (name, color) in enumerate(colors.items()):
        picture.shape("rect", x=100 + 140 * number, y=12, width=12, height=12, fill=color)
        picture.text(118 + 140 * number, 23, name, font_size=13)
    metrics = table_of_designs()
    for number, (metric, title) in enumerate((
            ("cost_add", "arm, ns"), ("cost_cancel", "cancel, ns"), ("cost_tick", "a tick, ns"),
            ("cost_bytes", "memory of a timer, bytes"))):
        left, top = 100 + 400 * (number % 2), 70 + 250 * (number // 2)
        picture.text(left, top - 12, title, font_weight="bold", font_size=13)
        panel(picture, left, top, metrics[metric], colors)


PICTURES = {"designs": (designs, "Five designs, by number of timers", 840, 540),
            "modules": (modules, "Instructions of a kernel timer", 800, 410),
            "programs": (programs, "Instructions of a timer of a program", 800, 500),
            "lateness": (lateness, "How late a timer may be", 800, 356),
            "wheel": (wheel, "A hierarchical timing wheel", 900, 480),
            "doors": (doors, "The two doors of twheel", 800, 380),
            "life": (life, "A timer's life", 810, 310),
            "fencing": (fencing, "How long two primaries were active at once", 812, 300)}


def main(arguments):
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments in (["-h"], ["--help"]) else 2
    for name, (draw, title, width, height) in PICTURES.items():
        picture = Picture(title, width, height)
        draw(picture)
        picture.write(pathlib.Path(arguments[0]) / f"{name}.svg")
    return 0


sys.exit(main(sys.argv[1:]))
