# SPDX-License-Identifier: GPL-2.0-or-later
"""Rings that take all of a CPU leave some of it to others."""
import contextlib
import os
import re
import subprocess
import sys
import time

import pytest

from conftest import NOBODY, OWN, as_nobody, cpus, may_run_realtime, processes
from harness import PATIENCE, read
from terminal import Terminal

FLOODS = "-m", "all", "-i", 0, "--side-by-side"
REALTIME = "-p", 50, "--force"
LARGE = "--ring", 64     # 1,700 members and 600 threads of ZeroMQ; a process has 1,000 descriptors
ROW = re.compile(rf" {OWN} | \(64\) ")
SECONDS = 3.0
REST = 1 / 16       # of the time, see duty_cycle.h
CALM = REST / 3     # of the CPUs' time: where others use no more, the rests are the sleepers'
KERNEL = 2          # the parent of its threads
ABOVE_IPCTOP = 3    # a real-time priority; of ipctop the front alone has one, which is lower

# Sleeps for 1 ms, again and again, on one CPU. Prints how long it waited for that CPU at most.
SLEEPER = f"""
import os, sys, time
os.sched_setaffinity(0, [int(sys.argv[1])])
end = start = time.monotonic()
longest = 0
while end < start + {SECONDS}:
    time.sleep(0.001)
    before, end = end, time.monotonic()
    longest = max(longest, end - before)
print(longest)
"""


class PlainUser:
    """In place of a room."""

    @staticmethod
    def enter():
        if os.geteuid() == 0:
            os.fchown(0, NOBODY, -1)    # the terminal
        as_nobody()


def longest_wait(on):
    """Of sleepers, one on each of these CPUs."""
    sleepers = [subprocess.Popen([sys.executable, "-c", SLEEPER, str(cpu)], stdout=subprocess.PIPE) for cpu in on]
    try:
        return max([float(sleeper.communicate(timeout=PATIENCE)[0]) for sleeper in sleepers])
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


def cpu_times():
    """{pid: (parent, seconds)} of all processes that can be seen, with their children that have ended."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        fields = read(f"/proc/{name}/stat").rpartition(b")")[2].split()
        if fields:
            found[int(name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return found


class Use:
    """How much of the CPUs processes have used since they were looked at first. Few hosts end before the front."""

    def __init__(self, program, n_cpus):
        self.program, self.n_cpus = program, n_cpus
        with at_once():
            self.begun, self.before = time.monotonic(), cpu_times()

    def shares(self):
        """By the processes of rings; and by those that belong to neither the program nor this test."""
        with at_once():
            own = {int(pid): name for _, pid, _, name in processes(self.program)}
            seconds, now = time.monotonic() - self.begun, cpu_times()
        hosts = others = 0
        for pid, (parent, used) in now.items():
            used -= self.before.get(pid, (parent, 0))[1]
            if pid in own:
                hosts += used if own[pid] not in ("ipctop", "ipctop-keeper") else 0
            elif os.getpid() not in (pid, parent) and parent != KERNEL:
                others += used
        return hosts / seconds / self.n_cpus, others / seconds / self.n_cpus


@pytest.mark.needs("no quota", "proc")
@pytest.mark.alone
@pytest.mark.parametrize("options, room, rest, longest_s, end_s", [
    (FLOODS, None, REST, 0.25, 1),
    pytest.param(FLOODS + LARGE, None, 2 * REST, 0.25, 2, marks=pytest.mark.needs("3000 tasks", "2000 descriptors")),
    pytest.param(FLOODS + REALTIME, None, 3 * REST, 0.08, 1, marks=pytest.mark.needs("realtime", "whole")),
    pytest.param(FLOODS, PlainUser, REST, 0.25, 1, marks=pytest.mark.needs("whole"))],
    ids=["this user", "laps longer than a rest", "real-time", "a plain user"])
def test_others_get_their_cpu_beside_floods_and_q_is_obeyed(plain, stall, options, room, rest, longest_s, end_s):
    """Without rests the sleepers wait for nearly all of the time; where those of real-time rings are no longer than
    others, several rests go by. Other work may take the time that the rings leave."""
    on = cpus()[:2]
    with Terminal(plain, *options, "-c", ",".join(map(str, on)), columns=120, room=room) as terminal:
        terminal.wait_for(lambda text: len(ROW.findall(text)) > 2)
        stall.reset()
        use = Use(plain.path, len(on))
        waited, (hosts, others) = longest_wait(on), use.shares()
        allowed = longest_s + stall.longest_of_machine
        stall.reset()
        before = time.monotonic()
        terminal.press("q")
        assert terminal.finish() == 0
        obeyed_s = time.monotonic() - before
        stalled_s = stall.total_of_machine if others < CALM else stall.total
    assert obeyed_s < end_s + stalled_s, (obeyed_s, stalled_s, others)
    assert 1 - hosts > 0.7 * rest, (hosts, others)
    assert waited < allowed or others >= CALM, (waited, allowed, others)
