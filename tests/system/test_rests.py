# SPDX-License-Identifier: GPL-2.0-or-later
"""Rings that take all of a CPU leave some of it to others."""
import os
import subprocess
import sys
import time

import pytest

from conftest import NOBODY, OWN, as_nobody, cpus
from terminal import Terminal

FLOODS = "-m", "all", "-i", 0, "--side-by-side"
SECONDS = 3.0
LONG_S = 0.05       # no other task should wait for so long

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
        return [float(sleeper.communicate(timeout=10 * SECONDS)[0]) for sleeper in sleepers]
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()


@pytest.mark.needs("no quota")
@pytest.mark.alone
@pytest.mark.parametrize("room", [None, PlainUser], ids=["this user", "a plain user"])
def test_others_get_their_cpu_beside_floods_and_q_is_obeyed(plain, room):
    """Without rests the sleepers wait for nearly all of the time; a machine that stands still now and then does not do
    as much."""
    on = cpus()[:2]
    with Terminal(plain, *FLOODS, "-c", ",".join(map(str, on)), columns=120, room=room) as terminal:
        terminal.wait_for(lambda text: text.count(f" {OWN} ") > 2)
        waited = waits(on)
        before = time.monotonic()
        terminal.press("q")
        assert terminal.finish() == 0
        obeyed_s = time.monotonic() - before
    assert max(waited) < 0.2, waited
    assert obeyed_s < 5, obeyed_s
