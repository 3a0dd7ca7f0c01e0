# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether `ipctop try` finds a knob that matters, and takes one that does not for no better and no worse: in so many of
so many trials.

A knob matters where something is made for it: a busy cgroup for a quota, a flood of interrupts for their affinity.
$IPCTOP_RUNS trials are made of each kind: 4 unless it is set, which takes about 30 minutes.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import program
from figure import Skip

RUNS = int(os.environ.get("IPCTOP_RUNS", "4"))
FOR = "60s"         # 20 to 28 phases of two seconds, and four seconds before
PATIENCE_S = 180
WORSE = 2
CGROUPS = pathlib.Path("/sys/fs/cgroup")
IRQS_A_SECOND = 2000    # fewer are no flood
SENDERS = 1, 16         # one alone may find the queue empty each time; many fill it, and wait for interrupts
# To its own address, of a type that is for experiments: no switch passes the frame on. Without a gap the device tells of
# many frames by one interrupt.
SENDER = """
import socket, sys, time
device, address = sys.argv[1], bytes.fromhex(sys.argv[2])
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind((device, 0))
frame = address + address + bytes.fromhex("88b5") + bytes(46)
while True:
    try:
        out.send(frame)
    except OSError:
        pass
    end = time.monotonic() + 20e-6
    while time.monotonic() < end:
        pass
"""


@dataclasses.dataclass
class Trial:
    """One knob with a value, and the rings that it is tried with."""
    knob: str
    rings: list
    procs: pathlib.Path = None      # of the cgroup in which it runs
    irqs: tuple = ()                # that must come often enough while it runs


def attempt(folder, trial):
    """One trial, before all plain tasks of others: its exit status, and what it says."""
    summary = folder / "run.json"
    summary.unlink(missing_ok=True)

    def enter():
        os.nice(-20)
        if trial.procs:
            trial.procs.write_text(str(os.getpid()), encoding="ascii")

    command = [program.IPCTOP, "try", "--for", FOR, trial.knob, "--", "-q", "--no-config", "--tick", "0.1", *trial.rings,
               "--json", summary]
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, env=program.environment(), preexec_fn=enter)
    try:
        _, errors = process.communicate(timeout=PATIENCE_S)
    finally:
        program.end(process)
    if process.returncode not in (0, WORSE):
        raise RuntimeError(f"try {trial.knob}: status {process.returncode}: {errors.strip().splitlines()[-1:]}")
    tried, = json.loads(summary.read_text(encoding="utf-8"))["trials"]
    return process.returncode, tried["text"]


def repeat(results, name, made, is_right):
    """Counts the trials that say what is wrong; @made is the context in which there is a trial."""
    wrong = 0
    try:
        with tempfile.TemporaryDirectory(prefix="ipctop-trials-") as folder, made as trial:
            for _ in range(RUNS):
                n, start = count(trial.irqs), time.monotonic()
                status, text = attempt(pathlib.Path(folder), trial)
                rate = (count(trial.irqs) - n) / (time.monotonic() - start)
                if trial.irqs and rate < IRQS_A_SECOND:
                    raise Skip(f"others left the senders no time: {rate:.0f} interrupts a second: {text}")
                if not is_right(status, text):
                    wrong += 1
                    results.note(f"{trial.knob}: {text}")
    except Skip as reason:
        results.skip(name, str(reason))
        return
    results.bar(name, wrong, 0, f" of {RUNS}")


# --- what is made ---

@contextlib.contextmanager
def cgroup(controller):
    """A cgroup of version 1 or 2 that comes before others."""
    old = CGROUPS / controller
    parent = old if (old / "cgroup.procs").exists() else CGROUPS
    if parent == CGROUPS and controller not in (CGROUPS / "cgroup.subtree_control").read_text(encoding="ascii").split():
        raise Skip(f"no {controller} controller is in use")
    folder = parent / f"ipctop-bench-{os.getpid()}"
    folder.mkdir()
    try:
        for name, most in (("cpu.shares", "262144"), ("cpu.weight", "10000")):
            if (folder / name).exists():
                (folder / name).write_text(most, encoding="ascii")
        yield folder
    finally:
        for _ in range(100):    # the last process is about to be gone
            with contextlib.suppress(OSError):
                folder.rmdir()
                break
            time.sleep(0.05)


@contextlib.contextmanager
def child(*words):
    """A process that ends with the context; at the latest when all trials are done."""
    process = subprocess.Popen(["timeout", str(RUNS * PATIENCE_S), *map(str, words)], stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        program.end(process)


def awake(cpu):
    """To wake up a CPU that sleeps costs more than many a knob."""
    return child("chrt", "-i", 0, "taskset", "-c", cpu, "sh", "-c", "while :; do :; done")


@contextlib.contextmanager
def quota(us, rings):
    a, b = program.cpus()[:2]
    with cgroup("cpu") as folder:
        yield Trial(f"cpu_quota={us}", ["--pairs", f"{a}:{b}", *rings], folder / "cgroup.procs")


@contextlib.contextmanager
def cpuset():
    """A load on the other CPU has to come to the members', who have a lower priority, but a higher one than others' tasks."""
    a, b = program.cpus()[:2]
    with cgroup("cpuset") as folder, awake(a):
        if (folder.parent / "cpuset.mems").exists():
            (folder / "cpuset.mems").write_text((folder.parent / "cpuset.mems").read_text(encoding="ascii"), encoding="ascii")
        (folder / "cpuset.cpus").write_text(f"{a},{b}", encoding="ascii")
        yield Trial(f"cpuset={a}", ["-m", "pipe", "--pairs", f"{a}:{a}", "-i", "1ms", "-p", "40", "--load", f"fifo:{b}:50"],
                    folder / "cgroup.procs")


@contextlib.contextmanager
def plain(knob, *rings):
    yield Trial(knob, ["-c", program.cpus()[-1], "-m", "pipe", "-i", "1ms", *rings])


def device_irqs():
    """Network devices with their addresses and interrupts."""
    for device in sorted(pathlib.Path("/sys/class/net").iterdir()):
        own = (device / "device").resolve()
        folders = [folder / "msi_irqs" for folder in (own, own.parent) if (folder / "msi_irqs").exists()]
        if (device / "device").exists() and folders and (device / "operstate").read_text(encoding="ascii").strip() == "up":
            yield device.name, (device / "address").read_text(encoding="ascii").strip(), sorted(int(irq.name) for irq in folders[0].iterdir())


def affinity(irq):
    return pathlib.Path(f"/proc/irq/{irq}/smp_affinity_list")


def count(irqs):
    lines = pathlib.Path("/proc/interrupts").read_text(encoding="ascii").splitlines()
    n_cpus = len(lines[0].split())
    return sum(sum(map(int, line.split()[1:1 + n_cpus])) for line in lines[1:] if line.split(":")[0].strip() in map(str, irqs))


@contextlib.contextmanager
def moved(irqs, cpu):
    """Interrupts that come to one CPU, and may come to those that they had before, afterwards. Yields those that could be
    moved."""
    before = {}
    try:
        for irq in irqs:
            with contextlib.suppress(OSError):
                was = affinity(irq).read_text(encoding="ascii")
                affinity(irq).write_text(str(cpu), encoding="ascii")
                before[irq] = was
        yield list(before)
    finally:
        for irq, was in before.items():
            affinity(irq).write_text(was, encoding="ascii")


@contextlib.contextmanager
def flooded(cpu):
    """A network device that sends as fast as it can, from this CPU, where its interrupts come to. Yields these."""
    found = []
    for device, address, irqs in device_irqs():
        for n_senders in SENDERS:
            with moved(irqs, cpu) as own, contextlib.ExitStack() as senders:
                for _ in range(n_senders):
                    senders.enter_context(child("nice", "-n", -20, "taskset", "-c", cpu, sys.executable, "-c", SENDER, device,
                                                address.replace(":", "")))
                time.sleep(1)
                n, start = count(own), time.monotonic()
                time.sleep(1)
                rate = (count(own) - n) / (time.monotonic() - start)
                if rate >= IRQS_A_SECOND:
                    yield own
                    return
                found.append(f"{device} {rate:.0f} by {n_senders}")
    raise Skip(f"too few interrupts a second that can be moved: {', '.join(found) or 'no network device has any'}")


@contextlib.contextmanager
def interrupts():
    """From another CPU than the members'."""
    a, b = program.cpus()[:2]
    with flooded(a) as irqs, awake(b):
        priority = ["-p", "80"] if program.may_run_realtime() else []
        yield Trial(f"irq_affinity:{','.join(map(str, irqs))}={b}",
                    ["-m", "pipe", "--pairs", f"{b}:{b}", "-i", "500us", *priority], irqs=tuple(irqs))


# --- what is to be said ---

def is_harm(status, text):
    """A CPU that sleeps less may make other laps quicker."""
    return status == WORSE and text.startswith(("WORSE", "MIXED: worse"))


def is_no_change(status, text):
    return status == 0 and not text.startswith(("BETTER", "MIXED"))


def is_explained(status, text):
    """A figure that moved by chance, or with the machine, is not the knob's: that is said, too."""
    return "; it does nothing here: " in text or "; but it should do nothing here: " in text


def has_fair_server():
    major, minor = map(int, os.uname().release.split(".")[:2])
    return (major, minor) >= (6, 12)


def swappiness():
    now = int(pathlib.Path("/proc/sys/vm/swappiness").read_text(encoding="ascii"))
    return f"swappiness={60 if now == 10 else 10}"


def bench(results, _):
    if os.geteuid() or len(program.cpus()) < 2:
        results.skip("trials", "needs root and two CPUs")
        return
    repeat(results, "interrupts to the members' CPU: not worse", interrupts(), is_harm)
    repeat(results, "a timer slack of 20 ms: not worse", plain("member_slack=20000000"), is_harm)
    repeat(results, "a quota under a spinner: not worse", quota(20000, ["-m", "shm", "-i", "1ms"]), is_harm)
    repeat(results, "a quota under a flood: not worse", quota(5000, ["-m", "mq", "-i", 0]), is_harm)
    repeat(results, "a cpuset that shrinks: not worse", cpuset(), is_harm)
    repeat(results, "swappiness: better or worse", plain(swappiness()), is_no_change)
    if has_fair_server():
        repeat(results, "the limit of real-time tasks: not explained", plain("rt_runtime_us=-1", "-p", "50"), is_explained)
