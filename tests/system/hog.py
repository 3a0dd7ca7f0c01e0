# SPDX-License-Identifier: GPL-2.0-or-later
"""A runaway real-time task: takes a CPU for itself, and tells by its own clock how long it was there."""
import os
import subprocess
import sys
import time


def start_hog(cpu, seconds):
    return subprocess.Popen([sys.executable, __file__, str(cpu), str(seconds)], stdout=subprocess.PIPE, text=True)


def await_hog(hog):
    """Until it has its CPU."""
    assert hog.stdout.readline() == "here\n"


def end_of_hog(hog):
    """When it came and went, as time.monotonic_ns()."""
    return tuple(map(int, hog.communicate()[0].split()[-2:]))


def main(cpu, seconds):
    os.sched_setaffinity(0, {int(cpu)})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
    print("here", flush=True)
    start = now = time.monotonic_ns()
    while now - start < float(seconds) * 1e9:
        now = time.monotonic_ns()
    print(start, now)


if __name__ == "__main__":
    main(*sys.argv[1:])
