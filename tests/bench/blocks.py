# SPDX-License-Identifier: GPL-2.0-or-later
"""Two settings of one run, in blocks that alternate: separate runs differ by more than many a setting costs.

$IPCTOP_BLOCKS pairs of blocks are compared: 50 unless it is set.
"""
import json
import os
import subprocess
import time

import program

PAIRS = int(os.environ.get("IPCTOP_BLOCKS", "50"))
SETTLE_S = 0.15


def ctl(path, *words):
    return subprocess.run([program.IPCTOP, "ctl", path, *words], stdin=subprocess.DEVNULL, capture_output=True,
                          env=program.environment(), check=False).returncode == 0


def alternate(path, settings, block_s, apply, n_pairs):
    """apply(setting) returns whether it was set. Returns False where one of them is refused."""
    for _ in range(n_pairs):
        for setting in settings:
            if not apply(setting):
                return False
            time.sleep(SETTLE_S)
            ctl(path, "mark", setting)
            time.sleep(block_s)
            ctl(path, "mark", "between")
    return True


def measure(folder, words, settings, block_s, applier, n_pairs=PAIRS):
    """Runs ipctop with these words; applier(run, path) returns what alternate() applies. Returns the phases of the
    blocks, in pairs; None where a setting is refused."""
    path, summary = folder / "control", folder / "run.json"
    summary.unlink(missing_ok=True)
    with subprocess.Popen([program.IPCTOP, "-q", "--tick", "0.1", *words, "--no-auto-phase", "--control", path,
                           "--json", summary],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=program.environment()) as run:
        try:
            while not path.exists() and run.poll() is None:
                time.sleep(0.01)
            time.sleep(1)
            ran = alternate(path, settings, block_s, applier(run, path), n_pairs)
            ctl(path, "quit")
            run.wait(10)
        finally:
            program.end(run)
    if not ran:
        return None
    phases = [phase for phase in json.loads(summary.read_text(encoding="utf-8"))["phases"]
              if phase["cause"] == "mark" and phase["name"] in settings]
    return list(zip(phases[::2], phases[1::2]))


def ratios(blocks, value):
    """Of value(ring) in the second phase of each pair to that in the first, for each ring that has both."""
    found = []
    for phases in blocks:
        for a, b in zip(*(map(value, phase["rings"]) for phase in phases)):
            if a and b:
                found.append(b / a)
    return found


def percentile(figure, name):
    return lambda ring: ring["figures"][figure]["percentiles"].get(name)
