# SPDX-License-Identifier: GPL-2.0-or-later
"""What a ring notices of rings that come and go on another CPU: its p50 in phases with and without them."""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import program
from figure import Skip

PAIRS, PHASE_S, A_SECOND, BAR = 20, 2, 10, 1.02
FIGURES = ("first", "answer")


def ctl(path, *words):
    return json.loads(program.run([program.IPCTOP, "ctl", path, *words]))


def come_and_go(path, cpu):
    """For the length of a phase, each tenth of a second a ring is added, and the one before is removed."""
    last, end = None, time.monotonic() + PHASE_S
    for i in range(PHASE_S * A_SECOND):
        reply = ctl(path, "add", "-m", "pipe", "--pairs", f"{cpu}:{cpu}")
        if last is not None:
            ctl(path, "remove", str(last))
        last = reply["first_ring"]
        time.sleep(max(0, end - time.monotonic() - (PHASE_S * A_SECOND - i - 1) / A_SECOND))
    ctl(path, "remove", str(last))


def measure(folder, measured, other):
    path, summary = folder / "control", folder / "run.json"
    with subprocess.Popen([program.IPCTOP, "-q", "-m", "pipe", "-c", str(measured), "--control", path, "--json",
                           summary, "--tick", "0.1", "--no-auto-phase"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, env=program.environment()) as run:
        try:
            while not path.exists() and run.poll() is None:
                time.sleep(0.01)
            time.sleep(1)
            for _ in range(PAIRS):
                ctl(path, "mark", "alone")
                time.sleep(PHASE_S)
                ctl(path, "mark", "beside")
                come_and_go(path, other)
            ctl(path, "quit")
            run.wait(10)
        finally:
            program.end(run)
    return json.loads(summary.read_text(encoding="utf-8"))


def p50(phase, figure):
    ring = next(ring for ring in phase["rings"] if ring["id"] == 0)
    return ring["figures"][figure]["percentiles"]["p50_ns"]


def bench(results, _):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Skip("needs 2 CPUs")
    with tempfile.TemporaryDirectory() as folder:
        report = measure(pathlib.Path(folder), cpus[-1], cpus[0])
    named = {name: [phase for phase in report["phases"] if phase["name"] == name] for name in ("alone", "beside")}
    for figure in FIGURES:
        ratios = [p50(b, figure) / p50(a, figure) for a, b in zip(named["alone"], named["beside"])]
        results.bar(f"p50 of the {figure} beside {A_SECOND} rings a second", statistics.median(ratios), BAR, "",
                    f"{len(ratios)} pairs of phases, {min(ratios):.3f} to {max(ratios):.3f}")
