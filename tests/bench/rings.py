# SPDX-License-Identifier: GPL-2.0-or-later
"""What a ring notices of rings that come and go on another CPU: its p50 in blocks of one run, with and without them."""
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import threading
import time

import blocks
import program
from figure import Skip

BLOCK_S, RUNS, A_SECOND, BAR = 0.5, 3, 10, 1.02
FIGURES = ("first", "answer")


class Traffic:
    """Rings that come and go while they are wanted: each tenth of a second one is added, the one before is removed."""

    def __init__(self, cpu):
        self.cpu, self.n_added = cpu, 0

    def start(self, _, path):
        """The function that blocks.alternate() calls for each setting. Its thread ends with this program."""
        wanted = threading.Event()
        threading.Thread(target=self.come_and_go, args=(path, wanted), daemon=True).start()

        def apply(setting):
            if setting == "beside":
                wanted.set()
            else:
                wanted.clear()
            return True
        return apply

    def come_and_go(self, path, wanted):
        """This thread and ctl stay on that CPU, too: what they cost is not what rings cost."""
        os.sched_setaffinity(0, {self.cpu})
        rings, next_s = [], time.monotonic()
        while True:
            wanted.wait()
            added = subprocess.run([program.IPCTOP, "ctl", path, "add", "-m", "pipe", "--pairs", f"{self.cpu}:{self.cpu}"],
                                   stdin=subprocess.DEVNULL, capture_output=True, env=program.environment(), check=False)
            if added.returncode:
                return
            self.n_added += 1
            rings.append(json.loads(added.stdout)["first_ring"])
            if len(rings) > 1:
                blocks.ctl(path, "remove", str(rings.pop(0)))
            now_s = time.monotonic()
            next_s = max(next_s + 1 / A_SECOND, now_s)
            time.sleep(next_s - now_s)


def measure(folder, traffic, measured):
    words = ["-m", "pipe", "-c", str(measured), "-i", "500"]
    return [pair for _ in range(RUNS)
            for pair in blocks.measure(folder, words, ("alone", "beside"), BLOCK_S, traffic.start)]


def p50(figure):
    """Of the ring that stays."""
    value = blocks.percentile(figure, "p50_ns")
    return lambda ring: value(ring) if ring["id"] == 0 else None


def bench(results, _):
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        raise Skip("needs 2 CPUs")
    traffic = Traffic(cpus[0])
    with tempfile.TemporaryDirectory() as folder:
        pairs = measure(pathlib.Path(folder), traffic, cpus[-1])
    results.figure("rings added", f"{traffic.n_added} in {len(pairs)} blocks of {BLOCK_S} s and {blocks.SETTLE_S} s before each")
    for figure in FIGURES:
        ratios = blocks.ratios(pairs, p50(figure))
        name = f"p50 of the {figure} beside {A_SECOND} rings a second"
        low, high = results.interval(name, ratios)
        results.bar(name, statistics.median(ratios), BAR, "", f"{low:.3f} to {high:.3f}")
