# SPDX-License-Identifier: GPL-2.0-or-later
"""An hour's ticks of 1,024 pairs, each with samples in 60 buckets of all figures: how long the session takes."""
import json

import program
import yardstick

BAR_WORST_MS = 100
BENCH = program.IPCTOP.parent / "tests" / "bench_feed"


def bench(results, options):
    del options
    with yardstick.beside("memory", "cpu") as yard:
        figures = json.loads(program.run([BENCH, "1024", "7200"], timeout=900))
    results.figure("a tick, for each pair", f"{figures['ring_tick_us']:.1f} us of CPU time")
    yard.bar(results, "the longest tick of an hour's", figures["worst_ms"], BAR_WORST_MS, " ms",
             f"{figures['over_20_ms']} over 20 ms; the first one, which takes memory, {figures['first_ms']:.0f} ms")
