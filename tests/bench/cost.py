# SPDX-License-Identifier: GPL-2.0-or-later
"""What ipctop itself takes of a CPU: front and keeper, without the members, whose work is what is measured."""
import contextlib
import os
import tempfile
import time

import program
import yardstick
from memory import descendants
from terminal import Terminal

BAR_LIVE, BAR_REPLAY = 0.5, 5
PAIRS, LIVE_S, REPLAY_S, SETTLE_S = 16, 30, 20, 4
COLUMNS, LINES = 80, 24


def own_processes(pid):
    """The front, and the keeper, whose children are the hosts."""
    found = [pid]
    for child in descendants(pid)[1:]:
        with contextlib.suppress(OSError), open(f"/proc/{child}/comm", encoding="utf-8") as file:
            if file.read().strip() == "ipctop-keeper":
                found.append(child)
    return found


def spent_s(pids):
    """On a CPU so far, to the ns."""
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/schedstat", encoding="utf-8") as file:
                total += int(file.read().split()[0])
    return total / 1e9


def cost(command, seconds, n_processes):
    """In percent of one CPU; in all and of each process."""
    with Terminal(command, COLUMNS, LINES) as terminal:
        time.sleep(SETTLE_S)
        pids = own_processes(terminal.process.pid)
        if len(pids) != n_processes:
            raise RuntimeError(f"{len(pids)} processes, not {n_processes}")
        start, before = time.monotonic(), [spent_s([pid]) for pid in pids]
        time.sleep(seconds)
        spent = [spent_s([pid]) - at_first for pid, at_first in zip(pids, before)]
        taken = time.monotonic() - start
    return [part / taken * 100 for part in spent]


def bench(results, options):
    del options
    for mode in ([], ["--side-by-side"]):
        with yardstick.beside("wakeups", "cpu") as yard:
            parts = cost([program.IPCTOP, "-t", PAIRS, "--refresh", 1, *mode], LIVE_S, 2)
        yard.bar(results, f"{PAIRS} pairs {'side by side' if mode else 'in turns'}, 1 Hz, {COLUMNS}x{LINES}",
                 sum(parts), BAR_LIVE, " % of a CPU", f"{LIVE_S} s; front {parts[0]:.2f}, keeper {parts[1]:.2f}",
                 strict=True)
    with tempfile.TemporaryDirectory(prefix="ipctop-cost-") as folder:
        path = os.path.join(folder, "crowd")
        program.run([program.IPCTOP.parent / "tests" / "golden_record", "crowd", path])
        with yardstick.beside("memory", "cpu") as yard:
            parts = cost([program.IPCTOP, "--replay", path, "--speed", 1], REPLAY_S, 1)
    yard.bar(results, "1,024 pairs replayed at speed 1", sum(parts), BAR_REPLAY, " % of a CPU", f"{REPLAY_S} s",
             strict=True)
