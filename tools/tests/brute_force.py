# SPDX-License-Identifier: GPL-2.0
"""The times of a recurrence, found by looking at every minute.

The offsets of the zones come from Python's zoneinfo, and not from the C library, which
twheelctl uses.
"""

import collections
import datetime
import pathlib
import struct
import time
import zoneinfo

LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
ALL = [set(range(low, high + 1)) for low, high in LIMITS]
ZONES = pathlib.Path("/usr/share/zoneinfo")
# Days around a change of the clocks.
BEFORE, AFTER = 36 * 3600, 36 * 3600


def random_field(rng, low, high):
    """The text of a field, and the set of its values."""
    text, values = [], set()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        first = rng.randint(low, high)
        last = rng.choice((first, rng.randint(first, high)))
        step = rng.choice((1, 2, 3, 5, 7, 20, 60))
        kind = rng.choice(("*", "*/", "N", "N/", "N-N", "N-N/"))
        if "*" in kind:
            first, last = low, high
        elif kind == "N":
            last = first
        elif kind == "N/":
            last = high
        word = kind[:1] if "*" in kind else f"{first}"
        word += f"-{last}" if "-" in kind else ""
        word += f"/{step}" if "/" in kind else ""
        text.append(word)
        values.update(range(first, last + 1, step if "/" in kind else 1))
    return ",".join(text), values


def random_spec(rng):
    """A recurrence, and its five sets of values."""
    fields = [("*", set(range(low, high + 1))) if rng.random() < chance
              else random_field(rng, low, high)
              for (low, high), chance in zip(LIMITS, (0.1, 0.3, 0.5, 0.7, 0.5))]
    return " ".join(text for text, _ in fields), [values for _, values in fields]


def read_changes(data):
    """The changes of a zone's offset: pairs of a time and the seconds that it adds."""
    def counts(at):
        return struct.unpack(">6L", data[at + 20:at + 44])
    isut, isstd, leaps, times, types, chars = counts(0)
    at = 44 + times * 5 + types * 6 + chars + leaps * 8 + isstd + isut  # the second header
    _, _, _, times, types, _ = counts(at)
    at += 44
    when = struct.unpack_from(f">{times}q", data, at)
    kinds = data[at + times * 8:at + times * 9]
    offsets = [offset for offset, _, _ in
               struct.iter_unpack(">lbB", data[at + times * 9:at + times * 9 + types * 6])]
    for number in range(1, times):
        added = offsets[kinds[number]] - offsets[kinds[number - 1]]
        if added and when[number] > BEFORE:
            yield when[number], added, when[number] + offsets[kinds[number]]


def odd_changes():
    """Changes other than by an hour, at most two by the same time in a zone, and Ramadan.

    Yields the zone, the time, the seconds that the change adds, and the local time after it.
    """
    seen = set()
    for path in sorted(ZONES.rglob("*")):
        zone = str(path.relative_to(ZONES))
        if zone.startswith(("posix", "right")) or not path.is_file():
            continue
        data = path.read_bytes()
        if data[:4] != b"TZif" or data in seen:
            continue
        seen.add(data)
        kinds = collections.defaultdict(list)
        for when, added, wall in read_changes(data):
            if abs(added) != 3600 or zone == "Africa/Casablanca":
                kinds[added].append((zone, when, added, wall))
        for found in kinds.values():
            yield from dict.fromkeys((found[0], found[-1]))


class WallClock:
    """What local clocks show around a change.

    @shown has the times at which they show a minute, and @skipped those after which they
    have skipped one. @days has what a calendar says of each minute.
    """

    def __init__(self, zone, change):
        self.zone = zone
        self.first = (change - BEFORE) // 60 * 60
        self.last = (change + AFTER) // 60 * 60
        self.shown = collections.defaultdict(list)
        self.skipped = {}
        tz = zoneinfo.ZoneInfo(zone)
        wall = None
        # An offset may have half a minute.
        for when in range(self.first + 30, self.last + 1, 30):
            offset = datetime.datetime.fromtimestamp(when, tz).utcoffset()
            before, wall = wall, when + offset.days * 86400 + offset.seconds
            if wall % 60 == 0:
                self.shown[wall].append(when)
            if before and wall > before + 30:
                self.skipped.update((minute, when) for minute in
                                    range(before // 60 * 60 + 60, wall, 60))
        self.days = {wall: time.gmtime(wall) for wall in (*self.shown, *self.skipped)}

    def due(self, spec, sets):
        """All times at which a job runs."""
        _, hour, day, _, weekday = spec.split()
        either = "*" not in (day[0], weekday[0])
        found = set()
        for wall, tm in self.days.items():
            if not (tm.tm_min in sets[0] and tm.tm_hour in sets[1] and tm.tm_mon in sets[3]):
                continue
            days = (tm.tm_mday in sets[2],
                    bool({(tm.tm_wday + 1) % 7, tm.tm_wday + 1} & sets[4]))
            if not (any if either else all)(days):
                continue
            if hour[0] == "*":
                found.update(self.shown.get(wall, ()))
            else:  # once: the first time, or the end of a gap
                found.add(self.shown[wall][0] if wall in self.shown else self.skipped[wall])
        return sorted(found)
