# SPDX-License-Identifier: GPL-2.0-or-later
"""How long it takes to open recordings, and to seek: an hour of 1,024 pairs, 32 at once, and a night of 16 pairs."""
import json
import os
import tempfile

import program
import yardstick

BENCH = program.IPCTOP.parent / "tests" / "bench_replay"
# pairs, ticks, pairs at once; bars of opening and of seeking
RECORDINGS = ((1024, 3600, 32, 1000, 500), (16, 28800, 16, None, 100))


def bench(results, options):
    del options
    for pairs, ticks, at_once, open_ms, seek_ms in RECORDINGS:
        with tempfile.TemporaryDirectory(prefix="ipctop-replay-") as folder, yardstick.beside("memory", "cpu") as yard:
            figures = json.loads(program.run([BENCH, os.path.join(folder, "recording"), str(pairs), str(ticks),
                                              str(at_once)], timeout=300))
        name = f"a recording of {pairs:,} pairs and {ticks:,} ticks"
        size = f"{figures['bytes'] / 1e6:.0f} MB; the longest write of a tick took {figures['tick_ms']:.1f} ms, " \
            f"keeping one in memory {figures['history_ms']:.2f} ms"
        results.figure(f"reading {name} as one phase", f"{figures['phase_ms']:.0f} ms, "
                       f"{figures['phase_ms'] * 1000 / ticks / at_once:.1f} us for each pair of a tick")
        if open_ms:
            yard.bar(results, f"opening {name}", figures["open_ms"], open_ms, " ms", size)
        yard.bar(results, f"the longest of 20 seeks in {name}", figures["seek_ms"], seek_ms, " ms", "to and fro")
