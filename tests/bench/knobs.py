# SPDX-License-Identifier: GPL-2.0-or-later
"""What members notice of the watching of knobs: their p99 with one more watcher, and without, in blocks of one run.

A run always watches, so another process does the same as its front, once a second, and ends with the block. As many
blocks without it tell what a comparison of the same with itself comes to.
"""
import contextlib
import pathlib
import subprocess
import tempfile

import blocks
import program
from cost import WATCH

BAR, FIGURES = 1.02, ("answer", "first", "response")
BLOCK_S = 3             # two or three rounds
N_PAIRS = blocks.PAIRS // 2
MEMBERS, ROUNDS, REST_MS = 32, 1000, 900


def measure(folder, settings):
    """Pairs of FIFO members on all CPUs, one of which the watcher must share."""
    priority = ["-p", "80"] if program.may_run_realtime() else []
    with contextlib.ExitStack() as watcher:
        def apply(setting):
            watcher.close()
            if setting == "watched":
                process = subprocess.Popen([WATCH, str(MEMBERS), str(ROUNDS), str(REST_MS)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, env=program.environment())
                watcher.callback(program.end, process)
            return True
        return blocks.measure(folder, ["-m", "mq", "-i", "500", "--side-by-side", *priority], settings, BLOCK_S,
                              lambda *_: apply, N_PAIRS)


def bench(results, _):
    with tempfile.TemporaryDirectory(prefix="ipctop-knobs-") as name:
        folder = pathlib.Path(name)
        null, pairs = measure(folder, ("alone", "alone")), measure(folder, ("alone", "watched"))
    for figure in FIGURES:
        p99 = blocks.percentile(figure, "p99_ns")
        own = results.ratio(f"p99 of {figure}, without and without", blocks.ratios(null, p99))
        high = results.ratio(f"p99 of {figure}, with one more watcher and without", blocks.ratios(pairs, p99))
        results.bar_beside(f"p99 of {figure}, watched", high, BAR, own)
