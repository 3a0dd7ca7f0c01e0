# SPDX-License-Identifier: GPL-2.0-or-later
"""Running ipctop and its peers, and the machine that they run on."""
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess

from figure import Skip
from rights import may_run_realtime     # pylint: disable=unused-import

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
IPCTOP = pathlib.Path(os.environ.get("IPCTOP", ROOT / "build" / "ipctop")).absolute()
NOBODY = 65534
CHANGES_IPCTOP = ("NO_COLOR", "HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "POSIXLY_CORRECT")


def environment(**more):
    """This process's, less what would change ipctop's ways."""
    base = {name: value for name, value in os.environ.items() if name not in CHANGES_IPCTOP}
    return base | {"XDG_CONFIG_HOME": "/nonexistent"} | more


def end(process, grace=3):
    """Ends a Popen as a user would, then by force; nothing is left either way."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
            return


def run(command, timeout=60, env=None, reports_failure=False):
    """Runs to the end and returns what went to stdout; a failure is an error with what went to stderr, but where
    what went to stdout tells of it."""
    path = str(shutil.which(command[0]) or command[0])
    # svsematest makes its key from the file that the variable _ names: a shell names the program.
    process = subprocess.Popen([path, *map(str, command[1:])], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=env or environment(_=path))
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as late:
        raise RuntimeError(f"{' '.join(process.args)}: not done after {timeout} s") from late
    finally:
        end(process)
    if process.returncode and not (reports_failure and out):
        raise RuntimeError(f"{' '.join(str(word) for word in command)}: status {process.returncode}: "
                           f"{(err or out).strip().splitlines()[-1:]}")
    return out


def measure(*args):
    """One run of ipctop: its JSON report."""
    report = json.loads(run([IPCTOP, *args, "--json", "-"], reports_failure=True))
    for ring in report["rings"]:
        if ring["state"] == "failed":
            raise Skip(f"{ring['mechanism']}: {ring.get('reason', 'failed')}")
    return report


def as_nobody():
    """Makes of root a plain user without any rights, who owns the terminal on standard input, if it is one."""
    if os.isatty(0):
        os.fchown(0, NOBODY, -1)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))


def cpus():
    return sorted(os.sched_getaffinity(0))


@contextlib.contextmanager
def idle_states_held(results):
    """Holds /dev/cpu_dma_latency at 0, so that CPUs wait in their shallowest idle state, whoever measures."""
    try:
        device = os.open("/dev/cpu_dma_latency", os.O_WRONLY)
    except OSError as error:
        results.note(f"idle states: not held, /dev/cpu_dma_latency: {error.strerror}")
        yield
        return
    try:
        os.write(device, struct.pack("=i", 0))
        results.note("idle states: held alike for all, /dev/cpu_dma_latency at 0 us")
        yield
    finally:
        os.close(device)
