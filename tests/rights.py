# SPDX-License-Identifier: GPL-2.0-or-later
"""What this process may do, for tests and benchmarks."""
import os


def may_run_realtime():
    """Tried in a child, for this process keeps its policy."""
    child = os.fork()
    if child == 0:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0
