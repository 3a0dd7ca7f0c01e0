# SPDX-License-Identifier: GPL-2.0-or-later
"""A hunt opens one load after the other, and tells which of them hurts which pair most."""
import re
import time

import pytest

from conftest import CPU, may_run_realtime, usable_cpus
from harness import Run, report, until, unwrapped
from terminal import Terminal
from test_control import await_status, ctl, socket_path     # pylint: disable=unused-import
from test_load import JOINT, KINDS, cpu_ticks, workers

QUIET = ["-q", "--no-config", "-m", "pipe", "-t", 1, "-c", CPU, "-i", "1ms"]


def steps_of(found):
    """The loads of the phases, and how many steps were to be."""
    note, = [event["text"] for event in found["events"] if event["text"].startswith("hunt: ")]
    changes = [event["text"] for event in found["events"] if event["text"].startswith("load: ")]
    return [change.split(" -> ")[1] for change in changes], int(note.split()[1])


def without_intervals(found):
    return [ring | {"effects": [{key: value for key, value in effect.items() if key not in ("p99_factor_low", "p99_factor_high")}
                                for effect in ring["effects"]]} for ring in found["load_effects"]]


@pytest.mark.needs("whole")
def test_each_kind_is_tried_and_the_worst_one_is_first(ipctop, path, tmp_path):
    summary, recording, again = tmp_path / "run.json", tmp_path / "run.rec", tmp_path / "again.json"
    refused = ipctop.run(*QUIET, "--hunt", "-D", 1)     # which tells how many steps there are here
    seconds = 2 * int(re.search(r"a hunt has (\d+) steps here", refused.stderr)[1])
    with Run(ipctop, *QUIET, "--hunt", "-D", seconds, "--json", summary, "--record", recording, "--control", path) as run:
        await_status(path)
        said = ctl(ipctop, path, "load", "fork")
        assert said.returncode == 1 and "--hunt opens and ends the loads" in said.stderr
        for words in (("policy", "batch", "all"), ("priority", "5", "all"), ("cpus", "0", "all"), ("dma-latency", "9"), ("pause", "0"),
                      ("remove", "0"), ("recorder", "off"), ("hold", "0")):
            said = ctl(ipctop, path, *words)
            assert said.returncode == 1 and "--hunt compares phases that differ only in their loads" in said.stderr, said
        for words in (("add", "futex", f"{CPU}>{CPU}"), ("interval", "3ms", "0"), ("size", "4k", "0")):
            said = ctl(ipctop, path, *words)
            assert said.returncode == 1 and "no ring can be added until it has ended" in said.stderr, said
        assert ctl(ipctop, path, "mark", "mine").returncode == 0, "phases with the same load count together"
        assert run.wait(300)[0] == 0
        assert run.left() == {}
    found = report(summary)
    assert "mine" in [phase["name"] for phase in found["phases"]]
    loads, n_steps = steps_of(found)
    assert found["ended_by"] == "duration" and n_steps % len(KINDS) == 2
    tried = {kind for kind in KINDS if (kind != "fifo" or may_run_realtime()) and (kind not in JOINT or usable_cpus() > 1)}
    assert {load.split(":")[0] for load in loads} == tried | {"none"} and loads[-1] == "none"
    ring, = found["load_effects"]
    factors = [effect["p99_factor"] for effect in ring["effects"]]
    assert factors == sorted(factors, reverse=True) and ring["without"]["loads"] == "none"
    assert {effect["loads"] for effect in ring["effects"]} <= set(loads) and len(factors) > len(tried) / 2
    assert all(effect["count"] > 0 and effect["p50_ns"] <= effect["p99_ns"] <= effect["max_ns"]
               for effect in (ring["without"], *ring["effects"]))
    assert sum(effect["count"] for effect in (ring["without"], *ring["effects"])) == \
        found["rings"][0]["figures"]["response"]["count"]
    assert found["options"]["hunt"] and found["options"]["tick_ns"] == 100_000_000
    with Terminal(ipctop, "--replay", recording, "--speed", 0, "--control", path, "--json", again) as terminal:
        terminal.wait_for(lambda text: "END" in text)
        for by in ("-1", "1", "-100", "100"):   # the second begins at a late checkpoint, which has earlier phases
            assert ctl(ipctop, path, "seek", by).returncode == 0
        ctl(ipctop, path, "quit")
        assert terminal.finish() == 0
    assert without_intervals(report(again)) == without_intervals(found)     # checkpoints have no blocks
    text = unwrapped(ipctop.run("--replay", recording, "--plain", "--speed", 0).stdout)
    worst = re.escape(ring["effects"][0]["loads"])      # other work may make it one on another CPU
    assert "beside that without load" in text and re.search(rf"under {worst} \([^)]+\): p99 ", text), text


@pytest.mark.needs("realtime")
def test_a_load_that_takes_the_cpu_shows(ipctop, path, tmp_path):
    """Also without a hunt: where a client opens and ends the load. However short it is, it has a phase of its own."""
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "--json", summary, "--control", path) as run:
        await_status(path)
        for words, kind, ticks in ((f"spinner:{CPU}:10", "spinner", 5), ("off", "", 0), (f"fifo:{CPU}", "fifo", 40), ("off", "", 0)):
            time.sleep(0.7)
            assert ctl(ipctop, path, "load", words).returncode == 0
            if kind:    # on a busy machine it begins late
                worker, = until(lambda kind=kind: workers(run, kind))
                assert until(lambda worker=worker, ticks=ticks: cpu_ticks(worker) >= ticks)
        time.sleep(0.7)
        assert ctl(ipctop, path, "quit").returncode == 0
        assert run.wait()[0] == 0
    found = report(summary)
    ring, = found["load_effects"]
    assert len([phase for phase in found["phases"] if phase["name"].startswith("load: ")]) == 4
    fifo, = [effect for effect in ring["effects"] if effect["loads"].startswith("fifo:")]
    assert fifo["class"] == "own" and fifo["p99_ns"] > 6_000_000, "it computes for 12 ms at a time"
    assert fifo["missed"] / fifo["slots"] > 0.35, ring


@pytest.mark.screen
def test_keys_change_nothing_in_a_hunt(ipctop):
    with Terminal(ipctop, *[word for word in QUIET if word != "-q"], "--hunt", "--refresh", 0.2) as terminal:
        terminal.wait_for(lambda text: re.search(r"\d+>\d+(?:#\d+)? .*\d\.\d\d", text))
        terminal.wait_for(lambda text: re.search(r"hunt (no load|load \d+/\d+), \w+ left", text))
        for key in ("l", "n", "C", "a", "L", "i", "S", "F7", "F8", "E"):
            terminal.press(key)
            terminal.wait_for(lambda text: "--hunt compares phases that differ only in their loads" in text)
            terminal.press("w")
            terminal.wait_for(lambda text: "--hunt compares" not in text)
        terminal.press("q")
        terminal.finish()


@pytest.mark.parametrize("args, sentence", [
    (["--load", "fork"], "--load: --hunt opens one load after the other, and compares their phases; leave one of them out"),
    (["-l", "9"], "--loops: --hunt opens one load after the other"),
    (["--no-auto-phase"], "--no-auto-phase: --hunt opens one load after the other"),
    (["--sweep"], "--hunt: --sweep runs no rings; leave one of them out"),
    (["--batch", "9", "-i", "0"], "--batch: --hunt compares percentiles of single laps"),
    (["-D", "5"], "-D 5 s: a hunt has "),
    (["-m", "mq,pipe,sem", "--turns", "3", "-D", "60"], "steps here, of at least 9 s each; leave -D out for 9 s each"),
])
def test_what_makes_no_sense_is_refused(ipctop, args, sentence):
    result = ipctop.run("-q", "--no-config", "--hunt", *args)
    assert (result.returncode, result.stdout) == (1, "") and sentence in result.stderr, result
    assert result.stderr.count("\n") == 1
