# SPDX-License-Identifier: GPL-2.0
"""Turns samples into rows of medians and ratios, and compares ratios with targets."""

import collections
import statistics

HEADER = "engine,kernel,metric,n,peer,twheel_ns,peer_ns,ratio"
SPREAD_HEADER = ("engine,kernel,metric,n,peer,twheel_min,twheel_max,"
                 "peer_min,peer_max")

OPERATIONS = ("add", "cancel", "rearm", "rearm_later")
COSTS = ("cost_add", "cost_cancel", "cost_tick", "cost_bytes")
DESIGNS = ("scan", "heap", "simple_wheel", "hashed_wheel")

# The metrics of the bench module, and the peers of twheel in each.
PEERS = {
    **{metric: ("timer_list", "hrtimer", "cache_miss", "interrupts")
       for metric in OPERATIONS},
    "expire": ("timer_list", "hrtimer"),
    "worst_run": ("timer_list",),
    "worst_run_burst": ("timer_list",),
    "two_cpus": ("timer_list", "hrtimer"),
    **{metric: DESIGNS for metric in COSTS},
}
# Floors are peers in each operation, but have a metric of their own.
FLOORS = {"cache_miss": "chase", "interrupts": "irq"}

# For each metric and peer, the greatest ratio allowed, and the number of timers that it
# is for. 0 stands for the largest number that was measured.
TARGETS = {
    ("add", "timer_list"): (1.0, 1000000),
    ("add", "hrtimer"): (0.35, 1000000),
    ("cancel", "timer_list"): (1.0, 1000000),
    ("cancel", "hrtimer"): (0.5, 1000000),
    ("rearm", "timer_list"): (0.9, 1000000),
    ("rearm", "hrtimer"): (0.3, 1000000),
    ("rearm_later", "timer_list"): (0.25, 1000000),
    ("rearm_later", "hrtimer"): (0.15, 1000000),
    ("expire", "timer_list"): (0.6, 1000000),
    ("expire", "hrtimer"): (0.6, 1000000),
    ("worst_run", "timer_list"): (0.05, 1000000),
    ("worst_run_burst", "timer_list"): (0.05, 1000000),
    ("two_cpus", "timer_list"): (1.0, 1000000),
    ("two_cpus", "hrtimer"): (1.0, 1000000),
    **{(metric, "best"): (limit, 0) for metric, limit in {
        "u_arm_single": 0.4, "u_arm_batch": 0.1, "u_cancel_single": 0.5,
        "u_cancel_batch": 0.1, "u_extend_single": 0.6, "u_extend_batch": 0.1,
        "u_extend_mmap": 0.02, "u_deliver_cpu": 0.15, "u_drain": 0.2,
        "u_bytes": 0.25}.items()},
}

# The growth of an exact timing wheel in userspace: its cost at 10,000,000 timers, divided
# by its cost at 1,000.
BEST_GROWTH = {"add": 12.5, "cancel": 28.0, "rearm": 18.0, "rearm_later": 18.0}

Row = collections.namedtuple(
    "Row", "engine kernel metric n peer twheel_ns peer_ns ratio")
Spread = collections.namedtuple(
    "Spread", "engine kernel metric n peer twheel_min twheel_max peer_min "
    "peer_max")


class Samples:
    """The samples of one machine, by metric, number of timers and engine."""

    def __init__(self, engine):
        self.engine, self.kernel = engine, None
        self.values = collections.defaultdict(list)

    def add(self, line):
        """Add a line of the bench module's results."""
        metric, n, who, _, value = line.split(",")
        # The module has no fractions, so this metric is in thousandths.
        scale = 1000 if metric == "two_cpus" else 1
        self.values[metric, int(n), who].append(float(value) / scale)

    def counts(self, metric):
        return sorted({n for what, n, _ in self.values if what == metric})

    def of(self, metric, n, peer):
        return self.values.get((FLOORS.get(peer, metric), n, peer), [])


def rows_of(samples):
    """Yield pairs of a row and its spread, from the samples of a machine."""
    for metric, peers in PEERS.items():
        for n in samples.counts(metric):
            ours = samples.of(metric, n, "twheel")
            for peer in peers:
                theirs = samples.of(metric, n, peer)
                if ours and theirs:
                    key = (samples.engine, samples.kernel, metric, n, peer)
                    median = [statistics.median(x) for x in (ours, theirs)]
                    yield (Row(*key, *median,
                               median[0] / median[1] if median[1] else 0),
                           Spread(*key, min(ours), max(ours), min(theirs),
                                  max(theirs)))


def text(row):
    """Format a row or a spread as a line of CSV."""
    return ",".join(f"{field:.4g}" if isinstance(field, float) and field < 1
                    else f"{field:.3f}" if isinstance(field, float)
                    else str(field) for field in row)


def parse(kind, line):
    """Parse a line of CSV. KIND is Row or Spread."""
    fields = line.split(",")
    if len(fields) != len(kind._fields):
        raise ValueError(f"not a {kind.__name__.lower()}: {line}")
    return kind(*fields[:3], int(fields[3]), fields[4], *map(float, fields[5:]))


def verdicts(rows):
    """Yield pairs of a row and its target, for each row that has a target.

    For a metric of programs (u_), only the row against the best peer has a target.
    """
    best = {}
    for row in rows:
        if row.metric.startswith("u_") and row.peer != "floor":
            key = row.engine, row.kernel, row.metric, row.n
            if key not in best or row.ratio > best[key].ratio:
                best[key] = row
    for row in [row for row in rows if not row.metric.startswith("u_")
                ] + list(best.values()):
        peer = "best" if row.metric.startswith("u_") else row.peer
        target, at = TARGETS.get((row.metric, peer), (None, None))
        if target is None:
            continue
        most = max(other.n for other in rows
                   if other[:3] == row[:3] and other.peer == row.peer)
        if row.n == at or (row.n == most and (not at or most < at)):
            yield row, target


def show_verdicts(rows):
    """Yield the lines of a table of ratios and targets."""
    yield (f"{'engine':6} {'kernel':22} {'metric':16} {'n':>8} "
           f"{'peer':14} {'twheel':>12} {'peer':>12} {'ratio':>7} "
           f"{'target':>7}")
    for row, target in verdicts(rows):
        met = "met" if row.ratio <= target else "missed"
        yield (f"{row.engine:6} {row.kernel:22} {row.metric:16} {row.n:8} "
               f"{row.peer:14} {row.twheel_ns:12.2f} {row.peer_ns:12.2f} "
               f"{row.ratio:7.3f} {target:7.2f} {met}")


def show_growth(rows):
    """Yield lines that say how costs grow from the smallest to the largest count."""
    cost = collections.defaultdict(dict)
    for row in rows:
        if row.metric in OPERATIONS and row.peer == "cache_miss":
            key = row.engine, row.kernel
            cost[*key, row.metric][row.n] = row.twheel_ns
            cost[*key, "a cache miss"][row.n] = row.peer_ns
    for (engine, kernel, what), by_count in cost.items():
        few, many = min(by_count), max(by_count)
        growth = by_count[many] / by_count[few]
        limit = 1.5 * BEST_GROWTH[what] if what in BEST_GROWTH else None
        line = (f"{engine:6} {kernel:22} {what:14} {by_count[few]:9.1f} ns at "
                f"{few}, {by_count[many]:9.1f} ns at {many}: "
                f"{growth:6.1f} times")
        if limit:
            line += f", at most {limit:.0f}: " + (
                "met" if growth <= limit else "missed")
        yield line
