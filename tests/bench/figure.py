# SPDX-License-Identifier: GPL-2.0-or-later
"""What a benchmark says: figures with a bar that holds or not, notes, and what can't be done here."""

import statistics

import stats


class Skip(Exception):
    """This machine can't do it; the text names what is missing."""


class Results:
    """Prints figures as they come, and counts the bars that were missed."""

    def __init__(self):
        self.missed = []
        self.skipped = []

    def section(self, title):
        print(f"\n{title}", flush=True)

    def note(self, text):
        print(f"    {text}", flush=True)

    def figure(self, name, text):
        """Without a bar."""
        print(f"  {name + ':':<42} {text}", flush=True)

    def bar(self, name, value, limit, unit="", more="", strict=False):
        """Holds where the value is at most the limit, or below it (strict)."""
        holds = value < limit if strict else value <= limit
        relation = "under" if strict else "at most"
        text = f"{value:.4g}{unit}, bar {relation} {limit:g}{unit}: {'holds' if holds else 'MISSED'}"
        self.figure(name, text + (f"  ({more})" if more else ""))
        if not holds:
            self.missed.append(name)

    def interval(self, name, ratios):
        """Of pairs of runs: says the median's interval; returns its ends."""
        low, high = stats.median_interval(ratios)
        self.figure(name, f"median ratio {statistics.median(ratios):.3f}, 95 % interval {low:.3f} to {high:.3f}, "
                          f"{len(ratios)} pairs of runs")
        return low, high

    def ratio(self, name, ratios):
        """The same; returns the upper end."""
        return self.interval(name, ratios)[1]

    def bar_beside(self, name, high, limit, own, low=0):
        """A missed bar is undecided where a run against itself misses it, too, and @low, the lower end of the interval,
        is no higher than that."""
        if high > limit and own > limit and low <= own:
            self.figure(name, f"{high:.4g}, bar at most {limit:g}: undecided  (against itself {own:.4g})")
        else:
            self.bar(name, high, limit, more=f"against itself {own:.4g}")

    def skip(self, name, why):
        self.figure(name, f"skipped: {why}")
        self.skipped.append(name)
