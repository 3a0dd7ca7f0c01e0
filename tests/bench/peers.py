# SPDX-License-Identifier: GPL-2.0-or-later
"""ipctop's answer beside the mean that pmqtest and svsematest print: same options, CPU and priority.

A round is three runs in random order: the peer, ipctop, and the peer once more, which tells what a
comparison of the peer with itself comes to. The peers read the clock in whole microseconds, but at random
phases: the difference of two such readings is right in the mean, and their JSON gives it to 10 ns.
The runs end after as many laps, for the peers count whole seconds only.
"""
import json
import os
import shutil
import statistics
import tempfile

import program
import rounds
import stats
from figure import Skip

PRIORITY, INTERVAL_US, BAR = 90, 100, 1.05
PEERS = (("pmqtest", "mq"), ("svsematest", "svsem"))


def run_tool(command, tries=3):
    """Thread 0 of a tool's JSON. Now and then one ends without it, or by a signal of its own: then it runs again."""
    with tempfile.TemporaryDirectory(prefix="ipctop-bench.") as folder:
        path = os.path.join(folder, "tool.json")
        try:
            program.run([*command, f"--json={path}"])
        except RuntimeError:
            if tries == 1:
                raise
        if tries > 1 and not os.path.exists(path):
            return run_tool(command, tries - 1)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["thread"]["0"]


def run_peer(name, cpu, laps):
    """Its mean and its extremes, in ns."""
    command = [name, "-q", "-p", PRIORITY, "-i", INTERVAL_US, "-d", 0, "-l", laps, f"-a{cpu}", "-t1"]
    receiver = run_tool(command)["receiver"]
    return {"mean": receiver["avg"] * 1000, "min": receiver["min"] * 1000, "max": receiver["max"] * 1000}


def run_ours(mechanism, cpu, laps):
    report = program.measure("-m", mechanism, "-p", PRIORITY, "-i", INTERVAL_US, "-d", 0, "-l", laps,
                             "-c", cpu, "--show", "answer")
    ring = report["rings"][0]
    for member in ring["members"]:
        if (member["cpu"], member["policy"], member["priority"]) != (cpu, "fifo", PRIORITY):
            raise RuntimeError(f"a member did not run as asked: {member}")
    answer = ring["figures"]["answer"]
    return {"mean": answer["mean_ns"], "min": answer["min_ns"], "max": answer["max_ns"],
            "median": answer["percentiles"]["p50_ns"]}


def compare(results, peer, mechanism, cpu, pairs, laps):
    taken = rounds.take({
        "peer": lambda: run_peer(peer, cpu, laps),
        "ipctop": lambda: run_ours(mechanism, cpu, laps),
        "again": lambda: run_peer(peer, cpu, laps),
    }, pairs)
    means = {place: [run["mean"] for run in runs] for place, runs in taken.items()}
    results.ratio(f"{peer} / {peer}", rounds.ratios(means, "again", "peer"))
    high = results.ratio(f"ipctop / {peer}", rounds.ratios(means, "ipctop", "peer"))
    results.bar(f"upper end, ipctop / {peer}", high, BAR)
    for place, name in (("peer", peer), ("ipctop", "ipctop")):
        maxima = statistics.median(run["max"] for run in taken[place])
        results.note(f"{name}: means in ns: {stats.spread(means[place], 4)}; the median run's max {maxima:.0f} ns")
    medians = [run["median"] for run in taken["ipctop"]]
    results.note(f"ipctop: medians in ns: {stats.spread(medians, 4)}")


def bench(results, options):
    """Both peers, one after the other."""
    cpu, laps = program.cpus()[0], max(1000, round(options.seconds * 1e6 / INTERVAL_US))
    with program.idle_states_held(results):
        results.note(f"-p {PRIORITY} -i {INTERVAL_US} -d 0 -l {laps}, both ends on CPU {cpu}")
        for peer, mechanism in PEERS:
            try:
                if not shutil.which(peer):
                    raise Skip(f"{peer} is not installed (package rt-tests)")
                if not program.may_run_realtime():
                    raise Skip("no right to real-time policies")
                compare(results, peer, mechanism, cpu, options.pairs, laps)
            except Skip as skip:
                results.skip(f"ipctop / {peer}", skip)
