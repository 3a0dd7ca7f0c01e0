# SPDX-License-Identifier: GPL-2.0-or-later
"""Phases: what begins one, and that together they have all samples."""
import json
import os
import re
import signal
import time

import pytest

from conftest import CPU, OWN
from harness import Run, in_words, report, unwrapped
from table import phase_line, ready, table


def phases(path):
    return [(phase["cause"], phase["name"]) for phase in report(path)["phases"]]


@pytest.mark.parametrize("args, wanted", [([], 2), (["--no-auto-phase"], 1)])
def test_chrt_from_outside_begins_exactly_one_phase(ipctop, tmp_path, args, wanted):
    change = f"{in_words('BATCH')} -> {in_words('OTHER')}"
    with table(ipctop, "-c", CPU, "--policy", "batch", "--json", tmp_path / "report.json", *args) as terminal:
        ready(terminal).wait_for(lambda text: phase_line(text).startswith("PHASE 1 'start'"))
        terminal.wait_for(lambda text: not phase_line(text).startswith("PHASE 1 'start' 0s"))
        for name in ("mq:0.0", "mq:0.1"):
            tid = terminal.tid(name)
            os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))
        terminal.wait_for(lambda text: "change" in text and change in text)
        if wanted == 2:     # of both members, in one tick or in two
            terminal.wait_for(lambda text: re.match(f"PHASE 2 '(mq {OWN}|2 of 2 members): BATCH", phase_line(text)))
        terminal.settle(0.05, 0.7)
        terminal.press("q")
        assert terminal.finish() == 0
    found = report(tmp_path / "report.json")
    changes = (f"mq {OWN}: {change}", f"2 of 2 members: {change}")   # in one tick, or in two
    assert phases(tmp_path / "report.json") in (
        [("start", "start"), ("change", name)][:wanted] for name in changes)
    check_phases(found)


@pytest.mark.parametrize("own", [0, 5])
def test_renice_from_outside_begins_a_phase_and_is_told_everywhere(ipctop, tmp_path, own):
    """What ipctop was started with is what was asked; what comes later is a change."""
    path, base = tmp_path / "recording", os.nice(0) + own
    was, sched = (f"OTHER nice {base}", f"OTH{base}") if base else ("OTHER", "OTH")
    with Run(ipctop, "-c", CPU, "-D", 120, "--tick", 0.1, "--refresh", 0.1, "--json", tmp_path / "report.json", "--record", path,
             preexec_fn=lambda: os.nice(own)) as run:
        tid = run.tid("mq:0.1")
        # Two rows with a sample: what the member began with has been read. Long times leave no room for it.
        run.await_output(lambda text: len(re.findall(rf" mq +{OWN} +(?:{sched} +)?[\d.]+ ", text)) > 1)
        os.setpriority(os.PRIO_PROCESS, tid, 19)
        run.await_output(lambda text: " -> OTHER nice 19" in unwrapped(text))
        run.await_laps("mq:0.1", 100)
        run.process.send_signal(signal.SIGINT)
        status, out, _ = run.wait()
    found = report(tmp_path / "report.json")
    ring = found["rings"][0]
    texts = [event["text"] for event in found["events"]]    # on a busy machine such a member starves, too
    assert status == 0 and [text for text in texts if "OTHER" in text and not text.startswith("phase ")] == [
        f"mq {OWN} member 1 (tid {tid}): {was} -> OTHER nice 19"], texts
    assert phases(tmp_path / "report.json") == [("start", "start"), ("change", f"mq {OWN} member 1: {was} -> OTHER nice 19")]
    assert ring["asked"] == {"policy": "other", "priority": 0, "nice": base}
    assert [(member["nice"], member["differs"]) for member in ring["members"]] == [(base, False), (19, True)]
    since = unwrapped(out).rpartition(" -> OTHER nice 19")[2]
    assert f" {sched}/OTH19! " in since or not re.search(" sched ", since), out
    assert found["phases"][1]["rings"][0]["warmup_laps"] > 0
    check_phases(found)
    ticks = [json.loads(line) for line in ipctop.run("export", "jsonl", path).stdout.splitlines()]
    nice = [[member.get("nice") for member in line["members"]] for line in ticks if line["type"] == "ring"]
    assert [base, base] in nice and nice[-1] == [base, 19], nice
    again = report(ipctop.run("--replay", path, "-q", "--json", "-").stdout)
    assert again["rings"][0]["asked"] == ring["asked"] and again["events"] == found["events"]


def check_phases(found):
    """They follow one another, and their samples are all samples."""
    for before, after in zip(found["phases"], found["phases"][1:]):
        assert before["end_ns"] == after["start_ns"] and before["number"] + 1 == after["number"]
    for ring in found["rings"]:
        parts = [phase["rings"][ring["id"]] for phase in found["phases"]]
        for key in ("laps", "warmup_laps", "missed", "rested", "away", "active_ns"):
            assert sum(part[key] for part in parts) == ring[key], key
        for name, figure in ring["figures"].items():
            assert sum(part["figures"][name]["count"] for part in parts) == figure["count"] > 0 or not figure["count"]
            histogram = {}
            for part in parts:
                for lower, _, count in part["figures"][name]["histogram"]:
                    histogram[lower] = histogram.get(lower, 0) + count
            assert histogram == {lower: count for lower, _, count in figure["histogram"]}
            if figure["count"]:
                assert max(part["figures"][name].get("max_ns", 0) for part in parts) == figure["max_ns"]


def test_r_and_m_begin_phases_and_q_is_a_letter_in_a_name(ipctop, tmp_path):
    with table(ipctop, "-c", CPU, "--json", tmp_path / "report.json") as terminal:
        ready(terminal).press("r")
        terminal.wait_for(lambda text: re.match(r"PHASE 2 \d+s", phase_line(text)))
        terminal.press("m")
        terminal.wait_for(lambda text: "name of the new phase" in text)
        for key in "quiet irqs":        # each for itself, as a hand types
            terminal.press(key)
            time.sleep(0.02)
        terminal.wait_for(lambda text: "quiet irqs_" in text)
        for columns, lines in ((40, 10), (20, 5), (120, 40), (80, 24)):
            terminal.resize(columns, lines)
            terminal.wait_for(lambda text, wide=columns >= 40: ("quiet irqs_" in text) == wide)
        terminal.press("\r")
        terminal.wait_for(lambda text: phase_line(text).startswith("PHASE 3 'quiet irqs'"))
        terminal.wait_for(lambda text: "phase 3 'quiet irqs'" in text and "mark" in text)
        terminal.press("m")
        for key in "quit":              # before the dialog can have been seen
            terminal.press(key)
        terminal.wait_for(lambda text: "quit_" in text)
        terminal.press("Esc")
        terminal.wait_for(lambda text: "name of the new phase" not in text)
        terminal.wait_for(lambda text: f"worst response {OWN}" in phase_line(text))
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
    assert phases(tmp_path / "report.json") == [("start", "start"), ("key", ""), ("mark", "quiet irqs")]
    check_phases(report(tmp_path / "report.json"))
