# SPDX-License-Identifier: GPL-2.0-or-later
"""What rings that overload their CPUs leave to others: how late another task's sleep ends beside them."""
import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

import program
from terminal import Terminal

FLOODS = ("-m", "all", "-i", "0", "--side-by-side")
OVERLOADS = (("-m", "mq", "-i", "1"), ("-m", "mq", "-i", "10"), ("-m", "all", "--side-by-side"), FLOODS,
             (*FLOODS, "--ring", "64"))
REALTIME = (("-m", "all", "-i", "0", "-p", "50", "--force"), (*FLOODS, "-p", "50", "--force"))
SLEEP_S, BAR_MS = 0.01, 50
TIMES, FOR_S = 5, 10
COLUMNS, LINES = 120, 40
PATIENCE_S = 60     # for the end of a run


def worst_oversleep_ms(seconds):
    worst, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        time.sleep(SLEEP_S)
        worst = max(worst, time.monotonic() - start - SLEEP_S)
    return worst * 1e3


@contextlib.contextmanager
def running(command, screen, prepare):
    """A Popen: with the dashboard on a terminal, or without output."""
    if screen:
        with Terminal(command, COLUMNS, LINES, prepare) as terminal:
            yield terminal.process
    else:
        with subprocess.Popen([*command, "-q"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                              env=program.environment(), preexec_fn=prepare) as run:
            yield run


def beside(command, screen, prepare):
    """Beside a run; and how long the run took to end, once it was to."""
    with running(command, screen, prepare) as run:
        time.sleep(0.3)
        worst = worst_oversleep_ms(FOR_S)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        if run.wait(PATIENCE_S):
            raise RuntimeError(f"{' '.join(command)}: status {run.returncode}")
    return worst, time.monotonic() - start


def bench_row(results, name, command, screen=False, prepare=None):
    idle, found, late = [], [], []
    for _ in range(TIMES):
        idle.append(worst_oversleep_ms(FOR_S / 2))
        worst, longer = beside(command, screen, prepare)
        found.append(worst)
        late.append(longer)
    results.bar(f"oversleep beside {name}", statistics.median(found) - statistics.median(idle), BAR_MS, " ms",
                f"idle {statistics.median(idle):.1f} ms", strict=True)
    results.bar(f"worst beside {name}", max(found) - max(idle), BAR_MS, " ms", f"idle {max(idle):.1f} ms", strict=True)
    results.bar(f"end of {name}", max(late), 0.5, " s")


def bench(results, _):
    for options in OVERLOADS + (REALTIME if program.may_run_realtime() else ()):
        bench_row(results, " ".join(options), [program.IPCTOP, *options])
    name = " ".join(FLOODS)
    bench_row(results, f"{name}, dashboard", [program.IPCTOP, *FLOODS], screen=True)
    if os.geteuid() != 0:
        results.skip(f"{name}, as nobody", "needs root; what is above was a plain user's")
        return
    with tempfile.TemporaryDirectory(prefix="ipctop-rests-") as folder:     # the checkout may be closed to others
        os.chmod(folder, 0o755)
        command = [shutil.copy(program.IPCTOP, folder), *FLOODS]
        for screen in (False, True):
            bench_row(results, f"{name}, {'dashboard, ' if screen else ''}as nobody", command, screen, program.as_nobody)
