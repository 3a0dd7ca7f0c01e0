# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds of runs that are compared: each round has one run of each kind, in random order.

A round has the peer twice: its two runs tell what a comparison of the peer with itself comes to. What makes a
run slower than the next is mostly the machine, and lasts: many short runs tell more than few long ones.
"""
import itertools
import math
import random

import stats


def take(runs, rounds):
    """@runs: {name: function}. For each name, what its runs returned, by round."""
    orders = list(itertools.permutations(runs))
    plan = orders * math.ceil(rounds / len(orders))
    random.Random(stats.SEED).shuffle(plan)
    taken = {name: [] for name in runs}
    for order in plan[:rounds]:
        for name in order:
            taken[name].append(runs[name]())
    return taken


def ratios(numbers, name, to):
    """Of @numbers as take() returned them, round by round."""
    return [own / other for own, other in zip(numbers[name], numbers[to])]
