# SPDX-License-Identifier: GPL-2.0-or-later
"""What a pair notices of the flight recorder: its p50 while it records and while it does not, in blocks of one run.

As many blocks of a recorder that is switched from off to off tell what the switching itself does.
And what front and keeper take of a CPU with it: at 0, 1 and 20 spikes a second, and with 1,024 rings.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import blocks
import cost
import program

# A block's p50 differs from the next one's by about as much, however long they are: short ones are more, and so tell more.
# A session keeps 256 phases: each run has as many as fit. Across, CPUs that wake up add differences of their own.
BLOCK_S, RUNS, RUNS_ACROSS = 0.2, 3, 6
# The upper end of the interval of answer and first hop, and of the response, which has an interrupt in each lap.
BARS = {"bpf": (1.04, 1.10), "perf": (1.15, 1.15)}
FIGURES = ("answer", "first", "response")
BAR_PAIR, BAR_MANY = 2, 5       # percent of a CPU, as in the section cost
OWN_S, SETTLE_S, RATES = 10, 3, (0, 1, 20)      # 20: as many spikes a second as are reported
# Takes the CPU for 2 ms so many times a second.
HOG = """
import sys, time
while True:
    time.sleep(1 / float(sys.argv[1]))
    start = time.monotonic_ns()
    while time.monotonic_ns() - start < 2e6:
        pass
"""


def measure(folder, cpus, runs, tiers):
    priority = ["-p", "80"] if program.may_run_realtime() else []
    found = [blocks.measure(folder, ["-m", "mq", *cpus, "-i", "500", *priority, "--recorder", "off"], tiers, BLOCK_S,
                            lambda _, path: lambda tier: blocks.ctl(path, "recorder", tier)) for _ in range(runs)]
    return None if None in found else sum(found, [])


def ratios(pairs, figure):
    return blocks.ratios(pairs, blocks.percentile(figure, "p50_ns"))


def own_cpu(folder, tier, words):
    """Percent of a CPU that front and keeper take, and spikes a second. None where the tier is refused."""
    summary = folder / "run.json"
    with subprocess.Popen([program.IPCTOP, "-q", "-m", "mq", *words, "--recorder", tier, "--json", summary],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=program.environment()) as run:
        try:
            time.sleep(SETTLE_S)
            parts = cost.share(run.pid, 2, lambda: time.sleep(OWN_S))
        finally:
            program.end(run, 10)
    report = json.loads(summary.read_text(encoding="utf-8"))
    if report["host"]["recorder"] != tier:
        return None
    return parts, report["spikes"]["blame"]["spikes"] / (report["duration_ns"] / 1e9)


@contextlib.contextmanager
def hog(cpu, rate):
    """Ends by itself, too."""
    process = subprocess.Popen(["timeout", "60", "taskset", "-c", str(cpu), "chrt", "-f", "90", sys.executable, "-c",
                                HOG, str(rate)]) if rate else None
    try:
        yield
    finally:
        if process:
            program.end(process)


def bench_own_cpu(results, folder, cpu):
    pair, realtime = ["-c", str(cpu), "-i", "500", "--spike", "1000"], program.may_run_realtime()
    many = ["-t", "1024", "--side-by-side", "-i", "1s", "--spike", "1s"]
    cases = [(f"a pair, {rate} spikes a second", [*pair, "-p", "80"], rate, BAR_PAIR) for rate in RATES if realtime]
    for title, words, rate, bar in [*cases, ("1,024 pairs, each once a second", many, 0, BAR_MANY)]:
        for tier in ("off", *BARS):
            with hog(cpu, rate):
                found = own_cpu(folder, tier, words)
            if found:
                parts, spikes = found
                results.bar(f"{title}, {tier}", sum(parts), bar, " % of a CPU",
                            f"{OWN_S} s; {spikes:.1f} spikes a second")
            else:
                results.skip(f"{title}, {tier}", "refused here")
    if not realtime:
        results.skip("spikes", "needs the right to real-time policies")


def bench_p50(results, folder, cpus):
    places = {"on one CPU": (["-c", str(cpus[-1])], RUNS)}
    if len(cpus) > 1:
        places["across"] = (["--pairs", f"{cpus[0]}:{cpus[-1]}"], RUNS_ACROSS)
    for place, (words, runs) in places.items():
        null = measure(folder, words, runs, ("off", "off"))
        own = {figure: results.ratio(f"{figure} {place}, off and off", ratios(null, figure)) for figure in FIGURES}
        for tier, (bar, response_bar) in BARS.items():
            pairs = measure(folder, words, runs, ("off", tier))
            if not pairs:
                results.skip(f"{tier}, {place}", "refused here")
                continue
            for figure in FIGURES:
                high = results.ratio(f"{figure} {place}, {tier} and off", ratios(pairs, figure))
                results.bar_beside(f"{figure} {place}, {tier}", high, response_bar if figure == "response" else bar,
                                   own[figure])


def bench(results, _):
    cpus = program.cpus()
    with tempfile.TemporaryDirectory() as name:
        bench_own_cpu(results, pathlib.Path(name), cpus[-1])
        bench_p50(results, pathlib.Path(name), cpus)
