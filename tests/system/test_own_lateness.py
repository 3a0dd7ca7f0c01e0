# SPDX-License-Identifier: GPL-2.0-or-later
"""Where ipctop itself is late, it says so, and makes up nothing for the time that it did not see."""
import contextlib
import itertools
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

import pytest

from conftest import CPU, cpus
from harness import Run, read, report, until
from hog import await_hog, end_of_hog, start_hog

STOP_S = 2.5        # that the front stands still
TICK_S = 0.5
WORDS = "-m", "pipe", "-D", 600, "-q", "--export", "jsonl=-"      # lines that can be read at once


def lines_of(path):
    return [json.loads(line) for line in read(path).splitlines(True) if line.endswith(b"\n")]


def ticks_of(path):
    return [line for line in lines_of(path) if line["type"] == "tick"]


def latest_of(path):
    return max(ticks_of(path), key=lambda tick: tick["late_ns"])


def policy_of(pid):
    """Of the main thread."""
    return os.sched_getscheduler(pid), os.sched_getparam(pid).sched_priority


def test_a_front_that_stood_still_is_an_event_with_its_length(ipctop, tmp_path):
    paths = tmp_path / "run.jsonl", tmp_path / "replay.jsonl"
    recording = tmp_path / "run.rec"
    with paths[0].open("wb") as out, Run(ipctop, *WORDS, "--record", recording, stdout=out) as run:
        assert until(lambda: len(ticks_of(paths[0])) > 2)
        os.kill(run.pid, signal.SIGSTOP)
        time.sleep(STOP_S)
        os.kill(run.pid, signal.SIGCONT)
        assert until(lambda: latest_of(paths[0])["late_ns"] > (STOP_S - TICK_S) * 1e9)
        os.kill(run.pid, signal.SIGINT)
        assert run.wait()[0] == 0
    assert ipctop.run("-q", "--replay", recording, "--speed", 0, "--export", f"jsonl={paths[1]}").returncode == 0
    for path in paths:
        latest = latest_of(path)
        assert latest["late_ns"] <= latest["at_ns"] - latest["start_ns"], path
        late = [line for line in lines_of(path) if line["type"] == "event" and "ipctop sampled" in line["text"]]
        assert late and late[0]["kind"] == "warning" and re.search("sampled [0-9.]+ m?s late", late[0]["text"]), path


@pytest.mark.parametrize("end", [("-D", 1.5), ("-l", 50, "-i", "20ms")])
def test_time_after_the_end_is_not_the_runs(ipctop, tmp_path, end):
    """The members end by themselves while the front stands still."""
    recording = tmp_path / "run.rec"
    with Run(ipctop, "-m", "pipe", *end, "-c", CPU, "-q", "--record", recording, "--json", "-") as run:
        run.tid("pipe:0.0")
        os.kill(run.pid, signal.SIGSTOP)
        time.sleep(STOP_S)
        os.kill(run.pid, signal.SIGCONT)
        status, out, _ = run.wait()
        assert status == 0
    replayed = report(ipctop.run("-q", "--replay", recording, "--speed", 0, "--json", "-").stdout)
    for found in report(out), replayed:
        assert found["duration_ns"] == found["phases"][-1]["end_ns"]
        assert found["duration_ns"] < found["rings"][0]["active_ns"] + STOP_S / 2 * 1e9, found["rings"][0]["active_ns"]
        assert end[0] != "-D" or found["duration_ns"] <= 1.5e9


@pytest.mark.needs("realtime")
@pytest.mark.alone
def test_a_task_that_holds_its_cpus_is_events_with_their_lengths(ipctop, tmp_path):
    path = tmp_path / "run.jsonl"
    with path.open("wb") as out, Run(ipctop, *WORDS, "--tick", 0.1, stdout=out,
                                     preexec_fn=lambda: os.sched_setaffinity(0, {CPU})) as run:
        assert until(lambda: len(ticks_of(path)) > 2)
        hog = start_hog(CPU, 1.2)
        await_hog(hog)
        start, end = end_of_hog(hog)
        assert until(lambda: ticks_of(path)[-1]["at_ns"] > latest_of(path)["at_ns"])
        os.kill(run.pid, signal.SIGINT)
        assert run.wait()[0] == 0
    told = [line["text"] for line in lines_of(path) if line["type"] == "event" and "ipctop sampled" in line["text"]]
    lengths = [float(ms) for text in told for ms in re.findall(r"sampled ([0-9.]+) ms late", text)]
    lengths += [float(s) * 1e3 for text in told for s in re.findall(r"sampled ([0-9.]+) s late", text)]
    assert "its thread got no CPU" in told[0], told
    assert max(lengths) >= latest_of(path)["late_ns"] / 2e6, (told, latest_of(path))
    # A kernel that limits real-time time lets it in before the hog's end.
    assert sum(tick["late_ns"] for tick in ticks_of(path)) > 0.7 * (end - start), told


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
def test_beside_a_real_time_task_of_others_it_is_a_plain_task_half_of_the_time(ipctop, tmp_path):
    """The kernel keeps some time for plain tasks, and none for those of FIFO 1: it would not even end in time."""
    path = tmp_path / "run.jsonl"
    with path.open("wb") as out, Run(ipctop, *WORDS, "-p", 95, stdout=out, preexec_fn=lambda: os.sched_setaffinity(0, {CPU})) as run:
        assert until(lambda: ticks_of(path))
        hog = start_hog(CPU, 2)
        await_hog(hog)
        time.sleep(0.7)     # until a tick is due
        seen = [policy_of(run.pid) for _ in range(100) if not time.sleep(0.01)]
        end_of_hog(hog)
        assert (os.SCHED_FIFO, 1) in seen and seen.count(policy_of(0)) > 20, seen


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
def test_a_run_ends_while_a_real_time_task_has_the_cpu_of_its_threads(ipctop):
    """They are beside the measured CPU. Its thread for keys waited there for the hog's end, and main for that thread."""
    if read("/proc/sys/kernel/sched_rt_runtime_us").strip() == b"-1":
        pytest.skip("needs a kernel that keeps some time for plain tasks")
    beside = next(cpu for cpu in cpus() if cpu != CPU)
    hog = start_hog(beside, 30)
    try:
        await_hog(hog)
        with Run(ipctop, "-q", "-m", "pipe", "-t", 1, "-c", CPU, "-i", 5000, "-D", 0.5, "--recorder", "off",
                 preexec_fn=lambda: os.sched_setaffinity(0, {CPU, beside})) as run:
            assert run.wait()[0] == 0
        assert hog.poll() is None
    finally:
        hog.kill()
        hog.communicate()


def has_the_right():
    """To real-time priority, for a task that does not have it already."""
    if policy_of(0)[0] in (os.SCHED_FIFO, os.SCHED_RR):
        return False
    return subprocess.run(["chrt", "-f", "1", "true"], stderr=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize("options, raised", [((), True), (("-p", 80), True), (("-p", 1), False)])
def test_ticks_are_made_above_plain_tasks_and_below_members(ipctop, tmp_path, options, raised):
    """Between them it is a plain task, also while it waits: one that wakes takes no CPU from plain members."""
    path = tmp_path / "run.jsonl"
    with path.open("wb") as out, Run(ipctop, *WORDS, *options, stdout=out) as run:
        assert until(lambda: ticks_of(path))
        for policy in (os.SCHED_FIFO, 1) if raised and has_the_right() else policy_of(0), policy_of(0):
            assert until(lambda: policy_of(run.pid) == policy, step=0.0001), policy
        seen = [policy_of(run.pid) for _ in range(100) if not time.sleep(0.005)]
        assert seen.count(policy_of(0)) > 50, seen
        os.sched_setscheduler(run.pid, os.SCHED_BATCH, os.sched_param(0))   # what another sets it to stays
        before = len(ticks_of(path))
        assert until(lambda: len(ticks_of(path)) > before + 1)
        assert policy_of(run.pid) == (os.SCHED_BATCH, 0)
        os.kill(run.pid, signal.SIGINT)
        assert run.wait()[0] == 0


@pytest.mark.needs("2 cpus")
@pytest.mark.timing
def test_a_recorder_is_started_by_a_plain_task(ipctop, tmp_path, stall):
    """It takes tens of milliseconds, in which plain members would get no CPU."""
    control = tmp_path / "control"
    if not has_the_right():
        pytest.skip("needs the right to real-time policies, beside a plain one")
    seen, took, refused = [], [], False
    with Run(ipctop, *WORDS[:-2], "--tick", 0.05, "--recorder", "off", "--control", control) as run:
        assert until(control.exists)
        for word in ("bpf", "off") * 10:
            start = time.monotonic()
            with subprocess.Popen([ipctop.path, "ctl", control, "recorder", word], stdout=subprocess.PIPE) as ctl:
                while ctl.poll() is None:
                    seen.append((time.monotonic(), policy_of(run.pid)))
                    time.sleep(0.0002)
                refused |= ctl.returncode != 0
            took += [time.monotonic() - start] * (word == "bpf")
        os.kill(run.pid, signal.SIGINT)
        assert run.wait()[0] == 0
    if refused:
        pytest.skip("needs BPF")
    # A tick takes a millisecond or two, and loading tens of them.
    groups = [list(group) for policy, group in itertools.groupby(seen, key=lambda at: at[1]) if policy == (os.SCHED_FIFO, 1)]
    lengths = [group[-1][0] - group[0][0] for group in groups]
    assert max(lengths, default=0) < statistics.median(took) / 2 + stall.longest_of_machine, (sorted(lengths), took)


@contextlib.contextmanager
def spinners():
    """Two plain tasks on each CPU that take all of its time."""
    spin = "import os, sys\nos.sched_setaffinity(0, [int(sys.argv[1])])\nwhile True: pass"
    with contextlib.ExitStack() as stack:
        for cpu in cpus() * 2:
            spinner = stack.enter_context(subprocess.Popen([sys.executable, "-c", spin, str(cpu)]))
            stack.callback(spinner.kill)
        yield


@pytest.mark.alone
def test_ticks_are_in_time_beside_tasks_that_spin(ipctop, tmp_path, stall):
    """At nice 19, which says nothing above plain tasks: a plain front would be late by seconds."""
    path, tick_s, seconds = tmp_path / "run.jsonl", 0.05, 2
    if not has_the_right():
        pytest.skip("needs the right to real-time policies, beside a plain one")
    with path.open("wb") as out, Run(ipctop, *WORDS, "--tick", tick_s, stdout=out) as run:
        assert until(lambda: len(ticks_of(path)) > 2)
        os.setpriority(os.PRIO_PROCESS, run.pid, 19)
        with spinners():
            stall.reset()
            before = len(ticks_of(path))
            time.sleep(seconds)
            ticks = ticks_of(path)[before:]
            allowed_ns = (tick_s / 2 + stall.longest_of_machine) * 1e9
            expected = (seconds - stall.total_of_machine) / tick_s
        os.kill(run.pid, signal.SIGINT)
        assert run.wait()[0] == 0
    late = [tick["late_ns"] for tick in ticks if tick["late_ns"] > allowed_ns]
    assert len(ticks) > expected / 2 and len(late) <= max(1, len(ticks) / 100), (len(ticks), expected, late, allowed_ns)
