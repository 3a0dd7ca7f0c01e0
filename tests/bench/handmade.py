# SPDX-License-Identifier: GPL-2.0-or-later
"""ipctop's laps beside loops that do nothing else: `perf bench sched pipe`, and bench_bare's.

Floods of two threads: of the same CPUs, at the same priority, and with as many laps.
What compares to what: an operation of perf bench is a round trip, a write and a read each way, which is
ipctop's lap. perf bench divides the time of its whole loop and reads no clock in it; a lap is the time from
sent to received, with two readings of the clock and what the second member books in it. What the origin does
between two laps is in perf's operation and not in the lap: so the time from one start to the next is said too.
perf bench can't pin its threads. With taskset they share one CPU; on two they are where the scheduler puts
them, which may be one. So across two the peer is its loop in bench_bare, pinned; how that compares to perf
bench itself is said for one CPU.
"""
import json
import re
import shutil
import statistics

import program
import rounds
from figure import Skip

BAR_PERF, BAR_BARE = 1.06, 1.10
PRIORITY, TOKEN = 50, 4
BARE = program.IPCTOP.parent / "tests" / "bench_bare"
# As in origin.c: warm-up laps of a start and after a rest; and how long a rest is, at real-time priority twice that.
START_LAPS, RESTED_LAPS, REST_NS = 100, 4, 1e6


def priority(kind=None):
    """What spins would keep all others from both its CPUs."""
    return PRIORITY if program.may_run_realtime() and kind != "shm" else 0


def run_bare(kind, pair, laps):
    return json.loads(program.run([BARE, kind, *pair, priority(kind), laps]))


def run_perf(cpus, laps):
    """ns for an operation."""
    policy = ["chrt", "-f", PRIORITY] if priority() else []
    out = program.run(["taskset", "-c", cpus, *policy, "perf", "bench", "sched", "pipe", "-T", "-l", laps])
    return float(re.search(r"([\d.]+) usecs/op", out)[1]) * 1000


def run_ours(mechanism, pair, laps, *more):
    """The mean lap in ns, and the mean time from one start to the next, less the rests of a flood. What the flight
    recorder adds has a bench of its own."""
    policy = ["-p", PRIORITY, "--force"] if priority(mechanism) else []
    ring = program.measure("-m", mechanism, "-i", 0, "-l", laps, *policy, "--pairs", f"{pair[0]}:{pair[1]}",
                           "--show", "lap", "--recorder", "off", *more)["rings"][0]
    if [member["cpu"] for member in ring["members"]] != list(pair):
        raise RuntimeError(f"members did not run as asked: {ring['members']}")
    rests = (ring["warmup_laps"] - START_LAPS) / RESTED_LAPS
    rest_ns = 2 * REST_NS if priority(mechanism) else REST_NS
    period = (ring["active_ns"] - rests * rest_ns) / (ring["laps"] + ring["warmup_laps"])
    return {"lap": ring["figures"]["lap"]["mean_ns"], "period": period}


def laps_of(kind, pair, seconds):
    """So many that a run takes about as long."""
    return max(5000, round(seconds * 1e9 / run_bare(kind, pair, 2000)["op_ns"]))


def places():
    """Of two members: (words, their CPUs)."""
    cpus = program.cpus()
    return [("one CPU", (cpus[0], cpus[0]))] + ([("two CPUs", (cpus[0], cpus[1]))] if len(cpus) > 1 else [])


def say_ns(results, name, numbers):
    results.note(f"{name}: median run {statistics.median(numbers):,.1f} ns, fastest {min(numbers):,.1f}")


def beside_perf(results, options, cpu):
    pair = (cpu, cpu)
    laps = laps_of("perf-pipe", pair, options.seconds)
    taken = rounds.take({
        "perf": lambda: run_perf(cpu, laps),
        "ipctop": lambda: run_ours("pipe", pair, laps, "-s", TOKEN),
        "again": lambda: run_perf(cpu, laps),
        "twin": lambda: run_bare("perf-pipe", pair, laps)["op_ns"],
    }, options.pairs)
    taken |= {name: [run[name] for run in taken["ipctop"]] for name in ("lap", "period")}
    own = results.ratio("one CPU, perf bench / perf bench", rounds.ratios(taken, "again", "perf"))
    high = results.ratio("one CPU, ipctop's lap / perf bench", rounds.ratios(taken, "lap", "perf"))
    results.bar_beside("upper end, one CPU, ipctop / perf bench", high, BAR_PERF, own)
    results.ratio("one CPU, start to start / perf bench", rounds.ratios(taken, "period", "perf"))
    results.ratio("one CPU, bench_bare / perf bench", rounds.ratios(taken, "twin", "perf"))
    for name in ("perf", "lap", "period", "twin"):
        say_ns(results, f"one CPU, {name}", taken[name])


def beside_bare(results, options, mechanism, kind, place, bar, *more):
    """@kind: bench_bare's; one without a clock is compared by its whole loop."""
    where, pair = place
    laps, of = laps_of(kind, pair, options.seconds), "op_ns" if kind == "perf-pipe" else "lap_ns"
    taken = rounds.take({
        "bare": lambda: run_bare(kind, pair, laps)[of],
        "lap": lambda: run_ours(mechanism, pair, laps, *more)["lap"],
        "again": lambda: run_bare(kind, pair, laps)[of],
    }, options.pairs)
    own = results.ratio(f"{mechanism}, {where}, bare / bare", rounds.ratios(taken, "again", "bare"))
    high = results.ratio(f"{mechanism}, {where}, ipctop / bare", rounds.ratios(taken, "lap", "bare"))
    results.bar_beside(f"upper end, {mechanism}, {where}", high, bar, own)
    for name in ("bare", "lap"):
        say_ns(results, f"{mechanism}, {where}, {name}", taken[name])


def say_terms(results, options):
    results.note(f"-i 0, {options.seconds:g} s a run, {f'SCHED_FIFO {PRIORITY}, shm at SCHED_OTHER' if priority() else 'SCHED_OTHER'}")


def bench_perf(results, options):
    place = dict(places())
    with program.idle_states_held(results):
        say_terms(results, options)
        try:
            if not shutil.which("perf"):
                raise Skip("perf is not installed (package linux-perf)")
            beside_perf(results, options, place["one CPU"][0])
        except Skip as skip:
            results.skip("ipctop / perf bench", skip)
        if "two CPUs" not in place:
            results.skip("pipe, two CPUs", "needs 2 CPUs")
            return
        beside_bare(results, options, "pipe", "perf-pipe", ("two CPUs", place["two CPUs"]), BAR_PERF, "-s", TOKEN)
        if shutil.which("perf"):
            results.figure("perf bench where the scheduler puts it",
                           f"{run_perf(','.join(map(str, place['two CPUs'])), 10000):,.0f} ns, one run")


def bench_bare(results, options):
    with program.idle_states_held(results):
        say_terms(results, options)
        for place in places():
            for mechanism in ("shm", "futex", "eventfd"):
                if mechanism == "shm" and place[0] == "one CPU":
                    continue    # it spins
                beside_bare(results, options, mechanism, mechanism, place, BAR_BARE)
    if len(program.cpus()) == 1:
        results.skip("two CPUs", "needs 2 CPUs")
