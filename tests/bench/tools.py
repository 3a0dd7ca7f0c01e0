# SPDX-License-Identifier: GPL-2.0-or-later
"""What ipctop prints in place of a tool beside what the tool prints, where hops cost nothing: lap-only and batches.

The tools are built by hand, as their documents say, below the folder that IPCTOP_PEERS names: lmbench/bin/*/lat_ctx,
c2clat/c2clat and core-to-core-latency/core-to-core-latency. perf bench is the system's. A round is as in peers.py.
"""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile

import handmade
import program
import rounds
from figure import Skip

BAR_LAT_CTX, BAR_PERF, BAR_C2CLAT, BAR_CORES = 1.05, 1.02, 1.05, 1.05
# Between CPUs that share an L3 cache the two tools differ by 18 %: c2clat reads a pointer at each poll, too. A sweep that
# is quicker than either by more than this measures something else.
BAR_QUICKER = 1.35
SIZES = (2, 8, 16)
PRIORITY = 80                           # of tools that spin, and of sweeps beside them
SWEEPS, SWEEP_BATCHES = 3, 60           # of a sweep: rounds, and batches in a round
CORES_LAPS, CORES_SAMPLES = 1000, 20    # of core-to-core-latency: with its own 300 a run rarely goes undisturbed
CORES_RUNS = 9                          # of a single sample, in place of these


def peer(pattern):
    """The path of a tool; absolute, as some look for their own file."""
    folder = os.environ.get("IPCTOP_PEERS")
    if not folder:
        raise Skip("IPCTOP_PEERS names no folder of peers")
    found = sorted(glob.glob(os.path.join(os.path.abspath(folder), pattern)))
    if not found:
        raise Skip(f"{pattern} is not in {folder}")
    return found[0]


def compare(results, name, taken, bar, both_ends=False):
    """@taken: runs of "peer", "ipctop" and "again", each a number. @bar: None for none."""
    own_low, own = results.interval(f"{name}, the tool / itself", rounds.ratios(taken, "again", "peer"))
    low, high = results.interval(f"{name}, ipctop / the tool", rounds.ratios(taken, "ipctop", "peer"))
    if bar:
        results.bar_beside(f"upper end, {name}", high, bar, own)
    if bar and both_ends:
        results.bar_beside(f"1 / lower end, {name}", 1 / low, BAR_QUICKER, 1 / own_low)
    for place in ("peer", "ipctop"):
        handmade.say_ns(results, f"{name}, {place}", taken[place])


def xgraph(command, env=None):
    """{"ovr": ns, 2: ns, ...} of lat_ctx; all it prints is on stderr."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, check=True, env=program.environment(**(env or {})))
    found = {int(n): float(us) * 1000 for n, us in re.findall(r"^(\d+) ([\d.]+)$", done.stderr, re.M)}
    return found | {"ovr": float(re.search(r"ovr=([\d.]+)", done.stderr)[1]) * 1000}


def bench_lat_ctx(results, options, cpu):
    """Its figures have two decimals; where a row is left out on either side, the round has none for it."""
    lmbench = peer("lmbench/bin/*/lat_ctx")
    words = ["-N", 5, "-s", 0, *SIZES]
    settings = {"ENOUGH": "100000", "TIMING_O": "0", "LOOP_O": "0", "LMBENCH_SCHED": "SINGLE"}
    own = [program.IPCTOP, "lat_ctx", "--cpus", cpu, *words]
    taken = rounds.take({
        "peer": lambda: xgraph(["taskset", "-c", cpu, lmbench, *words], settings),
        "ipctop": lambda: xgraph(own),
        "again": lambda: xgraph(["taskset", "-c", cpu, lmbench, *words], settings),
    }, options.pairs)
    for row in (*SIZES, "ovr"):
        whole = [i for i in range(options.pairs) if all(runs[i].get(row) for runs in taken.values())]
        name = "lat_ctx, overhead" if row == "ovr" else f"lat_ctx, {row} processes"
        if len(whole) * 2 < options.pairs:
            results.skip(name, f"only {len(whole)} of {options.pairs} rounds have it")
            continue
        compare(results, name, {place: [runs[i][row] for i in whole] for place, runs in taken.items()}, BAR_LAT_CTX)


def bench_perf(results, options, cpu):
    if not shutil.which("perf"):
        raise Skip("perf is not installed (package linux-perf)")
    pair = (cpu, cpu)
    laps = handmade.laps_of("perf-pipe", pair, options.seconds)
    compare(results, "perf bench sched pipe", rounds.take({
        "peer": lambda: handmade.run_perf(cpu, laps),
        "ipctop": lambda: handmade.run_ours("pipe", pair, laps, "-s", handmade.TOKEN, "--stamps", "lap")["lap"],
        "again": lambda: handmade.run_perf(cpu, laps),
    }, options.pairs), BAR_PERF)


def undisturbed(ours):
    """Words before a tool's command, or among ours, for FIFO: what else runs takes no time from one of the two alone."""
    if not program.may_run_realtime():
        return []
    return ["-p", PRIORITY, "--allow-rt-spin"] if ours else ["timeout", 5, "chrt", "-f", PRIORITY]


def run_c2clat(path, pair):
    """ns of a round trip: it prints half of its shortest batch of 100, cut to whole ns. As many batches as a sweep's."""
    words = [*undisturbed(False), "taskset", "-c", f"{pair[0]},{pair[1]}", path, "-s", SWEEP_BATCHES]
    return min(2 * (float(program.run(words).splitlines()[1].split()[2]) + 0.5) for _ in range(SWEEPS))


def run_sweep(pair, reduce=min, figure="min_ns"):
    """The same of a sweep: the shortest mean of a batch of laps, in some rounds; or another figure of the batches."""
    with tempfile.TemporaryDirectory(prefix="ipctop-bench.") as folder:
        path = os.path.join(folder, "json")
        laps = []
        for _ in range(SWEEPS):
            program.run([program.IPCTOP, "-q", "--no-config", "--sweep", "-m", "shm", "-c", f"{pair[0]},{pair[1]}", "-l", 1,
                         *undisturbed(True), "--json", path])
            with open(path, encoding="utf-8") as file:
                laps.append(json.load(file)["matrix"]["cells"][0]["lap"][figure])
    return reduce(laps)


def run_cores(path, pair, samples=CORES_SAMPLES):
    """ns of a round trip between two flags on lines of their own, each written by one side: it prints half of the
    mean of its samples, each of which is the mean of a batch, after one that warms up."""
    out = program.run([*undisturbed(False), path, "--bench", 2, "--csv", "--cores", f"{pair[0]},{pair[1]}", CORES_LAPS, samples])
    return 2 * float(re.search(r"^([\d.]+),", out, re.M)[1])


def run_cores_median(path, pair):
    """The same, but the median of batches: it prints a single sample as it is."""
    return statistics.median(run_cores(path, pair, samples=1) for _ in range(CORES_RUNS))


def beside_a_sweep(results, options, cpus, name, pattern, bar, run, swept):
    """The tool's laps between two CPUs beside those of a sweep, which @swept returns of a pair."""
    path = peer(pattern)
    if len(cpus) < 2:
        raise Skip("needs 2 CPUs")
    pair = tuple(cpus[:2])
    compare(results, name, rounds.take({
        "peer": lambda: run(path, pair),
        "ipctop": lambda: swept(pair),
        "again": lambda: run(path, pair),
    }, options.pairs), bar, both_ends=True)


def bench_c2clat(results, options, cpus):
    beside_a_sweep(results, options, cpus, "c2clat", "c2clat/c2clat", BAR_C2CLAT, run_c2clat, run_sweep)


def bench_cores(results, options, cpus):
    """The bar is of the same figure on both sides, a median of batches. Of several batches the tool prints the mean,
    which is longer; a sweep keeps none, so the ratio to it has no bar."""
    def swept(pair):
        return run_sweep(pair, statistics.median, "p50_ns")

    name = "core-to-core-latency"
    beside_a_sweep(results, options, cpus, f"{name}, median", f"{name}/{name}", BAR_CORES, run_cores_median, swept)
    beside_a_sweep(results, options, cpus, f"{name}, its mean", f"{name}/{name}", None, run_cores, swept)


def bench(results, options):
    """Each tool by itself: where one is missing, the others run."""
    cpus = program.cpus()
    with program.idle_states_held(results):
        for name, run, where in (("lat_ctx", bench_lat_ctx, cpus[0]), ("perf bench sched pipe", bench_perf, cpus[0]),
                                 ("c2clat", bench_c2clat, cpus),
                                 ("core-to-core-latency", bench_cores, cpus)):
            try:
                run(results, options, where)
            except Skip as skip:
                results.skip(f"ipctop / {name}", skip)
