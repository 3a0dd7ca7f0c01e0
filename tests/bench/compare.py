# SPDX-License-Identifier: GPL-2.0-or-later
"""Two phases of 1,024 pairs that are compared: how long the screen holds the session's lock for it, how soon the
thread ends, and what it takes of memory. And whether it finds stalls."""
import json

import program
import verdicts
import yardstick

BENCH = program.IPCTOP.parent / "tests" / "bench_compare"
PAIRS, TICKS = 1024, 80
BAR_ASK_MS, BAR_END_MS, BAR_PAIR_KIB = 2, 100, 24


def bench(results, options):
    verdicts.bench(results, options)
    with yardstick.beside("memory") as yard:
        figures = json.loads(program.run([BENCH, str(PAIRS), str(TICKS)], timeout=300))
    yard.bar(results, f"the lock, to compare {PAIRS:,} pairs", figures["ask_ms"], BAR_ASK_MS, " ms",
             f"all of it took {figures['all_ms']:.0f} ms")
    yard.bar(results, "the end of the thread, at any time", figures["end_ms"], BAR_END_MS, " ms")
    results.bar("memory, for each pair", figures["bytes"] / PAIRS / 1024, BAR_PAIR_KIB, " KiB", "half of them moved")
