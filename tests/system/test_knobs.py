# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of the machine and of members that somebody changes during a run are events within a second, and phases."""
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from cgroups import cgroup, quota
from conftest import CPU, Program, as_nobody, cpus
from harness import PATIENCE, Run, read, report, source_of_facts, until
from test_audit import Machine as Covered, knobs_of
from test_control import Client, await_status, ctl, socket_path    # pylint: disable=unused-import

ARGS = ("-q", "-m", "pipe", "--pairs", f"{CPU}:{CPU}", "-i", "1ms", "--tick", 0.1)
SETTING = "/proc/sys/kernel/timer_migration"


CPU_FOLDER = f"/sys/devices/system/cpu/cpu{CPU}"
IRQ = min((path for path in pathlib.Path("/proc/irq").glob("[0-9]*") if (path / "effective_affinity_list").exists()),
          key=lambda path: int(path.name), default=None)
NO_TURBO, BOOST = "/sys/devices/system/cpu/intel_pstate/no_turbo", "/sys/devices/system/cpu/cpufreq/boost"
TURBO = {NO_TURBO: ("0", "1", "turbo: on -> off")} if pathlib.Path(NO_TURBO).exists() else {BOOST: ("1", "0", "turbo: on -> off")}
# Each file of a fact: its text before and after, and what the event says.
CHANGES = {
    "/sys/devices/system/cpu/smt/active": ("0", "1", "SMT: off -> on"),
    "/sys/devices/system/clocksource/clocksource0/current_clocksource": ("tsc", "hpet", "clock source: tsc -> hpet"),
    "/proc/irq/default_smp_affinity": ("3", "1", "default irq affinity: 3 -> 1"),
    "/proc/sys/kernel/sched_rt_runtime_us": ("950000", "900000", "sched_rt_runtime_us: 950000 -> 900000"),
    "/proc/sys/kernel/sched_rt_period_us": ("1000000", "2000000", "sched_rt_period_us: 1000000 -> 2000000"),
    "/sys/devices/system/cpu/online": (None, "0", "online CPUs: {} -> 0"),
    "/proc/sys/kernel/watchdog": ("1", "0", "kernel.watchdog: 1 -> 0"),
    "/proc/sys/kernel/nmi_watchdog": ("1", "0", "kernel.nmi_watchdog: 1 -> 0"),
    "/proc/sys/kernel/timer_migration": ("1", "0", "kernel.timer_migration: 1 -> 0"),
    "/proc/sys/kernel/numa_balancing": ("0", "1", "kernel.numa_balancing: 0 -> 1"),
    "/proc/sys/kernel/sched_autogroup_enabled": ("0", "1", "kernel.sched_autogroup_enabled: 0 -> 1"),
    "/proc/sys/kernel/hung_task_timeout_secs": ("120", "0", "kernel.hung_task_timeout_secs: 120 -> 0"),
    "/proc/sys/kernel/kptr_restrict": ("0", "2", "kernel.kptr_restrict: 0 -> 2"),
    "/proc/sys/kernel/printk": ("4\t4\t1\t7", "7\t4\t1\t7", "console log level: 4 -> 7"),
    "/sys/class/tty/console/active": ("tty0", "ttyS0", "consoles: tty0 -> ttyS0"),
    "/proc/sys/vm/stat_interval": ("1", "10", "vm.stat_interval: 1 -> 10"),
    "/proc/sys/vm/swappiness": ("60", "10", "vm.swappiness: 60 -> 10"),
    "/proc/sys/vm/compaction_proactiveness": ("20", "0", "vm.compaction_proactiveness: 20 -> 0"),
    "/sys/kernel/mm/transparent_hugepage/enabled":
        ("always [madvise] never", "[always] madvise never", "transparent huge pages: madvise -> always"),
    "/sys/kernel/mm/transparent_hugepage/defrag":
        ("always [madvise] never", "always madvise [never]", "defragmentation for huge pages: madvise -> never"),
    "/sys/kernel/mm/transparent_hugepage/khugepaged/defrag": ("1", "0", "khugepaged: 1 -> 0"),
    "/sys/kernel/mm/ksm/run": ("0", "1", "ksm: 0 -> 1"),
    "/proc/swaps": ("Filename", "Filename\n/dev/sda2 partition", "swap: none -> 1 area"),
    "/sys/devices/virtual/workqueue/cpumask": ("3", "1", "CPUs of workqueues: 3 -> 1"),
    "/sys/devices/virtual/workqueue/writeback/cpumask": ("3", "1", "CPUs of writeback: 3 -> 1"),
    "/sys/devices/system/machinecheck/machinecheck0/ignore_ce": ("0", "1", "machine check ignore_ce: 0 -> 1"),
    "/sys/devices/system/machinecheck/machinecheck0/check_interval": ("12c", "0", "machine check interval: 12c -> 0"),
    "/sys/kernel/debug/sched/base_slice_ns": ("3000000", "700000", "scheduler's base slice: 3000000 -> 700000"),
    f"/sys/kernel/debug/sched/fair_server/cpu{CPU}/runtime": ("50000000", "0", "fair server runtime: 50000000 -> 0"),
    "/sys/devices/system/cpu/isolated": ("", str(CPU), f"isolated CPUs: none -> {CPU}"),
    **TURBO,
    "/sys/kernel/debug/sched/features": ("RUN_TO_PARITY A", "NO_RUN_TO_PARITY A", "RUN_TO_PARITY: on -> off"),
    f"{CPU_FOLDER}/cpufreq/scaling_governor": ("powersave", "performance", "governor: powersave -> performance"),
    f"{CPU_FOLDER}/cpufreq/scaling_max_freq": ("3000000", "2000000", "frequency range: 800-3000MHz -> 800-2000MHz"),
    f"{CPU_FOLDER}/cpuidle/state1/disable": ("0", "1", "idle states: POLL,C1 -> POLL"),
    f"{IRQ}/smp_affinity_list": ("0-1", "1", f"irq affinity of irq {IRQ and IRQ.name}: CPUs 0-1 -> CPU 1"),
    f"{IRQ}/effective_affinity_list": ("0", "1", f"effective irq affinity of irq {IRQ and IRQ.name}: CPU 0 -> CPU 1"),
}
UNCHANGED = {
    "cpufreq/scaling_min_freq": "800000", "cpuidle/state0/name": "POLL", "cpuidle/state0/disable": "0",
    "cpuidle/state0/latency": "0", "cpuidle/state1/name": "C1", "cpuidle/state1/latency": "2",
}
# A file that this kernel does not have can't be covered, but a folder that it has can.
FOLDERS = ("/sys/kernel/debug", CPU_FOLDER, str(pathlib.Path(BOOST).parent))


def copy_files(old, new):
    """Those of a folder of sysfs, whose links lead all over it."""
    for path in (path for path in pathlib.Path(old).rglob("*") if path.is_file() and not path.is_symlink()):
        with contextlib.suppress(OSError):
            text = path.read_bytes()
            copy = new / path.relative_to(old)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text)


def write_machine(path, commands, *program, more=()):
    """A program that runs another one in namespaces of its own, after these commands in them."""
    script = " && ".join([*commands, f'exec {shlex.join(map(str, program))} "$@"'])
    path.write_text(f'#!/bin/sh\nexec unshare --mount --propagation private {shlex.join(more)} sh -c {shlex.quote(script)} sh "$@"\n')
    path.chmod(0o755)


def bind(own, path):
    return f"mount --bind {shlex.quote(str(own))} {path}"


class Faked(Program):
    """ipctop on a machine that has each file of a fact from a folder of the test."""

    def __init__(self, ipctop, folder):
        super().__init__(folder / "machine")
        covered = {path: folder / f"folder{i}" for i, path in enumerate(FOLDERS) if pathlib.Path(path).exists()}
        for part in (CPU_FOLDER + "/topology", CPU_FOLDER + "/cache"):
            copy_files(part, covered[CPU_FOLDER] / pathlib.Path(part).name)
        for name, text in UNCHANGED.items():
            self.place(covered[CPU_FOLDER] / name, text)
        self.files = {}
        for number, (path, (before, after, _)) in enumerate(CHANGES.items()):
            over = next((over for over in covered if path.startswith(over + "/")), None)
            if not over and not pathlib.Path(path).exists():
                continue
            before = pathlib.Path(path).read_text(encoding="ascii").strip() if before is None else before
            if before == after:
                continue
            self.files[path] = covered[over] / path[len(over) + 1:] if over else folder / f"file{number}"
            self.place(self.files[path], before)
            if not over:
                covered[path] = self.files[path]
        write_machine(folder / "machine", [bind(own, path) for path, own in covered.items()], ipctop.path)

    @staticmethod
    def place(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")

    def change(self, path):
        """By one write, as the kernel's files change at once: what is left behind the first line is in no fact."""
        with open(self.files[path], "r+", encoding="ascii") as file:
            file.write(CHANGES[path][1] + "\n")


def test_the_table_has_each_file_of_a_fact():
    files = set(re.findall(r'"(/[^"]+)"', source_of_facts()))
    assert len(files) > 20 and files - set(CHANGES) == set()


# What other tests change: here below, cpuset in test_place.py, tracing in test_breaktrace.py; and of the run itself, load
# in test_load.py and the flight recorder in test_keys.py.
CHANGED_ELSEWHERE = {
    "preemption", "dma latency", "timer slack", "uclamp", "cgroup", "CPU quota of the cgroup", "limit of locked memory",
    "real-time tasks of others", "irqbalance", "threads of interrupts", "SMIs", "cpuset", "tracing", "load", "flight recorder",
}


def test_each_fact_whose_changes_are_events_is_changed_by_a_test():
    strings = r'(?:KNOB\(\w+, \d+|(?:SETTING|CONSTANT)\(\w+), "\w+(?:\.\w+)?",\s*"([^"]+)"|\.title = "([^"]+)"'
    source = re.sub(r"[\s\\]+", " ", source_of_facts())
    titles = {first or second for first, second in re.findall(strings, source)}
    changed = {text.partition(": ")[0].partition(" of irq ")[0] for *_, text in CHANGES.values()}
    assert len(titles) > 50 and titles == changed | CHANGED_ELSEWHERE, titles ^ (changed | CHANGED_ELSEWHERE)


def await_looks(path, n):
    """Until the run has looked at the whole machine so many times more: it begins to each second, and reads at least a
    part with each tick."""
    ticks = []

    def has_looked():
        with Client(path) as client:
            now_ns = client.ask("status").get("now_ns", 0)
        if not ticks or now_ns > ticks[-1]:
            ticks.append(now_ns)
        return sum(ns > ticks[0] + n * 1e9 for ns in ticks) > 10

    assert until(has_looked), ticks


def events_after(act, program, ipctop, path, wanted, *args, **more):
    """Until a run of OTHER members says each of these after act(run), and has looked at the machine once more."""
    said, end = [], time.monotonic() + 2 * PATIENCE
    with Run(program, *ARGS, *args, "--control", path, **more) as run:
        run.tid("pipe:0.0")
        await_status(path)
        with Client(path) as follower:
            assert follower.ask("events")["ok"]
            await_looks(path, 1)
            act(run)
            while left := [words for words in wanted if not any(re.search(words, text) for text in said)]:
                assert time.monotonic() < end, (left, said)
                said.append(follower.read().get("text", ""))
            await_looks(path, 1)
        assert ctl(ipctop, path, "quit").returncode == 0
        assert run.wait()[0] == 0, run.printed


def measured(program, ipctop, path, tmp_path, act, wanted, *args):
    """The report of such a run."""
    events_after(act, program, ipctop, path, wanted, "--json", tmp_path / "report.json", *args)
    return report(tmp_path / "report.json")


@pytest.mark.needs("root", "unshare --mount")
def test_a_changed_file_of_any_fact_is_one_event_soon(ipctop, path, tmp_path):
    """Facts are read once a second, in parts.

    A change is an event once its part was read: within 10 ticks, and one look. On a busy machine single looks are late."""
    machine, lines = Faked(ipctop, tmp_path), tmp_path / "run.jsonl"
    if machine.run("--version").returncode:
        pytest.skip("needs mounts of its own")
    changed, texts = {}, {}
    for file in machine.files:
        before = pathlib.Path(file).read_text(encoding="ascii").strip() if "{}" in CHANGES[file][2] else ""
        texts[file] = CHANGES[file][2].format(before)

    def act(_):
        for file in machine.files:
            changed[file] = time.monotonic_ns()
            machine.change(file)
            time.sleep(0.05)

    one = f" of CPU {CPU}"      # where others have the fact, too
    wanted = [f"{re.escape(subject)}({one})?: {re.escape(change)}" for subject, _, change in
              (text.rpartition(": ") for text in texts.values())]
    found = measured(machine, ipctop, path, tmp_path, act, wanted, "--export", f"jsonl={lines}")
    ticks = [line["at_ns"] for line in map(json.loads, lines.read_text(encoding="utf-8").splitlines()) if line["type"] == "tick"]
    n_ticks = {}
    for file, text in texts.items():
        subject, at_ns = text.rpartition(": ")[0], changed[file] - found["start_monotonic_ns"]
        events = [event for event in found["events"] if event["text"].startswith((subject + ": ", subject + one))]
        assert [event["text"].replace(one, "") for event in events] == [text], (file, events)
        # It has the time at which the look began.
        assert events[0]["at_ns"] >= max((tick_ns for tick_ns in ticks if tick_ns <= at_ns), default=0), (file, events, at_ns)
        n_ticks[file] = sum(at_ns < tick_ns <= events[0]["at_ns"] for tick_ns in ticks)
    assert max(n_ticks.values()) <= 18 and sum(n > 11 for n in n_ticks.values()) <= len(texts) // 20, n_ticks


def changes(found, subject):
    return [event["text"] for event in found["events"] if event["text"].startswith(subject)]


@pytest.mark.needs("root", "unshare --mount")
def test_a_setting_that_bears_on_members_begins_a_phase(ipctop, path, tmp_path):
    machine = Covered(ipctop, tmp_path)
    machine.write(0)
    if SETTING not in machine.files or machine.run("--version").returncode:
        pytest.skip("needs mounts of its own")

    def act(_):
        machine.files[SETTING].write_text("1\n")

    found = measured(machine, ipctop, path, tmp_path, act, ["kernel.timer_migration: 0 -> 1"])
    events = changes(found, "kernel.timer_migration")
    assert events == ["kernel.timer_migration: 0 -> 1"], found["events"]
    names = [phase["name"] for phase in found["phases"]]
    # Tests beside this one may hold a dma latency: then its phase may be the one that has begun.
    assert names == ["start", "kernel.timer_migration: 0 -> 1"] or (changes(found, "dma latency: ") and len(names) > 1), names


@pytest.mark.needs("root")
def test_a_members_timer_slack_is_an_event(ipctop, path, tmp_path):
    def act(run):
        pathlib.Path(f"/proc/{run.tid('pipe:0.0')}/timerslack_ns").write_text("7000\n")

    found = measured(ipctop, ipctop, path, tmp_path, act, ["timer slack of task"])
    events = changes(found, "timer slack of task")
    assert len(events) == 1 and events[0].endswith(": 1ns -> 7000ns"), found["events"]
    assert len(found["phases"]) == 2 and "timer slack" in found["phases"][1]["name"], found["phases"]


@pytest.mark.needs("root", "no quota")
def test_members_that_get_a_quota_are_an_event(ipctop, path, tmp_path):
    """Of their host alone: the front stays in the cgroup where it was."""
    with quota(20000) as procs:
        def act(run):
            procs.write_text(str(run.tid("pipe:0.0")), encoding="ascii")

        found = measured(ipctop, ipctop, path, tmp_path, act, ["CPU quota of the cgroup"])
    assert changes(found, "CPU quota of the cgroup") == ["CPU quota of the cgroup: none -> 20000 of 100000 us"], found["events"]
    assert len(found["phases"]) == 2, found["phases"]


@pytest.mark.needs("root", "no quota", "file /sys/fs/cgroup")
def test_members_that_move_to_another_cgroup_are_one_event(ipctop, path, tmp_path):
    with cgroup("cpu") as folder:
        def act(run):
            (folder / "cgroup.procs").write_text(str(run.tid("pipe:0.0")), encoding="ascii")

        found = measured(ipctop, ipctop, path, tmp_path, act, [rf"cgroup: .* -> .*/{folder.name}"])
    assert len(changes(found, "cgroup: ")) == 1 and len(found["phases"]) == 2, found["events"]


@pytest.mark.alone      # else runs beside it would have an event
@pytest.mark.needs("root", "file /dev/cpu_dma_latency")
def test_a_dma_latency_that_others_hold_is_an_event(ipctop, path, tmp_path):
    """Of all who hold one the least counts."""
    with open("/dev/cpu_dma_latency", "rb", buffering=0) as file:
        held_us = min(7, int.from_bytes(file.read(4), sys.byteorder) - 1)
    if held_us < 0:
        pytest.skip("others hold the least one")
    with contextlib.ExitStack() as held:
        def act(_):
            file = held.enter_context(open("/dev/cpu_dma_latency", "wb", buffering=0))
            file.write(held_us.to_bytes(4, sys.byteorder))

        found = measured(ipctop, ipctop, path, tmp_path, act, [f"dma latency: .* -> {held_us} us"])
    assert len(changes(found, "dma latency: ")) == 1 and len(found["phases"]) == 2, found["events"]


def runs_here(name):
    for comm in pathlib.Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):      # it has ended
            if comm.read_text(encoding="utf-8").strip() == name:
                return True
    return False


NAMED = "import time; open('/proc/self/comm', 'w').write('irqbalance'); time.sleep(60)"


@pytest.mark.needs("realtime", "program chrt")
def test_a_real_time_task_and_a_service_of_others_are_events(ipctop, path, tmp_path):
    """As they come, or as they go if the first round, in which all processes are read, found them. Rounds may be long."""
    events = tmp_path / "events"
    # Four are named: where others run more of them, one more is counted.
    wanted = [r"real-time tasks of others.*(irqbalance FF3 on |and \d+ more)"]
    if not runs_here("irqbalance"):     # another one would be there all the time
        wanted.append(r"irqbalance: (none -> running|running -> none)")

    def are_there():
        text = events.read_text(encoding="utf-8")
        return all(re.search(event, text) for event in wanted)

    end = time.monotonic() + PATIENCE
    with Run(ipctop, *ARGS, "--control", path) as run, open(events, "w", encoding="utf-8") as shown:
        await_status(path)
        with subprocess.Popen([ipctop.path, "ctl", path, "events"], stdout=shown):
            while not are_there() and time.monotonic() < end:
                with subprocess.Popen(["chrt", "-f", "3", sys.executable, "-c", NAMED]) as task:
                    until(are_there, 20)
                    task.kill()
            assert ctl(ipctop, path, "quit").returncode == 0
        assert run.wait()[0] == 0
    assert are_there(), events.read_text(encoding="utf-8")


# --- facts that are no first line of a file ---

def machine_of(folder, commands, *program, more=()):
    write_machine(folder / "machine", commands, *program, more=more)
    machine = Program(folder / "machine")
    tried = machine.run("--version")
    if tried.returncode:
        pytest.skip(f"needs namespaces and mounts of its own: {tried.stderr.strip()}")
    return machine


@pytest.mark.needs("root", "unshare --mount")
def test_another_preemption_model_is_an_event(ipctop, path, tmp_path):
    """A kernel that can switch it has it in debugfs alone. The scheduler's folder there is the test's."""
    model, realtime = tmp_path / "sched" / "preempt", tmp_path / "realtime"
    Faked.place(model, "none (voluntary) full lazy")
    Faked.place(realtime, "0")
    machine = machine_of(tmp_path, [
        "{ mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug; }",
        bind(model.parent, "/sys/kernel/debug/sched"),
        f"{{ ! [ -e /sys/kernel/realtime ] || {bind(realtime, '/sys/kernel/realtime')}; }}"], ipctop.path)
    events_after(lambda _: Faked.place(model, "none voluntary (full) lazy"), machine, ipctop, path, ["preemption: voluntary -> full"])


@pytest.mark.needs("root", "program uclampset")
def test_a_members_clamp_is_an_event(ipctop, path):
    tried = subprocess.run(["uclampset", "-m", "0", "-M", "1024", "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"needs a kernel with uclamp: {tried.stderr.strip()}")

    def act(run):
        subprocess.run(["uclampset", "-m", "512", "-p", str(run.tid("pipe:0.0"))], check=True)

    events_after(act, ipctop, ipctop, path, [r"uclamp of task \d+: 0-1024 -> 512-1024"])


@pytest.mark.needs("program prlimit")
def test_a_lower_limit_of_locked_memory_is_an_event(ipctop, plain, path):
    """Of a plain user: the superuser may lock all of it."""
    path.parent.chmod(0o777)

    def act(run):
        subprocess.run(["prlimit", "--pid", str(run.pid), f"--memlock={32 << 10}:"], check=True, preexec_fn=as_nobody)

    events_after(act, plain, ipctop, path, [r"limit of locked memory: (unlimited|\d+ KiB) -> 32 KiB"], preexec_fn=as_nobody)


# The only process of its namespace whose group is another one's, as that of no thread of the kernel is there, too.
IRQ_THREAD = """
import os, subprocess, sys
open("/proc/self/comm", "w").write("irq/9-test")
os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(50))
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""


@pytest.mark.needs("root", "realtime", "unshare --mount --pid --fork --mount-proc")
def test_another_priority_of_a_thread_of_an_interrupt_is_an_event(ipctop, path, tmp_path):
    """In a namespace of processes that has no threads of the kernel, but one that takes the place of such a thread."""
    machine = machine_of(tmp_path, [], sys.executable, "-c", IRQ_THREAD, ipctop.path,
                         more=["--pid", "--fork", "--mount-proc", "--kill-child"])

    def act(run):
        thread, = (pid for pid, (name, _) in run.processes().items() if name == "irq/9-test")
        os.sched_setscheduler(thread, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(51))

    events_after(act, machine, ipctop, path,
                 [r"threads of interrupts: 1, at most FF50 \(irq/9-test on [\d,-]+\) -> 1, at most FF51 \(irq/9-test on "])


@pytest.mark.needs("root", "unshare --mount", "file /proc/sys/kernel/perf_event_paranoid")
def test_interrupts_of_the_firmware_are_an_event(ipctop, path, tmp_path):
    """The counter that the kernel has for them is here that of context switches (PERF_COUNT_SW_CONTEXT_SWITCHES)."""
    Faked.place(tmp_path / "msr" / "type", "1")
    Faked.place(tmp_path / "msr" / "events" / "smi", "event=0x3")
    machine = machine_of(tmp_path, [bind(tmp_path, "/sys/bus/event_source/devices")], ipctop.path)
    events_after(lambda _: None, machine, ipctop, path, [r"SMIs: (none|\d+) -> \d+"])


class Guest(Program):
    """ipctop on a virtual machine, whose hypervisor takes time when the test says so."""

    def __init__(self, ipctop, folder):
        super().__init__(folder / "machine")
        self.stat, info = folder / "stat", folder / "cpuinfo"
        self.take(0)
        info.write_text("flags : hypervisor\n" + pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), encoding="utf-8")
        machine_of(folder, [bind(self.stat, "/proc/stat"), bind(info, "/proc/cpuinfo")], ipctop.path)

    def take(self, ticks):
        """From each CPU, since its start."""
        text = "".join(f"cpu{cpu} 100 0 100 600 0 0 0 {ticks:08} 0 0\n" for cpu in [" ", *range(max(cpus()) + 1)])
        with open(self.stat, "r+" if self.stat.exists() else "w", encoding="ascii") as file:     # at once, as the kernel
            file.write(text)


@pytest.mark.timing
@pytest.mark.needs("root", "unshare --mount")
def test_time_that_a_hypervisor_takes_is_a_share_and_beside_a_spike(ipctop, path, tmp_path):
    """It grows all the time, and so is no event. Whose reading took long, on a busy machine, reads again later."""
    guest, lines = Guest(ipctop, tmp_path), tmp_path / "run.jsonl"
    one = 200 * 1_000_000_000 // os.sysconf("SC_CLK_TCK")

    def has_found(n_stops):
        spikes = [json.loads(line).get("spike") for line in read(lines).splitlines(True) if line.endswith(b"\n")]
        took = {spike.get("steal_ns", 0) for spike in filter(None, spikes) if spike["length_ns"] >= 100_000_000}
        return took & {one * (stop + 1) for stop in range(n_stops)}

    with lines.open("wb") as out, Run(guest, *ARGS, "--spike", 1000, "--control", path, "--export", "jsonl=-", stdout=out) as run:
        host = run.host("pipe:0")
        run.tid("pipe:0.0")
        await_status(path)
        for stop in range(30):
            await_looks(path, 2)
            os.kill(host, signal.SIGSTOP)
            time.sleep(0.1)
            guest.take(200 * (stop + 1))
            os.kill(host, signal.SIGCONT)
            if until(lambda: has_found(stop + 1), 1):
                break
        assert has_found(stop + 1), read(lines)
        os.kill(run.pid, signal.SIGINT)
        assert run.wait()[0] == 0, run.printed
    guest.take(200)
    assert knobs_of(guest.run("audit", "--json").stdout)["steal"]["value"] == "20.0 %"
