# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast each mechanism is, flat out: with 100 and with 4,096 bytes, on one CPU and across two. No bar.

Prints a table in Markdown, which flood.md shows. The rate is that of round trips, which ipc-bench calls
messages; a hop is half a round trip. Rests between the stretches of a flood are left out.
"""
import platform
import re
import subprocess

import handmade
import program
from figure import Skip

SECONDS = 1
SIZES = (100, 4096)


def mechanisms():
    return [line.split()[0] for line in program.run([program.IPCTOP, "list"]).splitlines()]


def plan(*words):
    """Where the plan is refused, it is for what the mechanism can't do."""
    result = subprocess.run([program.IPCTOP, "--plan", *words], capture_output=True, text=True, check=False)
    if result.returncode:
        raise Skip(result.stderr.strip().removeprefix("ipctop: "))


def lap(mechanism, pair, *more):
    """The figure, and how many bytes a token had."""
    words = ["-m", mechanism, "-i", "0", "--pairs", f"{pair[0]}:{pair[1]}", *map(str, more)]
    plan(*words)
    ring = program.measure(*words, "-D", SECONDS, "--show", "lap")["rings"][0]
    if not ring["laps"]:
        raise Skip(f"no lap was counted within {SECONDS} s")
    return ring["figures"]["lap"], ring["token"]["bytes"]


def cell(figure):
    return f"{1e9 / figure['mean_ns']:,.0f} ({figure['percentiles']['p50_ns'] / 2:,.0f})"


def cells(skipped, mechanism, where, pair):
    """One for each size; a mechanism that carries no bytes has the first one only."""
    try:
        figure, carried = lap(mechanism, pair)
        if not carried:
            return [cell(figure) + " *", "-"]
        return [cell(lap(mechanism, pair, "-s", size)[0]) for size in SIZES]
    except Skip as skip:
        skipped.append((f"{mechanism}, {where}", skip))
        return ["-" for _ in SIZES]


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        match = re.search(r"^model name\s*:\s*(.*)$", file.read(), re.MULTILINE)
    return match[1] if match else platform.machine()


def row(words):
    print(f"| {' | '.join(words)} |", flush=True)


def bench(results, options):
    del options
    places, skipped = handmade.places(), []
    with program.idle_states_held(results):
        print(f"\nRound trips a second, and in parentheses the median hop in ns: {len(program.cpus())} CPUs "
              f"({cpu_model()}), Linux {platform.release()}, threads at SCHED_OTHER.\n")
        row(["mechanism", *(f"{where}, {size:,} bytes" for where, _ in places for size in SIZES)])
        row(["---"] + ["---:"] * len(places) * len(SIZES))
        for mechanism in mechanisms():
            row([mechanism, *(text for place in places for text in cells(skipped, mechanism, *place))])
        print("\n\\* carries no bytes: the token alone\n")
    for name, why in skipped:
        results.skip(name, why)
    if len(places) == 1:
        results.skip("two CPUs", "needs 2 CPUs")
