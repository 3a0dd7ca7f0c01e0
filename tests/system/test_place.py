# SPDX-License-Identifier: GPL-2.0-or-later
"""Members that somebody moves, and members whose CPU is taken from them: what counts, and what is said."""
import os
import re
import signal
import subprocess
import time

import pytest

from cgroups import Inside, cpuset, span
from conftest import cpus, environment
from harness import Run, first_ring, report, until

MS = 1_000_000
# The kernel tells a member on which CPU it runs (rseq), or it does not: then its affinity tells it, each tick.
RSEQ = pytest.mark.parametrize("rseq", [pytest.param(True, id="rseq"), pytest.param(False, id="affinity",
                                                                                   marks=pytest.mark.needs("whole"))])


def env(rseq):
    return {} if rseq else {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}


def check_slots(ring, slack=0.02):
    """Each slot is a lap, or was missed; 100 ms: what is due at the end."""
    slots = ring["laps"] + ring["warmup_laps"] + ring["missed"] + ring["rested"] + ring["away"]
    wanted = ring["active_ns"] / ring["interval_ns"]
    assert abs(slots - wanted) <= slack * wanted + 100, (slots, wanted)


def check_phases(found):
    for ring in found["rings"]:
        for key in ("laps", "warmup_laps", "missed", "rested", "away", "active_ns"):
            assert sum(phase["rings"][ring["id"]][key] for phase in found["phases"]) == ring[key], key


@RSEQ
@pytest.mark.needs("2 cpus")
@pytest.mark.timing
def test_taskset_gives_a_row_its_new_place_in_a_new_phase(ipctop, tmp_path, rseq):
    recording, (a, b) = tmp_path / "recording", cpus()[:2]
    with Run(ipctop, "-c", f"{a},{b}", "--pairs", f"{a}:{b}", "-i", 1000, "-D", 120, "--tick", 0.25, "--refresh", 0.5, "--plain",
             "--json", tmp_path / "live.json", "--record", recording, env=env(rseq)) as run:
        tid, moves_ns = run.tid("mq:0.1"), []
        run.await_laps("mq:0.1", 500)
        moves_ns.append(time.monotonic_ns())
        os.sched_setaffinity(tid, {a})
        run.await_output(lambda text: f" {a}>{a} " in text)
        run.await_laps("mq:0.1", 500)
        time.sleep(1.2)     # a change within a second of the one before begins no phase
        assert os.sched_getaffinity(tid) == {a}
        moves_ns.append(time.monotonic_ns())
        os.sched_setaffinity(tid, {a, b})
        run.await_output(lambda text: f" {a}>* " in text)
        run.await_laps("mq:0.1", 500)
        assert os.sched_getaffinity(tid) == {a, b}
        run.process.send_signal(signal.SIGINT)
        status, out, err = run.wait()
    assert status == 0, err
    rows = re.findall(r"^[\d:]+ +mq +(\S+) ", out, re.M)
    assert rows[0] == f"{a}>{b}" and rows[-1] == f"{a}>*" and f"{a}>{a}" in rows, rows
    found = report(tmp_path / "live.json")
    ring, (before, moved, free) = found["rings"][0], found["phases"]
    assert (ring["label"], ring["class"], ring["cpus"]) == (f"{a}>*", "-", [a, b])
    assert (moved["name"], free["name"]) == (
        f"mq {a}>{b} member 1: CPU {b} -> CPU {a}", f"mq {a}>{a} member 1: CPU {a} -> any of 2 CPUs")
    assert "cpu" not in ring["members"][1] and ring["members"][1]["n_cpus"] == 2 and ring["members"][1]["differs"]
    counts = [phase["rings"][0] for phase in (before, moved, free)]
    assert all(count["laps"] > 100 - count["missed"] for count in counts), counts
    # From a move on to the tick that finds it, and no longer: that is the old phase's.
    found_ms = [(found["start_monotonic_ns"] + phase["start_ns"] - at) / MS for at, phase in zip(moves_ns, (moved, free))]
    assert all(count["away"] <= ms + 50 for count, ms in zip(counts, found_ms)) and counts[2]["away"] <= 50, (counts, found_ms)
    assert "reason" not in ring and ring["condition"] not in ("offline", "excluded")
    check_slots(ring)
    check_phases(found)
    again = subprocess.run([ipctop.path, "--replay", recording, "-q", "--json", "-"], capture_output=True, text=True,
                           check=True, env=environment({})).stdout
    again = report(again)
    assert again["rings"] == found["rings"] and again["phases"] == found["phases"]
    lines = subprocess.run([ipctop.path, "export", "jsonl", recording], capture_output=True, text=True,
                           check=True, env=environment({})).stdout
    assert re.findall(r'"label":"(.*?)".*"away":\d+', lines) == sorted(
        re.findall(r'"label":"(.*?)".*"away":\d+', lines), key=[f"{a}>{b}", f"{a}>{a}", f"{a}>*"].index)
    assert f'"label":"{a}>{a}"' in lines


@pytest.mark.needs("2 cpus")
@pytest.mark.parametrize("rseq", [True, False], ids=["rseq", "affinity"])
@pytest.mark.timing
def test_laps_of_another_cpu_are_away_until_the_tick_that_finds_the_move(ipctop, tmp_path, rseq):
    control, (a, b) = tmp_path / "control", cpus()[:2]
    with Run(ipctop, "-c", b, "-m", "pipe", "-i", 1000, "-D", 120, "--tick", 3, "-q", "--json", "-", "--control", control,
             env=env(rseq)) as run:     # the first tick ends early
        assert until(lambda: (first_ring(ipctop, control) or {"laps": 0})["laps"])
        tid, moved_ns = run.tid("pipe:0.0"), time.monotonic_ns()
        os.sched_setaffinity(tid, {a})
        assert until(lambda: (first_ring(ipctop, control) or {}).get("name") == f"pipe:{a}>{b}")
        run.process.send_signal(signal.SIGINT)
        found = report(run.wait()[1])
    ring = found["rings"][0]
    assert ring["label"] == f"{a}>{b}" and found["phases"][1]["name"] == f"pipe {b}>{b} member 0: CPU {b} -> CPU {a}"
    before = found["phases"][0]["rings"][0]
    found_ms = (found["start_monotonic_ns"] + found["phases"][1]["start_ns"] - moved_ns) / MS
    if rseq:    # where others have the CPUs, slots are missed meanwhile
        assert 0.8 * found_ms - 100 <= before["away"] + before["missed"] and before["away"] <= found_ms + 50, (before, found_ms)
        assert before["away"] >= 0.1 * (found_ms - before["missed"]) - 50, (before, found_ms)
    else:
        assert ring["away"] == 0, before
    check_slots(ring)
    check_phases(found)


# --- a cpuset, native: nothing but ours is changed ---

@pytest.mark.needs("root", "2 cpus", "file /sys/fs/cgroup")
@RSEQ
@pytest.mark.timing
def test_a_cpu_that_leaves_the_cpuset_makes_laps_away_until_it_is_back(ipctop, tmp_path, rseq):
    a, b = cpus()[:2]
    with cpuset(a, b) as (allowed, procs):
        with Run(ipctop, "-c", f"{a},{b}", "-i", 1000, "-D", 120, "--tick", 0.25, "--refresh", 0.25, "--plain",
                 "--json", tmp_path / "report.json", env=env(rseq), room=Inside(procs)) as run:
            tids = [run.tid(f"mq:{ring}.{member}") for ring in (0, 1) for member in (0, 1)]
            run.await_laps("mq:1.1", 500)
            allowed.write_text(str(a), encoding="ascii")
            gone = time.monotonic_ns()
            run.await_output(lambda text: re.search(rf"{b}>{b} .*\bexcluded$", text, re.M) and
                             f"cpuset: {span(a, b)} -> {a}" in text)
            time.sleep(2)
            assert [os.sched_getaffinity(tid) for tid in tids] == [{a}] * 4
            back = time.monotonic_ns()
            allowed.write_text(f"{a},{b}", encoding="ascii")
            assert until(lambda: [os.sched_getaffinity(tid) for tid in tids] == [{a}] * 2 + [{b}] * 2)
            returned = time.monotonic_ns()
            run.await_laps("mq:1.1", 500)
            run.process.send_signal(signal.SIGINT)
            status, out, err = run.wait()
    assert status == 0, err
    assert re.search(rf"^[\d:]+ +mq +{b}>{b} .*\bexcluded$", out, re.M), out
    found = report(tmp_path / "report.json")
    stays, left = found["rings"]
    texts = [event["text"] for event in found["events"]]
    over, = [event["at_ns"] for event in found["events"] if re.match(rf"mq .*{b}>{b} (is|are) no longer excluded", event["text"])]
    away_ms, most_ms = (back - gone) / MS, (found["start_monotonic_ns"] + over - gone) / MS
    assert stays["label"] == f"{a}>{a}" and left["label"] == f"{b}>{b}" and left["class"] == "own"
    assert left["condition"] not in ("offline", "excluded") and "reason" not in left and not left["members"][0]["differs"]
    # Until the tick before and after, where rings find out by affinity.
    missed = left["missed"]
    assert away_ms * 0.8 - 350 - missed <= left["away"] <= most_ms + 350, (away_ms, most_ms, left["away"], missed)
    assert stays["away"] <= 600 + (returned - back) / MS
    assert any(re.match(rf"mq .*{b}>{b} (is|are) excluded: a cpuset took", text) for text in texts), texts
    changes = [text for text in texts if "->" in text and not text.startswith("real-time tasks of others")]
    expected = [f"cpuset: {span(a, b)} -> {a}", f"cpuset: {a} -> {span(a, b)}"]     # the last may come after the end
    assert changes in (expected[:1], expected), texts
    assert [phase["name"] for phase in found["phases"][1:]] == changes, texts
    for ring in found["rings"]:
        check_slots(ring)
    check_phases(found)
