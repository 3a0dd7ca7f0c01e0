# SPDX-License-Identifier: GPL-2.0-or-later
"""What rings that overload their CPUs leave to others: how late another task's sleep ends beside them."""
import statistics
import subprocess
import time

import program

OVERLOADS = (("-m", "mq", "-i", "1"), ("-m", "mq", "-i", "10"), ("-m", "all", "--side-by-side"),
             ("-m", "all", "-i", "0", "--side-by-side"))
REALTIME = (("-m", "all", "-i", "0", "-p", "50", "--force"), ("-m", "all", "-i", "0", "-p", "50", "--force", "--side-by-side"))
SLEEP_S, BAR_MS = 0.01, 50
TIMES, FOR_S = 5, 10


def worst_oversleep_ms(seconds):
    worst, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        time.sleep(SLEEP_S)
        worst = max(worst, time.monotonic() - start - SLEEP_S)
    return worst * 1e3


def beside(options):
    """Beside a run that goes on for a little longer; and how much longer than its duration the run took."""
    start = time.monotonic()
    with subprocess.Popen([program.IPCTOP, *options, "-D", str(FOR_S + 0.5), "-q"], stdout=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, env=program.environment()) as run:
        time.sleep(0.3)
        worst = worst_oversleep_ms(FOR_S)
        run.wait()
    return worst, time.monotonic() - start - FOR_S - 0.5


def bench(results, _):
    for options in OVERLOADS + (REALTIME if program.may_run_realtime() else ()):
        idle, found, late = [], [], []
        for _ in range(TIMES):
            idle.append(worst_oversleep_ms(FOR_S / 2))
            worst, longer = beside(options)
            found.append(worst)
            late.append(longer)
        name = " ".join(options)
        results.bar(f"oversleep beside {name}", statistics.median(found) - statistics.median(idle), BAR_MS, " ms",
                    f"idle {statistics.median(idle):.1f} ms, worst {max(found):.1f} ms", strict=True)
        results.bar(f"end of {name}", max(late), 0.5, " s")
