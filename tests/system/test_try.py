# SPDX-License-Identifier: GPL-2.0-or-later
"""ipctop try: a knob is turned back and forth, judged, and put back, whatever ends the run.

Each run has a mount namespace of its own, in which files cover knobs of the kernel, and a folder covers /run: nothing of
this machine is changed."""
import contextlib
import gzip
import html
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import time

import pytest

from cgroups import Inside, cgroup, cpuset, span
from conftest import CPU, Program, cpus
from harness import Run, marked, report, source_of_facts, until, unwrapped
from terminal import Terminal

pytestmark = pytest.mark.needs("root", "unshare --mount")
KNOB = pathlib.Path("/proc/sys/vm/swappiness")
CLOCKS = pathlib.Path("/sys/devices/system/clocksource/clocksource0")
# More ticks than a phase needs: on a busy machine some come late.
QUIET = ["--", "-q", "--no-config", "-t", 1, "-c", CPU, "-i", "1ms", "--tick", 0.1]
SHORT = ["--for", "16s"]     # six phases of two seconds, and four seconds before
KILLS = int(os.environ.get("IPCTOP_KILLS", "10"))


class Machine(Program):
    """ipctop on a machine with a swappiness of its own. @more: other pairs of a path and what it covers."""

    def __init__(self, ipctop, folder, *more):
        super().__init__(folder / "machine")
        self.knob, self.run_folder = folder / "swappiness", folder / "run"
        self.run_folder.mkdir()
        self.turn(60)
        covered = [(self.knob, KNOB), (self.run_folder, "/run"), *more]
        mounts = [f"mount --bind {shlex.quote(str(own))} {path}" for own, path in covered]
        script = f'{" && ".join(mounts)} && exec {shlex.quote(ipctop.path)} "$@"'
        (folder / "machine").write_text(f'#!/bin/sh\nexec unshare --mount --propagation private sh -c {shlex.quote(script)} sh "$@"\n')
        (folder / "machine").chmod(0o755)

    def turn(self, value):
        self.knob.write_text(f"{value}\n")

    @property
    def value(self):
        return int(self.knob.read_text().split()[0])

    @property
    def journal(self):
        return self.run_folder / "ipctop" / "trial"


@pytest.fixture(name="machine")
def fixture_machine(ipctop, tmp_path):
    machine = Machine(ipctop, tmp_path)
    if machine.run("--version").returncode:
        pytest.skip("needs mounts of its own")
    return machine


def result_of(found):
    """The sentence about the knob."""
    *_, last = [event["text"] for event in found["events"] if event["text"].startswith("try ")]
    return last


def phases_of(found):
    """What each ring did in each phase."""
    return [(phase["name"], ring["laps"], ring["missed"], {name: (figure["percentiles"].get("p99.9_ns"), figure.get("max_ns"))
                                                           for name, figure in ring["figures"].items()})
            for phase in found["phases"] for ring in phase["rings"]]


def names_of(found):
    return [phase["name"] for phase in found["phases"]]


@pytest.mark.needs("whole")
def test_a_knob_without_effect_is_no_better_and_no_worse(machine, tmp_path):
    summary, recording = tmp_path / "run.json", tmp_path / "run.rec"
    with Run(machine, "try", *SHORT, "swappiness=10", *QUIET, "--json", summary, "--record", recording) as run:
        assert until(lambda: machine.value == 10), run.process.poll()
        assert machine.journal.stat().st_mode & 0o777 == 0o600
        assert run.wait()[0] == 0, run.printed
        assert run.left() == {}
    assert machine.value == 60 and not machine.journal.exists()
    found = report(summary)
    was, tried = "swappiness=60", "swappiness=10"
    assert names_of(found) == ["start", was, tried, tried, was, was, tried]
    assert found["ended_by"] == "tried" and found["options"]["try"] == "swappiness=10"
    assert re.fullmatch(r"try swappiness=10: (same|undecided|too few)\b.*; restored", result_of(found))
    trial, = found["trials"]
    assert (trial["phase_a"], trial["phase_b"]) == ("swappiness=60", "swappiness=10"), trial
    assert result_of(found) == f"try swappiness=10: {trial['text']}" and trial["text"].startswith(trial["verdict"])
    changes = [event["text"] for event in found["events"] if event["text"].startswith("vm.swappiness: ")]
    assert changes[:3] == ["vm.swappiness: 60 -> 10", "vm.swappiness: 10 -> 60", "vm.swappiness: 60 -> 10"], changes
    replayed = unwrapped(machine.run("--replay", recording, "--plain", "--speed", 0).stdout)
    assert result_of(found) in replayed
    assert machine.run("report", recording, "-o", tmp_path / "html").returncode == 0
    page = html.unescape((tmp_path / "html").read_text(encoding="utf-8"))
    verdict = page[page.index("<h2>Verdict: what was tried</h2>"):page.index("<h2>Phases</h2>")]
    assert result_of(found) in verdict and "3 x A, 3 x B" in verdict
    assert "<h2>Verdict: all phases swappiness=60 and swappiness=10</h2>" in verdict


def test_a_knob_that_matters_is_found(machine, tmp_path):
    """A timer slack of 20 ms delays each sleep of an interval of 1 ms."""
    summary = tmp_path / "run.json"
    result = machine.run("try", *SHORT, "member_slack=20000000", *QUIET, "-m", "pipe", "--json", summary, timeout=120)
    found = report(summary)
    was = [phase["rings"][0] for phase in found["phases"] if phase["name"] == found["trials"][0]["phase_a"]]
    if any(ring["missed"] > 0.2 * (ring["missed"] + ring["laps"]) for ring in was):     # one such phase of three says "undecided"
        pytest.skip("others had the CPU while the knob was as it had been")
    assert result.returncode == 2, (result, result_of(found))
    assert re.match(r"try member_slack=20000000: WORSE: .*; restored", result_of(found)), result_of(found)
    assert [trial["verdict"] for trial in found["trials"]] == ["worse"]


# A CPU that sleeps less may make other laps quicker.
HARM = "(WORSE:|MIXED: worse)"


class Foremost(Inside):
    """The same, before all plain tasks of others: they must not hide what the knob does."""
    def enter(self):
        for name, most in (("cpu.shares", "262144"), ("cpu.weight", "10000")):
            file = self.procs.parent / name
            if file.exists():
                file.write_text(most, encoding="ascii")
        os.nice(-20)
        super().enter()


@pytest.mark.alone
@pytest.mark.needs("whole", "2 cpus", "no quota", "file /sys/fs/cgroup")
@pytest.mark.parametrize("rings, quota", [(["-m", "mq", "-i", 0], 5000), (["-m", "shm", "-i", "1ms"], 20000)], ids=["flood", "spinner"])
def test_a_quota_is_found(machine, tmp_path, rings, quota):
    """Of a flood, which has half of the laps or fewer, each as quick as before; and of members that spin, which miss slots."""
    summary = tmp_path / "run.json"
    with cgroup("cpu") as folder:
        limit = next(filter(pathlib.Path.exists, (folder / "cpu.max", folder / "cpu.cfs_quota_us")))
        was = limit.read_text().split()
        with Run(machine, "try", *SHORT, f"cpu_quota={quota}", "--", "-q", "--no-config", "--tick", 0.1, "--pairs",
                 "{}:{}".format(*cpus()[:2]), *rings, "--json", summary, room=Foremost(folder / "cgroup.procs")) as run:
            assert run.wait()[0] == 2, (run.printed, result_of(report(summary)), phases_of(report(summary)))
            assert run.left() == {}
        assert limit.read_text().split() == was
    found = report(summary)
    assert re.match(rf"try cpu_quota={quota}: {HARM} .*; restored", result_of(found)), result_of(found)
    compared = json.loads(machine.run("compare", "--json", f"{summary}:{found['phases'][-2]['number']}", summary).stdout)
    row, = compared["rows"]     # of two of the phases alone
    if "shm" in rings:
        missed = row["missed"]
        assert missed["missed_b"] / missed["slots_b"] > missed["missed_a"] / missed["slots_a"] + 0.05, row
    else:
        assert row["laps"]["a_per_s"] > 1.5 * row["laps"]["b_per_s"], row


@pytest.mark.alone
@pytest.mark.needs("whole", "2 cpus", "realtime", "file /sys/fs/cgroup")
def test_a_cpuset_that_shrinks_onto_the_members_cpu_is_found(machine, tmp_path):
    """A load on the other CPU, of a higher priority, has to come to theirs. That one never sleeps: to wake it up would cost
    more than the load."""
    summary, (a, b) = tmp_path / "run.json", cpus()[:2]
    idle = subprocess.Popen(["chrt", "-i", "0", "taskset", "-c", str(a), "sh", "-c", "while :; do :; done"])
    with cpuset(a, b) as (allowed, procs), contextlib.ExitStack() as stack:
        stack.callback(idle.wait)
        stack.callback(idle.kill)
        with Run(machine, "try", *SHORT, f"cpuset={a}", "--", "-q", "--no-config", "-m", "pipe", "--pairs", f"{a}:{a}", "-i", "1ms",
                 "-p", 40, "--load", f"fifo:{b}:50", "--tick", 0.1, "--json", summary, room=Foremost(procs)) as run:
            assert run.wait()[0] == 2, (run.printed, result_of(report(summary)))
            assert run.left() == {}
        assert allowed.read_text().split() == [span(a, b)]
    assert re.match(rf"try cpuset={a}: {HARM} .*; restored", result_of(report(summary))), result_of(report(summary))


LIMIT = pathlib.Path("/proc/sys/kernel/sched_rt_runtime_us")


def with_a_limit(ipctop, folder, *more):
    """A machine with a limit of real-time tasks of its own, and the file that has it."""
    limit = folder / "limit"
    limit.write_text("950000\n")
    return Machine(ipctop, folder, (limit, LIMIT), *more), limit


@pytest.mark.needs("realtime", f"file {LIMIT}")
def test_a_limit_of_real_time_tasks_is_refused_where_nothing_could_restore_it(ipctop, tmp_path):
    machine, limit = with_a_limit(ipctop, tmp_path)
    said = machine.refuse("try", *SHORT, "rt_runtime_us=-1", "--", "-q", "--no-config", "-m", "pipe", "-i", 0, "-p", 20, "--force")
    assert "members that spin at real-time priority are on all CPUs, so nothing could restore it" in said
    assert limit.read_text() == "950000\n" and not machine.journal.exists()


@pytest.mark.needs("realtime", f"file {LIMIT}", "file /sys/kernel/debug")
def test_a_limit_of_real_time_tasks_does_nothing_beside_the_fair_server(ipctop, tmp_path):
    """Unless each cgroup has a limit of its own, which the kernel's configuration tells: that is the test's, too."""
    server, config, summary = tmp_path / "debug/sched/fair_server/cpu0/runtime", tmp_path / "config.gz", tmp_path / "run.json"
    server.parent.mkdir(parents=True)
    server.write_text("50000000\n")
    config.write_bytes(gzip.compress(b"# CONFIG_RT_GROUP_SCHED is not set\n"))
    covered = [(config, "/proc/config.gz")] if os.path.exists("/proc/config.gz") else []
    machine, limit = with_a_limit(ipctop, tmp_path, (tmp_path / "debug", "/sys/kernel/debug"), *covered)
    result = machine.run("try", *SHORT, "rt_runtime_us=-1", *QUIET, "-m", "pipe", "-p", 20, "--json", summary, timeout=120)
    if report(summary)["host"]["rt_throttling"]["group_sched"]:
        pytest.skip("needs a kernel without limits of real-time tasks of each cgroup, or /proc/config.gz")
    assert result.returncode in (0, 2), result
    assert limit.read_text().startswith("950000\n") and not machine.journal.exists()
    said = result_of(report(summary))
    has_moved = re.match(r"try rt_runtime_us=-1: (BETTER|WORSE|MIXED)", said)      # the machine changed meanwhile
    no_effect = "but it should do nothing" if has_moved else "it does nothing"
    assert f"; {no_effect} here: the kernel's fair server acts in its place; restored" in said, said


@pytest.mark.needs("whole", "file /sys/kernel/debug")
def test_a_feature_of_the_scheduler_is_turned(ipctop, tmp_path):
    """The kernel's file takes one word, and lists them all. Here the word takes the place of the list's beginning."""
    summary, features = tmp_path / "run.json", tmp_path / "debug" / "sched" / "features"
    features.parent.mkdir(parents=True)
    features.write_text("RUN_TO_PARITY PLACE_LAG\n")
    machine = Machine(ipctop, tmp_path, (tmp_path / "debug", "/sys/kernel/debug"))
    with Run(machine, "try", *SHORT, "run_to_parity=NO_RUN_TO_PARITY", *QUIET, "--json", summary) as run:
        assert until(lambda: features.read_text().startswith("NO_RUN_TO_PARITY\n")), run.process.poll()
        assert run.wait()[0] in (0, 2), run.printed
    assert features.read_text().startswith("RUN_TO_PARITY\n") and not machine.journal.exists()
    assert names_of(report(summary))[1:3] == ["run_to_parity=RUN_TO_PARITY", "run_to_parity=NO_RUN_TO_PARITY"]


@pytest.mark.needs("whole", "file /sys/kernel/debug")
@pytest.mark.parametrize("covered, inner, knob, texts, names", [
    ("/proc/sys/kernel/watchdog", "", "watchdog=0", ("1", "0"), ["watchdog=1", "watchdog=0"]),
    ("/sys/kernel/debug", "sched/preempt", "preempt=full", ("none (voluntary) full", "full"), ["preempt=voluntary", "preempt=full"]),
    ("/sys/devices/system/cpu/cpufreq", "boost", "turbo=off", ("1", "0"), ["turbo=on", "turbo=off"]),
])
def test_a_knob_with_words_of_its_own_is_turned(ipctop, tmp_path, covered, inner, knob, texts, names):
    """What the kernel takes is in a file of the test. It lists no words once one was written."""
    if not pathlib.Path(covered).exists():
        pytest.skip(f"needs {covered}")
    summary, file = tmp_path / "run.json", tmp_path / "own" / inner
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(texts[0] + "\n")
    machine = Machine(ipctop, tmp_path, (tmp_path / "own", covered))
    with Run(machine, "try", *SHORT, knob, *QUIET, "--json", summary) as run:
        assert until(lambda: file.read_text().startswith(texts[1] + "\n")), run.process.poll()
        assert run.wait()[0] in (0, 2), run.printed
    assert file.read_text().startswith(re.sub(r".*\((\w+)\).*", r"\1", texts[0]) + "\n") and not machine.journal.exists()
    assert names_of(report(summary))[1:3] == names


@pytest.mark.needs("whole")
def test_an_interrupt_is_sent_to_another_cpu_and_back(ipctop, tmp_path):
    """The one that is named, not the others. Here the kernel's answer, where it does come, stays the same."""
    summary, irqs, (first, *_, last) = tmp_path / "run.json", tmp_path / "irq", [*cpus(), cpus()[-1] + 1]
    for number in (8, 9):
        (irqs / str(number)).mkdir(parents=True)
        (irqs / str(number) / "smp_affinity_list").write_text(f"{first}-{last}\n")
        (irqs / str(number) / "effective_affinity_list").write_text(f"{first}\n")
    machine, moved = Machine(ipctop, tmp_path, (irqs, "/proc/irq")), irqs / "9" / "smp_affinity_list"
    with Run(machine, "try", *SHORT, f"irq_affinity:9={first}", *QUIET, "--json", summary) as run:
        assert until(lambda: moved.read_text().startswith(f"{first}\n")), run.process.poll()
        assert (irqs / "8" / "smp_affinity_list").read_text() == f"{first}-{last}\n"
        assert run.wait()[0] in (0, 2), run.printed
    assert moved.read_text().startswith(f"{first}-{last}\n") and not machine.journal.exists()
    assert names_of(report(summary))[1:3] == [f"irq_affinity:9={first}-{last}", f"irq_affinity:9={first}"]
    assert result_of(report(summary)).endswith(f"; restored; irq 9 goes to CPU {first}"), result_of(report(summary))


@pytest.mark.needs("whole", "file /sys/devices/system/cpu/online")
@pytest.mark.parametrize("beside", ("has_it", "takes_it", "refuses_it"))
def test_an_interrupt_that_is_put_back_meanwhile_is_found(ipctop, tmp_path, beside):
    """Whatever the one before it does: it has the value that is tried, takes it and keeps it, or refuses it."""
    summary, irqs, (first, *_, last) = tmp_path / "run.json", tmp_path / "irq", [*cpus(), cpus()[-1] + 1]
    files = [irqs / number / "smp_affinity_list" for number in ("8", "9")]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text(f"{first}-{last}\n")
    if beside == "has_it":
        files[0].write_text(f"{first}\n")
    if beside == "refuses_it":      # bound from one that the kernel writes alone
        files[0].write_text("")
    own = [(irqs, "/proc/irq")]
    if beside == "refuses_it":
        own.append(("/sys/devices/system/cpu/online", "/proc/irq/8/smp_affinity_list"))
    machine, reset = Machine(ipctop, tmp_path, *own), files[1]
    tried = str(last) if beside == "refuses_it" else str(first)
    with Run(machine, "try", *SHORT, f"irq_affinity:8-9={tried}", *QUIET, "--json", summary) as run:
        while run.process.poll() is None:
            if reset.read_text().startswith(f"{tried}\n"):
                with reset.open("r+") as file:
                    file.write(f"{first}-{last}\n")
            time.sleep(0.005)
        assert run.wait()[0] == 1, run.printed
        assert run.left() == {}
    assert reset.read_text().startswith(f"{first}-{last}\n") and not machine.journal.exists()
    assert beside != "takes_it" or files[0].read_text().startswith(f"{first}-{last}\n")
    found = result_of(report(summary))
    assert f"; not restored everywhere; /proc/irq/9/smp_affinity_list was changed to {first}-{last} meanwhile" in found, found


def own_partition(folder):
    """A tree of cgroups in which that of this process may become a partition."""
    file = folder / pathlib.Path("/proc/self/cpuset").read_text(encoding="ascii").strip().lstrip("/") / "cpuset.cpus.partition"
    file.parent.mkdir(parents=True)
    for name in ("cpuset.cpus", "cpuset.cpus.effective"):
        (file.parent / name).write_text(",".join(map(str, cpus())) + "\n")
    return file


@pytest.mark.needs("whole", "file /sys/fs/cgroup")
@pytest.mark.parametrize("knob", ("isolated=isolated", "cpuset=0"))
def test_a_cgroup_without_the_file_is_named(ipctop, tmp_path, knob):
    """As the root is: the machine has such a knob."""
    (tmp_path / "cgroup").mkdir()
    machine = Machine(ipctop, tmp_path, (tmp_path / "cgroup", "/sys/fs/cgroup"))
    assert "the cgroup in which ipctop runs does not have it" in machine.refuse("try", knob, *QUIET)


def own_group():
    """Of version 2; None: none."""
    lines = pathlib.Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()
    return next((line[len("0::/"):] for line in lines if line.startswith("0::/")), None)


@pytest.mark.needs("file /sys/fs/cgroup")
@pytest.mark.parametrize("controllers, inner, sentence", [
    ("memory", None, "the cgroup in which ipctop runs is not mounted here, or not with the cpu controller"),
    ("cpu memory", None, "the cgroup in which ipctop runs does not have it: the root has none, another one only if its parent's "
                         "cgroup.subtree_control has cpu (systemd-run --scope -p CPUWeight=100 ipctop try ...)"),
    ("cpu memory", "cpu.weight", "this kernel has no quotas of CPU time (CONFIG_CFS_BANDWIDTH)")], ids=["none", "root", "kernel"])
def test_the_reason_why_there_is_no_quota_is_named(ipctop, tmp_path, controllers, inner, sentence):
    own = own_group()
    if own is None:
        pytest.skip("needs cgroups of version 2 in the kernel")
    folder = tmp_path / "cgroup" / own
    folder.mkdir(parents=True)
    (tmp_path / "cgroup" / "cgroup.controllers").write_text(controllers + "\n")
    if inner:
        (folder / inner).write_text("100\n")
    machine = Machine(ipctop, tmp_path, (tmp_path / "cgroup", "/sys/fs/cgroup"))
    assert machine.refuse("try", "cpu_quota=50000 100000", *QUIET).endswith(f"try cpu_quota: {sentence}")


@pytest.mark.needs("file /sys/fs/cgroup/cpu/release_agent")
def test_the_root_of_version_1_has_no_quota(machine):
    if "cpu:/\n" not in pathlib.Path("/proc/self/cgroup").read_text(encoding="ascii"):
        pytest.skip("is in another cgroup")
    assert "does not have it: the root has none" in machine.refuse("try", "cpu_quota=50000", *QUIET)


@pytest.mark.needs("file /sys/fs/cgroup/cpuset/release_agent")
def test_the_root_of_version_1_has_no_cpuset_to_choose(machine):
    if "cpuset:/\n" not in pathlib.Path("/proc/self/cgroup").read_text(encoding="ascii"):
        pytest.skip("is in another cgroup")
    assert "does not have it: the root has none" in machine.refuse("try", "cpuset=0", *QUIET)


@pytest.mark.needs("whole", "file /sys/fs/cgroup")
def test_a_partition_is_tried(ipctop, tmp_path):
    summary, file = tmp_path / "run.json", own_partition(tmp_path / "cgroup")
    file.write_text("member\n")
    machine = Machine(ipctop, tmp_path, (tmp_path / "cgroup", "/sys/fs/cgroup"))
    with Run(machine, "try", *SHORT, "isolated=isolated", *QUIET, "--json", summary) as run:
        assert until(lambda: file.read_text() == "isolated\n"), run.process.poll()
        assert run.wait()[0] in (0, 2), run.printed
    assert file.read_text().startswith("member\n") and not machine.journal.exists()
    assert names_of(report(summary))[1:3] == ["isolated=member", "isolated=isolated"]


@pytest.mark.needs("whole", "2 cpus", "file /sys/fs/cgroup")
def test_a_cpuset_that_shrinks_is_tried(machine, tmp_path):
    """Members on the other CPU have no laps in the figures meanwhile."""
    summary, (a, b) = tmp_path / "run.json", cpus()[:2]
    with cpuset(a, b) as (allowed, procs):
        with Run(machine, "try", *SHORT, f"cpuset={a}", "--", "-q", "--no-config", "-m", "pipe", "-c", f"{a},{b}", "-i", "1ms",
                 "--side-by-side", "--tick", 0.1, "--json", summary, room=Inside(procs)) as run:
            assert until(lambda: allowed.read_text().split() == [str(a)]), run.process.poll()
            assert run.wait()[0] in (0, 2), run.printed
        assert allowed.read_text().split() == [span(a, b)]
    found = report(summary)
    assert re.match(rf"try cpuset={a}: .*; restored", result_of(found)), result_of(found)
    assert any(re.match(rf"pipe {b}>{b} is excluded: a cpuset took", event["text"]) for event in found["events"])
    taken = [phase["rings"][1] for phase in found["phases"] if phase["name"] == f"cpuset={a}"]
    assert len(taken) == 3 and all(ring["away"] > 0.8 * (ring["away"] + ring["laps"] + ring["missed"]) for ring in taken), taken


def slow_while(machine, run, value):
    """Delays all sleeps of the members while the knob has this value, until the run ends."""
    tasks = [pathlib.Path(f"/proc/{run.tid(name)}/timerslack_ns") for name in ("pipe:0.0", "pipe:0.1")]
    while run.process.poll() is None:
        with contextlib.suppress(OSError):      # they end
            for task in tasks:
                task.write_text("2000000" if machine.value == value else "1")
        time.sleep(0.005)


@pytest.mark.needs("whole")
def test_a_better_value_is_kept_where_that_is_wanted(machine, tmp_path):
    summary = tmp_path / "run.json"
    with Run(machine, "try", *SHORT, "--keep", "swappiness=10", *QUIET, "-m", "pipe", "--json", summary) as run:
        slow_while(machine, run, 60)
        assert run.wait()[0] == 0, run.printed
        assert run.left() == {}
    assert re.match(r"try swappiness=10: BETTER: .*; kept", result_of(report(summary))), result_of(report(summary))
    assert machine.value == 10 and not machine.journal.exists()


@pytest.mark.needs("whole")
def test_a_worse_value_is_not_kept(machine, tmp_path):
    summary = tmp_path / "run.json"
    with Run(machine, "try", *SHORT, "--keep", "swappiness=10", *QUIET, "-m", "pipe", "--json", summary) as run:
        slow_while(machine, run, 10)
        assert run.wait()[0] == 2, run.printed
    assert re.match(r"try swappiness=10: WORSE: .*; restored", result_of(report(summary))), result_of(report(summary))
    assert machine.value == 60 and not machine.journal.exists()


@pytest.mark.parametrize("args, complaint", [
    (["nothing=1"], "try nothing: no such knob; choose from: "),
    (["smt=off"], "try smt: tasks and interrupts leave CPUs that go offline, and not all come back with them"),
    (["swap=none"], "try swap: swapoff reads all that is swapped out"),
    (["graphics=none"], "try graphics: nothing changes it while the machine runs"),
    (["rivals=none"], "try rivals: it is not turned back and forth: change it by the command that ipctop audit has"),
    (["idle_states=2"], "try idle_states: it is not turned: try dma_latency_us=2, which keeps all CPUs out of slower states"),
    (["hypervisor=none"], "try hypervisor: nothing changes it while the machine runs"),
    (["swappiness"], "try swappiness: must be KNOB=VALUE"),
    (["swappiness=60"], "try swappiness: it is 60 already"),
    (["swappiness:3=10"], "try swappiness:3: it is one setting of the whole machine"),
    (["irq_affinity:x=1"], "try irq_affinity:x: after : is a list of numbers"),
    (["--for", "3s", "swappiness=10"], "--for 3: this takes 16 s at least"),
    (["swappiness=10", "--", "-D", "5"], "try: -D: --for says how long it may take"),
    (["swappiness=10", "--", "--hunt"], "try: --hunt: it changes loads between phases"),
    (["--keep", "member_slack=2"], "--keep: member_slack ends with the run"),
    ([], "try: takes KNOB=VALUE"),
])
def test_bad_use_is_one_sentence(machine, args, complaint):
    assert complaint in machine.refuse("try", *args)
    assert machine.value == 60 and not machine.journal.exists()


def test_the_knobs_that_can_be_tried_are_listed_to_the_end(machine):
    facts = re.findall(r"(?:FACT|ROWS|SETTING|KNOB)\((\w+),", source_of_facts())
    listed = machine.refuse("try", "nothing=1").strip().partition("choose from: ")[2].split()
    assert "isolated" in listed and [name for name in listed if name not in facts] == []


def test_a_duration_of_the_configuration_file_is_for_other_runs(machine, tmp_path):
    (tmp_path / "ipctop").mkdir()
    (tmp_path / "ipctop" / "config").write_text("duration = 60\n")
    result = machine.run("try", "no_such=1", "--", "-t", 1, env={"XDG_CONFIG_HOME": str(tmp_path)})
    assert "try no_such: no such knob" in result.stderr, result


def test_a_value_of_members_that_is_there_already_is_refused(machine, tmp_path):
    """Only the members, which run by then, know it."""
    summary = tmp_path / "run.json"
    result = machine.run("try", *SHORT, "member_slack=1", *QUIET, "-m", "pipe", "--json", summary)
    assert result.returncode == 1 and result.stderr.count("ipctop: try member_slack: it is 1 already\n") == 1, result
    assert "trials" not in report(summary) and "; restored" not in unwrapped(result.stdout), result


def test_what_the_kernel_refuses_is_said(ipctop):
    before = KNOB.read_text()
    said = ipctop.refuse("try", "swappiness=100000", *QUIET)
    assert "the kernel refuses 100000 for /proc/sys/vm/swappiness: Invalid argument" in said
    assert KNOB.read_text() == before


@pytest.mark.needs("whole", f"file {CLOCKS}/available_clocksource")
def test_what_the_kernel_keeps_is_said(machine):
    """It takes any word as a clock source, and keeps the one that it has."""
    kept = (CLOCKS / "current_clocksource").read_text()
    said = machine.refuse("try", "clock_source=sundial", *QUIET)
    assert f"the kernel makes it {kept.strip()} in {CLOCKS}/current_clocksource" in said
    assert (CLOCKS / "current_clocksource").read_text() == kept


@pytest.mark.needs("program setpriv")
def test_a_plain_user_is_told_the_remedy(ipctop):
    result = subprocess.run(["setpriv", "--reuid=nobody", "--clear-groups", ipctop.path, "try", "swappiness=10"],
                            capture_output=True, text=True, check=False, cwd="/", timeout=60)
    assert result.returncode == 1 and "needs root: run it with sudo" in result.stderr and result.stderr.count("\n") == 1, result


@pytest.mark.parametrize("others_value", [33, 60, 10])
def test_what_others_change_is_left_alone_and_said(machine, tmp_path, others_value):
    """Whether the next phase has the same value or not: 10 is set in the two phases with 60, the others in those with 10."""
    summary = tmp_path / "run.json"
    with Run(machine, "try", *SHORT, "swappiness=10", *QUIET, "--json", summary) as run:
        assert until(lambda: machine.journal.exists() and machine.value == 60)
        time.sleep(3)
        assert until(lambda: machine.value == 10)
        assert others_value != 10 or until(lambda: machine.value == 60)
        machine.turn(others_value)
        assert run.wait()[0] == 1, run.printed
    assert machine.value == others_value
    assert re.search(rf"; not restored everywhere; .*(is now|was changed to) {others_value}\b", result_of(report(summary)))


def test_a_trial_is_stopped_from_outside(machine, tmp_path):
    """It is judged by what was measured, and the run that was there for it ends."""
    summary, path = tmp_path / "run.json", str(tmp_path / "control")
    with Run(machine, "try", *SHORT, "swappiness=10", *QUIET, "--control", path, "--json", summary) as run:
        assert until(lambda: "swappiness=10" in machine.run("ctl", path, "status").stdout)     # the pilot is over
        assert machine.run("ctl", path, "try", "stop").returncode == 0
        assert run.wait()[0] in (0, 2), run.printed
        assert run.left() == {}
    assert machine.value == 60 and not machine.journal.exists()
    found = report(summary)
    assert found["ended_by"] == "try stopped" and re.search(r"; restored; stopped in phase [1-4] of 6$", result_of(found)), found


@pytest.mark.slow
def test_a_trial_that_was_stopped_ends_once_its_time_is_over(machine, tmp_path):
    """With what it has: no phase begins any more."""
    summary, path = tmp_path / "run.json", str(tmp_path / "control")
    with Run(machine, "try", *SHORT, "swappiness=10", *QUIET, "--control", path, "--json", summary) as run:
        assert until(lambda: "swappiness=10" in machine.run("ctl", path, "status").stdout)     # the pilot is over
        os.kill(run.pid, signal.SIGSTOP)
        time.sleep(14)      # what is left of its time, and more
        os.kill(run.pid, signal.SIGCONT)
        assert run.wait()[0] in (0, 2), run.printed
        assert run.left() == {}
    assert machine.value == 60 and not machine.journal.exists()
    found = report(summary)
    said = re.search(r"; restored; phase (\d) of 6 ended \d+\.\d s late, as ipctop was stopped, or had no CPU, so the time was over$",
                     result_of(found))
    assert said and len(names_of(found)) == 1 + int(said[1]), (result_of(found), names_of(found))
    assert found["ended_by"] == "try stopped"


@pytest.mark.parametrize("keep", [[], ["--keep"]], ids=["restore", "keep"])
def test_a_signal_turns_the_value_back_before_the_members_end(machine, keep):
    """A stall that the value has made ends then, and is in the figures with its whole length."""
    with Run(machine, "try", *SHORT, *keep, "swappiness=10", *QUIET, "-m", "pipe") as run:
        run.tid("pipe:0.1")
        time.sleep(0.5)     # it has tried whether the kernel takes the value
        assert until(lambda: machine.value == 10)
        keeper = run.keeper()
        os.kill(keeper, signal.SIGSTOP)     # so that the members' end takes seconds
        run.process.send_signal(signal.SIGINT)
        assert until(lambda: machine.value == 60 or run.keeper() != keeper, step=0.001)
        assert machine.value == 60 and run.keeper() == keeper
        assert run.wait()[0] in (0, 2), run.printed
        assert run.left() == {}
    assert not machine.journal.exists()


def test_where_no_knob_is_tried_none_is_stopped(machine, tmp_path):
    path = str(tmp_path / "control")
    with Run(machine, *QUIET[1:], "--control", path) as run:
        assert until(lambda: pathlib.Path(path).exists())
        assert "try stop: no knob is being tried" in machine.refuse("ctl", path, "try", "stop")
        assert machine.run("ctl", path, "quit").returncode == 0
        assert run.wait()[0] == 0, run.printed


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def name_of(pid):
    """"" of a process that has ended meanwhile."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def restorers(run):
    """The pids of all that wait to restore."""
    return [pid for pid in marked(run.mark) if name_of(pid) == "ipctop-restore"]


@pytest.mark.slow
def test_kills_leave_the_knob_as_it_was(machine):
    """At any moment: of the front, of the keeper, of both, and of the restorer too, where ipctop restore does it."""
    choice = random.Random(KILLS)
    for number in range(KILLS):
        who = ("front", "keeper", "both", "all")[number % 4]
        with Run(machine, "try", *SHORT, "swappiness=10", *QUIET) as run:
            assert until(machine.journal.exists), (number, run.process.poll())
            if number % 2 == 0:
                time.sleep(4)
                assert until(lambda: machine.value == 10), number
            time.sleep(choice.uniform(0, 0.1))
            keeper = until(run.keeper)
            if who == "all":
                kill(restorers(run))
            kill({"front": [run.pid], "keeper": [keeper]}.get(who, [run.pid, keeper]))
            run.process.wait(60)
            assert who == "all" or until(lambda: machine.value == 60 and not machine.journal.exists()), (number, who)
            assert run.left() == {}, (number, who)
        if who == "all":
            machine.run("restore")
        assert machine.value == 60 and not machine.journal.exists(), (number, who)


def test_without_its_restorer_a_trial_ends(machine, tmp_path):
    summary = tmp_path / "run.json"
    with Run(machine, "try", *SHORT, "swappiness=10", *QUIET, "--json", summary) as run:
        assert until(lambda: restorers(run))
        kill(restorers(run))
        assert run.wait()[0] == 1, run.printed
        assert run.left() == {}
    assert machine.value == 60 and not machine.journal.exists()
    assert "; restored; the process that restores was killed" in result_of(report(summary))


def test_the_next_start_restores_what_was_left(machine):
    with Run(machine, "try", *SHORT, "swappiness=10", *QUIET) as run:
        assert until(machine.journal.exists)
        assert "an ipctop try is running" in machine.refuse("try", "swappiness=20")
        assert "an ipctop try is running" in machine.refuse("restore")
        beside = machine.run(*QUIET[1:], "-D", 1)
        assert beside.returncode == 0 and "an ipctop try is running: " in unwrapped(beside.stdout), beside
        keeper = until(run.keeper)
        time.sleep(4)
        assert until(lambda: machine.value == 10)
        kill(restorers(run))
        kill([run.pid, keeper])
        run.process.wait(60)
        assert run.left() == {}
    assert machine.value == 10 and machine.journal.exists()
    result = machine.run(*QUIET[1:], "-D", 1)
    assert result.returncode == 0 and "/proc/sys/vm/swappiness: 10 > 60, as it was before" in unwrapped(result.stdout), result
    assert machine.value == 60 and not machine.journal.exists()
    assert machine.run("restore").returncode == 0


def selected_knob(text):
    """Its name in the view of knobs; "" in the middle of a frame."""
    head, row = re.search("^  HERE +KNOB +VALUE ", text, re.M), re.search("^> .*", text, re.M)
    return row[0][head[0].index("KNOB"):head[0].index("VALUE")].strip() if head and row else ""


def test_a_key_in_the_view_of_knobs_tries_a_value_and_another_stops_it(machine):
    with Terminal(machine, *QUIET[2:], "--tick", "0.2", columns=120, lines=40) as terminal:
        terminal.press("K")
        while (knob := terminal.wait_for(selected_knob)) != "swappiness":
            terminal.press("j")
            terminal.wait_for(lambda text, knob=knob: selected_knob(text) not in ("", knob))
        terminal.press("\r")
        terminal.wait_for(lambda text: "try swappiness with the value" in text and "Now 60. It takes a number." in text)
        terminal.press("10\r")
        terminal.wait_for(lambda text: re.search(r"trying swappiness=10: measures as it is for 0:0\d", text))
        assert until(lambda: machine.value == 10)
        terminal.wait_for(lambda text: re.search(r"trying swappiness=10: phase 2 of \d\d, with swappiness=10, ends in 0:0", text))
        terminal.press("x")
        assert until(lambda: machine.value == 60 and not machine.journal.exists())
        terminal.wait_for(lambda text: re.search(r"(?s)try swappiness=10: .*;\s+restored;\s+stopped\s+in\s+phase\s+2\s+of\s+\d\d", text))
        terminal.press("K")
        terminal.wait_for(lambda text: "PHASE 5 'after try'" in text)
        terminal.press("K")
        terminal.wait_for(lambda text: "KNOB" in text)
        terminal.press("\r")
        terminal.wait_for(lambda text: "try swappiness with the value" in text)
        terminal.press("10\r")
        terminal.wait_for(lambda text: "trying swappiness=10: measures as it is" in text)
        terminal.press("x")
        terminal.wait_for(lambda text: "; not turned; stopped before its first phase" in " ".join(text.split()))
        terminal.press("q")
        assert terminal.finish() == 0
    assert machine.value == 60 and not machine.journal.exists()
