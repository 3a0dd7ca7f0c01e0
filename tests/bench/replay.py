# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of 1,024 pairs, 32 of them at once, and 3,600 ticks: how long it takes to open, and to seek."""
import json
import os
import tempfile

import program
import yardstick

BAR_OPEN_MS, BAR_SEEK_MS = 1000, 100
BENCH = program.IPCTOP.parent / "tests" / "bench_replay"


def bench(results, options):
    del options
    with tempfile.TemporaryDirectory(prefix="ipctop-replay-") as folder, yardstick.beside("memory", "cpu") as yard:
        figures = json.loads(program.run([BENCH, os.path.join(folder, "recording"), "1024", "3600", "32"],
                                         timeout=300))
    size = f"{figures['bytes'] / 1e6:.0f} MB; the longest write of a tick took {figures['tick_ms']:.1f} ms, " \
        f"keeping one in memory {figures['history_ms']:.2f} ms"
    yard.bar(results, "opening a recording of 1,024 pairs and 3,600 ticks", figures["open_ms"], BAR_OPEN_MS, " ms",
             size)
    yard.bar(results, "the longest of 20 seeks in it", figures["seek_ms"], BAR_SEEK_MS, " ms", "to and fro")
