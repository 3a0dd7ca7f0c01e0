# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a cause that is named was there: the kernel's own trace of the same time."""
import bisect
import collections
import contextlib
import os
import pathlib
import re
import time


TRACING = pathlib.Path("/sys/kernel/tracing")
# Tasks that are named: they had the CPU, or would have given way.
TASKS = ("task", "timer_late", "wake_late", "not_preempted", "own")
TRACED_US = 3       # the trace has whole microseconds
SWITCH = re.compile(r"\[(\d+)\] .* (\d+)\.(\d{6}): sched_switch: .*prev_pid=(\d+) .* ==> .*next_pid=(\d+) ")
MIGRATION = re.compile(r" (\d+)\.(\d{6}): sched_migrate_task: .*pid=(\d+) ")
IRQ = re.compile(r"\[(\d+)\] .* (\d+)\.(\d{6}): irq_handler_entry: irq=(\d+) ")


def is_possible():
    return os.access(TRACING / "instances", os.W_OK)


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
        """Did it have the CPU in a part of that time? None: it went later, and the trace does not tell when it came. (It
        began after that; or it has no switch from idle, as was seen of CPU 1 of a guest with Linux 6.18.)"""
        switches = self.switches.get((cpu, tid), [])
        first = bisect.bisect_right(switches, (to_ns + TRACED_US * 1000, True))     # later ones tell of what is before
        at_ns, comes = switches[first - 1] if first else (0, False)
        if comes or at_ns >= from_ns - TRACED_US * 1000:
            return True
        return None if first < len(switches) and not switches[first][1] else False

    def task_ns(self, cpu, tid, from_ns, to_ns):
        """For how much of that time did it have the CPU?"""
        switches = self.switches.get((cpu, tid), [])
        total_ns, came_ns = 0, self.from_ns if switches else None
        for at_ns, comes in [*switches, (to_ns, False)]:
            if not comes and came_ns:
                total_ns += max(0, min(at_ns, to_ns) - max(came_ns, from_ns))
            came_ns = at_ns if comes else None
        return total_ns

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


def was_there(truth, segment, base_ns):
    """None: the trace does not tell."""
    span = segment["from_ns"] + base_ns, segment["to_ns"] + base_ns
    if span[0] < truth.from_ns:
        return None
    if segment["kind"] in TASKS:
        tids = [segment[key] for key in ("tid", "partner_tid") if key in segment]
        verdicts = [truth.had_task(segment["cpu"], tid, *span) for tid in tids]
        return False if False in verdicts else None if None in verdicts else True
    if segment["kind"] == "irq":
        return truth.had_irq(segment["cpu"], int(segment["cause"].split()[1]), *span)
    if segment["kind"] == "migrated":
        return any(abs(ns - span[0]) < 10**6 for ns in truth.migrations)
    return None
