# SPDX-License-Identifier: GPL-2.0-or-later
"""How long this machine keeps tasks that want to run from running: what a bound on time must allow for."""
import ctypes
import gc
import mmap
import os
import signal
import time

PERIOD_NS = 4_000_000
NOISE_NS = 200_000          # a sleep that takes so much longer is no stall
PRIORITY = 99
LAST, LONGEST, TOTAL = range(3)
PR_SET_PDEATHSIG = 1


class Watch:
    """A task on each CPU that sleeps, and notes by how much it wakes too late."""

    def __init__(self, realtime):
        cpus = sorted(os.sched_getaffinity(0))
        self.memory = mmap.mmap(-1, len(cpus) * 3 * 8)
        words = memoryview(self.memory).cast("Q")
        self.cpus = [words[3 * n:3 * n + 3] for n in range(len(cpus))]
        self.reset()
        self.pids = [start(cpu, notes, realtime) for cpu, notes in zip(cpus, self.cpus)]

    def reset(self):
        for notes in self.cpus:
            notes[LAST], notes[LONGEST], notes[TOTAL] = time.monotonic_ns(), 0, 0

    def read(self, what):
        """In seconds, of the CPU where it is most. A task that is not awake yet counts as far as it is late."""
        now = time.monotonic_ns()
        late = [max(0, now - notes[LAST] - PERIOD_NS) for notes in self.cpus]
        return max(notes[what] + ns if what == TOTAL else max(notes[what], ns)
                   for notes, ns in zip(self.cpus, late)) / 1e9

    def stop(self):
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def start(cpu, notes, realtime):
    pid = os.fork()
    if pid == 0:
        try:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            os.sched_setaffinity(0, {cpu})
            if realtime:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
            gc.disable()
            watch(notes)
        finally:
            os._exit(1)
    return pid


def watch(notes):
    while True:
        begun = time.monotonic_ns()
        time.sleep(PERIOD_NS / 1e9)
        now = time.monotonic_ns()
        late = now - begun - PERIOD_NS
        notes[LAST] = now
        if late > NOISE_NS:
            notes[LONGEST] = max(notes[LONGEST], late)
            notes[TOTAL] += late


class Stall:
    """The stalls since a test began, in seconds: of plain tasks, and of tasks that only the machine itself stops."""

    def __init__(self, may_run_realtime):
        self.plain = Watch(False)
        self.realtime = Watch(True) if may_run_realtime else self.plain

    def reset(self):
        self.plain.reset()
        self.realtime.reset()

    def stop(self):
        for watched in {self.plain, self.realtime}:
            watched.stop()

    @property
    def longest(self):
        return self.plain.read(LONGEST)

    @property
    def total(self):
        return self.plain.read(TOTAL)

    @property
    def longest_of_machine(self):
        return self.realtime.read(LONGEST)

    @property
    def total_of_machine(self):
        return self.realtime.read(TOTAL)
