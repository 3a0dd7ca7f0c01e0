# SPDX-License-Identifier: GPL-2.0-or-later
"""What a pair notices of the flight recorder: its p50 while it records and while it does not, in blocks of one run.

As many blocks of a recorder that is switched from off to off tell what the switching itself does.
"""
import os
import pathlib
import tempfile

import blocks
import program

BLOCK_S = 0.6
# The upper end of the interval of answer and first hop, and of the response, which has an interrupt in each lap.
BARS = {"bpf": (1.04, 1.10), "perf": (1.15, 1.15)}
FIGURES = ("answer", "first", "response")


def measure(folder, cpus, tiers):
    priority = ["-p", "80"] if program.may_run_realtime() else []
    return blocks.measure(folder, ["-m", "mq", *cpus, "-i", "500", *priority, "--recorder", "off"], tiers, BLOCK_S,
                          lambda _, path: lambda tier: blocks.ctl(path, "recorder", tier))


def ratios(pairs, figure):
    return blocks.ratios(pairs, blocks.percentile(figure, "p50_ns"))


def bench(results, _):
    cpus = sorted(os.sched_getaffinity(0))
    places = {"on one CPU": ["-c", str(cpus[-1])]}
    if len(cpus) > 1:
        places["across"] = ["--pairs", f"{cpus[0]}:{cpus[-1]}"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for place, words in places.items():
            null = measure(folder, words, ("off", "off"))
            own = {figure: results.ratio(f"{figure} {place}, off and off", ratios(null, figure)) for figure in FIGURES}
            for tier, (bar, response_bar) in BARS.items():
                pairs = measure(folder, words, ("off", tier))
                if not pairs:
                    results.skip(f"{tier}, {place}", "refused here")
                    continue
                for figure in FIGURES:
                    high = results.ratio(f"{figure} {place}, {tier} and off", ratios(pairs, figure))
                    results.bar_beside(f"{figure} {place}, {tier}", high, response_bar if figure == "response" else bar,
                                       own[figure])
