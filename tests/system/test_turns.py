# SPDX-License-Identifier: GPL-2.0-or-later
"""Who gets a CPU: turns of rings that share one, rests of floods and of members that spin."""
import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import CPU, cpus, in_whole, lacks
from harness import THREE, Run, report, sleeps
from hog import await_hog, end_of_hog, start_hog
from table import FAST, first_line
from terminal import Terminal


@pytest.mark.timing
def test_rings_that_share_a_cpu_take_turns_and_each_gets_its_own(ipctop, stall):
    found = report(ipctop.run("-m", THREE, "-c", cpus()[0], "-i", "1ms", "-l", 1000, "--json", "-").stdout)
    assert found["turns"] == 3 and sorted(ring["turn"] for ring in found["rings"]) == [0, 1, 2]
    noise = stall.longest * 1e9
    assert all(ring["active_ns"] > 0.9e9 for ring in found["rings"]), found["rings"]
    assert sum(ring["active_ns"] for ring in found["rings"]) <= found["duration_ns"] + 50e6 + noise


def test_turns_have_no_more_slots_than_intervals(ipctop):
    found = report(ipctop.run("-m", THREE, "-c", cpus()[0], "--turns", 0.2, "-i", "20ms", "-l", 30, "--json", "-").stdout)
    for ring in found["rings"]:
        slots = sum(ring[count] for count in ("laps", "warmup_laps", "missed", "rested", "away"))
        assert 0 < slots <= ring["active_ns"] / ring["interval_ns"], ring


NEVER_RAN = re.compile("never ran: the run ended before ([a-z ]+)")


def test_rings_that_never_ran_are_a_warning_at_the_end(ipctop, tmp_path):
    """While it runs it is no news that a turn is not yet due."""
    summary, recording, again = (tmp_path / name for name in ("run.json", "run.rec", "again.json"))
    result = ipctop.run("-m", THREE, "-c", CPU, "--turns", 5, "-D", 0.5, "--tick", 0.1, "--json", summary, "--record", recording)
    assert result.returncode == 0
    warnings = [event for event in report(summary)["events"] if NEVER_RAN.search(event["text"])]
    first, second, third = THREE.split(",")
    others = [(event["kind"], event["text"]) for event in warnings if not event["text"].startswith(first)]     # it may get no CPU
    assert others == [("warning", (
        f"{second} {CPU}>{CPU}, {third} {CPU}>{CPU} never ran: the run ended before their turns came"))], (first, warnings)
    assert len(NEVER_RAN.findall(" ".join(result.stdout.split()))) == len(warnings), result.stdout
    assert ipctop.run("--replay", recording, "--speed", 0, "-q", "--json", again).returncode == 0
    assert [event for event in report(again)["events"] if NEVER_RAN.search(event["text"])] == warnings


@pytest.mark.parametrize("interval", ["30s", "1ms"])
def test_a_ring_without_a_lap_never_ran(ipctop, interval):
    """Where others have the CPU all the time, one with a short interval has no lap either."""
    found = report(ipctop.run("-m", "pipe", "-t", 1, "-c", CPU, "-i", interval, "-D", 0.5, "--json", "-").stdout)
    ring, texts = found["rings"][0], [event["text"] for event in found["events"]]
    said = NEVER_RAN.findall(" ".join(texts))
    if ring["laps"] or ring["warmup_laps"]:
        assert said == [] and interval == "1ms", texts
    elif not any(re.search(r" is (late|starved|throttled)", text) for text in texts):     # which says why
        assert said in (["its first lap was complete"], ["its objects were created"]), (said, ring)


@pytest.mark.parametrize("interval", [2000, in_whole(25000)])
@pytest.mark.timing
def test_warm_up_takes_a_tenth_of_a_turn_and_a_lap_at_least(ipctop, interval):
    found = report(ipctop.run("-m", THREE, "-c", cpus()[0], "--turns", 0.2, "-i", interval, "-l", 10, "--json", "-").stdout)
    rounds = math.ceil(found["duration_ns"] / (3 * 0.2e9))
    each = math.ceil(0.02e9 / (interval * 1000)) + 1
    for ring in found["rings"]:
        assert 0 < ring["warmup_laps"] <= rounds * each, (ring["warmup_laps"], rounds)


WAITS = re.compile(r"^[> ] +\d+>\d+(?:#\d+)? (\w+) .* in (\d\.\d)s  ", re.M)


@pytest.mark.timing
def test_a_row_says_when_its_turn_comes_and_is_dim_until_then(ipctop, stall):
    turns, said = set(), []

    def look(text):
        turn, waits = re.search(r" turn (\d)/3 ", text), {name: float(seconds) for name, seconds in WAITS.findall(text)}
        now = time.monotonic()
        for name, (at, seconds) in list(begun.items()):
            if name not in waits:
                said.append((seconds, now - at))
                del begun[name]
        for name, seconds in waits.items():
            if seconds >= 0.5:
                begun.setdefault(name, (now, seconds))
        if turn and len(waits) == 2:
            turns.add(turn[1])
        return len(turns) == 3 and len(said) >= 4

    begun = {}
    with Terminal(ipctop, *FAST, "-m", THREE, "-c", cpus()[0], "--turns", 0.6, columns=120) as terminal:
        terminal.wait_for(look)
        assert re.search(rb"\x1b\[(\d+;)*2m", terminal.raw), "faint"
        median = sorted(abs(waited - seconds) for seconds, waited in said)[len(said) // 2]
        assert median < 0.3 + stall.longest, said
        for window in ("all", "10s", "60s", "phase", "all"):     # a round takes 1.8 s
            terminal.press("w")
            terminal.wait_for(lambda text, window=window: f" window {window} " in text)


def clock(text):
    """The run's own, in seconds; 0 in the middle of a frame."""
    found = re.search(r"^load .* (\d\d):(\d\d):(\d\d)$", text, re.M)
    return 3600 * int(found[1]) + 60 * int(found[2]) + int(found[3]) if found else 0


@pytest.mark.timing
def test_a_held_turn_goes_on_until_it_is_let_go(ipctop, tmp_path):
    """The second row's turn is held for several lengths of a turn; a recording has it, too."""
    path, wanted = tmp_path / "recording", " turn 2/3 held "
    with Terminal(ipctop, *FAST, "-m", THREE, "-c", cpus()[0], "--turns", 0.3, "--record", path, columns=120) as terminal:
        terminal.wait_for(lambda text: len(WAITS.findall(text)) == 2)
        terminal.press("j")
        terminal.wait_for(lambda text: re.search(r"^> +\d+>\d+(?:#\d+)? svsem ", text, re.M))
        terminal.press("s")
        begun = terminal.wait_for(lambda text: wanted in first_line(text) and text.count(" waiting ") == 2 and clock(text))
        terminal.wait_for(lambda text: clock(text) >= begun + 2 or wanted not in first_line(text))
        assert wanted in first_line(terminal.text())
        terminal.press("s")
        terminal.wait_for(lambda text: re.search(r" turn [13]/3  ", first_line(text)))
        terminal.press("q")
        assert terminal.finish() == 0
    lines = [json.loads(line) for line in ipctop.run("export", "jsonl", path).stdout.splitlines()]
    held = [line for line in lines if line["type"] == "tick" and line.get("turn_held")]
    assert sum(line["at_ns"] - line["start_ns"] for line in held) > 0.8e9 and {line["turn"] for line in held} == {1}
    events = [line["text"] for line in lines if line["type"] == "event"]
    assert events.index("turn 2/3 is held") < events.index("turns go on")


def test_a_line_says_when_its_turn_comes(ipctop):
    with Run(ipctop, "-m", THREE, "-c", cpus()[0], "--refresh", 0.5, "--tick", 0.25) as run:
        run.await_output(re.compile(r"^\d\d:\d\d:\d\d (mq|svsem|signal) .* in [012]\.\ds$", re.M).search)


@pytest.mark.timing
def test_an_export_says_whose_turn_it_is(ipctop, tmp_path):
    path = tmp_path / "recording"
    ipctop.run("-q", "-m", THREE, "-c", cpus()[0], "--turns", 0.3, "-l", 400, "--tick", 0.1, "--record", path)
    lines = [json.loads(line) for line in ipctop.run("export", "jsonl", path).stdout.splitlines()]
    since = {}
    for tick in (line for line in lines if line["type"] == "tick"):
        since.setdefault(tick["turn"], tick["turn_since_ns"])
        assert since[tick["turn"]] <= tick["turn_since_ns"] <= tick["at_ns"]
    assert sorted(since) == [0, 1, 2] and since[0] == 0 < since[1] < since[2], since
    assert since[1] - since[0] >= 0.3e9 and since[2] - since[1] >= 0.3e9, since


@pytest.mark.timing
def test_side_by_side_runs_them_at_the_same_time(ipctop, stall):
    found = report(ipctop.run("-m", THREE, "--side-by-side", "-c", cpus()[0], "-D", 0.8, "--json", "-").stdout)
    assert found["turns"] == 1
    assert all(ring["active_ns"] > (0.6 - stall.longest) * 1e9 for ring in found["rings"])


@pytest.mark.parametrize("mechanisms, turns", (("futex,pipe", "both turns"), (THREE, "all 3 turns")))
def test_a_duration_of_fewer_turns_is_warned_of(ipctop, mechanisms, turns):
    printed = ipctop.run("-m", mechanisms, "-c", cpus()[0], "-D", 0.2, "--turns", 2).stdout
    assert f"-D is too short for {turns} of 2 s: rings whose turn does not come" in " ".join(printed.split())


BUSY = "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: pass"


@pytest.mark.alone
@pytest.mark.needs("whole")
def test_flood_leaves_the_machine_usable(ipctop, tmp_path, stall):
    """A scheduler that favours those who wake each other must not stop the others, nor ipctop's own end."""
    path = tmp_path / "report.json"
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(3 * len(cpus()))]
    try:
        last = time.monotonic()
        # Its laps end it if nothing else can.
        with Run(ipctop, "-i", 0, "-l", 400000, "-D", 1.5, "-q", "--json", path) as run:
            gap = 0
            while run.process.poll() is None:
                time.sleep(0.01)
                gap, last = max(gap, time.monotonic() - last), time.monotonic()
        noise = stall.longest_of_machine
        assert report(path)["duration_ns"] < (2.5 + noise) * 1e9 and gap < 0.7 + noise, (gap, noise)
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.timing
def test_rings_that_have_no_sense_have_a_row_and_take_no_turn(ipctop, tmp_path):
    path = tmp_path / "refused.json"
    run = ipctop.run("-m", "mq,shm,svsem", "--pairs", "own", "-c", CPU, "--turns", 0.3, "-l", 100, "-q", "--json", path)
    assert run.returncode == 0 and "spin" in run.stdout
    result = report(path)
    states = {ring["mechanism"]: (ring["state"], ring["laps"] + ring["missed"] > 0) for ring in result["rings"]}
    assert states["shm"] == ("failed", False) and states["mq"][1] and states["svsem"][1], states
    assert (result["turns"], result["turn_ns"]) == (2, 300000000)
    planned = ipctop.run("-m", "mq,shm,svsem", "--pairs", "own", "-c", CPU, "--plan").stdout
    line = next(line for line in planned.splitlines() if " shm " in line)
    assert line.split()[4] == "-" and "not run: its members spin" in line
    assert "3, 1 of them not run" in planned


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.needs("whole")
@pytest.mark.parametrize("interval", [0, 1000, 10000])
@pytest.mark.parametrize("fork", [[], ["-f"]])
@pytest.mark.alone
def test_spinners_rest_at_realtime_priority(ipctop, interval, fork):
    """Whoever polls sleeps now and then, so that the kernel need not take its CPU away; else it never does."""
    rested = {}
    for policy in (["-p", 20, "--allow-rt-spin"], []):
        args = ("-m", "yield", "-c", cpus()[-1], "-i", interval, "-D", 20, "-q", "--json", "-", *policy, *fork)
        with Run(ipctop, *args) as run:
            tid = run.tid("yield:0.1")
            time.sleep(0.5)
            before = sleeps(tid, tid)
            time.sleep(1)
            rested[bool(policy)] = sleeps(tid, tid) - before
            os.kill(run.pid, signal.SIGINT)
            found = report(run.wait()[1])["rings"][0]
        assert found["state"] != "failed" and found["laps"] > 0, found
    assert rested[True] >= 10 > rested[False], rested


@pytest.mark.needs("realtime", "2 cpus")
def test_spinners_at_realtime_priority_are_refused_beside_others(ipctop, tmp_path):
    path = tmp_path / "spin.json"
    run = ipctop.run("-m", "yield,svsem", "-c", cpus()[-1], "-p", 20, "-D", 0.5, "-q", "--json", path)
    assert run.returncode == 0 and "--allow-rt-spin" in run.stdout
    assert [ring["state"] == "failed" for ring in report(path)["rings"]] == [True, False]


# --- a stall over turns ---

def unaccounted(ring):
    """Slots that were due, and were neither served, in a warm-up, missed nor rested; negative: invented ones."""
    counted = ring["laps"] + ring["warmup_laps"] + ring["missed"] + ring["rested"]
    return ring["active_ns"] / ring["interval_ns"] - counted


@pytest.mark.needs("realtime", "2 cpus", "program chrt")
@pytest.mark.parametrize("receiver", [pytest.param(0, id="both starve", marks=pytest.mark.needs("whole")),
                                      pytest.param(1, id="the receiver starves")])
@pytest.mark.alone
def test_turns_neither_lose_nor_invent_waiting(ipctop, tmp_path, receiver, stall):
    path, turn_ns, cpu = tmp_path / "turns.json", 400_000_000, cpus()[receiver]
    with Run(ipctop, "--pairs", f"{CPU}:{cpu}", "-p", 80, "-m", THREE, "--turns", 0.4, "-D", 120, "-q",
             "--json", path) as run:
        run.tid("mq:0.0")
        time.sleep(0.7)
        hog = start_hog(cpu, 2)
        start, end = end_of_hog(hog)
        time.sleep(1)
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0
    found = report(path)
    turns = found["duration_ns"] / turn_ns / 3 + 1
    for ring in found["rings"]:
        assert abs(unaccounted(ring)) <= 2 * turns, (unaccounted(ring), ring["active_ns"])
        # A ring that can't pause keeps its turn for 50 ms more; the front may come a little later.
        assert ring["figures"]["response"]["max_ns"] < turn_ns + 120e6 + stall.longest_of_machine * 1e9
    missed = sum(ring["missed"] for ring in found["rings"])
    # What the machine itself adds in the other half of the run.
    assert (end - start) / 1e6 * 0.97 <= missed <= (end - start) / 1e6 * 1.03 + 100 + stall.total_of_machine * 1000, missed
    # No time is invented. A ring may be opened after its first turn, so that nothing ran in that.
    idle_ns = found["duration_ns"] - sum(ring["active_ns"] for ring in found["rings"])
    slack_ns = (0.1 + stall.longest_of_machine) * 1e9
    assert -slack_ns < idle_ns < len(found["rings"]) * turn_ns + slack_ns, (idle_ns, slack_ns)
    starved = [event["text"] for event in found["events"] if "no longer" in event["text"]]
    assert all(re.search(r"grew to \d+\.\d+ (ms|s)$", text) for text in starved), starved


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.parametrize("lasts", [in_whole(False), True])
@pytest.mark.alone
def test_a_stall_that_lasts_at_the_start_is_in_the_run(ipctop, tmp_path, lasts, stall):
    path = tmp_path / "start.json"
    hog = start_hog(CPU, 40 if lasts else 1)
    await_hog(hog)
    try:
        assert ipctop.run("-m", "mq", "-c", CPU, "-p", 50, "-D", 1.6, "-q", "--json", path).returncode == 0
    finally:
        if lasts:
            hog.kill()
        times = end_of_hog(hog)     # none of one that was killed
    found = report(path)
    ring = found["rings"][0]
    assert abs(unaccounted(ring)) <= 2
    assert abs(ring["active_ns"] - 1.6e9) < 20e6 + stall.longest_of_machine * 1e9, ring["active_ns"]
    if lasts:
        why = "late" if lacks("proc") else "starved"    # a task's state is in /proc
        assert ring["laps"] == 0 and ring["condition"] == why and ring["missed"] >= 1590
        assert ring["age_ns"] > 1.4e9 and ring["figures"]["response"]["max_ns"] >= 1.59e9
    else:
        # A slow machine opens the ring late, or when the hog has ended. Slots may be missed after the hog's end, too: the
        # machine's own stalls, and 50 ms of each second for plain tasks.
        begun = found["start_monotonic_ns"] + found["duration_ns"] - ring["active_ns"]
        stalled, missed_ns, noise_ns = times[1] - begun, ring["missed"] * 1e6, stall.total_of_machine * 1e9
        assert missed_ns > stalled - 0.4e9 - noise_ns
        assert ring["figures"]["response"]["max_ns"] > 0.9 * min(stalled, missed_ns) - 60e6 - noise_ns


@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.alone
@pytest.mark.needs("whole")
def test_a_phase_that_begins_in_a_stall_shares_it(ipctop, tmp_path, stall):
    path = tmp_path / "phases.json"
    with Run(ipctop, "-m", "mq", "-c", CPU, "-p", 50, "-D", 120, "--tick", 0.1, "-q", "--json", path) as run:
        tid = run.tid("mq:0.0")
        time.sleep(1)
        hog = start_hog(CPU, 1.2)
        await_hog(hog)
        time.sleep(0.6)
        os.sched_setscheduler(tid, os.SCHED_FIFO, os.sched_param(51))
        start, end = end_of_hog(hog)
        time.sleep(1)
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0
    found = report(path)
    ring, phases = found["rings"][0], [phase["rings"][0] for phase in found["phases"]]
    assert len(phases) == 2 and abs(unaccounted(ring)) <= 3
    for name in ("active_ns", "laps", "warmup_laps", "missed", "rested"):
        assert sum(phase[name] for phase in phases) == ring[name], name
    for figure in ("response", "lateness", "lap", "answer"):
        counts = [phase["figures"][figure]["count"] for phase in phases]
        assert sum(counts) == ring["figures"][figure]["count"], figure
    waits, noise_ns = [phase["figures"]["response"]["max_ns"] for phase in phases], stall.total_of_machine * 1e9
    assert min(waits) > 0.2e9 and abs(sum(waits) - (end - start)) < 0.05 * (end - start) + noise_ns, (waits, noise_ns)
    for phase, wait in zip(phases, waits):
        assert abs(unaccounted({**ring, **phase})) <= 3
        assert phase["missed"] >= wait / 1e6 * 0.97, (wait, phase["missed"])    # others may have cost more


# --- rests ---

@pytest.mark.needs("2 cpus")
@pytest.mark.parametrize("interval", [1, in_whole(10)])
@pytest.mark.alone
def test_a_ring_that_cannot_keep_up_rests_and_ends_in_time(ipctop, tmp_path, interval, stall):
    path = tmp_path / "rests.json"
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in cpus()]
    try:
        with Run(ipctop, "-m", "mq", "-i", interval, "-D", 1.5, "-q", "--json", path) as run:
            assert run.wait()[0] == 0
    finally:
        for process in busy:
            process.kill()
            process.wait()
    found = report(path)
    assert found["duration_ns"] < 2e9 + stall.longest_of_machine * 1e9 and found["ended_by"] == "duration"
    for ring in found["rings"]:
        slots = ring["active_ns"] / ring["interval_ns"]
        assert abs(unaccounted(ring)) <= 3, (unaccounted(ring), slots)
        able = slots - stall.total * 1e9 / ring["interval_ns"]      # who gets no CPU, as under a quota, need not rest
        assert 0.02 * able <= ring["rested"] <= 0.2 * slots, (ring["rested"], able, slots)


@pytest.mark.parametrize("options", [("-i", 2000), ("-m", "svsem", "--ring", 1024, "-i", "100ms")],
                         ids=["short laps", "laps longer than a stretch"])
@pytest.mark.timing
def test_a_ring_that_keeps_up_never_rests(ipctop, options):
    found = report(ipctop.run("-D", 1.5, "-q", "--json", "-", *options).stdout)
    for ring in found["rings"]:     # on a loaded machine slots are missed or served late: it does not keep up then
        counts = {name: ring[name] for name in ("laps", "missed", "rested")}
        n_late, n_long = (sum(count for start, width, count in ring["figures"][figure]["histogram"]
                              if start + width > limit_ns)
                          for figure, limit_ns in (("response", ring["interval_ns"]), ("lap", ring["interval_ns"] / 2)))
        allowance = 2 + ring["missed"] + n_late + n_long
        keeps_up = ring["laps"] >= ring["missed"]
        assert not keeps_up or (ring["rested"] <= allowance and ring["laps"] > 5 - ring["missed"]), (counts, n_late, n_long)
