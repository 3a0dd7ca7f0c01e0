# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether ipctop compare finds stalls that are made, and none where nothing changes: found in so many of so many runs.

Bursts of a real-time priority take one CPU; members that miss slots by them are worse off. $IPCTOP_RUNS pairs of phases
are compared in each case: 4 unless it is set, which takes about 15 minutes. Where others make the members miss slots without
bursts, too, a pair does not count.

Section `equal` measures $IPCTOP_MINUTES phases of 60 s in which nothing changes, and compares each two: 4 unless it is set,
which are 6 pairs. 10 are 45 pairs, as many as the bar of 39 of 40 needs. Before and after each phase the ring is paused, and
a yardstick that has nothing of ipctop's rings, bench_bare, makes laps on the same CPU, at the same interval. Where its four
medians of a pair of phases are more than $IPCTOP_QUIET per cent apart (3 unless it is set), the machine itself moved, and the
pair does not count: without any pair that does, the bars are skipped. The yardstick does not see what comes and goes within a
phase.

*Same* means that the interval is within 5 %, so the bar takes a calm machine: p50 of the phases within 2 %, and that of single
seconds by so little apart that with 60 of each the interval reaches 3 % to either side (their deviation, times the root of
(1 + r) / (1 - r) where neighbours correlate by r, is 8 % at most). A note says how far apart the phases are.
"""
import contextlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import program
from figure import Skip

RUNS = int(os.environ.get("IPCTOP_RUNS", "4"))
MINUTES = int(os.environ.get("IPCTOP_MINUTES", "4"))
PHASE_S = float(os.environ.get("IPCTOP_PHASE", "60"))   # for a trial of the bench
QUIET_PERCENT = float(os.environ.get("IPCTOP_QUIET", "3"))
BARE = program.IPCTOP.parent / "tests" / "bench_bare"
BARE_LAPS, INTERVAL_US = 2000, 1000
SHOWN = ("first", "answer", "lap", "response")
WORSE = 2
PRIORITY = 80   # of members
QUIET = 0.005   # the largest share of missed slots without a disturbance
BURST = """
import sys, time
busy, every = float(sys.argv[1]), float(sys.argv[2])
next = time.monotonic()
while True:
    next += every
    end = time.monotonic() + busy
    while time.monotonic() < end:
        pass
    time.sleep(max(0, next - time.monotonic()))
"""


def bursts(cpu, priority, busy_s, every_s, length_s):
    """Ends by itself: `timeout` is outside of the real-time priority."""
    return subprocess.Popen(["timeout", str(length_s), "taskset", "-c", str(cpu), "chrt", "-f", str(priority),
                             sys.executable, "-c", BURST, str(busy_s), str(every_s)], stdin=subprocess.DEVNULL)


def measure(path, cpu, length_s):
    """Of members before all plain tasks, so that others which happen to run hide nothing."""
    program.run([program.IPCTOP, "-q", "-m", "pipe", "-c", cpu, "-p", PRIORITY, "-D", length_s, "--json", path],
                timeout=length_s + 30)
    return path


def status(a, b, *options):
    """The exit status of a comparison, and its headline."""
    result = subprocess.run([program.IPCTOP, "compare", "--json", *options, a, b], stdout=subprocess.PIPE,
                            env=program.environment(), check=False)
    return result.returncode, json.loads(result.stdout)


def missed_before(document):
    """The share of the slots that A missed."""
    missed = document["rows"][0]["missed"]
    return missed["missed_a"] / missed["slots_a"]


def count_worse(results, folder, cpu, priority, busy_s, every_s, length_s):
    """Runs in which each figure, whether it was shown or not, is worse beside the bursts; and runs in which nobody else made
    the members miss slots without them."""
    found = tried = 0
    for _ in range(RUNS):
        quiet = measure(folder / "quiet.json", cpu, length_s)
        with bursts(cpu, priority, busy_s, every_s, length_s + 20) as burst:
            loud = measure(folder / "loud.json", cpu, length_s)
            program.end(burst)
        said = [status(quiet, loud, "--show", figure) for figure in SHOWN]
        if missed_before(said[0][1]) > QUIET:
            continue
        tried += 1
        found += all(code == WORSE for code, _ in said)
        for figure, (code, document) in zip(SHOWN, said):
            if code != WORSE:
                results.note(f"{figure}: {document['summary']['headline']}, {document['rows']}")
    return found, tried


def bar_of_worse(results, name, *disturbed):
    found, tried = count_worse(results, *disturbed)
    if tried:
        results.bar(name, tried - found, 0, f" of {tried}")
    else:
        results.skip(name, f"others made the members miss slots without it, in all of {RUNS} runs")


def tids(path):
    out = program.run([program.IPCTOP, "ctl", path, "rings"])
    return [member["tid"] for ring in json.loads(out)["rings"] for member in ring["members"]]


def count_better(results, folder, cpu):
    """Members that become FIFO 80 beside bursts of FIFO 50."""
    found = 0
    for run in range(RUNS):
        control, recording = folder / f"control{run}", folder / f"run{run}"
        with bursts(cpu, 50, 0.003, 0.05, 60) as burst, subprocess.Popen(
                [program.IPCTOP, "-q", "-m", "pipe", "-c", str(cpu), "--policy", "other", "--control", control, "--record",
                 recording], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=program.environment()) as ipctop:
            try:
                while not control.exists() and ipctop.poll() is None:
                    time.sleep(0.01)
                time.sleep(15)
                for tid in tids(control):
                    subprocess.run(["chrt", "-f", "-p", str(PRIORITY), str(tid)], check=True)
                time.sleep(15)
                program.run([program.IPCTOP, "ctl", control, "quit"])
                ipctop.wait(20)
            finally:
                program.end(ipctop)
                program.end(burst)
        document = status(f"{recording}:1", f"{recording}:2")[1]
        last = document["summary"]
        if not missed_before(document):
            raise RuntimeError("the plain members miss no slot beside the bursts: there is nothing to find")
        found += last["verdict"] == "better"
        if last["verdict"] != "better":
            results.note(last["headline"])
    return found


@contextlib.contextmanager
def recorded(folder, cpu):
    """A run in which the bench begins phases: a function that gives it commands, and the recording."""
    control, recording = folder / "control", folder / "equal"
    with subprocess.Popen([program.IPCTOP, "-q", "-m", "pipe", "-c", str(cpu), "-i", str(INTERVAL_US), "--no-auto-phase",
                           "--control", control, "--record", recording],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=program.environment()) as ipctop:
        def command(*words):
            program.run([program.IPCTOP, "ctl", control, *words])
        try:
            while not control.exists() and ipctop.poll() is None:
                time.sleep(0.01)
            time.sleep(2)
            yield command, recording
            command("quit")
            ipctop.wait(20)
        finally:
            program.end(ipctop)


def equal_phases(folder, cpu, length_s, count):
    """Records so many phases in which nothing changes. Returns them, as operands."""
    with recorded(folder, cpu) as (command, recording):
        for _ in range(count):
            command("phase")
            time.sleep(length_s)
    return [f"{recording}:{number}" for number in range(2, count + 2)]


def bare_median(cpu):
    return json.loads(program.run([BARE, "pipe", cpu, cpu, 0, BARE_LAPS, INTERVAL_US]))["median_ns"]


def phases_beside_bare(folder, cpu, length_s, count):
    """The same, but while the yardstick makes its laps the ring is paused, in a phase between two that are compared.
    Returns these, and the medians of the yardstick: one before each phase, and one after the last."""
    medians = []
    with recorded(folder, cpu) as (command, recording):
        for number in range(count + 1):
            command("pause", "all")
            medians.append(bare_median(cpu))
            command("resume", "all")
            if number < count:
                time.sleep(1)   # its warm-up is another phase's
                command("phase")
                time.sleep(length_s)
                command("phase")
    return [f"{recording}:{2 * number}" for number in range(1, count + 1)], medians


def moved_percent(medians, *phases):
    """How far the yardsticks before and after these phases are apart."""
    beside = [medians[i] for phase in phases for i in (phase, phase + 1)]
    return 100 * (max(beside) / min(beside) - 1)


def note_intervals(results, pairs):
    """How far p50 of the phases is apart, which no longer phases cure; and that of each row that is not the same: where its
    interval is wider than 5 %, the machine's p50 moves within the phases, and 60 s are too short to tell."""
    values = [row["percentiles"]["p50"][key] for _, document in pairs for row in document["rows"] for key in ("a_ns", "b_ns")]
    if values and min(values):
        results.note(f"p50 of the phases: {min(values)} to {max(values)} ns, {100 * (max(values) / min(values) - 1):.1f} % apart")
    for _, document in pairs:
        for row in document["rows"]:
            p50 = row["percentiles"]["p50"]
            if p50["verdict"] != "same":
                low, ratio, high = (f"{100 * (p50[key] - 1):+.1f}" if p50.get(key) else "?" for key in ("low", "ratio", "high"))
                results.note(f"p50 {row['mechanism']} {row['label']}: {p50['a_ns']} > {p50['b_ns']} ns, {ratio} % [{low}, {high}]")


def has_moved(document):
    return any(row["verdict"] in ("worse", "better", "mixed") for row in document["rows"])


def is_same(document):
    return all(row["percentiles"]["p50"]["verdict"] == "same" for row in document["rows"])


def bench_equal(results, _):
    """No row moves in 39 of 40 pairs, and p50 is the same."""
    if MINUTES < 2:
        raise Skip("two phases are compared: IPCTOP_MINUTES must be at least 2")
    cpu = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        phases, medians = phases_beside_bare(pathlib.Path(name), cpu, PHASE_S, MINUTES)
        pairs = [(i, j, status(phases[i], phases[j])) for i, j in itertools.combinations(range(MINUTES), 2)]
    every = [document for _, _, (_, document) in pairs]
    quiet = [document for i, j, (_, document) in pairs if moved_percent(medians, i, j) <= QUIET_PERCENT]
    results.note(f"yardstick beside the phases: {', '.join(map(str, medians))} ns, {moved_percent(medians, *range(MINUTES)):.1f} "
                 f"% apart; within {QUIET_PERCENT:g} % for {len(quiet)} of {len(every)} pairs")
    note_intervals(results, [said for _, _, said in pairs])
    for text, fails, allowed in (("pairs with a row that moved", has_moved, len(quiet) // 40),
                                 ("pairs whose p50 is not the same", lambda document: not is_same(document), 0)):
        in_all = f"in all {sum(map(fails, every))} of {len(every)}"
        if quiet:
            results.bar(text, sum(map(fails, quiet)), allowed, f" of {len(quiet)}", in_all)
        else:
            results.skip(text, f"the yardstick moved beside each pair; {in_all}")


def bench(results, _):
    if os.geteuid():
        raise Skip("needs root, for real-time priorities")
    cpu = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        few = RUNS - RUNS // 10
        bar_of_worse(results, "missed by bursts of 3 ms each 50 ms, not called worse", folder, cpu, 90, 0.003, 0.05, 10)
        bar_of_worse(results, "missed by a stall of 50 ms each second, not called worse", folder, cpu, 90, 0.05, 1, 20)
        results.bar("OTHER > FIFO 80 beside bursts, not called better", RUNS - count_better(results, folder, cpu), RUNS - few,
                    f" of {RUNS}")
        phases = equal_phases(folder, cpu, 10, 2 * RUNS + 1)
        pairs = [status(a, b) for a, b in zip(phases, phases[1:])]
        results.bar("equal phases of 10 s with status 2", sum(code == WORSE for code, _ in pairs), max(1, RUNS // 20),
                    f" of {len(pairs)}")
