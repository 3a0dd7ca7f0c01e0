# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars in times, scaled to the machine by a fixed piece of work of the same kind (bench_yardstick), timed in the
same run: just before and just after the figure."""
import contextlib
import json
import statistics

import program

BENCH = program.IPCTOP.parent / "tests" / "bench_yardstick"
# What the work takes on the machine that the bars were set on: 2 CPUs of an AMD EPYC (virtual), idle.
REFERENCE_MS = {
    ("memory", "wall"): 41, ("memory", "cpu"): 41,
    ("compute", "wall"): 28, ("compute", "cpu"): 28,
    ("wakeups", "cpu"): 1.3,
    ("starts", "wall"): 27,
}


class Yardstick:
    """Of a kind of work, by wall time or CPU time: as the figure beside it is taken."""

    def __init__(self, kind, clock):
        self.kind, self.clock = kind, clock
        self.times = []

    def time(self):
        self.times += json.loads(program.run([BENCH, self.kind]))[f"{self.clock}_ms"]

    def slowness(self):
        return statistics.median(self.times) / REFERENCE_MS[self.kind, self.clock]

    def bar(self, results, name, value, limit, unit="", more="", *, fixed=0, strict=False):
        """As Results.bar(). @fixed: the part of the limit that a slow machine does not need longer for."""
        scaled = fixed + (limit - fixed) * self.slowness()
        note = f"{limit:g}{unit} by the yardstick: {self.kind}, {statistics.median(self.times):.3g} ms of " \
            f"{self.clock} time, {REFERENCE_MS[self.kind, self.clock]:g} ms where the bar was set"
        results.bar(name, value, scaled, unit, f"{note}; {more}" if more else note, strict=strict)


@contextlib.contextmanager
def beside(kind, clock="wall"):
    """Around the taking of a figure."""
    yardstick = Yardstick(kind, clock)
    yardstick.time()
    yield yardstick
    yardstick.time()
