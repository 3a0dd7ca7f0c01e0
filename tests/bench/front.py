# SPDX-License-Identifier: GPL-2.0-or-later
"""How much the front's real-time priority delays members: in turn, it is a plain task, or makes its ticks at FIFO 1.

Each CPU has a pair, so the front runs where members run. Ticks come as often as they do without an option. As many
blocks in which it stays a plain task show how much the machine itself changes.
"""
import os
import pathlib
import subprocess
import tempfile

import blocks
import program
from figure import Skip

BAR = 1.02
BLOCK_S = 1
# A policy that another has set stays: of a plain task, the flag tells it from the front's own.
SET_BY_ANOTHER = os.SCHED_OTHER | os.SCHED_RESET_ON_FORK
POLICIES = {"plain": SET_BY_ANOTHER, "plain-too": SET_BY_ANOTHER, "FIFO1": os.SCHED_OTHER}


def priority_of(run, _):
    """Of the main thread."""
    def apply(setting):
        os.sched_setscheduler(run.pid, POLICIES[setting], os.sched_param(0))
        return True
    return apply


def slots_a_lap(ring):
    """Slots for each lap that was served: 1 if none was missed."""
    return 1 + ring["missed"] / ring["laps"] if ring["laps"] else None


VALUES = {"response p99": blocks.percentile("response", "p99_ns"), "slots for each lap": slots_a_lap}


def spin(cpus):
    """Two plain tasks that want each of the CPUs."""
    return [subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) for cpu in cpus * 2]


def bench(results, _):
    if not program.may_run_realtime():
        raise Skip("the right to real-time policies")
    cpus = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        for members, priority in {"FIFO": ["-p", "80"], "OTHER": []}.items():
            words = ["-m", "mq", "--pairs", "own", "--side-by-side", "-i", "500", "--tick", "0.5", *priority]
            for machine in ("alone", "beside spinners"):
                spinners = spin(cpus) if machine != "alone" else []
                try:
                    found = {setting: blocks.measure(pathlib.Path(name), words, ("plain", setting), BLOCK_S, priority_of)
                             for setting in ("plain-too", "FIFO1")}
                finally:
                    for spinner in spinners:
                        program.end(spinner)
                for value, reader in VALUES.items():
                    title = f"{value}, {members} {machine}"
                    (_, own), (low, high) = (results.interval(f"{title}, {setting}", blocks.ratios(found[setting], reader))
                                             for setting in ("plain-too", "FIFO1"))
                    results.bar_beside(title, high, BAR, own, low)
