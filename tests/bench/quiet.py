# SPDX-License-Identifier: GPL-2.0-or-later
"""The causes that are named while nobody inflicts anything: each with its time and an example. The kernel's own trace
tells whether the task or interrupt was there.

$IPCTOP_MINUTES are measured: 10 unless it is set. The machine is quiet if nobody works on it: on another one the causes
are those of the others, and must have been there as well.
"""
import bisect
import collections
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

import blind
import program
from figure import Skip

MINUTES = int(os.environ.get("IPCTOP_MINUTES", "10"))
TRACING = pathlib.Path("/sys/kernel/tracing")
# Tasks that are named: they had the CPU, or would have given way.
TASKS = ("task", "timer_late", "wake_late", "own")
# Nobody stops the members, or makes them wait for a page, and the rings are alone on their CPUs.
NEVER = ("stopped", "blocked", "ring")
TRACED_US = 3       # the trace has whole microseconds
SWITCH = re.compile(r"\[(\d+)\] .* (\d+)\.(\d{6}): sched_switch: .*prev_pid=(\d+) .* ==> .*next_pid=(\d+) ")
MIGRATION = re.compile(r" (\d+)\.(\d{6}): sched_migrate_task: .*pid=(\d+) ")
IRQ = re.compile(r"\[(\d+)\] .* (\d+)\.(\d{6}): irq_handler_entry: irq=(\d+) ")


class Truth:
    """The kernel's trace: the times at which other tasks came to each CPU and left it, and the interrupts of devices."""

    def __init__(self):
        self.switches = collections.defaultdict(list)       # by CPU and tid: (ns, whether it came)
        self.irqs = collections.defaultdict(list)           # by CPU and number: ns
        self.migrations = []                                # of members: ns
        self.from_ns = time.monotonic_ns()      # what was before is not there

    def read(self, lines, has_lost):
        """A CPU's trace keeps its last records."""
        first = {}
        for line in lines:
            if match := SWITCH.search(line):
                cpu, seconds, us, prev, comes = map(int, match.groups())
                self.switches[cpu, prev].append((seconds * 10**9 + us * 1000, False))
                self.switches[cpu, comes].append((seconds * 10**9 + us * 1000, True))
                first.setdefault(cpu, seconds * 10**9 + us * 1000)
            elif match := MIGRATION.search(line):
                seconds, us, _ = map(int, match.groups())
                self.migrations.append(seconds * 10**9 + us * 1000)
            elif match := IRQ.search(line):
                cpu, seconds, us, number = map(int, match.groups())
                self.irqs[cpu, number].append(seconds * 10**9 + us * 1000)
        if has_lost:
            self.from_ns = max([self.from_ns, *first.values()])

    def had_task(self, cpu, tid, from_ns, to_ns):
        """Did it have the CPU in a part of that time?"""
        switches = self.switches.get((cpu, tid), [])
        first = bisect.bisect_right(switches, (to_ns + TRACED_US * 1000, True))     # later ones tell of what is before
        last_until = switches[first - 1] if first else None
        if not last_until:      # it came before the trace began, if it goes
            return bool(switches) and not switches[0][1]
        return last_until[1] or last_until[0] >= from_ns - TRACED_US * 1000

    def had_irq(self, cpu, number, from_ns, to_ns):
        """It may have begun before a part of the spike that it is named for."""
        times, slack = self.irqs.get((cpu, number), []), TRACED_US * 1000
        first = bisect.bisect_left(times, from_ns - 10**7)
        return any(ns <= to_ns + slack for ns in times[first:])


@contextlib.contextmanager
def tracing(cpus, members):
    """The switches of all but the members, their migrations, and interrupts of devices: a Truth, filled in at the end."""
    instance = TRACING / "instances" / f"ipctop-bench-{os.getpid()}"

    def write(file, text):
        (instance / file).write_text(text, encoding="utf-8")

    def stranger(task):
        return f"({' && '.join(f'{task}_pid != {tid}' for tid in (0, *members))})"

    instance.mkdir()
    try:
        write("trace_clock", "mono")
        write("buffer_size_kb", "8192")
        write("tracing_cpumask", f"{sum(1 << cpu for cpu in cpus):x}")
        write("events/sched/sched_switch/filter", f"{stranger('prev')} || {stranger('next')}")
        write("events/sched/sched_switch/enable", "1")
        write("events/sched/sched_migrate_task/filter", " || ".join(f"pid == {tid}" for tid in members))
        write("events/sched/sched_migrate_task/enable", "1")
        write("events/irq/irq_handler_entry/enable", "1")
        truth = Truth()
        yield truth
        write("tracing_on", "0")
        has_lost = any(re.search(r"^overrun: [1-9]", file.read_text(encoding="ascii"), re.M)
                       for file in instance.glob("per_cpu/cpu*/stats"))
        with open(instance / "trace", encoding="utf-8", errors="replace") as trace:
            truth.read(trace, has_lost)
    finally:
        instance.rmdir()


def measure(folder):
    """The report; each spike, under way or over, as it was reported last; and the truth."""
    summary, lines, control = folder / "run.json", folder / "run.jsonl", folder / "control"
    priority = ("-p", "50") if program.may_run_realtime() else ()
    words = ("-q", "-m", "mq", "--pairs", "own", "--side-by-side", "-i", "1ms", *priority, "--json", summary,
             "--export", f"jsonl={lines}", "--control", control)
    with subprocess.Popen([program.IPCTOP, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          env=program.environment()) as run:
        try:
            blind.await_run(run, control)
            rings = json.loads(program.run([program.IPCTOP, "ctl", control, "rings"]))["rings"]
            with tracing(program.cpus(), [member["tid"] for ring in rings for member in ring["members"]]) as truth:
                time.sleep(MINUTES * 60)
                program.run([program.IPCTOP, "ctl", control, "quit"])
                run.wait(30)
        finally:
            program.end(run, 10)
    reports = {}
    for item in map(json.loads, lines.read_text(encoding="utf-8").splitlines()):
        if item["type"] == "spike":
            spike = item["spike"]
            reports[spike["ring"], spike.get("due_ns", spike.get("sent_ns"))] = spike
    return json.loads(summary.read_text(encoding="utf-8")), list(reports.values()), truth


def was_there(truth, segment, base_ns):
    """None: the trace does not tell."""
    span = segment["from_ns"] + base_ns, segment["to_ns"] + base_ns
    if span[0] < truth.from_ns:
        return None
    if segment["kind"] in TASKS:
        tids = [segment[key] for key in ("tid", "partner_tid") if key in segment]
        return all(truth.had_task(segment["cpu"], tid, *span) for tid in tids)
    if segment["kind"] == "irq":
        return truth.had_irq(segment["cpu"], int(segment["cause"].split()[1]), *span)
    if segment["kind"] == "migrated":
        return any(abs(ns - span[0]) < 10**6 for ns in truth.migrations)
    return False if segment["kind"] in NEVER else None


def bench(results, _):
    if os.geteuid() or not os.access(TRACING / "instances", os.W_OK):
        raise Skip("needs root, and tracefs (mount -t tracefs tracefs /sys/kernel/tracing)")
    with tempfile.TemporaryDirectory() as name:
        report, spikes, truth = measure(pathlib.Path(name))
    base_ns, blame = report["start_monotonic_ns"], report["spikes"]["blame"]
    results.figure("recorder", f"{report['host']['recorder']}; {blame['spikes']} spikes, {blame['passed_over']} only counted, in "
                               f"{MINUTES} minutes")
    causes, false, n_judged = collections.defaultdict(list), [], 0
    for spike in spikes:
        for segment in spike["segments"]:
            causes[segment["kind"], segment["cause"]].append((segment["to_ns"] - segment["from_ns"], spike["explanation"]))
            verdict = was_there(truth, segment, base_ns)
            n_judged += verdict is not None
            if verdict is False:
                false.append((segment, spike))
    for (kind, cause), found in sorted(causes.items(), key=lambda item: -sum(ns for ns, _ in item[1])):
        results.note(f"{kind:<12} {cause:<40} {len(found):5} times {sum(ns for ns, _ in found) / 1e6:10.3f} ms; "
                     f"the longest: {max(found)[1]}")
    for segment, spike in false:
        results.note(f"NOT THERE: {segment['kind']}: {segment['cause']} {segment.get('tid', '')} on CPU {segment['cpu']}, "
                     f"{segment['from_ns'] / 1e9:.6f} to {segment['to_ns'] / 1e9:.6f} s: {spike['explanation']}")
    results.bar("named, but not there", len(false), 0, f" of {n_judged} that the kernel's trace can judge")
