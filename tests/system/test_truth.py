# SPDX-License-Identifier: GPL-2.0-or-later
"""What is done to the members from outside is what ipctop says of them, and as long as it was."""
import os
import re
import signal
import subprocess
import time

import pytest

from conftest import CPU, OWN, cpus, in_whole
from harness import THREE, Run, first_ring, in_short, in_words, read, report, run_delay_ns, status, until
from hog import end_of_hog, start_hog
from terminal import Terminal

MS = 1_000_000


def chrt(tid, *policy):
    subprocess.run(["chrt", *policy, str(tid)], check=True, capture_output=True)


def ring(found, number=0):
    return found["rings"][number]


def row(text):
    """Of the table, of CPU."""
    found = re.search(rf"^[> ] +{OWN} .*", text, re.M)
    return found[0] if found else ""


# --- a hog ---

def ages(text):
    """">=1.2s" in the rows of CPU, or ">=1200000.0" on lines: in ms."""
    units = {"s": 1000, "ms": 1, "us": 1e-3, "": 1e-3}
    found = re.findall(rf"\b{OWN} .*>=([\d.]+)(s|ms|us|)\b", text)
    return [float(number) * units[unit] for number, unit in found]


def check_stall(found, spent_ns, noise_ns):
    """A hog's, which takes more than a tenth of the run."""
    missed, response = ring(found)["missed"], ring(found)["figures"]["response"]
    # 200: what other work on the machine adds.
    assert spent_ns / MS * 0.95 <= missed <= (spent_ns + noise_ns) / MS * 1.05 + 200, missed
    assert 0.95 * spent_ns <= response["max_ns"] <= 1.05 * spent_ns + noise_ns, (response, spent_ns, noise_ns)
    # Of the slots that a stall of t delays, those of its first t - x wait for longer than x.
    longest_ns = spent_ns + noise_ns - found["duration_ns"] / 10 + 200 * MS
    assert 200 * MS <= response["percentiles"]["p90_ns"] <= longest_ns, (response["percentiles"], longest_ns)
    # The laps that were served hide it, and so would a tool that counts these alone.
    assert ring(found)["figures"]["served"]["percentiles"]["p90_ns"] < 20 * MS


@pytest.mark.needs("realtime", "2 cpus", "program chrt")
@pytest.mark.alone
def test_a_hog_of_1500_ms_is_1500_missed_slots_and_an_age_that_grows(ipctop, tmp_path, stall):
    options = ("-p", 50, "-c", CPU, "-i", 1000, "--json")
    with Terminal(ipctop, *options, tmp_path / "screen.json", "--tick", 0.25, "--refresh", 0.25) as screen, \
            Run(ipctop, *options, tmp_path / "lines.json", "--plain", "--refresh", 0.5) as lines:
        screen.wait_for(lambda text: "FF50" in row(text))
        time.sleep(0.7)
        hog = start_hog(CPU, 1.5)
        seen, words = [], set()
        while hog.poll() is None:
            screen.pump(0.05)
            seen += [age for age in ages(screen.text()) if age not in seen]
            words |= set(re.findall(r"starved|throttled", screen.text()))
        start, end = end_of_hog(hog)
        time.sleep(0.7)     # laps after it, and a refresh
        screen.press("q")
        lines.process.send_signal(signal.SIGINT)
        assert screen.finish() == 0
        status_, out, _ = lines.wait()
        assert status_ == 0
    spent = end - start
    assert len(seen) >= 2 and seen == sorted(seen) and seen[-1] - seen[0] >= 400, seen
    noise_ns = stall.total_of_machine * 1e9
    assert 500 <= seen[-1] <= (spent + noise_ns) / MS + 60, seen
    assert words, "no word for it on the screen"
    # Until the hog's end: other work on the machine may starve the pair once more.
    on_lines = ages(re.split(r"no longer (?:starved|throttled)", out)[0])
    assert len(on_lines) >= 2 and on_lines == sorted(on_lines) and on_lines[-1] <= (spent + noise_ns) / MS + 60, out
    assert re.search(rf"{OWN} .*\b(starved|throttled)\b", out)
    for name in ("screen.json", "lines.json"):
        found = report(tmp_path / name)
        check_stall(found, spent, noise_ns)
        assert any(re.search(r"starved|throttled", event["text"]) for event in found["events"])


# --- SIGSTOP ---

def stop(pid):
    """Returns once all of its threads are stopped."""
    os.kill(pid, signal.SIGSTOP)
    assert until(lambda: all(status(pid, tid)[1] == "T" for tid in os.listdir(f"/proc/{pid}/task")), step=0.001)


def stopped_for(pid, seconds):
    """Stops it and lets it go: for how long all of its threads stood, in ns, and at most stood.

    On a busy machine they go on for a while after the signal, until the one that takes it has a CPU.
    """
    begun = time.monotonic_ns()
    stop(pid)
    stopped = time.monotonic_ns()
    time.sleep(seconds)
    least = time.monotonic_ns() - stopped
    os.kill(pid, signal.SIGCONT)
    return least, time.monotonic_ns() - begun


def ended(run):
    """Its report, of a run that goes on for a while after a stop."""
    time.sleep(0.5)
    run.process.send_signal(signal.SIGINT)
    status_, out, _ = run.wait()
    assert status_ == 0
    return report(out)


def response_near(found, least_ns, most_ns, stall, delay_ns=0):
    """5 %, a slot, and what the machine adds: on a busy one, each member waits for its CPU after the stop."""
    return 0.95 * least_ns - 2 * MS <= ring(found)["figures"]["response"]["max_ns"] <= \
        1.05 * most_ns + 2 * MS + delay_ns + stall.total * 1e9


def missed_and_delay(ipctop, run, control, n):
    """The first ring's missed slots, once there are so many; then, in ns, for how long its members waited for a CPU."""
    missed = until(lambda: (found := first_ring(ipctop, control)["missed"]) >= n and found)
    return missed, sum(run_delay_ns(*task) for task in run.members().values())


@pytest.mark.timing
def test_a_host_that_is_stopped_for_300_ms_shows_with_that_length(ipctop, tmp_path, stall):
    """Others may keep its members from their CPU for longer than from that of `stall`: the kernel says for how long."""
    control = tmp_path / "control"
    with Run(ipctop, "-D", 120, "-q", "-c", CPU, "--control", control, "--json", "-") as run:
        host = run.host("mq:0")
        run.await_laps("mq:0.1", 300)
        least, most = stopped_for(host, 0.3)
        missed, delay = missed_and_delay(ipctop, run, control, 0.95 * least / MS - 2)
        found = ended(run)
    assert response_near(found, least, most, stall, delay), (least, most, delay, ring(found)["figures"]["response"])
    assert 0 < missed <= 1.05 * most / MS + 60 + delay / MS + stall.total_of_machine * 1000, (missed, delay, most)
    assert ring(found)["missed"] >= missed


@pytest.mark.parametrize("stamps", ["all", "lap"])
def test_missed_laps_are_in_the_lateness(ipctop, stamps):
    """Without stamps of hops no other figure has their waits."""
    with Run(ipctop, "--stamps", stamps, "-D", 120, "-q", "-c", CPU, "--json", "-") as run:
        host = run.host("mq:0")
        run.await_laps("mq:0.1", 300)
        least, _ = stopped_for(host, 0.3)
        found = ended(run)
    figures, missed = ring(found)["figures"], ring(found)["missed"]
    late = figures["lateness"]
    assert missed >= 0.95 * least / MS - 2
    # A lap may end after its turn, and a wait may be in two phases.
    assert abs(late["count"] - figures["lap"]["count"] - missed) <= len(found["phases"]), (figures, missed)
    assert sum(count for start, _, count in late["histogram"] if start >= 0.1 * least) >= 0.8 * least / MS - 2, late
    assert bool(figures["response"]["count"]) == (stamps == "all")


@pytest.mark.parametrize("member", ["mq:0.0", "mq:0.1"])
@pytest.mark.timing
def test_a_member_process_that_is_stopped_for_300_ms_shows_with_that_length(ipctop, tmp_path, member, stall):
    control = tmp_path / "control"
    with Run(ipctop, "-f", "-D", 120, "-q", "-c", CPU, "--control", control, "--json", "-") as run:
        pid = run.tid(member)
        run.await_laps("mq:0.1", 300)
        least, most = stopped_for(pid, 0.3)
        _, delay = missed_and_delay(ipctop, run, control, 0.95 * least / MS - 2)
        found = ended(run)
    assert response_near(found, least, most, stall, delay), (least, most, delay, ring(found)["figures"]["response"])


def test_a_lap_that_begins_late_and_takes_long_has_each_slot_once(ipctop):
    """The slot after it falls due, and a tick passes, before its token is back: that slot is served."""
    with Run(ipctop, "-f", "-m", "pipe", "-i", "200ms", "--tick", 0.05, "-D", 120, "-q", "-c", CPU, "--json", "-") as run:
        origin, other = run.tid("pipe:0.0"), run.tid("pipe:0.1")
        run.await_laps("pipe:0.1", 3)
        os.kill(origin, signal.SIGSTOP)     # as it waits for a slot
        time.sleep(0.05)
        os.kill(other, signal.SIGSTOP)
        time.sleep(1)
        os.kill(origin, signal.SIGCONT)     # its token goes out
        time.sleep(0.21)
        os.kill(other, signal.SIGCONT)
        found = ended(run)      # its figures are compared there
    assert ring(found)["missed"] >= 3


def test_the_slot_behind_a_lap_that_never_ends_is_missed(ipctop):
    """A phase ends meanwhile, and leaves that slot to the origin."""
    with Run(ipctop, "-f", "-m", "pipe", "-i", "200ms", "--tick", 0.05, "-D", 120, "-q", "-c", CPU, "--json", "-") as run:
        origin, other = run.tid("pipe:0.0"), run.tid("pipe:0.1")
        run.await_laps("pipe:0.1", 3)
        os.kill(other, signal.SIGSTOP)
        time.sleep(0.55)
        os.sched_setscheduler(origin, os.SCHED_BATCH, os.sched_param(0))
        found = ended(run)
    of = ring(found)    # with two phases, unless the machine stood still meanwhile
    assert of["laps"] + of["warmup_laps"] + of["missed"] == of["active_ns"] // of["interval_ns"], of


@pytest.mark.timing
def test_stopping_the_host_of_processes_stops_no_member(ipctop, stall):
    with Run(ipctop, "-f", "-D", 120, "-q", "-c", CPU, "--json", "-") as run:
        run.await_laps("mq:0.1", 300)
        stopped_for(run.host("mq:0"), 0.3)
        found = ended(run)
        assert run.left() == {}
    assert ring(found)["figures"]["response"]["max_ns"] < 150 * MS + stall.longest * 1e9, ring(found)["figures"]["response"]


@pytest.mark.timing
def test_a_long_stop_is_the_word_stopped_on_screen_and_in_the_events(ipctop, tmp_path, stall):
    with Terminal(ipctop, "-c", CPU, "--json", tmp_path / "report.json") as terminal:
        host = terminal.host("mq:0")
        terminal.wait_for(lambda text: "OTH" in row(text))
        begun = time.monotonic_ns()
        try:
            stop(host)
            stopped = time.monotonic_ns()
            terminal.wait_within(2.5, stall, lambda text: re.search(r"stopped +>=[\d.]+m?s", row(text)))
            least = time.monotonic_ns() - stopped
        finally:
            os.kill(host, signal.SIGCONT)
        most = time.monotonic_ns() - begun
        terminal.wait_within(2.5, stall, lambda text: row(text) and "stopped" not in row(text))
        terminal.press("q")
        assert terminal.finish() == 0
    found = report(tmp_path / "report.json")
    assert any("stopped" in event["text"] for event in found["events"])
    assert response_near(found, least, most, stall), (least, most, ring(found)["figures"]["response"])


def test_a_stop_of_several_turns_is_over_once_it_is(ipctop):
    """It begins before the ring's turn, so the origin sees neither the turn's begin nor its end."""
    with Run(ipctop, "-m", "mq,pipe", "-c", CPU, "--turns", 0.3, "--tick", 0.05, "--refresh", 0.2, "--plain") as run:
        run.await_laps("mq:0.1", 50)
        host = run.host("mq:0")
        for _ in range(3):      # at any moment of a round
            printed = len(run.printed)
            stop(host)
            run.await_output(lambda text, at=printed: text.count(f"mq {OWN} is stopped", at) == 1)
            run.await_output(lambda text, at=len(run.printed): text.count("\n", at) >= 60)
            assert f"mq {OWN} is no longer" not in run.printed[printed:], run.printed[printed:]
            os.kill(host, signal.SIGCONT)
            run.await_output(lambda text, at=printed: f"mq {OWN} is no longer stopped" in text[at:])
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0


@pytest.mark.timing
def test_ending_while_a_host_is_stopped_takes_no_longer(ipctop, tmp_path, stall):
    with Run(ipctop, "-D", 30, "-m", THREE, "-q", "--json", tmp_path / "report.json") as run:
        os.kill(run.host("mq:0"), signal.SIGSTOP)
        time.sleep(0.2)
        start = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0
        assert time.monotonic() - start < 2 + stall.longest
        assert run.left() == {}
    assert report(tmp_path / "report.json")["ended_by"] == "signal SIGINT"


# --- chrt and taskset from outside ---

TICK = 0.5
NOISE = 0.25    # of drawing, and of a machine that stalls for a few ms now and then


@pytest.mark.needs("realtime", "program chrt")
@pytest.mark.timing
def test_chrt_from_outside_is_on_the_screen_within_a_tick_and_in_the_events(ipctop, tmp_path, stall):
    with Terminal(ipctop, "-p", 40, "-c", CPU, "--json", tmp_path / "report.json") as terminal:
        tid = terminal.tid("mq:0.0")
        terminal.wait_for(lambda text: "FF40" in row(text))
        terminal.settle(0.1, 0.3)
        for policy, word in ((["-o", "-p", "0"], r"OTH|!"), (["-f", "-p", "40"], r"FF40(?!!)")):
            chrt(tid, *policy)
            terminal.wait_within(TICK + NOISE, stall, lambda text, word=word: re.search(word, row(text)))
        terminal.press("q")
        assert terminal.finish() == 0
    changes = [event for event in report(tmp_path / "report.json")["events"] if event["kind"] == "change"]
    assert [re.search(r"\): (.+) -> (.+)", event["text"]).groups() for event in changes] == [
        ("FIFO:40", in_words("OTHER")), (in_words("OTHER"), "FIFO:40")], changes
    assert all(f"(tid {tid})" in event["text"] and event["ring"] == 0 for event in changes)


def slack(tid):
    return read(f"/proc/{tid}/timerslack_ns").decode().strip()


def median_lateness(ipctop, policy, change=None):
    """Of an OTHER phase of a second, on CPU; and the timer slacks of its members in it."""
    with Run(ipctop, *policy, "-c", CPU, "-D", 1.2, "-q", "--json", "-") as run:
        tids = [run.tid("mq:0.0"), run.tid("mq:0.1")]
        until(lambda: os.sched_getscheduler(tids[0]) == (os.SCHED_FIFO if "fifo" in policy else os.SCHED_OTHER))
        for tid in tids if change else []:
            change(tid)
        time.sleep(0.2)
        slacks = {slack(tid) for tid in tids}
        assert {os.sched_getscheduler(tid) for tid in tids} == {os.SCHED_OTHER}
        found = report(run.wait()[1])
    return ring(found)["figures"]["lateness"]["percentiles"]["p50_ns"], slacks


@pytest.mark.needs("realtime", "program chrt", "whole")
@pytest.mark.alone
def test_chrt_changes_the_scheduling_and_not_the_timer(ipctop):
    def to_other(tid):
        chrt(tid, "-o", "-p", "0")

    def there_and_back(tid):
        chrt(tid, "-f", "-p", "40")
        chrt(tid, "-o", "-p", "0")

    other, fifo = ("--policy", "other"), ("--policy", "fifo", "-p", 40)
    untouched, slacks = min(median_lateness(ipctop, other) for _ in range(2))
    assert slacks <= {"1", ""}
    for policy, change in ((fifo, to_other), (other, there_and_back)):
        median, slacks = median_lateness(ipctop, policy, change)
        if median - untouched >= 40_000:    # once more, for a neighbour on the machine can only add
            median, slacks = median_lateness(ipctop, policy, change)
        assert slacks <= {"1", ""}
        assert median - untouched < 40_000, (median, untouched, policy)


@pytest.mark.needs("2 cpus", "program taskset")
@pytest.mark.timing
def test_taskset_from_outside_is_shown_and_not_set_back(ipctop, tmp_path, stall):
    other = cpus()[1]
    with Terminal(ipctop, "-c", CPU, "--json", tmp_path / "report.json") as terminal:
        tid = terminal.tid("mq:0.0")
        terminal.wait_for(lambda text: re.search(rf"{in_short('OTH')}(?!!)", row(text)))
        subprocess.run(["taskset", "-p", "-c", str(other), str(tid)], check=True, capture_output=True)
        terminal.wait_within(TICK + NOISE, stall, lambda text: re.search(rf"^> +{other}>{CPU} .*{in_short('OTH')}!", text, re.M))
        terminal.settle(0.1, 1.2)
        assert os.sched_getaffinity(tid) == {other}
        terminal.press("q")
        assert terminal.finish() == 0
    found = report(tmp_path / "report.json")
    assert [event["text"].partition(": ")[2] for event in found["events"] if event["kind"] == "change"] == [
        f"CPU {CPU} -> CPU {other}"], found["events"]
    members = ring(found)["members"]
    assert [(member["cpu"], member["planned_cpu"], member["differs"]) for member in members] == [
        (other, CPU, True), (CPU, CPU, False)]


# --- what the kernel says of members is what was asked ---

@pytest.mark.parametrize("fork", [[], ["-f"]], ids=["threads", "processes"])
@pytest.mark.parametrize("options, policy, priority", [
    ([], os.SCHED_OTHER, 0),
    in_whole(["--policy", "batch"], os.SCHED_BATCH, 0),
    in_whole(["--policy", "idle"], os.SCHED_IDLE, 0),
    pytest.param(["-p", 30], os.SCHED_FIFO, 30, marks=pytest.mark.needs("realtime")),
    pytest.param(["--policy", "rr", "-p", 20], os.SCHED_RR, 20, marks=pytest.mark.needs("realtime", "whole")),
], ids=["other", "batch", "idle", "fifo", "rr"])
def test_members_have_names_policy_affinity_and_no_timer_slack(ipctop, fork, options, policy, priority):
    two = cpus()[:2]
    with Run(ipctop, *options, *fork, "-m", "mq,svsem", "-c", ",".join(map(str, two)), "-D", 120, "-q",
             "--json", "-") as run:
        names = [f"{mechanism}:{two.index(cpu) + first}.{member}" for mechanism, first in
                 (("mq", 0), ("svsem", len(two))) for cpu in two for member in (0, 1)]
        assert until(lambda: set(run.members()) == set(names)), run.members()
        tids = {name: tid for name, (_, tid) in run.members().items()}
        # A member pins itself as its last step.
        places = {name: {two[int(name.split(":")[1].split(".")[0]) % len(two)]} for name in names}
        assert until(lambda: all(os.sched_getaffinity(tids[name]) == places[name] for name in names)), places
        shown = subprocess.run(["ps", "-ww", "-T", "-p", ",".join(str(pid) for pid, _ in run.members().values()),
                                "-o", "spid=,comm="], capture_output=True, text=True, check=True).stdout
        for name, tid in tids.items():
            assert os.sched_getscheduler(tid) == policy, name
            assert os.sched_getparam(tid).sched_priority == priority
            assert slack(tid) in ("0" if priority else "1", ""), name
            assert re.search(rf"^\s*{tid} {re.escape(name)}$", shown, re.M), shown
            assert (status(run.members()[name][0])[0] == name) == bool(fork)    # a process of its own, or a thread
        time.sleep(0.5)     # for a tick in which they run
        run.process.send_signal(signal.SIGTERM)
        found = report(run.wait()[1])
    for row in found["rings"]:
        for number, member in enumerate(row["members"]):
            assert member["tid"] == tids[f"{row['mechanism']}:{row['id']}.{number}"]
            assert (member["policy"], member["priority"]) == (row["asked"]["policy"], priority)
            assert member["cpu"] == row["cpus"][number] and not member["differs"]
