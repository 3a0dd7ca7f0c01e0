# SPDX-License-Identifier: GPL-2.0-or-later
"""Medians, and how sure they are."""
import random
import statistics

RESAMPLES = 10000
SEED = 20260101


def median_interval(values, confidence=0.95):
    """The bootstrap interval of the median (percentile method), from a fixed seed."""
    chance = random.Random(SEED)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    tail = (1 - confidence) / 2
    return medians[int(tail * RESAMPLES)], medians[int((1 - tail) * RESAMPLES) - 1]


def spread(values, digits=3):
    """The median and the extremes, as text."""
    median, low, high = statistics.median(values), min(values), max(values)
    return f"median {median:.{digits}g}, {low:.{digits}g} to {high:.{digits}g} of {len(values)}"
