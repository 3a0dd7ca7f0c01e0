# SPDX-License-Identifier: GPL-2.0-or-later
"""What the screen costs the members: their latencies beside a dashboard that draws at 10 Hz, and without one.

A round is three runs in random order: without a screen, with one, and without once more, which tells what a
comparison of the same with itself comes to. Where that is wider than the bar, nothing can be said.
"""
import json
import os
import tempfile

import program
import rounds
from terminal import Terminal

BARS = {50: 1.03, 99: 1.10}
PRIORITY, INTERVAL_US = 80, 500
COLUMNS, LINES = 200, 60


def pooled(report):
    """{percent: ns} of all pairs' first hops together."""
    counts = {}
    for ring in report["rings"]:
        for lower, upper, count in ring["figures"]["first"]["histogram"]:
            middle = (lower + upper) / 2
            counts[middle] = counts.get(middle, 0) + count
    total, found = sum(counts.values()), {}
    for percent in BARS:
        passed = 0
        for ns in sorted(counts):
            passed += counts[ns]
            if passed >= total * percent / 100:
                found[percent] = ns
                break
    return found


def run(folder, seconds, screen):
    path = os.path.join(folder, "report.json")
    command = [program.IPCTOP, "-i", INTERVAL_US, "-D", seconds, "--tick", 0.1, "--refresh", 0.1, "--json", path]
    if program.may_run_realtime():
        command += ["-p", PRIORITY]
    if screen:
        with Terminal(command, COLUMNS, LINES) as terminal:
            if terminal.wait(60):
                raise RuntimeError("the run on a terminal failed")
            if terminal.n_read < 5000:
                raise RuntimeError("nothing was drawn")
    else:
        program.run([*command, "-q"])
    with open(path, encoding="utf-8") as file:
        return pooled(json.load(file))


def bench(results, options):
    seconds = max(1, options.seconds)
    with tempfile.TemporaryDirectory(prefix="ipctop-screen-") as folder, program.idle_states_held(results):
        taken = rounds.take({
            "quiet": lambda: run(folder, seconds, False),
            "screen": lambda: run(folder, seconds, True),
            "again": lambda: run(folder, seconds, False),
        }, options.pairs)
    results.note(f"-i {INTERVAL_US} -D {seconds:g} -p {PRIORITY}, own pairs of {len(program.cpus())} CPUs, first hop")
    for percent, bar in BARS.items():
        found = {place: [one[percent] for one in runs] for place, runs in taken.items()}
        own = results.ratio(f"p{percent}, -q / -q", rounds.ratios(found, "again", "quiet"))
        high = results.ratio(f"p{percent}, screen at 10 Hz / -q", rounds.ratios(found, "screen", "quiet"))
        results.bar_beside(f"upper end, p{percent}, screen / -q", high, bar, own)
