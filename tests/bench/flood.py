# SPDX-License-Identifier: GPL-2.0-or-later
"""How many laps a second each mechanism makes, flat out: on one CPU, and across two. No bar."""
import re

import program
from figure import Skip

SECONDS = 1


def mechanisms():
    names = [match[1] for match in re.finditer(r"^\s*(\w+)\s", program.run([program.IPCTOP, "list"]), re.MULTILINE)]
    return [name for name in names if name != "mechanism"]


def rate(mechanism, pair):
    ring = program.measure("-m", mechanism, "-i", 0, "-D", SECONDS, "--pairs", pair, "--show", "lap")["rings"][0]
    lap = ring["figures"]["lap"]
    return f"{ring['laps'] / ring['active_ns'] * 1e9:,.0f} laps/s, p50 {lap['percentiles']['50'] / 1000:.2f} us"


def bench(results, options):
    del options
    cpus = program.cpus()
    pairs = [("on one CPU", f"{cpus[0]}:{cpus[0]}")]
    if len(cpus) > 1:
        pairs.append(("across two CPUs", f"{cpus[0]}:{cpus[1]}"))
    with program.idle_states_held(results):
        for mechanism in mechanisms():
            for where, pair in pairs:
                try:
                    results.figure(f"{mechanism}, {where}", rate(mechanism, pair))
                except Skip as skip:
                    results.skip(f"{mechanism}, {where}", skip)
    if len(cpus) == 1:
        results.skip("across two CPUs", "needs 2 CPUs")
