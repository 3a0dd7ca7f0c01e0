# SPDX-License-Identifier: GPL-2.0-or-later
"""Spikes: a task that takes a CPU is found, with its length, and named where it could be seen."""
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

from cgroups import quota
from conftest import CPU, Program, cpus, in_whole
from harness import Run, first_ring, read, report, until

pytestmark = pytest.mark.recorder

MS = 1_000_000
TRACING = pathlib.Path("/sys/kernel/tracing")
SWITCH = re.compile(r" (\d+)\.(\d{6}): sched_switch: .* next_pid=(\d+) ")
# Takes the CPU so many times, for so many ms each, and prints when, by the clock of ipctop, and for how long it ran
# until it went to sleep, by the kernel's account, which is read when it has woken up again.
BURSTS = """
import os, sys, time
cpu, count, busy, pause = (float(word) for word in sys.argv[1:])
open("/proc/self/comm", "w").write(f"burst-{os.getpid()}")
os.sched_setaffinity(0, {int(cpu)})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
times = []
time.sleep(pause)
for _ in range(int(count)):
    ran = time.thread_time_ns()
    start = now = time.monotonic_ns()
    while now - start < busy * 1e6:
        now = time.monotonic_ns()
    if count > 1:   # one alone ends without letting others have the CPU
        time.sleep(pause)
    times.append((start, now, time.thread_time_ns() - ran))
for words in times:
    print(*words)
"""
N_BURSTS = 30 if os.environ.get("IPCTOP_FULL") else 6


def bursts(count, busy_ms, pause_s=0.1, before=()):
    """Returns its pid, and for each burst begin, end, and the time that it ran."""
    with subprocess.Popen([*before, sys.executable, "-c", BURSTS, str(CPU), str(count), str(busy_ms), str(pause_s)],
                          stdout=subprocess.PIPE, text=True) as hog:
        out = hog.communicate()[0]
    return hog.pid, [tuple(map(int, line.split())) for line in out.splitlines()]


def measure(ipctop, path, *options, during):
    """Returns the report, and what @during, a function of the control socket, returned."""
    control = path.with_suffix(".ctl")
    with Run(ipctop, "-q", "-m", "pipe", "--json", path, *options, "--control", control) as run:
        assert until(lambda: (first_ring(ipctop, control) or {"laps": 0})["laps"])     # it has warmed up
        result = during(control)
        time.sleep(0.3)
        assert ipctop.run("ctl", control, "quit").returncode == 0
        run.wait()
    return report(path), result


PAIR = ("-c", CPU, "-i", 1000, "-p", 50, "--spike", 1000)


def over(spike, burst, base_ns):
    """The time for which they overlap."""
    start_ns, end_ns, _ = burst
    return min(spike.get("received_ns", 0) + base_ns, end_ns) - max(spike["due_ns"] + base_ns, start_ns)


def is_near(ns, expected_ns):
    return abs(ns - expected_ns) <= max(100_000, expected_ns / 20)


def n_hidden(found, interval_ns, least_ns):
    """How many stalls of a report need not be among its last spikes: others came at once, or so many came after them,
    or the pair rested. It does so where others kept it from its CPU: for so many slots, of which such a stall has some."""
    blame, ring = found["spikes"]["blame"], found["rings"][0]
    return blame["passed_over"] + blame["spikes"] - len(found["spikes"]["last"]) + ring["rested"] // max(1, least_ns // interval_ns)


def length_ns(segment):
    return segment["to_ns"] - segment["from_ns"]


INTERRUPTS = {"irq", "timer", "ipi", "softirq", "nmi"}


@contextlib.contextmanager
def switches_of(cpu):
    """The kernel's own trace of this CPU, by ipctop's clock: a list of (ns, tid of the task that came). It stays empty
    where there is no right to it."""
    if not os.access(TRACING / "instances", os.W_OK):
        yield []
        return
    instance, found = TRACING / "instances" / f"ipctop-test-{os.getpid()}", []
    instance.mkdir()
    try:
        (instance / "trace_clock").write_text("mono", encoding="utf-8")
        (instance / "tracing_cpumask").write_text(f"{1 << cpu:x}", encoding="utf-8")
        (instance / "buffer_size_kb").write_text("16384", encoding="utf-8")
        (instance / "events/sched/sched_switch/enable").write_text("1", encoding="utf-8")
        yield found
        (instance / "tracing_on").write_text("0", encoding="utf-8")
        with open(instance / "trace", encoding="utf-8", errors="replace") as trace:
            found += [(int(match[1]) * 1_000_000_000 + int(match[2]) * 1000, int(match[3]))
                      for match in map(SWITCH.search, trace) if match]
    finally:
        instance.rmdir()


def has_its_length(spike, burst, pid, base_ns, switches):
    """Does the hog hold the CPU in the spike for the time that it ran, less what was before the slot was due? That is
    what the kernel's trace has. Its account has the interrupts meanwhile, too, and what was before its burst, but not
    what the hypervisor took: without a trace the time is between the two."""
    start_ns, end_ns, ran_ns = burst
    due_ns, received_ns = spike["due_ns"] + base_ns, spike["received_ns"] + base_ns
    own = [segment for segment in spike["segments"] if segment.get("tid") == pid]
    held_ns = sum(length_ns(segment) for segment in spike["segments"]
                  if segment in own or segment["kind"] in INTERRUPTS
                  and own[0]["from_ns"] < segment["from_ns"] < own[-1]["to_ns"])
    traced_ns = sum(max(0, min(to_ns, received_ns) - max(from_ns, due_ns))
                    for (from_ns, tid), (to_ns, _) in zip(switches, switches[1:]) if tid == pid)
    before_ns = max(0, due_ns - start_ns)
    ends = sorted((ran_ns - before_ns, end_ns - start_ns - before_ns))
    return any(is_near(held_ns, ns) for ns in (traced_ns, *ends)) or ends[0] < held_ns < ends[1]


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
@pytest.mark.parametrize("busy_ms, recorder", [(5, "bpf"), in_whole(1, "bpf"), in_whole(20, "bpf"),
                                               in_whole(1, "perf"), (5, "perf"), in_whole(20, "perf")])
def test_each_burst_of_a_task_is_a_spike_and_who_it_was_is_said(ipctop, tmp_path, busy_ms, recorder):
    interval_us = min(busy_ms * 200, 1000)
    pair = ("-c", CPU, "-i", interval_us, "-p", 50, "--spike", 500, "--recorder", recorder)
    with switches_of(CPU) as switches:
        found, (pid, times) = measure(ipctop, tmp_path / "run.json", *pair, during=lambda _: bursts(N_BURSTS, busy_ms))
    base_ns, spikes = found["start_monotonic_ns"], found["spikes"]["last"]
    hits = [(max(spikes, key=lambda spike: over(spike, burst, base_ns)), burst) for burst in times]
    assert len(times) == N_BURSTS
    lost = [burst for spike, burst in hits if over(spike, burst, base_ns) < busy_ms * MS / 2]
    said = [(spike["due_ns"] + base_ns, spike["length_ns"]) for spike in spikes]
    hidden = n_hidden(found, interval_us * 1000, busy_ms * MS / 2)
    assert len(lost) <= hidden, f"{lost} of {times}, at most {hidden} without a spike: {said}"
    hits = [(spike, burst) for spike, burst in hits if burst not in lost]
    if found["host"]["recorder"] == "off":
        assert all(segment["kind"] == "unseen" for spike in spikes for segment in spike["segments"])
        pytest.skip(f"{recorder} does not record here: nobody can be named")
    assert found["host"]["recorder"] == recorder
    # Where another one had the CPU for longer, that one is named; where records were lost, nobody. Of the 30 others at
    # least 29 are named, and of these at least 29 have their lengths.
    judged = [(spike, burst) for spike, burst in hits
              if spike["complete"] and spike["length_ns"] <= 1.5 * over(spike, burst, base_ns) + 200_000]
    if len(judged) < N_BURSTS / 2:
        pytest.skip("others disturb the pair for longer than these bursts, or keep the recorder from its CPU")
    allowed = max(1, N_BURSTS // 30)
    named = [(spike, burst) for spike, burst in judged
             if re.search(rf"\b{pid}\b.* held CPU {CPU}\b", spike["explanation"])]
    wrong = [(spike, burst, burst[1] - burst[0]) for spike, burst in named
             if not has_its_length(spike, burst, pid, base_ns, switches)]
    print(f"{recorder}, {busy_ms} ms: {N_BURSTS - len(lost)} of {N_BURSTS} found, {len(judged)} judged, {len(named)} named, "
          f"{len(named) - len(wrong)} with their lengths")
    assert len(named) >= len(judged) - allowed, [spike["explanation"] for spike, _ in judged]
    # The hog has the CPU before it first reads the clock, and after it last does: only the trace knows for how long.
    assert len(wrong) <= (allowed if switches else N_BURSTS / 3), wrong
    causes = {cause["cause"]: cause for cause in found["spikes"]["blame"]["causes"]}
    if "others" not in causes:      # it has those for which there is no room
        blame = causes[f"burst-{pid} (RT90)"]
        assert blame["kind"] == "task" and blame["spikes"] >= len(judged) - allowed, blame


def tasks_between(switches, from_ns, to_ns):
    """Who had the CPU in a part of that time. The trace has microseconds."""
    first = max((i for i, (at_ns, _) in enumerate(switches) if at_ns <= from_ns), default=0)
    return [task for at_ns, task in switches[first:first + 1000] if at_ns <= to_ns + 1000]


@pytest.mark.needs("realtime", "root")
@pytest.mark.alone
@pytest.mark.needs("whole")
@pytest.mark.skipif(not os.access(TRACING / "instances", os.W_OK), reason="needs tracefs")
def test_who_is_named_on_a_quiet_machine_really_ran(ipctop, tmp_path):
    """Nobody inflicts anything: no member is stopped or waits in the kernel, and there is no other ring. Real-time tasks of
    others may have the CPU throttled."""
    pair = ("-c", CPU, "-i", 5000, "-p", 50, "--spike", 50)
    with switches_of(CPU) as switches:
        found, _ = measure(ipctop, tmp_path / "run.json", *pair, during=lambda _: time.sleep(12))
    blame, spikes, base_ns = found["spikes"]["blame"], found["spikes"]["last"], found["start_monotonic_ns"]
    kinds = {cause["kind"] for cause in blame["causes"]}
    assert kinds <= INTERRUPTS | {"unexplained", "unseen", "leaving_idle", "not_woken", "task", "timer_late", "wake_late",
                                  "not_preempted", "own", "throttled"}, blame
    named = [(int(match[1]), spike) for spike in spikes
             if (match := re.search(r"(\d+)(?: \([^)]*\))? (?:held|ran on) CPU", spike["explanation"]))
             and spike["due_ns"] + base_ns > switches[0][0]]
    ran = [tasks_between(switches, spike["due_ns"] + base_ns, spike["received_ns"] + base_ns) for _, spike in named]
    assert all(tid in tasks for (tid, _), tasks in zip(named, ran)), (named, ran)


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
def test_each_burst_is_named_beside_tasks_that_wake_each_other_all_the_time(ipctop, tmp_path):
    """The load makes 100,000 switches a second and more on the pair's CPU: nothing may be lost unsaid. What is more than
    the recorder has room for, some 300,000, is said to be overwritten."""
    n = 20 if os.environ.get("IPCTOP_FULL") else 8
    pair = ("--pairs", f"{CPU}:{CPU}", "-p", 50, "--load", f"pipe:{CPU}", "--spike", 3000)
    found, (pid, times) = measure(ipctop, tmp_path / "run.json", *pair, during=lambda _: bursts(n, 20, 0.15))
    if found["host"]["recorder"] != "bpf":
        pytest.skip("the recorder of so many records is bpf")
    base_ns, spikes = found["start_monotonic_ns"], found["spikes"]["last"]
    is_overrun = any("overrun" in event["text"] for event in found["events"])
    hits = [spike for burst in times for spike in spikes
            if over(spike, burst, base_ns) > 15 * MS and (spike["complete"] or not is_overrun)]
    named = [spike for spike in hits if re.search(rf"\b{pid}\b.* held CPU {CPU}\b", spike["explanation"])]
    if is_overrun and not hits:
        pytest.skip("this machine switches faster than the recorder is read")
    assert len(times) == n and (is_overrun or len(hits) >= n - 1), len(hits)
    assert len(named) >= len(hits) - 1, [spike["explanation"] for spike in hits if spike not in named]


# Moves a task to another CPU, where it has to wait for this one, and back; prints when, if it ran: then the caller slept
# until that CPU's stopper had put it off.
MOVER = """
import os, resource, sys, time
home, other, tid, count = map(int, sys.argv[1:])
os.sched_setaffinity(0, {other})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))

def runs():
    with open(f"/proc/{tid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return fields[0] == "R" and int(fields[36]) == home

until = time.monotonic() + 30
while count and time.monotonic() < until:
    time.sleep(0.0003 if not runs() else 0)
    if not runs():
        continue
    n_sleeps = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    start = time.monotonic_ns()
    os.sched_setaffinity(tid, {other})
    ran = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw > n_sleeps
    while time.monotonic_ns() - start < 20e6:
        pass
    os.sched_setaffinity(tid, {home})
    if ran:
        print(start, time.monotonic_ns())
        count -= 1
    time.sleep(0.15)
"""


@pytest.mark.needs("realtime", "2 cpus", "root")
@pytest.mark.alone
@pytest.mark.parametrize("recorder", (in_whole("bpf"), in_whole("perf")))
def test_a_member_that_was_moved_is_not_said_to_be_throttled(ipctop, tmp_path, recorder):
    """The member computes, so it mostly runs. No limit stops it, unless real-time tasks of others take the CPU, too: they
    may keep it from its CPU before or after a move, and plain tasks for so long that the kernel gives these the CPU."""
    other = cpus()[1]

    def move(control):
        tid = first_ring(ipctop, control)["members"][1]["tid"]
        words = [sys.executable, "-c", MOVER, *map(str, (CPU, other, tid, 8))]
        return [tuple(map(int, line.split())) for line in
                subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()]

    found, moves = measure(ipctop, tmp_path / "run.json", "-c", CPU, "-i", 0, "-p", 50, "--fork", "--work", "4M", "--tick", 5,
                           "--spike", 10000, "--recorder", recorder, during=move)
    if found["host"]["recorder"] != recorder:
        pytest.skip(f"{recorder} does not record here")
    base_ns = found["start_monotonic_ns"]
    spikes = [spike for spike in found["spikes"]["last"] if spike["complete"] and "received_ns" in spike and any(
        spike["sent_ns"] + base_ns <= start + MS and end - MS <= spike["received_ns"] + base_ns for start, end in moves)]
    if len(spikes) < 3:
        pytest.skip(f"only {len(spikes)} of {len(moves)} moves made a lap long, or were seen in whole")
    # The stopper takes some 20 us of a move.
    rivals = [segment for spike in found["spikes"]["last"] for segment in spike["segments"]
              if re.search(r"\(RT\d+\)$", segment["cause"]) and not segment["cause"].startswith("migration/")]
    if sum(map(length_ns, rivals)) > sum(spike["length_ns"] for spike in found["spikes"]["last"]) / 10:
        pytest.skip(f"real-time tasks of others have the CPU, too: {sorted({segment['cause'] for segment in rivals})}")
    said = [spike["explanation"] for spike in spikes]
    assert not [text for text in said if "throttled" in text], said
    # A token that was sent after the move found the member on the other CPU, which is not recorded.
    under_way = [spike["explanation"] for spike in spikes if any(
        spike["sent_ns"] + base_ns <= start and end - MS <= spike["received_ns"] + base_ns for start, end in moves)]
    if len(under_way) < 3:
        pytest.skip(f"only in {len(under_way)} of {len(moves)} moves a token was under way")
    named = [text for text in under_way if re.match(rf"migrated from CPU {CPU}\b", text)]
    assert len(named) >= len(under_way) / 2, said


# Keeps a CPU busy until it is killed.
BUSY = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


@pytest.mark.needs("realtime", "2 cpus", "root")
@pytest.mark.alone
def test_nobody_on_the_new_cpu_is_named_for_the_time_before_a_move(ipctop, tmp_path):
    """The member is stopped on its CPU, and comes to another one, where a ring and a task of its own run."""
    other = cpus()[1]

    def cpu_of_second(control):
        ring = first_ring(ipctop, control)
        return ring and ring["members"][1].get("cpu")

    def move(control):
        member = first_ring(ipctop, control)["members"][1]
        os.kill(member["pid"], signal.SIGSTOP)
        try:
            with subprocess.Popen([sys.executable, "-c", BUSY, str(other)]) as busy:
                try:
                    time.sleep(0.3)
                    os.sched_setaffinity(member["tid"], {other})
                    assert until(lambda: cpu_of_second(control) == other)
                    time.sleep(0.3)
                finally:
                    busy.kill()
        finally:
            os.kill(member["pid"], signal.SIGCONT)
        time.sleep(0.3)
        return busy.pid

    found, busy = measure(ipctop, tmp_path / "run.json", "-c", f"{CPU},{other}", "-i", 10000, "-p", 50, "--fork", "--tick", 0.1,
                       during=move)
    if found["host"]["recorder"] == "off":
        pytest.skip(f"nothing is recorded: {found['recorder_lacks']}")
    stall = max((spike for spike in found["spikes"]["worst"] if spike["ring"] == 0), key=lambda spike: spike["length_ns"])
    assert stall["length_ns"] > 500 * MS, stall
    # The origin was not moved: until it has sent, its CPU may say why it was late.
    before, after = ([segment for segment in stall["segments"] if (segment["to_ns"] > stall["sent_ns"]) == is_after]
                     for is_after in (False, True))
    moved_ns = stall["receiver"]["moved_ns"]
    # The stop is recorded on the old CPU. Where that has too many records, it may be missing.
    kinds = {segment["kind"] for segment in after if segment["from_ns"] < moved_ns}
    assert kinds and kinds <= {"stopped", "unseen"}, stall
    assert {segment["cpu"] for segment in before} <= {CPU}, stall
    # A task that would have made room for the member is not named later, either.
    assert busy not in [segment.get("tid") for segment in after], stall
    assert "place" in [hint["kind"] for hint in stall["hints"]], stall


@pytest.mark.needs("realtime", "root", "unshare --pid --fork --mount-proc", "program nsenter")
@pytest.mark.alone
@pytest.mark.parametrize("is_inside", (in_whole(False), True), ids=("outside", "inside"))
def test_in_a_pid_namespace_a_task_outside_of_it_is_not_taken_for_an_idle_cpu(ipctop, tmp_path, is_inside):
    """There perf's switches have the tid of idle for it. A task of the namespace is named."""
    contained = tmp_path / "contained"
    contained.write_text(f'#!/bin/sh\nexec unshare --pid --fork --mount-proc {shlex.quote(ipctop.path)} "$@"\n', encoding="utf-8")
    contained.chmod(0o755)

    def hold(control):
        run = re.compile(f"{re.escape(ipctop.path)}\0.*{re.escape(str(control))}".encode())
        front = next(pid for pid in os.listdir("/proc") if pid.isdigit() and run.match(read(f"/proc/{pid}/cmdline")))
        return bursts(5, 5, before=("nsenter", "--target", front, "--pid", "--mount") if is_inside else ())

    found, (_, times) = measure(Program(contained), tmp_path / "run.json", *PAIR, "--recorder", "switches", during=hold)
    if found["host"]["recorder"] != "switches":
        pytest.skip(f"switches does not record here: {found['recorder_lacks']}")
    base_ns, spikes = found["start_monotonic_ns"], found["spikes"]["last"]
    hits = [spike for spike in spikes for span in times if "due_ns" in spike and over(spike, span, base_ns) > 2 * MS]
    kinds = {segment["kind"] for spike in hits for segment in spike["segments"]}
    assert hits and "not_woken" not in kinds and ("task" if is_inside else "unseen") in kinds, hits
    assert is_inside or "task" not in kinds, hits
    told = [event["text"] for event in found["events"] if "outside of this PID namespace" in event["text"]]
    assert len(told) == 1, found["events"]


def test_each_spike_is_reported_or_counted(ipctop, tmp_path):
    """Also those that wait at the end of the run: here each lap is one."""
    path = tmp_path / "run.json"
    assert ipctop.run("-q", "-m", "pipe", "-i", 1000, "--spike", 1, "-D", 1, "--json", path).returncode == 0
    found = report(path)
    blame, laps = found["spikes"]["blame"], sum(ring["laps"] for ring in found["rings"])
    assert blame["spikes"] + blame["passed_over"] >= laps - laps // 100, (blame, laps)


def test_threads_of_a_library_are_the_rings_own(ipctop, tmp_path):
    """Each message passes two of them: they take turns with the members, whose switches are not recorded. So in the first
    spikes, which are reported before a tick has the members, but for those that a look finds as the ring begins."""
    if not ipctop.built_with("zmq-ipc"):
        pytest.skip("needs zmq-ipc, whose library has threads of its own")
    path, control = tmp_path / "run.json", tmp_path / "control"
    with Run(ipctop, "-q", "-m", "zmq-ipc", "-c", CPU, "-i", 0, "--spike", 20, "--json", path, "--control", control) as run:
        assert until(lambda: (first_ring(ipctop, control) or {"laps": 0})["laps"])
        members = first_ring(ipctop, control)["members"]
        tids = {int(task.name) for task in pathlib.Path(f"/proc/{members[0]['pid']}/task").iterdir()}
        time.sleep(1)
        assert ipctop.run("ctl", control, "quit").returncode == 0
        run.wait()
    found = report(path)
    if found["host"]["recorder"] == "off":
        pytest.skip(f"nothing is recorded: {found['recorder_lacks']}")
    assert len(tids) > len(members) + 1
    spikes = found["spikes"]["last"]
    assert spikes
    named = [spike for spike in spikes if any(segment.get("tid") in tids for segment in spike["segments"])]
    assert all(spike["seen_ns"] == spikes[0]["seen_ns"] for spike in named), named


@pytest.mark.needs("root", "no quota")
@pytest.mark.alone
def test_a_quota_is_named_beside_a_task_that_runs_meanwhile(ipctop, tmp_path):
    path = tmp_path / "run.json"
    loop = f"import os; os.sched_setaffinity(0, {{{CPU}}})\nwhile True: pass"
    with quota(2000) as procs:
        def throttle(control):
            with subprocess.Popen([sys.executable, "-c", loop]) as busy:
                procs.write_text(str(first_ring(ipctop, control)["members"][0]["pid"]), encoding="ascii")
                time.sleep(2)
                busy.kill()

        found, _ = measure(ipctop, path, "-c", CPU, "-i", 100, during=throttle)
    if found["host"]["recorder"] != "bpf":
        pytest.skip(f"BPF records nothing: {found['recorder_lacks']}")
    causes = found["spikes"]["blame"]["causes"]
    assert causes[0]["cause"] == "throttled (quota)", causes


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
@pytest.mark.needs("whole")
def test_without_a_recorder_there_are_hints_and_nobody_is_named(ipctop, tmp_path):
    recording, replayed = tmp_path / "run.rec", tmp_path / "replayed.json"
    found, (pid, times) = measure(ipctop, tmp_path / "run.json", *PAIR, "--recorder", "off", "--record", recording,
                                  during=lambda _: bursts(5, 5))
    assert found["host"]["recorder"] == "off"
    base_ns, spikes = found["start_monotonic_ns"], found["spikes"]["last"]
    assert len(spikes) >= 5
    assert {segment["kind"] for spike in spikes for segment in spike["segments"]} == {"unseen"}
    assert [cause["kind"] for cause in found["spikes"]["blame"]["causes"]] == ["unseen"]
    hits = [spike for spike in spikes for span in times if over(spike, span, base_ns) > 2 * MS]
    assert len(hits) >= 5, (times, spikes)
    for spike in hits:
        assert spike["explanation"].startswith("hint") and "held" not in spike["explanation"]
        assert spike["explained_ns"] == 0 and "stamps" in [hint["kind"] for hint in spike["hints"]]
    # The task sleeps before each burst, and has ended when the last one may be found. Another program may have a
    # task of a higher priority there.
    named = [hint["text"] for spike in hits for hint in spike["hints"] if hint["kind"] == "priority"]
    assert sum(bool(re.search(rf"\b({pid} \(RT90\)|\d+ \(RT9[1-9]\)) has the highest priority on CPU {CPU} now", text))
               for text in named) >= 3, named
    assert ipctop.run("-q", "--replay", recording, "--speed", 0, "--json", replayed).returncode == 0
    assert report(replayed)["spikes"] == found["spikes"]


@pytest.mark.needs("realtime")
def test_the_members_are_no_hint_before_the_first_tick(ipctop, tmp_path):
    """Until then the watch does not know them."""
    path = tmp_path / "run.json"
    assert ipctop.run("-q", "-c", CPU, "-p", 97, "-D", 2, "--tick", 1, "--recorder", "off", "--spike", 1,
                      "--json", path).returncode == 0
    spikes = report(path)["spikes"]["last"] + report(path)["spikes"]["worst"]
    own = {spike[end]["tid"] for spike in spikes for end in ("sender", "receiver")}
    named = {int(re.search(r"(\d+) \(", hint["text"])[1]) for spike in spikes for hint in spike.get("hints", ())
             if hint["kind"] == "priority"}
    assert spikes and not own & named, (own, named)


@pytest.mark.needs("realtime", "2 cpus", "whole")
@pytest.mark.alone
def test_rings_of_one_cpu_that_are_late_at_once_are_a_hint(ipctop, tmp_path):
    """Two rings are on the CPU that is taken alone, one on another."""
    other = cpus()[1]
    rings = ("-i", 1000, "-p", 50, "--spike", 2000, "--side-by-side")
    found, (_, times) = measure(ipctop, tmp_path / "run.json", "--pairs", f"{CPU}:{CPU},{other}:{other}",
                                "-m", "pipe,eventfd", *rings, "--recorder", "off", during=lambda _: bursts(5, 8))
    base_ns, spikes = found["start_monotonic_ns"], found["spikes"]["last"]
    elsewhere = [spike for spike in spikes if spike["sender"]["cpu"] != CPU]
    # A real-time task of others may have the other CPU at the same time: then all rings were late.
    alone = [span for span in times if not any(over(spike, span, base_ns) > 0 for spike in elsewhere)]
    passed_over = found["spikes"]["blame"]["passed_over"]
    if len(alone) < 3 or passed_over:
        pytest.skip(f"others made the rings of CPU {other} late in {len(times) - len(alone)} of {len(times)} bursts; "
                    f"{passed_over} spikes are only counted")
    hits = [spike for spike in spikes for span in alone if over(spike, span, base_ns) > 2 * MS]
    said = [hint["text"] for spike in hits for hint in spike["hints"] if hint["kind"] == "coincidence"]
    assert said.count(f"both rings of CPU {CPU} were late at once, and no other") >= len(alone), (said, hits)


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
def test_a_recording_has_the_spikes_and_replays_them_alike(ipctop, tmp_path):
    recording, lines = tmp_path / "run.rec", tmp_path / "run.jsonl"
    found, _ = measure(ipctop, tmp_path / "run.json", *PAIR, "--record", recording, "--export", f"jsonl={lines}",
                       during=lambda _: bursts(5, 5))
    replayed = tmp_path / "replayed.json"
    done = ipctop.run("-q", "--replay", recording, "--speed", 0, "--json", replayed)
    assert done.returncode == 0 and report(replayed)["spikes"] == found["spikes"]
    text = " ".join(done.stdout.split())
    assert f"spikes {found['spikes']['blame']['spikes']}" in text
    explanation = re.escape(found["spikes"]["worst"][0]["explanation"])
    assert re.search(rf"worst spike at [\d:]+: pipe \S+, .*? {explanation}", text)
    lines_of_text = " ".join(ipctop.run("--plain", "--replay", recording, "--speed", 0).stdout.split())
    assert re.search(r"[\d:]+ worst spike: pipe ", lines_of_text), lines_of_text
    assert [phase["blame"] for phase in report(replayed)["phases"]] == [phase["blame"] for phase in found["phases"]]
    told = [json.loads(line)["spike"] for line in lines.read_text(encoding="utf-8").splitlines()
            if json.loads(line)["type"] == "spike"]
    assert len(told) >= 5 and told[-1] == found["spikes"]["last"][-1]


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
@pytest.mark.needs("whole")
def test_who_follows_events_gets_each_spike(ipctop, tmp_path):
    followed = tmp_path / "followed"

    def follow(control):
        with open(followed, "w", encoding="utf-8") as out:
            follower = ipctop.start("ctl", control, "events", stdout=out)
        time.sleep(0.3)
        return follower, bursts(5, 5)[1]

    found, (follower, times) = measure(ipctop, tmp_path / "run.json", *PAIR, during=follow)
    assert follower.wait(10) == 0
    lines = [json.loads(line) for line in followed.read_text(encoding="utf-8").splitlines()]
    told = [line["spike"] for line in lines if line.get("type") == "spike"]
    base_ns = found["start_monotonic_ns"]
    assert all(any(over(spike, span, base_ns) > 2 * MS for spike in told) for span in times), (times, told)
    kept = {(spike["ring"], spike["due_ns"]): spike for spike in found["spikes"]["last"]}
    assert all(kept.get((spike["ring"], spike["due_ns"]), spike) == spike for spike in told if "received_ns" in spike)


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
@pytest.mark.needs("whole")
def test_a_stall_under_way_is_judged_where_its_token_is(ipctop, tmp_path):
    """The receiver's CPU is taken: the origin has sent, and waits. Who took it is gone when the stall is over."""
    other, lines = cpus()[1], tmp_path / "run.jsonl"
    pair = ("--pairs", f"{other}:{CPU}", "-i", 1000, "-p", 50, "--spike", 1000, "--tick", 0.1)
    found, (pid, times) = measure(ipctop, tmp_path / "run.json", *pair, "--recorder", "off", "--export",
                                  f"jsonl={lines}", during=lambda _: bursts(1, 800))
    told = [line["spike"] for line in map(json.loads, lines.read_text(encoding="utf-8").splitlines())
            if line["type"] == "spike"]
    begin_ns, end_ns = (ns - found["start_monotonic_ns"] for ns in times[0][:2])
    if times[0][2] < 750 * MS:
        pytest.skip("the kernel throttled the task that was to take the CPU, or another one had it")
    during = [spike for spike in told if begin_ns - 10 * MS < spike["due_ns"] < begin_ns + 10 * MS]
    live = [spike for spike in during if "received_ns" not in spike]
    assert live and len(live) < len(during), (begin_ns, end_ns, told)
    final = during[-1]
    assert all(spike["sent_ns"] >= spike["due_ns"] and spike["receiver"]["cpu"] == CPU for spike in live), live
    assert final["length_ns"] > 700 * MS
    said = [hint["text"] for hint in final["hints"] if hint["kind"] == "priority"]
    # Another program may have a task of a higher priority there.
    assert any(re.search(rf"\b({pid} \(RT90\) had|\d+ \(RT9[1-9]\) ha[ds]) the highest priority on CPU {CPU}\b", text)
               for text in said), final


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
@pytest.mark.needs("whole")
def test_who_holds_the_cpu_to_which_a_member_is_moved_is_named(ipctop, tmp_path):
    """Since the tick that finds the member there: what was before is not recorded. Members on each CPU let the front use
    all: on that of the task alone it would make no tick."""
    other = cpus()[1]

    def move(control):
        tid = first_ring(ipctop, control)["members"][1]["tid"]
        with subprocess.Popen([sys.executable, "-c", BURSTS, str(other), "1", "600", "0.2"], stdout=subprocess.PIPE,
                              text=True) as hog:
            assert until(lambda: os.sched_getscheduler(hog.pid) == os.SCHED_FIFO)
            time.sleep(0.25)
            os.sched_setaffinity(tid, {other})
            return hog.pid, [int(word) for word in hog.communicate()[0].split()]

    pairs = ("--pairs", f"{CPU}:{CPU},{other}:{other}", *PAIR[2:])
    found, (pid, (_, end_ns, ran_ns)) = measure(ipctop, tmp_path / "run.json", *pairs, "--tick", 0.1, during=move)
    if found["host"]["recorder"] == "off":
        pytest.skip("nobody can be named")
    base_ns = found["start_monotonic_ns"]
    moved = [spike for spike in found["spikes"]["last"] if spike["ring"] == 0 and spike["length_ns"] > 300 * MS and
             abs(spike.get("received_ns", 0) + base_ns - end_ns) < 100 * MS]
    if ran_ns < 550 * MS:
        pytest.skip("another task had the CPU, or the kernel throttled the one that was to take it")
    spike, = moved
    assert spike["receiver"].get("cpu") == other and "moved_ns" in spike["receiver"], spike
    moved_ns, received_ns = spike["receiver"]["moved_ns"], spike["received_ns"]
    assert spike["due_ns"] < moved_ns < received_ns, spike
    held_ns = sum(length_ns(segment) for segment in spike["segments"] if segment.get("tid") == pid and segment["cpu"] == other)
    assert held_ns > (received_ns - moved_ns) * 0.8, spike
    assert {segment["kind"] for segment in spike["segments"] if segment["from_ns"] < moved_ns} <= {"unseen", "unexplained"}, spike
    assert f"the receiver may have come to CPU {other} meanwhile" in spike["explanation"], spike


def test_a_member_that_is_stopped_is_told_once(ipctop, tmp_path):
    """A response that is under way is reported with its age, and once it is over with its length: as one spike."""
    def stop_member(control):
        tid = first_ring(ipctop, control)["members"][1]["tid"]
        os.kill(tid, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(tid, signal.SIGCONT)

    found, _ = measure(ipctop, tmp_path / "run.json", "-t", 1, "-i", 5000, "--fork", "--spike", 50000, "--tick", 0.1,
                       during=stop_member)
    worst = found["spikes"]["worst"][0]
    assert worst["length_ns"] >= 1400 * MS and "received_ns" in worst
    assert sum(spike["due_ns"] == worst["due_ns"] for spike in found["spikes"]["last"]) == 1


@pytest.mark.needs("realtime", "2 cpus")
def test_a_response_that_waited_for_a_later_hop_of_the_lap_before_is_judged_there(ipctop, tmp_path):
    """The origin waits for that lap, and neither for its timer nor for its CPU."""
    def stop_member(control):
        tid = first_ring(ipctop, control)["members"][2]["tid"]
        for _ in range(5):
            os.kill(tid, signal.SIGSTOP)
            time.sleep(0.05)
            os.kill(tid, signal.SIGCONT)
            time.sleep(0.2)
        return tid

    a, b = cpus()[:2]
    found, tid = measure(ipctop, tmp_path / "run.json", "--ring", 4, "-c", f"{a},{b}", "-i", 5000, "-p", 50, "--fork",
                         "--spike", 40000, during=stop_member)
    stalls = [spike for spike in found["spikes"]["last"]
              if spike.get("hop") and tid in (spike["sender"]["tid"], spike["receiver"]["tid"])]
    assert stalls and {spike["hop"] for spike in stalls} <= {1, 2}, found["spikes"]
    stopped = [spike for spike in stalls if spike["receiver"]["tid"] == tid and spike["complete"]]
    if found["host"]["recorder"] == "off" or not stopped:
        pytest.skip("nothing is recorded of it here")
    assert all(spike["explanation"].startswith("stopped for ") for spike in stopped), [spike["explanation"] for spike in stopped]


def test_a_slot_that_waited_for_a_stalled_lap_is_no_stall_of_its_own(ipctop, tmp_path):
    """Its origin waited for the lap before, whoever had its CPU meanwhile."""
    def stop_member(control):
        tid = first_ring(ipctop, control)["members"][1]["tid"]
        for _ in range(5):
            time.sleep(0.1)
            os.kill(tid, signal.SIGSTOP)
            time.sleep(0.05)
            os.kill(tid, signal.SIGCONT)

    limit = 5 * MS
    found, _ = measure(ipctop, tmp_path / "run.json", "-t", 1, "-i", 5000, "--fork", "--spike", limit // 1000,
                       "--tick", 5, during=stop_member)
    spikes = found["spikes"]["last"]
    assert len(spikes) + n_hidden(found, limit, 45 * MS) >= 5
    for stall in spikes:
        due, end = stall["due_ns"], stall.get("received_ns", 0)
        assert not [spike for spike in spikes
                    if due < spike["due_ns"] < end and spike.get("received_ns", 0) <= end + limit]


def test_a_spike_across_phases_counts_in_the_one_in_which_it_ends(ipctop, tmp_path):
    def stop_member(control):
        tid = first_ring(ipctop, control)["members"][1]["tid"]
        os.kill(tid, signal.SIGSTOP)
        time.sleep(0.8)
        assert ipctop.run("ctl", control, "phase").returncode == 0
        time.sleep(0.5)
        os.kill(tid, signal.SIGCONT)

    found, _ = measure(ipctop, tmp_path / "run.json", "-t", 1, "-i", 5000, "--fork", "--spike", 50000, "--tick", 0.1,
                       "--no-auto-phase", during=stop_member)
    first, second = (phase["blame"] for phase in found["phases"])
    blame, spikes, border_ns = found["spikes"]["blame"], found["spikes"]["last"], found["phases"][1]["start_ns"]
    assert second["total_ns"] >= 1200 * MS
    assert first["spikes"] + second["spikes"] == blame["spikes"]
    assert first["total_ns"] + second["total_ns"] == blame["total_ns"]
    # It is not in the first one, too: that has the others, of a busy machine.
    if len(spikes) == blame["spikes"]:
        assert first["total_ns"] == sum(spike["length_ns"] for spike in spikes if spike.get("received_ns", border_ns) < border_ns)


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
def test_a_command_reads_a_spike(ipctop, tmp_path):
    """At most one a second."""
    told = tmp_path / "told"
    found, _ = measure(ipctop, tmp_path / "run.json", *PAIR, "--on-spike", f"cat >> {told}",
                       during=lambda _: bursts(10, 5))
    spikes = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    assert 1 <= len(spikes) <= found["duration_ns"] / 1e9 + 1
    known = {(spike["ring"], spike["due_ns"]) for spike in found["spikes"]["last"]}
    assert {(spike["ring"], spike["due_ns"]) for spike in spikes} <= known


@pytest.mark.needs("realtime", "2 cpus")
def test_a_command_that_fails_is_one_warning(ipctop, tmp_path):
    """However often it is started. The bursts are spikes of all of these runs; those of other work will do, too."""
    whys = {"/no/such/command": "the command ended with status 127 (not found)", "exit 3": "the command ended with status 3",
            "kill -9 $$": "signal 9 ended the command", "true": None}
    started, runs = tmp_path / "started", {}
    started.touch()

    def each_started_two():
        """A second one is started when it is known how the first one ended."""
        bursts(3, 5)
        numbers = started.read_text(encoding="utf-8").split()
        return all(numbers.count(str(i)) >= 2 for i in range(len(whys)))

    with contextlib.ExitStack() as stack:
        for i, command in enumerate(whys):
            control, path = tmp_path / f"{i}.ctl", tmp_path / f"{i}.json"
            runs[command] = stack.enter_context(Run(
                ipctop, "-q", "-m", "pipe", "--json", path, *PAIR, "--tick", 0.1, "--control", control,
                "--on-spike", f"echo {i} >>{started}; {command}")), control, path
        for _, control, _ in runs.values():
            assert until(lambda control=control: (first_ring(ipctop, control) or {"laps": 0})["laps"])
        assert until(each_started_two, step=1), started.read_text(encoding="utf-8")     # at most one a second
        for run, control, _ in runs.values():
            assert ipctop.run("ctl", control, "quit").returncode == 0
            run.wait()
    for command, (_, _, path) in runs.items():
        events = [event["text"] for event in report(path)["events"]]
        told = [f"--on-spike: {whys[command]}; later failures are not reported"] if whys[command] else []
        assert [text for text in events if "--on-spike" in text] == told, events


@pytest.mark.parametrize("option, value", (("--spike", "-1"), ("--spike", "61s"), ("--recorder", "ftrace")))
def test_bad_values_are_refused(ipctop, option, value):
    ipctop.refuse(option, value)
