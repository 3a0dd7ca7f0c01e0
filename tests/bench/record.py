# SPDX-License-Identifier: GPL-2.0-or-later
"""The bookkeeping of one sample: bench_record's figures."""
import json
import os
import statistics

import program
import stats
import yardstick

BAR_NS, BAR_ERROR = 10, 1
BENCH = program.IPCTOP.parent / "tests" / "bench_record"


def bench(results, options):
    del options
    command = [BENCH]
    if os.path.exists("/usr/bin/taskset"):
        command = ["taskset", "-c", program.cpus()[0], BENCH]
    with yardstick.beside("compute", "cpu") as yard:
        figures = json.loads(program.run(command, timeout=300))
    yard.bar(results, "one sample's bookkeeping", statistics.median(figures["ns"]), BAR_NS, " ns",
             f"{figures['count']} calls; {stats.spread(figures['ns'])}")
    for name, (got, exact) in figures["percentiles"].items():
        results.bar(f"p{name} off the exact one by", abs(got - exact) / exact * 100, BAR_ERROR, " %",
                    f"{got} ns, exact {exact} ns")
