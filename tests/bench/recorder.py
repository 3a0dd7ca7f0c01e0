# SPDX-License-Identifier: GPL-2.0-or-later
"""What a pair notices of the flight recorder: its p50 while it records and while it does not, in blocks of one run.

Separate runs differ by more than the recorder costs. $IPCTOP_BLOCKS pairs of blocks are compared for each tier: 50
unless it is set. As many of a recorder that is switched from off to off tell what the switching itself does.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import time

import program

PAIRS = int(os.environ.get("IPCTOP_BLOCKS", "50"))
BLOCK_S, SETTLE_S = 0.6, 0.15
# The upper end of the interval of answer and first hop, and of the response, which has an interrupt in each lap.
BARS = {"bpf": (1.04, 1.10), "perf": (1.15, 1.15)}
FIGURES = ("answer", "first", "response")


def ctl(path, *words):
    return subprocess.run([program.IPCTOP, "ctl", path, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          env=program.environment(), check=False).returncode == 0


def toggle(path, tiers):
    """Returns False where one of them is refused."""
    for _ in range(PAIRS):
        for tier in tiers:
            if not ctl(path, "recorder", tier):
                return False
            time.sleep(SETTLE_S)
            ctl(path, "mark", tier)
            time.sleep(BLOCK_S)
            ctl(path, "mark", "between")
    return True


def measure(folder, cpus, tiers):
    """Returns the phases of the blocks, in pairs; None where a tier is refused."""
    path, summary = folder / "control", folder / "run.json"
    summary.unlink(missing_ok=True)
    priority = ["-p", "80"] if program.may_run_realtime() else []
    with subprocess.Popen([program.IPCTOP, "-q", "-m", "mq", *cpus, "-i", "500", *priority, "--no-auto-phase",
                           "--control", path, "--recorder", "off", "--json", summary, "--tick", "0.1"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=program.environment()) as run:
        try:
            while not path.exists() and run.poll() is None:
                time.sleep(0.01)
            time.sleep(1)
            ran = toggle(path, tiers)
            ctl(path, "quit")
            run.wait(10)
        finally:
            program.end(run)
    if not ran:
        return None
    phases = [phase for phase in json.loads(summary.read_text(encoding="utf-8"))["phases"]
              if phase["cause"] == "mark" and phase["name"] in tiers]
    return list(zip(phases[::2], phases[1::2]))


def ratios(blocks, figure):
    p50s = [[phase["rings"][0]["figures"][figure]["percentiles"].get("p50_ns") for phase in pair] for pair in blocks]
    return [b / a for a, b in p50s if a and b]


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
                blocks = measure(folder, words, ("off", tier))
                if not blocks:
                    results.skip(f"{tier}, {place}", "refused here")
                    continue
                for figure in FIGURES:
                    high = results.ratio(f"{figure} {place}, {tier} and off", ratios(blocks, figure))
                    results.bar_beside(f"{figure} {place}, {tier}", high, response_bar if figure == "response" else bar,
                                       own[figure])
