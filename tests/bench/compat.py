# SPDX-License-Identifier: GPL-2.0-or-later
"""What the compat tools print as the mean beside what the tools that they replace print: same options.

A round is as in peers.py.
"""
import shutil
import statistics

import peers
import program
import rounds
from figure import Skip

INTERVAL_US = peers.INTERVAL_US
TOOLS = {name: ("-i", INTERVAL_US, "-d", 0, "-t1") for name in ("pmqtest", "svsematest", "ptsematest", "sigwaittest")}
TOOLS["signaltest"] = ("-t2",)


def mean_ns(command, options):
    thread = peers.run_tool([*command, *options])
    return thread.get("receiver", thread)["avg"] * 1000


def compare(results, name, cpu, options):
    # 16 laps of signaltest take 10 ms.
    laps = round(options.seconds * (1600 if name == "signaltest" else 1e6 / INTERVAL_US))
    chosen = ("-q", "-p", peers.PRIORITY, f"-a{cpu}", *TOOLS[name], "-l", max(300, laps))
    taken = rounds.take({
        "peer": lambda: mean_ns([name], chosen),
        "ipctop": lambda: mean_ns([program.IPCTOP, name], chosen),
        "again": lambda: mean_ns([name], chosen),
    }, options.pairs)
    results.ratio(f"{name} / {name}", rounds.ratios(taken, "again", "peer"))
    high = results.ratio(f"ipctop {name} / {name}", rounds.ratios(taken, "ipctop", "peer"))
    results.bar(f"upper end, ipctop {name} / {name}", high, peers.BAR)
    for place, who in (("peer", name), ("ipctop", f"ipctop {name}")):
        results.note(f"{who}: the median run's mean {statistics.median(taken[place]):.0f} ns")


def bench(results, options):
    """All of them, one after the other."""
    cpu = program.cpus()[0]
    with program.idle_states_held(results):
        for name in TOOLS:
            try:
                if not shutil.which(name):
                    raise Skip(f"{name} is not installed (package rt-tests)")
                if not program.may_run_realtime():
                    raise Skip("no right to real-time policies")
                compare(results, name, cpu, options)
            except Skip as skip:
                results.skip(f"ipctop {name} / {name}", skip)
