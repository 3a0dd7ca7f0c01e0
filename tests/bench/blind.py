# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether ipctop names loads that are drawn by lot, and how soon: the judge reads the spikes as they are reported, and
does not know the load. Where others work on the machine, a task of theirs may hold the CPU for longer than the load: the
kernel's trace tells whether one that is named did.

$IPCTOP_DRAWS loads are drawn for each recorder: 20 unless it is set, which takes about 4 minutes. With $IPCTOP_EACH each
load comes so often, in an order by lot, and $IPCTOP_LOADS takes some of them alone ("hog,quota"). $IPCTOP_SEED repeats a
series.
"""
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import kernel_trace
import program
from figure import Skip

DRAWS = int(os.environ.get("IPCTOP_DRAWS", "20"))
EACH = int(os.environ.get("IPCTOP_EACH", "0"))
SEED = int(os.environ.get("IPCTOP_SEED", str(time.time_ns() % 100000)))
TIERS = ("bpf", "perf")
TROUBLE = program.IPCTOP.parent / "tests" / "bench_trouble"
NOBODY = ("nothing", "unexplained", "not recorded")
ANOTHER = "another that ran"     # beside the load, and for longer, by the kernel's trace
BAR_WRONG = 0.1     # of the draws
BAR_S = 1           # until the right name, the median
LAST_S = 0.7        # for the last spike to be reported
SWAP_SIZE = 16 << 20
# Takes the CPU so often, for so many ms each, under a name of its own, and prints when it began.
BUSY = """
import sys, time
name, count, busy, pause = sys.argv[1], *map(float, sys.argv[2:])
open("/proc/self/comm", "w").write(name)
print("began", time.monotonic_ns(), flush=True)
for _ in range(int(count)):
    end = time.monotonic() + busy / 1000
    while time.monotonic() < end:
        pass
    time.sleep(pause / 1000)
"""


# --- loads ---

def python(code, *words, before=()):
    return subprocess.Popen([*before, sys.executable, "-c", code, *map(str, words)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def trouble(name, cpu, members, _):
    """One of the self-test's."""
    return subprocess.Popen([TROUBLE, name, *map(str, (cpu, *members))], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)


def neighbour(_, cpu, __, name):
    """A plain task that computes."""
    return python(BUSY, name, 20, 60, 40, before=("taskset", "-c", str(cpu)))


def another_run(*words):
    """Another ipctop, for 3 s."""
    return subprocess.Popen(["sh", "-c", "echo began $(($(date +%s%N) + $1)); shift; exec \"$@\" >&2", "sh",
                            str(time.monotonic_ns() - time.time_ns()), program.IPCTOP, "-q", "-m", "pipe", "--recorder",
                            "off", "-D", "3", *map(str, words)],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env=program.environment())


def rival(_, cpu, __, ___):
    """Another program whose real-time tasks compute in turn."""
    return another_run("-i", 0, "-c", cpu, "-p", 60, "--work", 512)


def short_rival(_, cpu, __, ___):
    """The same without computing: more than 300,000 switches a second, which bpf counts, and perf loses."""
    return another_run("-i", 0, "-c", cpu, "-p", 60)


def interrupts(_, cpu, __, ___):
    """64 timer interrupts in 200 us, again and again. Its own members are elsewhere, where that can be."""
    return another_run("-i", "100ms", "-c", program.cpus()[0], "--load", f"timers:{cpu}")


def has_swap():
    """On a disk: what is in memory comes back at once."""
    return any(line and "zram" not in line for line in pathlib.Path("/proc/swaps").read_text(encoding="ascii").splitlines()[1:])


@contextlib.contextmanager
def swap_space(folder):
    """A swap file where there is no swap on a disk, and a right to make it; that folder may be in memory."""
    path, is_made = pathlib.Path(folder, "swap"), False
    if not has_swap():
        path.touch(mode=0o600)
        with open(path, "wb") as file:
            file.write(bytes(SWAP_SIZE))
        commands = (["mkswap", path], ["swapon", path])
        is_made = all(subprocess.run(command, capture_output=True, check=False).returncode == 0 for command in commands)
    try:
        yield
    finally:
        if is_made:
            subprocess.run(["swapoff", path], check=True)


def has_rt_groups():
    return any(pathlib.Path("/sys/fs/cgroup", name, "cpu.rt_runtime_us").exists() for name in ("cpu", "cpu,cpuacct"))


# What starts it, the options of the members, the words that name it rightly, what it lacks here, and the program that
# starts the members.
Load = collections.namedtuple("Load", "start words said lacks before", defaults=(lambda: None, ()))
# The members' memory can't be locked, as in the self-test.
UNLOCKED = ("prlimit", "--memlock=65536", "setpriv", "--bounding-set=-ipc_lock")
PACED = ("-m", "pipe", "-i", "500", "-p", "50", "--fork")
PLAIN_FLOOD = ("-m", "yield", "-i", "0", "--fork")
FLOOD = (*PLAIN_FLOOD, "-p", "50", "--allow-rt-spin")
LOADS = {
    "hog": Load(trouble, PACED, r"ipctop-hog \(RT90\)"),
    "neighbour": Load(neighbour, ("-m", "pipe", "-i", "500", "--fork"), r"NAME"),
    "timers": Load(trouble, PACED, r"timer interrupt|softirq (TIMER|HRTIMER)"),
    "softirq": Load(trouble, PACED, r"softirq NET_RX"),
    "stopped": Load(trouble, PACED, r"stopped"),
    "quota": Load(trouble, PLAIN_FLOOD, r"throttled \(quota\)"),
    "throttling": Load(trouble, FLOOD, r"throttled \(.*RT limit\)",
                       lambda: None if has_rt_groups() else "cgroups with a limit on real-time tasks"),
    "rival": Load(rival, PACED, r"pipe:0\.[01] \(RT60\)"),
    "short rival": Load(short_rival, PACED, r"pipe:0\.[01] (and pipe:0\.[01] )?\(RT60\)"),
    "interrupts": Load(interrupts, PACED, r"timer interrupt|softirq (TIMER|HRTIMER)"),
    "fault": Load(trouble, ("-m", "pipe", "-i", "0", "--fork", "--work", "1M"), r"waited in the kernel",
                  lambda: None if has_swap() else "swap on a disk", UNLOCKED),
}


# --- the judge ---

def length_ns(segment):
    return segment["to_ns"] - segment["from_ns"]


class Judge:
    """Knows the blame of a time without the load, as who compares two phases does, and names the cause whose time has
    grown most since then."""

    def __init__(self):
        self.ns = collections.Counter()
        self.reports = {}       # by ring and due, the segments: a report of the end replaces those before
        self.named = []         # (ns, name) when the name changes
        self.lock = threading.Lock()
        self.begin_ns = time.monotonic_ns()
        self.usual = {}         # ns in a second

    def begin(self):
        """From now on, it is another phase."""
        now_ns = time.monotonic_ns()
        with self.lock:
            self.usual = {name: ns * 1e9 / (now_ns - self.begin_ns) for name, ns in self.ns.items()}
            self.begin_ns, self.named = now_ns, []
            self.ns.clear()
            self.reports.clear()

    def grown_ns(self, name, now_ns):
        return self.ns[name] - self.usual.get(name, 0) * (now_ns - self.begin_ns) / 1e9

    def see(self, spike, now_ns):
        key = spike["ring"], spike.get("due_ns", spike.get("sent_ns"))
        for segment in self.reports.get(key, []):
            self.ns[segment["cause"]] -= length_ns(segment)
        for segment in spike["segments"]:
            self.ns[segment["cause"]] += length_ns(segment)
        self.reports[key] = spike["segments"]
        name = max(self.ns, key=lambda name: self.grown_ns(name, now_ns))
        if self.grown_ns(name, now_ns) > 0 and name != self.name:
            self.named.append((now_ns, name))

    def read(self, lines):
        for item in map(json.loads, lines):
            if item.get("type") == "spike":
                with self.lock:
                    self.see(item["spike"], time.monotonic_ns())

    def ranked(self):
        """What has grown most, and by how much."""
        now_ns = time.monotonic_ns()
        grown = sorted(((self.grown_ns(name, now_ns), name) for name in self.ns), reverse=True)
        return ", ".join(f"{name} {ns / 1e6:.1f} ms" for ns, name in grown[:3] if ns > 0)

    @property
    def name(self):
        return self.named[-1][1] if self.named else "nothing"

    def named_task_ran(self, trace, base_ns):
        """Is the name a task that had the CPU for most of the time that it is named for, by the kernel's trace?"""
        segments = [segment for segments in self.reports.values() for segment in segments
                    if segment["cause"] == self.name and segment["kind"] in kernel_trace.TASKS
                    and segment["from_ns"] + base_ns >= trace.from_ns]
        ran_ns = sum(trace.task_ns(segment["cpu"], segment[key], segment["from_ns"] + base_ns, segment["to_ns"] + base_ns)
                     for segment in segments for key in ("tid", "partner_tid") if key in segment)
        return ran_ns > sum(map(length_ns, segments)) / 2


# --- a draw ---

def members_of(control):
    rings = json.loads(program.run([program.IPCTOP, "ctl", control, "rings"]))["rings"]
    return [member["pid"] for member in rings[0]["members"]]


def await_run(run, control):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and run.poll() is None:
        with contextlib.suppress(RuntimeError, LookupError):
            if control.exists() and len(members_of(control)) == 2:
                return
        time.sleep(0.02)
    raise RuntimeError("the run did not start")


@contextlib.contextmanager
def measuring(folder, tier, load, cpu):
    """A run of the members that the load meets: the path of its control socket. It reports to "run.json"."""
    control, report = folder / "control", folder / "run.json"
    with subprocess.Popen([*load.before, program.IPCTOP, "-q", "-c", str(cpu), *load.words, "--recorder", tier, "--control",
                           control, "--json", report], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=program.environment()) as run:
        try:
            await_run(run, control)
            yield control
        finally:
            program.end(run, 10)


@contextlib.contextmanager
def tracing(cpu, control):
    """The kernel's trace of that CPU, where there is a right to it; else None."""
    if kernel_trace.is_possible():
        with kernel_trace.tracing([cpu], members_of(control)) as trace:
            yield trace
    else:
        yield None


@contextlib.contextmanager
def judging(control):
    """A judge, whom a thread shows each spike from now on."""
    judge = Judge()
    process = subprocess.Popen([program.IPCTOP, "ctl", control, "events"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               text=True, env=program.environment())
    thread = threading.Thread(target=judge.read, args=[process.stdout])
    thread.start()
    try:
        yield judge
    finally:
        program.end(process)
        thread.join()


def inflict(load, name, cpu, control, task):
    """Returns when it began, by time.monotonic_ns()."""
    with load.start(name, cpu, members_of(control), task) as process:
        try:
            out, reason = process.communicate(timeout=60)
        except subprocess.TimeoutExpired as late:
            raise RuntimeError(f"{name} was not over after 60 s: others keep the CPUs") from late
        finally:
            program.end(process)
    began = re.search(r"began (\d+)", out)
    if process.returncode or not began:
        raise RuntimeError(f"{name} could not be inflicted: {reason.strip()}")
    return int(began[1])


def draw(folder, tier, name, load, cpu, lot):
    """Returns what the judge named in the end ("rightly": it; ANOTHER: a task that really held the CPU), what had grown
    most, and when it first named it, in s after the begin; None: it never did."""
    task = f"job-{lot.randrange(10000)}"
    with measuring(folder, tier, load, cpu) as control:
        time.sleep(1)
        with judging(control) as judge, tracing(cpu, control) as trace:
            time.sleep(lot.uniform(1, 3))
            judge.begin()
            began_ns = inflict(load, name, cpu, control, task)
            time.sleep(LAST_S)
    said = re.compile(load.said.replace("NAME", task))
    times = [max(0, ns - began_ns) / 1e9 for ns, named in judge.named if said.match(named)]
    base_ns = json.loads((folder / "run.json").read_text(encoding="utf-8"))["start_monotonic_ns"]
    named = "rightly" if said.match(judge.name) else ANOTHER if trace and judge.named_task_ran(trace, base_ns) else judge.name
    return named, judge.ranked(), times[0] if times else None


def possible_loads(results):
    found = {}
    for name in os.environ.get("IPCTOP_LOADS", ",".join(LOADS)).split(","):
        load = LOADS[name]
        lacks = load.lacks()
        if lacks:
            results.skip(name, f"needs {lacks}")
        else:
            found[name] = load
    return found


def bench(results, _):
    if os.geteuid() or not program.may_run_realtime():
        raise Skip("needs root, and real-time priorities")
    cpu = program.cpus()[-1]
    results.note(f"seed {SEED}: IPCTOP_SEED={SEED} draws the same")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name, swap_space(name):
        loads = possible_loads(results)
        for tier in TIERS:
            lot, said, times = random.Random(SEED), collections.defaultdict(collections.Counter), collections.defaultdict(list)
            series = lot.sample([*loads] * EACH, EACH * len(loads)) if EACH else lot.choices([*loads], k=DRAWS)
            for number, drawn in enumerate(series):
                folder = pathlib.Path(name, f"{tier}{number}")
                folder.mkdir()
                try:
                    named, ranked, after_s = draw(folder, tier, drawn, loads[drawn], cpu, lot)
                except RuntimeError as error:
                    results.note(str(error))
                    continue
                said[drawn][named] += 1
                times[drawn] += [after_s] if after_s is not None else []
                if named != "rightly":
                    results.note(f"{tier}: {drawn}: most had grown {ranked or 'nothing'}")
            report(results, tier, said, times)


def report(results, tier, said, times):
    for drawn, names in sorted(said.items()):
        results.note(f"{tier}: {drawn:<11} " + ", ".join(f"{name} {n}" for name, n in names.most_common()) +
                     (f"; after {statistics.median(times[drawn]):.2g} s" if times[drawn] else ""))
    sums = sum(said.values(), collections.Counter())
    total, nobody = sums.total(), sum(sums[name] for name in NOBODY)
    results.figure(f"named rightly, {tier}", f"{sums['rightly']} of {total}; another that really ran {sums[ANOTHER]} times, "
                                             f"no name {nobody} times")
    results.bar(f"named wrongly, {tier}", total - sums["rightly"] - sums[ANOTHER] - nobody, int(BAR_WRONG * total), f" of {total}")
    all_times = sum(times.values(), [])
    if all_times:
        results.bar(f"until the right name, {tier}", statistics.median(all_times), BAR_S, " s",
                    f"at most {max(all_times):.2g} s")
