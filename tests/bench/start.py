# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a person waits for a plan of a large machine, for the first figure on the screen, for a quick self-test."""
import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import termios
import time

import program
import stats
import yardstick
from grid import Grid

MACHINE, MACHINE_CPUS = "pack:4 [numa] l3:8 core:16 pu:2", 1024
PLAN_BAR_S, FIGURE_BAR_S, SELF_TEST_BAR_S = 0.2, 0.4, 20
FIRST_TICK_S = 0.2      # which no machine shortens
LINES, COLUMNS = 24, 80
REPETITIONS, PATIENCE_S = 9, 5


def plan_s():
    start = time.monotonic()
    out = program.run([program.IPCTOP, "--pairs", "own", "--plan"], env=program.environment(HWLOC_SYNTHETIC=MACHINE))
    taken = time.monotonic() - start
    pairs = len(re.findall(r"^\s*\d+\s+mq\s+(\d+)>\1\s", out, re.MULTILINE))
    if pairs != MACHINE_CPUS:
        raise RuntimeError(f"{pairs} pairs planned, not {MACHINE_CPUS}")
    return taken


def has_figure(screen):
    """Does a row have a number that ends where its header's Cur ends?"""
    lines = screen.text()
    for index, line in enumerate(lines):
        header = re.search(r"\bCur\b", line)
        if header:
            return any(re.search(r"\s\d[\d.]*\Z", row[:header.end()]) for row in lines[index + 1:]
                       if re.match(r".?\s*\d+>\d+\s", row))
    return False


def spawn():
    """ipctop on a terminal of its own: its pid and the terminal's other side."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        os.execve(program.IPCTOP, ["ipctop"], program.environment(TERM="xterm-256color"))
    return child, terminal


def leave(child, terminal):
    """Quits with q, or by force, and reads until it is gone."""
    os.write(terminal, b"q")
    deadline = time.monotonic() + PATIENCE_S
    try:
        while select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0] and os.read(terminal, 65536):
            pass
        if time.monotonic() >= deadline:
            os.kill(child, signal.SIGKILL)
    except OSError:
        pass    # the terminal's last user went
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def first_figure_s():
    screen = Grid(LINES, COLUMNS)
    start = time.monotonic()
    child, terminal = spawn()
    try:
        while select.select([terminal], [], [], PATIENCE_S)[0]:
            screen.feed(os.read(terminal, 65536))
            if has_figure(screen):
                return time.monotonic() - start
            if time.monotonic() - start > PATIENCE_S:
                break
        raise RuntimeError(f"no figure within {PATIENCE_S} s:\n" + "\n".join(screen.text()))
    finally:
        leave(child, terminal)


def bench(results, options):
    del options
    with yardstick.beside("compute") as yard:
        times = [plan_s() for _ in range(REPETITIONS)]
    yard.bar(results, f"--pairs own planned, {MACHINE_CPUS} CPUs", statistics.median(times), PLAN_BAR_S, " s",
             stats.spread(times), strict=True)
    first_figure_s()    # warms the cache
    with yardstick.beside("starts") as yard:
        times = [first_figure_s() for _ in range(REPETITIONS)]
    yard.bar(results, f"start to the first figure, {len(program.cpus())} CPUs", statistics.median(times), FIGURE_BAR_S,
             " s", stats.spread(times), fixed=FIRST_TICK_S, strict=True)
    start = time.monotonic()
    program.run([program.IPCTOP, "self-test", "--quick"], reports_failure=True)     # most of it waits: no machine shortens that
    results.bar("self-test --quick", time.monotonic() - start, SELF_TEST_BAR_S, " s")
