# SPDX-License-Identifier: GPL-2.0-or-later
"""Rings that take all of a CPU leave some of it to others."""
import contextlib
import os
import subprocess
import sys
import time

import pytest

from conftest import NOBODY, OWN, as_nobody, cpus, may_run_realtime, processes
from harness import PATIENCE, read
from terminal import Terminal

FLOODS = "-m", "all", "-i", 0, "--side-by-side"
SECONDS = 3.0
LONG_S = 0.05       # no other task should wait for so long
REST = 1 / 16       # of the time, see duty_cycle.h
ABOVE_IPCTOP = 3    # a real-time priority; of ipctop the front alone has one, which is lower

# Sleeps for 1 ms, again and again, on one CPU. Prints which share of the time it spent in long waits.
SLEEPER = f"""
import os, sys, time
os.sched_setaffinity(0, [int(sys.argv[1])])
end = start = before = time.monotonic()
waited = 0
while end < start + {SECONDS}:
    time.sleep(0.001)
    before, end = end, time.monotonic()
    if end - before > {LONG_S}:
        waited += end - before
print(waited / (end - start))
"""


class PlainUser:
    """In place of a room."""

    @staticmethod
    def enter():
        if os.geteuid() == 0:
            os.fchown(0, NOBODY, -1)    # the terminal
        as_nobody()


def waits(on):
    """Of a sleeper on each of these CPUs."""
    sleepers = [subprocess.Popen([sys.executable, "-c", SLEEPER, str(cpu)], stdout=subprocess.PIPE) for cpu in on]
    try:
        return [float(sleeper.communicate(timeout=PATIENCE)[0]) for sleeper in sleepers]
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()


@contextlib.contextmanager
def at_once():
    """What is inside waits for no plain task, where that may be asked for."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    if may_run_realtime():
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(ABOVE_IPCTOP))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


class Hosts:
    """The processes of rings: how much of the CPUs they have left to others since they were looked at first."""

    def __init__(self, program, n_cpus):
        self.program, self.n_cpus = program, n_cpus
        with at_once():
            self.begun, self.before = time.monotonic(), self.used()

    def used(self):
        """In seconds, by all that live: few end before the front."""
        total = 0
        for _, pid, _, name in processes(self.program):
            if name not in ("ipctop", "ipctop-keeper"):
                total += sum(map(int, read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[11:13]))
        return total / os.sysconf("SC_CLK_TCK")

    def left(self):
        with at_once():
            used = self.used() - self.before
            return 1 - used / (time.monotonic() - self.begun) / self.n_cpus


@pytest.mark.needs("no quota", "proc")
@pytest.mark.alone
@pytest.mark.parametrize("room", [
    None, pytest.param(PlainUser, marks=pytest.mark.needs("whole"))], ids=["this user", "a plain user"])
def test_others_get_their_cpu_beside_floods_and_q_is_obeyed(plain, room):
    """Without rests the sleepers wait for nearly all of the time; a machine that stands still now and then does not do
    as much. If other work takes the time that the rings leave, they leave it all the same."""
    on = cpus()[:2]
    with Terminal(plain, *FLOODS, "-c", ",".join(map(str, on)), columns=120, room=room) as terminal:
        terminal.wait_for(lambda text: text.count(f" {OWN} ") > 2)
        hosts = Hosts(plain.path, len(on))
        waited, left = waits(on), hosts.left()
        before = time.monotonic()
        terminal.press("q")
        assert terminal.finish() == 0
        obeyed_s = time.monotonic() - before
    if max(waited) < 0.2:
        assert obeyed_s < 5, obeyed_s
    else:
        assert left > 0.7 * REST, (waited, left)
