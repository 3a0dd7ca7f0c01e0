# SPDX-License-Identifier: GPL-2.0-or-later
"""Actions on rings while they run: by keys on a real terminal, by the control socket, and what is refused."""
import contextlib
import itertools
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess

import pytest

from conftest import CPU, OWN, as_nobody, cpus
from harness import PATIENCE, Run, in_words, report, until
from table import first_line, phase_line, rows
from terminal import Terminal
from test_control import Client, await_status, ctl, rings_of, socket_path    # pylint: disable=unused-import

pytestmark = pytest.mark.screen

NO_REALTIME = "no right to the real-time policy: raise RLIMIT_RTPRIO (ulimit -r) or run with CAP_SYS_NICE"
ARGS = ["-m", "pipe,mq", "-t", 1, "-i", "2ms", "--tick", 0.1, "--refresh", 0.2]


def start(ipctop, *more, columns=120, lines=40, room=None):
    terminal = Terminal(ipctop, *ARGS, *more, columns=columns, lines=lines, room=room)
    terminal.wait_for(lambda text: len(re.findall(r"^[> ].*\d>\d+ .*\d\.\d\d.*$", text, re.M)) == 2)
    terminal.settle(0.05, 0.3)
    return terminal


def press(terminal, key, true):
    terminal.press(key)
    terminal.wait_for(true)


def enter(terminal, true):
    """Until the dialog has closed, too."""
    press(terminal, "Enter", lambda text: true(text) and "Enter Done  Esc Close" not in text)


def type_line(terminal, line):
    for letter in line:
        terminal.press("Space" if letter == " " else letter)


def correct(terminal, wrong, right):
    for _ in wrong:
        terminal.press("Backspace")
    type_line(terminal, right)
    terminal.wait_for(lambda text: f" {right}_" in text)


def states(text):
    """{mechanism: the row's line}"""
    return {row[2]: row[0] for row in re.findall(r"^([> ][ *] *(\d+>\d+)\S* (\w+).*)$", text, re.M)}


def phases_of_rings(found):
    """Names of the phases that a change of a ring began. Others may change the machine meanwhile."""
    return [phase["name"] for phase in found["phases"] if re.search(r"\d+>\d+|\brings?\b", phase["name"])]


def test_a_ring_is_added_from_a_line_with_its_meaning_and_removed_after_a_question(ipctop, tmp_path):
    cpu, summary = cpus()[0], tmp_path / "run.json"
    with start(ipctop, "--json", summary) as terminal:
        press(terminal, "n", lambda text: "add rings, such as mq 0>3" in text)
        type_line(terminal, "fut")
        terminal.wait_for(lambda text: "-m fut: no such mechanism" in text)
        press(terminal, "Enter", lambda text: "this adds nothing yet" in text)
        press(terminal, "Tab", lambda text: "futex _" in text or "futex_" in text)
        type_line(terminal, f" {cpu}>{cpu} -i 3ms")
        terminal.wait_for(lambda text: re.search(
            rf"futex {cpu}>{cpu}, class own, ipctop's policy, every 3000 us\. Shares CPU {cpu} with", text))
        meaning = "turns 2 -> 3. Each ring then measures 1/3 of the time, not half. This begins no phase."
        terminal.wait_for(says(meaning))
        press(terminal, "Enter", lambda text: "futex" in states(text) and "add rings" not in text)
        terminal.wait_for(lambda text: "turn" in first_line(text) and "/3" in first_line(text))
        terminal.wait_for(lambda text: re.search(r"\d\.\d\d", states(text)["futex"]))
        # The row of the ring, by its filter.
        press(terminal, "/", lambda text: "show rings with" in text)
        type_line(terminal, "futex")
        press(terminal, "Enter", lambda text: list(states(text)) == ["futex"])
        press(terminal, "x", lambda text: "remove?" in text and f"futex {cpu}>{cpu} (ring 2)" in text)
        press(terminal, "Esc", lambda text: "remove?" not in text)
        press(terminal, "x", lambda text: "remove?" in text)
        for key in ("j", "Up"):     # has no effect on the table behind the question
            press(terminal, key, lambda text: "unknown" in text and "remove?" in text)
        press(terminal, "Enter", lambda text: "gone" in states(text).get("futex", ""))
        terminal.wait_for(lambda text: re.search(r"turn \d/2 ", first_line(text)) and "  2 pairs  " in text)
        press(terminal, "n", lambda text: "add rings" in text)
        type_line(terminal, f"futex {cpu}>{cpu}")
        terminal.wait_for(says(meaning))
        press(terminal, "Esc", lambda text: "add rings" not in text)
        for key in ("x", "P", "i", "C"):
            press(terminal, key, lambda text: "this ring was removed: its figures stay" in text)
            press(terminal, "w", lambda text: "this ring was removed" not in text)
        terminal.press("q")
        assert terminal.finish() == 0
    found = report(summary)
    texts = [event["text"] for event in found["events"]]
    assert f"ring 2, futex {cpu}>{cpu}, was added" in texts and f"ring 2, futex {cpu}>{cpu}, is removed" in texts
    assert not phases_of_rings(found), "adding and removing begin none"
    assert found["rings"][2]["laps"] > 0


@pytest.mark.parametrize("key, removed, stays", (("G", "mq", "pipe"), ("g", "pipe", "mq")))
def test_the_selection_goes_on_from_a_ring_that_is_removed(ipctop, key, removed, stays):
    with start(ipctop) as terminal:
        press(terminal, key, lambda text: states(text)[removed][0] == ">")
        press(terminal, "x", lambda text: "remove?" in text)
        press(terminal, "y", lambda text: "gone" in states(text)[removed] and states(text)[stays][0] == ">")
        press(terminal, "P", lambda text: "paused" in states(text)[stays])
        terminal.press("q")
        assert terminal.finish() == 0


def test_marked_rings_are_paused_and_go_on(ipctop):
    with start(ipctop) as terminal:
        press(terminal, "P", lambda text: sum("paused" in line for line in states(text).values()) == 1)
        press(terminal, "P", lambda text: "paused" not in "".join(states(text).values()))
        press(terminal, "g", rows)
        press(terminal, "v", lambda text: "*" in states(text)["pipe"][:2] and states(text)["mq"][0] == ">")
        press(terminal, "v", lambda text: all("*" in line[:2] for line in states(text).values()))
        press(terminal, "v", lambda text: "*" not in states(text)["mq"][:2])
        press(terminal, "v", lambda text: "*" in states(text)["mq"][:2])
        press(terminal, "P", lambda text: all("paused" in line for line in states(text).values()))
        press(terminal, "P", lambda text: "paused" not in "".join(states(text).values()))
        press(terminal, "V", lambda text: not any("*" in line[:2] for line in states(text).values()))
        press(terminal, "P", lambda text: sum("paused" in line for line in states(text).values()) == 1)
        terminal.press("q")
        assert terminal.finish() == 0


LINE = r"^> *[^ \d]+ (mq|pipe)\b"     # of a mechanism, selected


@pytest.mark.needs("2 cpus")
def test_keys_on_the_line_of_a_mechanism_act_on_its_rings(ipctop):
    def paused(text):
        """{mechanism: how many of its rings are}"""
        rings = re.findall(r"^[> ][ *] *\d+>\d+(?:#\d+)? (\w+)(.*)$", text, re.M)
        return {name: sum("paused" in rest for other, rest in rings if other == name) for name, _ in rings}

    first, second = cpus()[:2]
    with Terminal(ipctop, "-m", "pipe,mq", "--pairs", f"{first}:{first},{second}:{second}", "-i", "2ms", "--tick", 0.1,
                  "--refresh", 0.2, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: paused(text) == {"mq": 0, "pipe": 0} and " pipe (2 pairs)" in text)
        press(terminal, "G", lambda text: re.search(rf"^> +{second}>{second} (mq|pipe) ", text, re.M))
        terminal.press("k")
        press(terminal, "k", lambda text: re.search(LINE, text, re.M))
        name = re.search(LINE, terminal.text(), re.M)[1]
        other = {"mq": "pipe", "pipe": "mq"}[name]
        press(terminal, "P", lambda text: paused(text) == {name: 2, other: 0})
        press(terminal, "U", lambda text: paused(text) == {name: 0, other: 0})
        press(terminal, "x", lambda text: "remove?" in text and "2 rings: " in text)
        press(terminal, "Esc", lambda text: "remove?" not in text)
        press(terminal, "f", lambda text: paused(text) == {other: 0})
        press(terminal, "P", lambda text: "no ring of the mechanism is shown: unfold it (f)" in text)
        terminal.press("q")
        assert terminal.finish() == 0


ACTING = ("n", "x", "P", "F7", "F8", "C", "a", "i", "S", "L", "l", "e", "U")


def test_frozen_and_read_only_screens_and_replays_refuse_to_act(ipctop, tmp_path):
    recording = tmp_path / "run.rec"
    with start(ipctop, "--record", recording) as terminal:
        press(terminal, "Space", lambda text: "FROZEN" in first_line(text))
        for key in ACTING:
            press(terminal, key, lambda text: "frozen: press Space first; actions apply to the present" in text)
            press(terminal, "k", lambda text: "frozen: press" not in text)
        press(terminal, "Space", lambda text: "LIVE" in first_line(text))
        terminal.press("q")
        assert terminal.finish() == 0
    with start(ipctop, "--read-only") as terminal:
        for key in ACTING:
            press(terminal, key, lambda text: "--read-only is set: keys change nothing" in text)
            press(terminal, "k", lambda text: "--read-only is set" not in text)
        terminal.press("q")
        assert terminal.finish() == 0
    with Terminal(ipctop, "--replay", recording, "--speed", 0, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: "END" in first_line(text))
        for key in ACTING:
            sentence = "a replay is saved already" if key == "e" else "a replay shows what was measured: this key acts only on a run"
            press(terminal, key, lambda text, sentence=sentence: sentence in text)
            press(terminal, "k", lambda text: "a replay " not in text)
        terminal.press("q")
        assert terminal.finish() == 0


def refused(terminal, key, sentence):
    press(terminal, key, lambda text: sentence in " ".join(text.split()))
    press(terminal, "u", lambda text: sentence not in " ".join(text.split()))


def show_only(terminal, words):
    press(terminal, "/", lambda text: "show rings with" in text)
    terminal.press("\x15")    # Ctrl-U
    type_line(terminal, words)
    press(terminal, "Enter", lambda text: "show rings with" not in text)


def test_a_key_says_what_there_is_not(ipctop, path, tmp_path):
    recording = tmp_path / "run.rec"
    with start(ipctop, "-c", CPU, "--record", recording, "--control", path) as terminal:
        press(terminal, "K", lambda text: " K Back " in text)
        refused(terminal, "P", "this view selects no ring: Esc goes back to the overview")
        press(terminal, "Esc", lambda text: " K Back " not in text)
        press(terminal, "M", lambda text: "no sweep: --sweep measures each CPU with each other one" in text)
        press(terminal, "Esc", states)
        show_only(terminal, "!pipe !mq")
        terminal.wait_for(lambda text: not states(text))
        refused(terminal, "P", "no ring is selected")
        show_only(terminal, "")
        terminal.wait_for(lambda text: len(states(text)) == 2)
        press(terminal, "Space", lambda text: "FROZEN" in first_line(text))
        refused(terminal, "r", "frozen: press Space first; phases begin in the present")
        press(terminal, "Space", lambda text: "LIVE" in first_line(text))
        os.kill(rings_of(ipctop, path)[0]["members"][0]["pid"], signal.SIGKILL)
        terminal.wait_for(lambda text: "failed" in states(text)["pipe"])
        show_only(terminal, "pipe")
        terminal.wait_for(lambda text: list(states(text)) == ["pipe"])
        refused(terminal, "P", "this ring has failed or is done: it has no members that run (x removes it)")
        terminal.press("q")
        terminal.finish()
    with Terminal(ipctop, "--replay", recording, "--speed", 0, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: "END" in first_line(text))
        refused(terminal, "s", "a replay has no turns to hold")
        refused(terminal, "E", "a replay records nothing")
        terminal.press("q")
        assert terminal.finish() == 0


QUIET = ["-q", "-m", "pipe,mq", "-t", 1, "-i", "2ms", "--tick", 0.1]


def scheduling(run):
    """{member: (policy, priority, CPUs)}"""
    found = {}
    for name, (_, tid) in run.members().items():
        found[name] = (os.sched_getscheduler(tid), os.sched_getparam(tid).sched_priority, os.sched_getaffinity(tid))
    return found


def events(path):
    return [(event["kind"], event["text"]) for event in report(path)["events"]]


def obey(ipctop, path, *words):
    result = ctl(ipctop, path, *words)
    assert result.returncode == 0 and json.loads(result.stdout)["ok"], result
    return json.loads(result.stdout)


def await_open(ipctop, path):
    """Members that start set their own scheduling."""
    assert until(lambda: all(ring["laps"] > 0 for ring in rings_of(ipctop, path).values()))


def refusal(ipctop, path, *words):
    result = ctl(ipctop, path, *words)
    assert result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1, result
    return result.stderr.removeprefix("ipctop: ctl: ").rstrip()


def input_priority(run):
    """The highest of the front's own threads."""
    return max(os.sched_getparam(int(tid)).sched_priority for tid in os.listdir(f"/proc/{run.pid}/task"))


@pytest.mark.needs("realtime")
def test_policy_and_priority_change_as_chrt_changes_them(ipctop, path, tmp_path):
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "--control", path, "--json", summary) as run:
        await_status(path)
        await_open(ipctop, path)
        assert "runs as other, which has none" in refusal(ipctop, path, "priority", "+1", "all")
        obey(ipctop, path, "policy", "fifo:50", "mq")
        after = scheduling(run)
        assert {name: value[:2] for name, value in after.items()} == {
            "mq:1.0": (os.SCHED_FIFO, 50), "mq:1.1": (os.SCHED_FIFO, 50),
            "pipe:0.0": (os.SCHED_OTHER, 0), "pipe:0.1": (os.SCHED_OTHER, 0)}, after
        assert input_priority(run) == 51
        obey(ipctop, path, "priority", "98", "1")
        assert input_priority(run) == 99
        for words, sentence in (
                (["priority", "+1", "1"], "priority: ring 1 would have 99: it is 1 to 98"),
                (["priority", "99", "1"], "priority 99: must be 1 to 98"),
                (["priority", "x", "1"], "priority x: must be"), (["policy", "fifo", "1"], "policy fifo: must be"),
                (["policy", "fifo:99", "1"], "policy fifo:99: must be"), (["policy", "other:1", "1"], "policy other:1: must be"),
                (["policy", "rr:5"], "policy: the words are: policy POLICY RING..."),
                (["priority", "5", "7"], "priority: 7: there is no such ring; the command rings prints their names"),
                (["priority", "1", "50"], "priority: 50: there is no such ring; the command rings prints their names; "
                                          "the words are: priority PRIO RING...")):
            assert refusal(ipctop, path, *words).startswith(sentence), words
        assert scheduling(run)["mq:1.0"][:2] == (os.SCHED_FIFO, 98), "refusals change nothing"
        obey(ipctop, path, "undo")
        assert scheduling(run)["mq:1.0"][:2] == (os.SCHED_FIFO, 50)
        assert refusal(ipctop, path, "undo") == "undo: there is nothing to undo: only the last action is kept"
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0
    found = [text for kind, text in events(summary) if kind == "change"]
    cpu = cpus()[0]
    for text in (f"{in_words('OTHER')} -> FIFO:50", "FIFO:50 -> FIFO:98", "FIFO:98 -> FIFO:50"):
        assert any(event.startswith(f"mq {cpu}>{cpu}") and event.endswith(text) for event in found), (text, found)
    assert report(summary)["phases"][1]["name"].startswith(f"mq {cpu}>{cpu}: {in_words('OTHER')} -> FIFO:50"), "a phase, as a chrt begins one"


@pytest.mark.needs("realtime")
def test_undo_leaves_what_somebody_else_has_set(ipctop, path, tmp_path):
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "--control", path, "--json", summary) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "policy", "RR:7", "all")
        tid = run.members()["mq:1.0"][1]
        os.sched_setscheduler(tid, os.SCHED_RR, os.sched_param(9))
        obey(ipctop, path, "undo")
        after = scheduling(run)
        assert after["mq:1.0"][:2] == (os.SCHED_RR, 9) and after["mq:1.1"][:2] == (os.SCHED_OTHER, 0), after
        obey(ipctop, path, "policy", "batch", "0")
        for name in ("pipe:0.0", "pipe:0.1"):
            os.sched_setscheduler(run.members()[name][1], os.SCHED_IDLE, os.sched_param(0))
        assert "have other values now than those that ipctop set" in refusal(ipctop, path, "undo")
        assert scheduling(run)["pipe:0.0"][0] == os.SCHED_IDLE
        obey(ipctop, path, "policy", "batch", "all")
        obey(ipctop, path, "undo")
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0
    assert [text for kind, text in events(summary) if text.startswith("undo: ")] == [
        "undo: 3 of 4 members put back, 1 changed by somebody else since"]


def test_a_ring_that_was_opened_anew_is_no_longer_named(ipctop, path):
    """The session learns with a tick that the old one has gone."""
    with Run(ipctop, *QUIET, "--tick", 5, "--control", path) as run:
        await_status(path)
        assert until(lambda: run.members())
        for words in (("interval", "5ms", "all"), ("size", "64", "pipe"), ("interval", "7ms", "all")):
            obey(ipctop, path, *words)
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0


@pytest.mark.needs("2 cpus")
def test_members_move_to_other_cpus_and_back(ipctop, path, tmp_path):
    first, second = cpus()[:2]
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "-c", first, "--control", path, "--json", summary) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "cpus", f"{first}:{second}", "mq")
        assert [scheduling(run)[name][2] for name in ("mq:1.0", "mq:1.1", "pipe:0.0")] == [{first}, {second}, {first}]
        assert until(lambda: rings_of(ipctop, path)[1]["name"] == f"mq:{first}>{second}")
        obey(ipctop, path, "cpus", str(second), "0", "1")
        assert all(value[2] == {second} for value in scheduling(run).values())
        for words, sentence in (
                (["cpus", "9999", "0"], "cpus 9999: must be a list"), (["cpus", "8191", "0"], "cpus 8191: CPU 8191 is not allowed"),
                (["cpus", f"{first}>{second}>{first}", "0"], f"cpus {first}>{second}>{first}: must be a list"),
                (["cpus", "x", "0"], "cpus x: must be a list"), (["cpus", "1>", "0"], "cpus 1>: must be a list")):
            assert refusal(ipctop, path, *words).startswith(sentence), words
        obey(ipctop, path, "undo")
        assert [scheduling(run)[name][2] for name in ("mq:1.0", "mq:1.1", "pipe:0.0")] == [{first}, {second}, {first}]
        obey(ipctop, path, "cpus", f"{first},{second}", "0")
        assert scheduling(run)["pipe:0.1"][2] == {first, second}
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0
    assert any(kind == "change" and text.endswith(f"CPU {first} -> CPU {second}") for kind, text in events(summary))


@pytest.mark.needs("2 cpus", "file /dev/shm")
def test_members_that_spin_stay_on_cpus_of_their_own(ipctop, path):
    first, second = cpus()[:2]
    with Run(ipctop, "-q", "-m", "shm", "--pairs", f"{first}:{second}", "-i", "2ms", "--tick", 0.1, "--control", path):
        await_status(path)
        assert until(lambda: rings_of(ipctop, path)[0]["laps"] > 0)
        assert refusal(ipctop, path, "cpus", str(first), "0") == "cpus: ring 0: its members spin: each needs a CPU of its own"
        assert "they can run at real-time priority only from their start" in refusal(ipctop, path, "policy", "fifo:1", "0")
        obey(ipctop, path, "cpus", f"{second}>{first}", "0")


@pytest.mark.needs("2 cpus")
def test_side_by_side_nothing_comes_beside_members_that_yield(ipctop, path):
    """Neither an added ring nor a moved one, whichever of the two yields."""
    first, second = cpus()[:2]
    alone = "its members yield to each other all the time: other rings can't be beside them (without --side-by-side)"
    with Run(ipctop, "-q", "-m", "mq", "--pairs", f"{second}:{second}", "--side-by-side", "-i", "2ms", "--tick", 0.1,
             "--control", path):
        await_status(path)
        obey(ipctop, path, "add", "yield", f"{first}:{first}")
        await_open(ipctop, path)
        assert refusal(ipctop, path, "add", "pipe", f"{first}:{second}") == f"add: pipe: ring 1, yield, is there: {alone}"
        assert refusal(ipctop, path, "add", "yield", f"{second}:{second}") == f"add: yield: {alone}"
        assert refusal(ipctop, path, "cpus", str(first), "0") == f"cpus: ring 0: ring 1, yield, is there: {alone}"
        assert refusal(ipctop, path, "cpus", str(second), "1") == f"cpus: ring 1: {alone}"
        assert refusal(ipctop, path, "cpus", str(second), "0", "1") == f"cpus: ring 0: ring 1, yield, is there: {alone}"
        obey(ipctop, path, "add", "pipe", f"{second}:{second}")
        obey(ipctop, path, "remove", "0", "2")
        obey(ipctop, path, "cpus", str(second), "1")
        assert refusal(ipctop, path, "add", "pipe", f"{second}:{second}") == f"add: pipe: ring 1, yield, is there: {alone}"
        obey(ipctop, path, "add", "pipe", f"{first}:{first}")


@pytest.mark.needs("2 cpus")
@pytest.mark.parametrize("mechanism, options, why", (
    ("yield", "", "yield to each other all the time"),
    pytest.param("shm", " -p 20", "spin at real-time priority", marks=pytest.mark.needs("realtime", "3 cpus", "file /dev/shm"))), ids=["yield", "spin"])
def test_the_line_of_new_rings_says_before_that_members_must_be_alone(ipctop, mechanism, options, why):
    """In the words of the refusal, without Enter."""
    first, second = cpus()[:2]
    alone = f"its members {why}: other rings can't be beside them (without --side-by-side)"
    with Terminal(ipctop, "-m", "pipe", "--pairs", f"{second}:{second}", "--side-by-side", "--allow-rt-spin", "-i", "2ms",
                  "--tick", 0.1, "--refresh", 0.2, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: re.search(r"^[> ].*\d>\d+ .*\d\.\d\d.*$", text, re.M))
        press(terminal, "n", lambda text: "add rings" in text)
        type_line(terminal, f"{mechanism} {second if mechanism == 'yield' else first}>{second}{options}")
        terminal.wait_for(says(f"{mechanism}: {alone}"))
        press(terminal, "Enter", says("this adds nothing yet: see above"))
        press(terminal, "Esc", lambda text: "add rings" not in text)
        if mechanism == "yield":
            press(terminal, "n", lambda text: "add rings" in text)
            type_line(terminal, f"yield {first}>{first}")
            terminal.wait_for(says("This begins no phase."))
            enter(terminal, lambda text: "yield" in states(text) and "add rings" not in text)
            press(terminal, "n", lambda text: "add rings" in text)
            type_line(terminal, f"pipe {first}>{first}")
            terminal.wait_for(says(f"pipe: ring 1, yield, is there: {alone}"))
            press(terminal, "Esc", lambda text: "add rings" not in text)
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.needs("root")
def test_a_missing_right_is_named_and_nothing_is_done(plain, path, public):
    path.parent.chmod(0o777)
    with Run(plain, *QUIET, "--control", path, preexec_fn=as_nobody) as run:
        await_status(path)
        await_open(plain, path)
        told = refusal(plain, path, "policy", "fifo:80", "all")
        assert told == f"policy: nothing was changed: {NO_REALTIME}", told
        assert {value[0] for value in scheduling(run).values()} == {os.SCHED_OTHER}
        assert refusal(plain, path, "add", "mq", OWN, "-p", "80") == f"add: {NO_REALTIME}"
        assert refusal(plain, path, "add", "mq", OWN, "--policy", "rr", "-p", "1") == f"add: {NO_REALTIME}"
        for name in ("pipe:0.0", "pipe:0.1"):       # ipctop itself could not do that, nor for a new ring
            os.sched_setscheduler(run.members()[name][1], os.SCHED_FIFO, os.sched_param(5))
        assert refusal(plain, path, "interval", "9ms", "0") == f"interval: ring 0: {NO_REALTIME}"
        assert refusal(plain, path, "size", "4k", "0") == f"size: ring 0: {NO_REALTIME}"
        assert list(rings_of(plain, path)) == [0, 1], "nothing was added"
        assert refusal(plain, path, "undo") == "undo: there is nothing to undo: only the last action is kept"


@pytest.mark.needs("root")
def test_rings_of_a_run_that_lacks_a_right_are_added_with_a_policy_that_it_has(plain, path, public):
    path.parent.chmod(0o777)
    with Run(plain, *QUIET, "-p", 80, "--control", path, preexec_fn=as_nobody):
        await_status(path)
        await_open(plain, path)
        assert refusal(plain, path, "add", "mq", OWN) == f"add: {NO_REALTIME}"
        obey(plain, path, "add", "mq", OWN, "--policy", "other")
        obey(plain, path, "interval", "9ms", "0")       # the new ring has the policy that the members have
        assert until(lambda: all(rings_of(plain, path)[id]["laps"] > 2 for id in (2, 3)))


class Nobody:
    """A room for Terminal."""
    enter = staticmethod(as_nobody)


@pytest.mark.needs("root")
@pytest.mark.parametrize("columns", (80, 120))
def test_the_screen_shows_a_missing_right_and_its_remedy_as_a_whole(plain, columns, public):
    def shows(sentence):
        """In whole lines, or in those of a dialog."""
        return lambda text: any(
            sentence in " ".join(" ".join(line[(columns - width) // 2:][:width] for line in text.splitlines()).split())
            for width in (columns, 60, 78))

    with start(plain, "-c", CPU, columns=columns, lines=24, room=Nobody) as terminal:
        press(terminal, "C", shows("policy of the members"))
        type_line(terminal, "fifo:80")
        terminal.wait_for(shows(NO_REALTIME))
        press(terminal, "Enter", shows(f"policy: nothing was changed: {NO_REALTIME}"))
        assert " ".join(terminal.text().split()).count("RLIMIT_RTPRIO") == 1, "the reason is there once"
        press(terminal, "Esc", lambda text: "policy of the members" not in text)
        if os.path.exists("/dev/cpu_dma_latency"):
            press(terminal, "L", shows("dma latency to hold"))
            type_line(terminal, "0")
            press(terminal, "Enter", shows("(run as root, or give this user write access to it)"))
            press(terminal, "Esc", lambda text: "dma latency to hold" not in text)
        press(terminal, "l", shows("load, such as"))
        type_line(terminal, "fifo")
        terminal.wait_for(shows("run as root, with CAP_SYS_NICE, or raise the limit rtprio to 50 (ulimit -r)"))
        press(terminal, "Enter", shows("this changes no load yet: see above"))
        press(terminal, "Esc", lambda text: "load, such as" not in text)
        press(terminal, "n", shows("add rings, such as"))
        type_line(terminal, f"mq {OWN} -p 80")
        terminal.wait_for(shows(NO_REALTIME))
        press(terminal, "Enter", shows("this adds nothing yet: see above"))
        press(terminal, "Esc", lambda text: "add rings, such as" not in text)
        assert "2 pairs" in terminal.text() and "OTHER" not in " ".join(states(terminal.text()).values())
        terminal.press("q")
        assert terminal.finish() == 0


def test_an_empty_line_adds_nothing_and_says_what_to_type(ipctop):
    with start(ipctop) as terminal:
        for line in ("", "  "):
            press(terminal, "n", lambda text: "Type a mechanism, a place and options, such as mq 0>3 -s 4k -p 80" in text)
            type_line(terminal, line)
            terminal.settle(0.05, 0.3)
            assert "more rings" not in terminal.text()
            press(terminal, "Enter", lambda text: "add rings" not in text)
        assert len(states(terminal.text())) == 2
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.needs("root")
def test_undo_knows_a_nice_value_that_a_policy_has_hidden(ipctop, path):
    with Run(ipctop, *QUIET, "--control", path, preexec_fn=lambda: os.nice(5)) as run:
        await_status(path)
        await_open(ipctop, path)
        for policy in ("fifo:5", "other"):
            obey(ipctop, path, "policy", policy, "all")
        obey(ipctop, path, "undo")
        assert {value[:2] for value in scheduling(run).values()} == {(os.SCHED_FIFO, 5)}


def test_read_only_refuses_all_actions(ipctop, path):
    with Run(ipctop, *QUIET, "--control", path, "--read-only"):
        await_status(path)
        for words in (["add", "mq"], ["remove", "0"], ["pause", "0"], ["resume", "0"], ["priority", "1", "0"],
                      ["policy", "batch", "0"], ["cpus", "0", "0"], ["interval", "1ms", "0"], ["size", "1", "0"],
                      ["dma-latency", "0"], ["save"], ["undo"]):
            assert refusal(ipctop, path, *words) == f"{words[0]}: --read-only is set", words


def test_pausing_begins_no_phase(ipctop, path, tmp_path):
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "-c", CPU, "--control", path, "--json", summary) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "pause", "all")
        assert until(lambda: all(ring["state"] == "paused" for ring in rings_of(ipctop, path).values()))
        obey(ipctop, path, "resume", "mq")
        before = rings_of(ipctop, path)[1]["laps"]
        assert until(lambda: rings_of(ipctop, path)[1]["laps"] > before + 2), "ticks went by"
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0
    found = report(summary)
    assert not phases_of_rings(found), found["phases"]
    assert any(text.endswith("are paused") for _, text in events(summary))


def test_added_and_paused_rings_are_undone(ipctop, path):
    with Run(ipctop, *QUIET, "--control", path):
        await_status(path)
        obey(ipctop, path, "add", "futex", f"{cpus()[0]}:{cpus()[0]}")
        obey(ipctop, path, "undo")
        assert until(lambda: rings_of(ipctop, path)[2]["state"] == "gone")
        obey(ipctop, path, "pause", *(rings_of(ipctop, path)[ring]["name"].replace(">", ":") for ring in (0, 1)))
        obey(ipctop, path, "undo")
        assert "ring 0 is not paused" in refusal(ipctop, path, "resume", "0")
        assert refusal(ipctop, path, "undo") == "undo: there is nothing to undo: only the last action is kept"


def test_a_removed_ring_is_back_as_its_members_were(ipctop, path, tmp_path):
    """Under a new id, paused if it was. Only rings that were removed come back."""
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "-c", CPU, "--control", path, "--json", summary) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "policy", "batch", "1")
        obey(ipctop, path, "interval", "3ms", "0")
        assert until(lambda: rings_of(ipctop, path)[2]["laps"] > 2)
        obey(ipctop, path, "pause", "2")
        obey(ipctop, path, "remove", "all")
        assert until(lambda: {ring["state"] for ring in rings_of(ipctop, path).values()} == {"gone"})
        obey(ipctop, path, "undo")
        assert until(lambda: rings_of(ipctop, path)[3]["laps"] > 2)
        rings = rings_of(ipctop, path)
        assert {ring["state"] for id, ring in rings.items() if id < 3} == {"gone"} and len(rings) == 5
        assert rings[3]["name"].startswith("mq:") and {member["policy"] for member in rings[3]["members"]} == {"batch"}
        assert rings[4]["name"].startswith("pipe:") and rings[4]["interval_ns"] == 3000000 and rings[4]["state"] == "paused"
        assert refusal(ipctop, path, "undo") == "undo: there is nothing to undo: only the last action is kept"
        obey(ipctop, path, "remove", "3")
        obey(ipctop, path, "undo")
        assert until(lambda: rings_of(ipctop, path)[5]["laps"] > 2)
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0
    texts = [text for _, text in events(summary)]
    assert f"ring 3, mq {CPU}>{CPU}, was removed, and is back as ring 5" in texts, texts
    assert any(text.endswith("were removed, and are back") for text in texts), texts


def test_rings_of_one_mechanism_and_place_are_told_apart_by_their_ids(ipctop, path, tmp_path):
    summary = tmp_path / "run.json"
    pair = f"{CPU}>{CPU}"
    with Run(ipctop, *QUIET, "-c", CPU, "--control", path, "--json", summary) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "add", "mq", pair, "-s", "4k")
        assert [ring["name"] for ring in rings_of(ipctop, path).values()] == [f"pipe:{pair}", f"mq:{pair}#1", f"mq:{pair}#2"]
        assert "2 rings have this name" in refusal(ipctop, path, "pause", f"mq:{CPU}:{CPU}")
        obey(ipctop, path, "pause", f"mq:{pair}#2")
        assert until(lambda: rings_of(ipctop, path)[2]["state"] == "paused")
        obey(ipctop, path, "resume", f"mq:{CPU}:{CPU}#2")
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0
    assert f"ring 2, mq {pair}#2, is paused" in [text for _, text in events(summary)]


@pytest.mark.timing
def test_rings_that_were_replaced_or_removed_are_soon_not_counted(ipctop, path):
    """Not only with the next tick."""
    with Run(ipctop, *QUIET, "-c", CPU, "--tick", 10, "--control", path) as run:
        await_status(path)
        assert until(lambda: run.members())
        for words, left in ((("interval", "5ms", "all"), 2), (("undo",), 2), (("remove", "mq"), 1), (("undo",), 2)):
            obey(ipctop, path, *words)
            assert until(lambda left=left: sum(
                ring["state"] != "gone" for ring in rings_of(ipctop, path).values()) == left, 5), words


@pytest.mark.needs("realtime")
def test_keys_set_policy_priority_and_cpus_and_undo(ipctop):
    cpu = cpus()[0]
    with start(ipctop, "-c", cpu) as terminal:
        press(terminal, "F8", lambda text: "runs as other, which has none: set a policy" in text)
        press(terminal, "v", lambda text: "*" in states(text)["pipe"][:2])
        press(terminal, "v", lambda text: "*" in states(text)["mq"][:2])
        press(terminal, "C", lambda text: "policy of the members" in text)
        press(terminal, "Esc", lambda text: "policy of the members" not in text)
        press(terminal, "C", lambda text: "policy of the members" in text)
        type_line(terminal, "fifo:97")
        enter(terminal, lambda text: all("FF97" in line for line in states(text).values()))
        assert phase_line(terminal.text()).startswith("PHASE 2 ")
        press(terminal, "F8", lambda text: all("FF98" in line for line in states(text).values()))
        press(terminal, "F8", lambda text: "would have 99: it is 1 to 98" in text)
        press(terminal, "F7", lambda text: all("FF97" in line for line in states(text).values()))
        press(terminal, "U", lambda text: all("FF98" in line for line in states(text).values()))
        press(terminal, "U", lambda text: "there is nothing to undo" in text)
        press(terminal, "a", lambda text: "CPUs of the members" in text)
        type_line(terminal, "9999")
        press(terminal, "Enter", lambda text: "cpus 9999: must be a list such as 0-3" in text)
        press(terminal, "Esc", lambda text: "CPUs of the members" not in text)
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.needs("2 cpus")
def test_a_key_moves_members(ipctop):
    first, second = cpus()[:2]
    with start(ipctop, "-c", first) as terminal:
        press(terminal, "a", lambda text: "CPUs of the members" in text)
        type_line(terminal, f"{first}>{second}")
        enter(terminal, lambda text: f"{first}>{second} pipe" in text)
        press(terminal, "U", lambda text: f"{first}>{first} pipe" in text)
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.needs("realtime")
def test_rings_are_opened_anew_with_another_interval_or_size(ipctop, path, tmp_path):
    summary, recording, again = tmp_path / "run.json", tmp_path / "run.rec", tmp_path / "again.json"
    with Run(ipctop, *QUIET, "--control", path, "--json", summary, "--record", recording) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "policy", "fifo:33", "0")
        obey(ipctop, path, "interval", "500", "0")
        assert until(lambda: rings_of(ipctop, path)[2]["laps"] > 2)
        rings = rings_of(ipctop, path)
        assert rings[0]["state"] == "gone" and rings[2]["interval_ns"] == 500000
        assert {member["priority"] for member in rings[2]["members"]} == {33}, "they keep their policy"
        obey(ipctop, path, "pause", "1")
        obey(ipctop, path, "size", "4k", "1", "2")
        assert until(lambda: list(rings_of(ipctop, path)) == [0, 1, 2, 3, 4])
        assert "ring 3 is paused already" in refusal(ipctop, path, "pause", "3")
        obey(ipctop, path, "resume", "3")
        obey(ipctop, path, "size", "8k", "3")
        obey(ipctop, path, "undo")
        assert until(lambda: rings_of(ipctop, path)[6]["laps"] > 2)
        assert [ring["size_bytes"] for ring in rings_of(ipctop, path).values()] == [1, 1, 1, 4096, 4096, 8192, 4096]
        obey(ipctop, path, "add", "futex", f"{cpus()[0]}>{cpus()[0]}")
        for words, sentence in (
                (["size", "4k", "4", "7"], "size: ring 7: futex carries no bytes"), (["size", "2M", "4"], "size 2M: must be 0"),
                (["interval", "61s", "4"], "interval 61s: must be"), (["interval", "x", "4"], "interval x: must be"),
                (["interval", "1", "0"], "interval: ")):
            assert refusal(ipctop, path, *words).startswith(sentence), words
        assert list(rings_of(ipctop, path)) == list(range(8)), "refusals open nothing"
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0
    found = report(summary)
    assert any(text.startswith("ring 0, pipe ") and text.endswith(" is opened anew as ring 2: interval 500")
               for _, text in events(summary))
    assert [text for _, text in events(summary) if re.search(r" are opened anew: size 4k$", text)], \
        "several are one event"
    assert sum("opened anew" in text for _, text in events(summary)) == 4
    assert len(found["phases"]) == 2, "only the policy began one"
    ipctop.run("--replay", recording, "-q", "--speed", 0, "--json", again)
    assert report(again)["rings"] == found["rings"] and report(again)["events"] == found["events"]


class TwoCpus:
    """A room of two CPUs: rings on both leave none to the rest of the system."""
    @staticmethod
    def enter():
        os.sched_setaffinity(0, cpus()[:2])


@pytest.mark.needs("realtime", "2 cpus")
def test_a_realtime_flood_is_refused_only_where_it_has_all_cpus(ipctop, path):
    first, second = cpus()[:2]
    with Run(ipctop, "-q", "-m", "pipe", "--pairs", f"{first}:{first},{first}:{second}", "-i", "2ms", "-p", 20,
             "--control", path, room=TwoCpus) as run:
        await_status(path)
        await_open(ipctop, path)
        assert "at real-time priority" in refusal(ipctop, path, "interval", "0", "1")
        obey(ipctop, path, "interval", "0", "0")
        assert until(lambda: rings_of(ipctop, path)[2]["laps"] > 2)
        obey(ipctop, path, "policy", "other", "2")
        obey(ipctop, path, "policy", "fifo:20", "2")
        obey(ipctop, path, "policy", "other", "1")
        obey(ipctop, path, "interval", "0", "1")
        assert until(lambda: rings_of(ipctop, path)[3]["laps"] > 2)
        assert "at real-time priority" in refusal(ipctop, path, "policy", "fifo:20", "3")
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0


@pytest.mark.needs("realtime", "2 cpus")
def test_realtime_floods_are_refused_where_they_have_all_cpus_together(ipctop, path):
    """At once, and one after the other."""
    first, second = cpus()[:2]
    with Run(ipctop, "-q", "-m", "pipe", "--pairs", f"{first}:{first},{second}:{second}", "-i", 0,
             "--control", path, room=TwoCpus) as run:
        def refused(*words):
            assert "at real-time priority" in refusal(ipctop, path, *words), words
        await_status(path)
        await_open(ipctop, path)
        refused("policy", "fifo:20", "0", "1")
        obey(ipctop, path, "policy", "fifo:20", "0")
        refused("policy", "fifo:20", "1")
        refused("add", "pipe", f"{second}:{second}", "-i", "0", "-p", "20")
        obey(ipctop, path, "interval", "2ms", "1")
        assert until(lambda: rings_of(ipctop, path)[2]["laps"] > 2)
        obey(ipctop, path, "policy", "fifo:20", "2")
        refused("interval", "0", "2")
        obey(ipctop, path, "interval", "2ms", "0")
        assert until(lambda: rings_of(ipctop, path)[3]["laps"] > 2)
        refused("interval", "0", "2", "3")
        obey(ipctop, path, "interval", "0", "2")
        assert until(lambda: rings_of(ipctop, path)[4]["laps"] > 2)
        refused("interval", "0", "3")
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0


@pytest.mark.needs("realtime", "2 cpus")
def test_realtime_floods_that_move_are_judged_together(ipctop, path):
    """Also by an undo, which stays possible."""
    first, second = cpus()[:2]
    with Run(ipctop, "-q", "-m", "pipe", "--pairs", f"{first}:{first},{second}:{second}", "-i", 0,
             "--control", path, room=TwoCpus) as run:
        def refused(*words):
            assert "at real-time priority" in refusal(ipctop, path, *words), words

        def move(cpu):
            for name, (_, tid) in run.members().items():
                if name.startswith("pipe:1."):
                    os.sched_setaffinity(tid, {cpu})
            assert until(lambda: rings_of(ipctop, path)[1]["name"].startswith(f"pipe:{cpu}>{cpu}"))
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "cpus", str(first), "1")
        obey(ipctop, path, "policy", "fifo:20", "all")
        refused("cpus", str(second), "0")
        refused("cpus", f"{first},{second}", "0")
        assert {value[2] == {first} for value in scheduling(run).values()} == {True}
        obey(ipctop, path, "cpus", str(second), "0", "1")
        obey(ipctop, path, "policy", "other", "0")
        move(first)
        refused("undo")
        move(second)
        obey(ipctop, path, "undo")
        assert scheduling(run)["pipe:0.0"][:2] == (os.SCHED_FIFO, 20)
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0


class Usual:
    """A room with the usual limit on bytes in message queues, also for root."""
    @staticmethod
    def enter():
        most = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, (819200 if most < 0 else min(most, 819200), most))


@pytest.mark.parametrize("mechanism, size, sentence", (
    ("mq", "1M", r"(the message is too large: raise /proc/sys/fs/mqueue/msgsize_max|"
                 r"no bytes left for message queues: raise RLIMIT_MSGQUEUE \(ulimit -q\))"),
    ("svmsg", "1M", r"the message is too large: raise /proc/sys/kernel/msgmax, .*"),
    ("udp", "65508", r"a UDP datagram carries 65507 bytes at most")), ids=["mq", "svmsg", "udp"])
def test_a_size_beyond_a_limit_of_the_mechanism_is_refused_and_the_rings_stay(ipctop, path, mechanism, size, sentence):
    if mechanism == "svmsg" and limit_of("/proc/sys/kernel/msgmax") >= 1 << 20:
        pytest.skip("its limit is higher here")
    with Run(ipctop, *QUIET[:1], "-m", f"pipe,{mechanism}", *QUIET[3:], "-c", CPU, "--control", path, room=Usual) as run:
        await_status(path)
        await_open(ipctop, path)
        assert re.fullmatch(rf"size: ring 1: {mechanism}: {sentence}", refusal(ipctop, path, "size", size, "all"))
        before = rings_of(ipctop, path)
        assert list(before) == [0, 1] and not {ring["state"] for ring in before.values()} & {"gone", "failed"}, before
        assert until(lambda: all(ring["laps"] > before[number]["laps"] for number, ring in rings_of(ipctop, path).items()))
        obey(ipctop, path, "size", "2k", "all")
        assert until(lambda: [ring["laps"] > 0 for ring in rings_of(ipctop, path).values()] == [True] * 4)
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0


def test_the_undoing_of_a_size_is_tried_before_a_ring_ends(ipctop, path):
    """Others may have taken what the rings gave back. It can be undone once there is room again."""
    if limit_of("/proc/sys/fs/mqueue/msgsize_max") < 8000:
        pytest.skip("no queue takes 8000 bytes here")
    with Run(ipctop, *QUIET[:1], "-m", "mq", *QUIET[3:], "-s", "8000", "-c", CPU, "--control", path, room=Usual) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "size", "16", "all")
        assert until(lambda: rings_of(ipctop, path)[1]["laps"] > 0)
        before = resource.prlimit(run.pid, resource.RLIMIT_MSGQUEUE)
        resource.prlimit(run.pid, resource.RLIMIT_MSGQUEUE, (4000, before[1]))
        told = refusal(ipctop, path, "undo")
        assert re.fullmatch(r"undo: ring 1: mq: no bytes left for message queues: raise RLIMIT_MSGQUEUE \(ulimit -q\)", told), told
        laps = rings_of(ipctop, path)[1]["laps"]
        assert until(lambda: rings_of(ipctop, path)[1]["laps"] > laps) and list(rings_of(ipctop, path)) == [0, 1]
        resource.prlimit(run.pid, resource.RLIMIT_MSGQUEUE, before)
        obey(ipctop, path, "undo")
        assert until(lambda: rings_of(ipctop, path)[2]["laps"] > 0) and rings_of(ipctop, path)[2]["size_bytes"] == 8000
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0


def held(run):
    """Whether the front holds the device."""
    folder = pathlib.Path(f"/proc/{run.pid}/fd")
    return any(os.readlink(link) == "/dev/cpu_dma_latency" for link in folder.iterdir())


@pytest.mark.needs("file /dev/cpu_dma_latency")
@pytest.mark.alone      # its change begins a phase of every run
def test_the_dma_latency_is_held_until_undone_or_the_end(ipctop, path, tmp_path):
    def value():
        with open("/dev/cpu_dma_latency", "rb") as device:
            return int.from_bytes(device.read(4), "little")
    before, summary = value(), tmp_path / "run.json"
    if before <= 20:
        pytest.skip(f"someone holds /dev/cpu_dma_latency at {before} already")
    with Run(ipctop, *QUIET, "--control", path, "--json", summary) as run:
        await_status(path)
        obey(ipctop, path, "dma-latency", "20")
        assert value() == 20 and held(run)
        obey(ipctop, path, "dma-latency", "0")
        assert value() == 0
        obey(ipctop, path, "undo")
        assert value() == 20
        assert "must be 0 to 2000000000 microseconds, or off" in refusal(ipctop, path, "dma-latency", "x")
        obey(ipctop, path, "dma-latency", "off")
        assert value() == before and not held(run)
        obey(ipctop, path, "undo")
        os.kill(run.pid, signal.SIGKILL)
        run.process.wait()
        assert until(lambda: value() == before) and not run.left()
    path.unlink()


@pytest.mark.needs("root")
def test_the_right_to_the_dma_latency_is_named(plain, path, public):
    path.parent.chmod(0o777)
    with Run(plain, *QUIET, "--control", path, preexec_fn=as_nobody):
        await_status(path)
        told = refusal(plain, path, "dma-latency", "0")
        assert "/dev/cpu_dma_latency: " in told, told


def selects_the_new(text):
    """The new ring is above those that it has replaced, and selected."""
    rows = re.findall(r"^[> ][ *] *\d+>\d+#\d+ pipe .*$", text, re.M)
    return rows[0][0] == ">" and "gone" not in rows[0] and all("gone" in row for row in rows[1:])


def test_keys_open_rings_anew(ipctop):
    with start(ipctop, "-c", cpus()[0]) as terminal:
        press(terminal, "i", lambda text: "interval: the ring is opened anew" in text)
        type_line(terminal, "3ms")
        enter(terminal, lambda text: len(re.findall(r"\d+>\d+#\d+ +pipe", text)) == 2 and "gone" in text)
        terminal.wait_for(lambda text: selects_the_new(text))
        press(terminal, "S", lambda text: "size of tokens: the ring is opened anew" in text)
        type_line(terminal, "2M")
        press(terminal, "Enter", lambda text: "size 2M: must be 0 (the smallest token) to 1M" in text)
        correct(terminal, "2M", "4k")
        enter(terminal, lambda text: re.search(r"is opened anew as ring \d+: size 4k", " ".join(text.split())))
        terminal.wait_for(lambda text: len(re.findall(r"\d+>\d+#\d+ +pipe", text)) == 3 and selects_the_new(text))
        press(terminal, "U", lambda text: re.search(r"is opened anew as ring \d+: size 1, as before", " ".join(text.split())))
        press(terminal, "L", lambda text: "dma latency to hold" in text)
        type_line(terminal, "x")
        press(terminal, "Enter", lambda text: "dma-latency x: must be 0 to 2000000000" in text)
        terminal.press("F10")
        assert terminal.finish() == 0


@pytest.mark.needs("2 cpus")
def test_a_ring_on_several_cpus_is_opened_anew_on_its_own_and_stays_selected(ipctop):
    first, second = cpus()[:2]
    with start(ipctop, "-c", first) as terminal:
        press(terminal, "a", lambda text: "CPUs of the members" in text)
        type_line(terminal, f"{first},{second}")
        enter(terminal, lambda text: re.search(r"^> .*\*>\* pipe", text, re.M))
        press(terminal, "i", lambda text: "interval: the ring is opened anew" in text)
        type_line(terminal, "3ms")
        terminal.wait_for(says("Members on several CPUs go back to one each."))
        enter(terminal, lambda text: re.search(rf"^> +{first}>{first} pipe(?!.*gone)", text, re.M))
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.needs("file /dev/cpu_dma_latency", "whole")
@pytest.mark.alone      # its change begins a phase of every run
def test_a_key_holds_the_dma_latency(ipctop):
    with start(ipctop, "-c", CPU) as terminal:
        press(terminal, "L", lambda text: "dma latency to hold" in text)
        type_line(terminal, "20")
        enter(terminal, lambda text: "the dma latency is held at 20 us" in text and "dma 20us held" in text)
        assert held(terminal)
        press(terminal, "L", lambda text: "dma latency to hold" in text)
        type_line(terminal, "off")
        enter(terminal, lambda text: "the dma latency is held no longer" in text and "us held" not in text)
        assert not held(terminal)
        press(terminal, "U", lambda text: "dma 20us held" in text)
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.parametrize("key, title, wrong, sentence, right", (
    ("C", "policy of the members", "fifo:99", "policy fifo:99: must be", "batch"),
    ("a", "CPUs of the members", "9999", "cpus 9999: must be", str(CPU)),
    ("i", "interval: the ring is opened anew", "61s", "interval 61s: must be", "3ms"),
    ("S", "size of tokens: the ring is opened anew", "2M", "size 2M: must be", "4k"),
    ("L", "dma latency to hold", "x", "dma-latency x: must be", None),
    ("l", "load, such as fork:0-3:50", "fork:off", "this changes no load yet: see above", None),
))
def test_a_dialog_that_the_run_refuses_stays_open_and_its_line_is_corrected(ipctop, key, title, wrong, sentence, right):
    """Letters of the next try never act as keys."""
    def refused(text):
        return title in text and sentence in text and f" {wrong}_" in text

    with start(ipctop, "-c", CPU) as terminal:
        press(terminal, key, lambda text: title in text)
        type_line(terminal, wrong)
        press(terminal, "Enter", refused)
        type_line(terminal, "xP")
        terminal.wait_for(lambda text: f" {wrong}xP_" in text and title in text and sentence not in text)
        correct(terminal, wrong + "xP", wrong)
        press(terminal, "Enter", refused)
        if right:
            correct(terminal, wrong, right)
        press(terminal, "Enter" if right else "Esc", lambda text: title not in text)
        press(terminal, "k", lambda text: sentence not in text)
        # A ring that is opened anew pauses before it ends.
        terminal.wait_for(lambda text: "remove?" not in text and "paused" not in text)
        if right:
            if key == "C":
                assert scheduling(terminal)["pipe:0.0"][0] == os.SCHED_BATCH
            if key in "iS":
                terminal.wait_for(lambda text: "is opened anew" in text)
        terminal.press("q")
        assert terminal.finish() == 0


def limit_of(path):
    with open(path, encoding="utf-8") as file:
        return int(file.read())


def dialog(text):
    """The words between the edges of dialogs of both widths, on a screen of 120 columns."""
    lines = [line[(120 - width) // 2:][:width] for width in (60, 78) for line in text.splitlines()]
    return " ".join(lines).split()


def says(sentence):
    return lambda text: sentence in " ".join(dialog(text))


@pytest.mark.needs("2 cpus")
def test_dialogs_say_beforehand_what_else_changes(ipctop):
    """Longer turns, a size above the limit of the mechanism, and a ring of the same turn on the CPU."""
    first, second = cpus()[:2]
    most = limit_of("/proc/sys/fs/mqueue/msgsize_max")
    above = most + 1 if most < 1 << 20 else None
    with Terminal(ipctop, "-m", "pipe,mq", "--pairs", f"{first}:{first},{second}:{second}", "-i", "2ms", "--turns", 0.5,
                  "--tick", 0.1, "--refresh", 0.2, columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: len(re.findall(r"^[> ].*\d>\d+ .*\d\.\d\d.*$", text, re.M)) == 4)
        press(terminal, "i", lambda text: "interval: the ring" in text and "Now every 2000 us." in text)
        type_line(terminal, "1s")
        terminal.wait_for(lambda text: re.search(r"Each of the 2 turns becomes \d+ s long, not 0\.5 s\.", text))
        terminal.press("Backspace")
        type_line(terminal, "ms")
        terminal.wait_for(lambda text: " 1ms_" in text and "Each of the 2" not in text)
        press(terminal, "Esc", lambda text: "interval: the ring" not in text)
        press(terminal, "S", lambda text: "size of tokens" in text and "Now 1 byte." in text)
        press(terminal, "Esc", lambda text: "size of tokens" not in text)
        press(terminal, "v", lambda text: re.search(r"^[> ]\*", text, re.M))
        press(terminal, "v", lambda text: len(re.findall(r"^[> ]\*", text, re.M)) == 2)
        press(terminal, "a", lambda text: "CPUs of the members of 2 rings" in text and "Now not the same for all." in text)
        press(terminal, "Esc", lambda text: "CPUs of the members" not in text)
        press(terminal, "V", lambda text: not re.search(r"^[> ]\*", text, re.M))
        press(terminal, "g", rows)
        press(terminal, "j", lambda text: re.search(rf"^> +{first}>{first} ", text, re.M))
        press(terminal, "a", lambda text: "CPUs of the members" in text and f"Now {first}>{first}." in text)
        type_line(terminal, f"{second}>{second}")
        terminal.wait_for(says(f"Shares CPU {second} with pipe {second}>{second}, which runs in the same turn."))
        press(terminal, "Esc", lambda text: "CPUs of the members" not in text)
        press(terminal, "n", lambda text: "add rings" in text)
        type_line(terminal, f"futex {first}>{first} -i 1s")
        terminal.wait_for(says("Each of the 3 turns becomes "))
        press(terminal, "Esc", lambda text: "add rings" not in text)
        press(terminal, "n", lambda text: "add rings" in text)
        type_line(terminal, f"futex -c {first},{second} --pairs own -i 1ms -d 1s")
        terminal.wait_for(says("and 1 more ring, up to every 1001000 us. Shares "))
        terminal.wait_for(says("Each of the 3 turns becomes 8.008 s long, not 0.5 s."))
        press(terminal, "Enter", lambda text: "add rings" not in text)
        press(terminal, "/", lambda text: "show rings with" in text)
        type_line(terminal, "futex")
        press(terminal, "Enter", lambda text: "filter futex (2 of 6)" in first_line(text))
        press(terminal, "G", lambda text: re.search(rf"^> +{second}>{second} ", text, re.M))
        press(terminal, "x", lambda text: "Each of the 3 turns becomes 0.5 s long, not 8.008 s." in text)
        press(terminal, "Enter", lambda text: "filter futex (1 of 5)" in first_line(text))
        terminal.press("g")
        press(terminal, "j", lambda text: re.search(rf"^> +{first}>{first} ", text, re.M))
        press(terminal, "i", lambda text: "interval: the ring" in text)
        type_line(terminal, "100")
        terminal.wait_for(lambda text: " 100_" in text and "Each of the" not in text)     # they are 0.5 s again
        press(terminal, "Esc", lambda text: "interval: the ring" not in text)
        press(terminal, "a", lambda text: "CPUs of the members" in text)
        type_line(terminal, f"{first}>8191")
        terminal.wait_for(lambda text: "CPU 8191 is not allowed here" in text)
        press(terminal, "Esc", lambda text: "CPUs of the members" not in text)
        press(terminal, "/", lambda text: "show rings with" in text)
        for _ in "futex":
            terminal.press("Backspace")
        press(terminal, "Enter", lambda text: "filter" not in first_line(text))
        if above:
            press(terminal, "n", lambda text: "add rings" in text)
            type_line(terminal, f"mq {first}>{first} -s {above}")
            terminal.wait_for(says(f"mq may refuse this size: /proc/sys/fs/mqueue/msgsize_max is {most}."))
            press(terminal, "Esc", lambda text: "add rings" not in text)
            press(terminal, "/", lambda text: "show rings with" in text)
            type_line(terminal, "mq")
            press(terminal, "Enter", lambda text: list(states(text)) == ["mq"])
            press(terminal, "S", lambda text: "size of tokens" in text)
            type_line(terminal, str(above))
            terminal.wait_for(lambda text: "mq may refuse this size:" in text)
            press(terminal, "Esc", lambda text: "size of tokens" not in text)
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.needs("2 cpus")
def test_tab_completes_places_and_policies(ipctop):
    first, second = cpus()[:2]
    with start(ipctop, "-c", first) as terminal:
        press(terminal, "n", lambda text: "add rings" in text)
        type_line(terminal, "futex ")
        press(terminal, "Tab", says(f"classes all {first}>"))
        classes = ("own", "smt", "l2", "l3", "node", "package", "cross")
        offered = re.search(r"\b(own(?: \w+)*) classes all ", " ".join(terminal.text().split()))[1].split()
        plan = ("--no-config", "--plan", "-m", "futex", "-c", ",".join(map(str, cpus())), "--pairs")
        assert offered == [name for name in classes if ipctop.run(*plan, name).returncode == 0]
        type_line(terminal, "ow")
        press(terminal, "Tab", lambda text: " futex own _" in text)
        terminal.wait_for(says("class own,"))
        press(terminal, "Tab", says("--mechanisms --pairs"))
        for _ in "own --":
            terminal.press("Backspace")
        type_line(terminal, f"{first}>{second}")
        terminal.wait_for(says(f"futex {first}>{second}, class"))
        press(terminal, "Esc", lambda text: "add rings" not in text)
        press(terminal, "C", lambda text: "policy of the members" in text)
        press(terminal, "Tab", says("OTHER BATCH IDLE FIFO: RR:"))
        type_line(terminal, "ba")
        press(terminal, "Tab", lambda text: " batch_" in text and "-> BATCH" in text)
        enter(terminal, lambda text: "BT" in text or "BATCH" in text)
        terminal.press("q")
        assert terminal.finish() == 0


class Narrow:
    """A room for Terminal: too narrow for rings that are added later."""
    @staticmethod
    def enter():
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))


def test_the_line_of_new_rings_stays_when_the_run_refuses_them(ipctop):
    with start(ipctop, "-c", CPU, room=Narrow) as terminal:
        press(terminal, "n", lambda text: "add rings" in text)
        type_line(terminal, f"futex {OWN}")
        terminal.wait_for(lambda text: "This begins no phase." in text)
        press(terminal, "Enter", lambda text: f" futex {OWN}_" in text and "add: " in text)
        type_line(terminal, "x")
        terminal.wait_for(lambda text: f" futex {OWN}x_" in text and "add: " not in text)
        press(terminal, "Esc", lambda text: "add rings" not in text)
        terminal.press("q")
        assert terminal.finish() == 0


def kinds_of(rings):
    """What a ring is, whatever its id."""
    return sorted((ring["name"].partition("#")[0], ring["interval_ns"], ring["size_bytes"],
                   sorted({(member["policy"], member["priority"], member["cpu"]) for member in ring["members"]}))
                  for ring in rings.values() if ring["state"] not in ("gone", "failed"))


def starts_again(ipctop, path, before, script):
    assert until(path.exists), script
    assert until(lambda: len(rings_of(ipctop, path)) == len(before)), script
    assert until(lambda: [ring["name"] for ring in rings_of(ipctop, path).values() if ring["state"] == "paused"] == [
        name for name, *_ in before if name.startswith("futex")]), script
    assert until(lambda: all(ring["laps"] > 2 for ring in rings_of(ipctop, path).values() if ring["state"] != "paused"))
    assert kinds_of(rings_of(ipctop, path)) == before, script
    obey(ipctop, path, "quit")


@pytest.mark.needs("realtime")
def test_what_was_measured_is_saved_with_a_script_that_starts_it_again(ipctop, path, tmp_path):
    first, last = cpus()[0], cpus()[-1]
    saved = tmp_path / "saved"
    round_trip = [["svmsg", "-c", f"{first},{last}", "--ring", "3"]] if first != last else []
    with Run(ipctop, *QUIET, "-c", first, "--control", path) as run:
        await_status(path)
        for words in (["mq", f"{last}>{last}", "-i", "2ms", "-s", "0"], ["mq", f"{first}>{first}", "-s", "4k", "-i", "500.5us"],
                      ["futex", f"{first}>{last}", "-i", "3ms"], ["svsem", "-c", str(first), "--pairs", "own", "--ring", "3"],
                      *round_trip):
            obey(ipctop, path, "add", *words)
        assert until(lambda: all(ring["laps"] > 2 for ring in rings_of(ipctop, path).values()))
        obey(ipctop, path, "remove", "0")
        assert until(lambda: rings_of(ipctop, path)[0]["state"] == "gone")
        obey(ipctop, path, "policy", "rr:3", "futex")
        assert until(lambda: rings_of(ipctop, path)[4]["members"][0]["policy"] == "rr")
        obey(ipctop, path, "pause", "futex")
        before = kinds_of(rings_of(ipctop, path))
        assert f'"{saved}.rec"' in ctl(ipctop, path, "save", str(saved)).stdout
        assert obey(ipctop, path, "save", str(saved))["files"] == [f"{saved}.{end}" for end in ("json", "rec", "txt", "sh")]
        assert "at most one word" in refusal(ipctop, path, "save", "a", "b")
        assert "/nowhere" in refusal(ipctop, path, "save", "/nowhere/at/all")
        assert run.process.poll() is None
    # In the middle of a turn, slots are counted as missed before their waits are samples: see harness.report().
    found = json.loads(saved.with_suffix(".json").read_text(encoding="utf-8"))
    assert found["ended_by"] == "saved" and [ring["mechanism"] for ring in found["rings"]] == [
        "pipe", "mq", "mq", "mq", "futex", "svsem", *(words[0] for words in round_trip)]
    again = tmp_path / "again.json"
    assert ipctop.run("--replay", saved.with_suffix(".rec"), "-q", "--speed", 0, "--json", again).returncode == 0
    replayed = report(again)
    assert replayed["ended_by"] == "saved"
    assert [ring["figures"] for ring in replayed["rings"]] == [ring["figures"] for ring in found["rings"]]
    text = saved.with_suffix(".txt").read_text(encoding="utf-8")
    assert "PAIR" in text and re.search(r"\d+>\d+(?:#\d+)? +futex", text), text
    script = saved.with_suffix(".sh")
    folder = pathlib.Path(ipctop.path).absolute().parent
    environ = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "TMPDIR": str(path.parent)}
    for given in (False, True):
        other = path.parent / "given"
        process = subprocess.Popen(["sh", script, "-q", "--no-config", *(["--control", other] if given else [])],
                                   env=environ, start_new_session=True)
        try:
            other = other if given else path.parent / f"ipctop-{process.pid}"
            starts_again(ipctop, other, before, script.read_text(encoding="utf-8"))
            assert process.wait(60) == 0
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(20)


def test_the_saved_script_has_all_options_that_bear_on_figures(ipctop, path, tmp_path):
    saved, summary, again = tmp_path / "saved", tmp_path / "run.json", tmp_path / "again.json"
    options = ["-m", "pipe,mq", "-c", CPU, "-t", 1, "-f", "-s", "3k", "-i", "2500.5us", "--work", 8,
               "--turns", 0.25,
               "--policy", "batch", "--spike", "900.5us", "--recorder", "off", "--fail-above", "55s",
               "--show", "response", "--window", "10s", "--tick", 0.125, "--no-auto-phase",
               "--memory", "sender"]
    with Run(ipctop, "-q", "--no-config", *options, "--control", path, "--json", summary) as run:
        await_status(path)
        await_open(ipctop, path)
        obey(ipctop, path, "save", str(saved))
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0
    environ = {**os.environ, "TMPDIR": str(path.parent)}
    subprocess.run(["sh", saved.with_suffix(".sh"), "-q", "--no-config", "-D", "2", "--json", again], env=environ,
                   check=True)
    before, after = report(summary), report(again)
    for key in ("mechanism", "cpus", "interval_ns"):
        assert [ring.get(key) for ring in before["rings"]] == [ring.get(key) for ring in after["rings"]]
    assert {ring["token"]["bytes"] for ring in (*before["rings"], *after["rings"])} == {3072}
    without = {"max_duration_ns", "pairs", "max_pairs", "cpus"}
    assert {key: value for key, value in before["options"].items() if key not in without} == {
        key: value for key, value in after["options"].items() if key not in without}


@pytest.mark.parametrize("before, says", (("", "exec '{}' "), ("{folder}:", "exec ipctop "), ("{other}:{folder}:", "exec '{}' ")),
                         ids=["elsewhere", "in PATH", "behind another"])
def test_the_saved_script_starts_this_program(ipctop, path, tmp_path, before, says):
    program, other = pathlib.Path(ipctop.path).resolve(), tmp_path / "other"
    other.mkdir()
    (other / "ipctop").symlink_to("/bin/false")
    search = before.format(folder=program.parent, other=other) + "/nowhere"
    with Run(ipctop, "-q", "-m", "pipe", "-c", CPU, "-i", "2ms", "--control", path, env={"PATH": search}):
        await_status(path)
        obey(ipctop, path, "save", str(tmp_path / "saved"))
    assert f"\n{says.format(program)}" in (tmp_path / "saved.sh").read_text(encoding="utf-8")


def saved_after(client, folder, *actions):
    """The report and the script that are saved right after the actions, of which no tick knows yet."""
    for number, words in enumerate([*actions, ["save", str(folder / "saved")]]):
        assert client.ask(*words)["ok"], (number, words)
    # Not by report(): in the middle of a turn, see the test before.
    return json.loads((folder / "saved.json").read_text(encoding="utf-8")), (folder / "saved.sh").read_text(encoding="utf-8")


@pytest.mark.timing     # rings that take longer than 0.3 s are not waited for
def test_what_is_saved_has_what_was_ordered_before(ipctop, path, tmp_path):
    with Run(ipctop, "-q", "-m", "pipe,mq,futex", "-t", 1, "-c", CPU, "-i", "2ms", "--tick", 5, "--control", path) as run:
        await_status(path)
        with Client(path) as client:
            found, script = saved_after(client, tmp_path, ["remove", "pipe"], ["pause", "mq"])
            assert [ring["state"] for ring in found["rings"]][:2] == ["gone", "paused"], found["rings"]
            assert "pipe" not in script and f"pause 'mq:{CPU}>{CPU}'" in script
            found, script = saved_after(client, tmp_path, ["resume", "mq"])
            assert " pause " not in script and "mq" in script
            found, script = saved_after(client, tmp_path, ["remove", "all"])
            assert {ring["state"] for ring in found["rings"]} == {"gone"}
            assert "# Starts nothing: no ring was left." in script and "option" not in script
            client.ask("quit")
        assert run.wait()[0] == 0
    result = subprocess.run(["sh", tmp_path / "saved.sh"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, "no ring was left when this was saved\n")


@pytest.mark.needs("root")
def test_saving_without_the_right_to_write_names_folder_and_remedy(plain, path, public):
    path.parent.chmod(0o777)
    with Run(plain, *QUIET, "--control", path, preexec_fn=as_nobody) as run:
        await_status(path)
        told = refusal(plain, path, "save", "/usr/bin/x")
        assert told == ("save: can't write /usr/bin/x.json: Permission denied: make the folder /usr/bin writable for this user, "
                        f"or save elsewhere: ipctop ctl {path} save PATH"), told
        assert run.process.poll() is None


def test_a_recording_is_not_saved_over_itself(ipctop, path, tmp_path):
    recording, again = tmp_path / "night.rec", tmp_path / "again.json"
    with Run(ipctop, *QUIET, "--record", recording, "--control", path) as run:
        await_status(path)
        assert "is what --record writes" in refusal(ipctop, path, "save", str(recording.with_suffix("")))
        obey(ipctop, path, "quit")
        assert run.wait()[0] == 0
    assert ipctop.run("--replay", recording, "-q", "--speed", 0, "--json", again).returncode == 0
    assert report(again)["ended_by"] == "quit"


@pytest.mark.parametrize("suffix", (".json", ".rec", ".txt", ".sh"))
def test_nothing_is_saved_over_a_recording_that_is_written(ipctop, path, tmp_path, suffix):
    """That of the run itself, whatever its name, and that of another run; no other of the files either."""
    own, others, again = tmp_path / f"own{suffix}", tmp_path / f"others{suffix}", tmp_path / "again.json"
    with Run(ipctop, *QUIET, "--record", own, "--control", path) as run, Run(ipctop, *QUIET, "--record", others) as other:
        await_status(path)
        assert until(lambda: others.exists() and others.stat().st_size > 0)
        assert refusal(ipctop, path, "save", str(tmp_path / "own")) == f"save: {own} is what --record writes: take another name"
        locked = f"can't write {others}: a run records there, or another program has locked it: name another file"
        assert refusal(ipctop, path, "save", str(tmp_path / "others")) == f"save: {locked}"
        for option in ("--json", "--plot", "--export"):
            file = f"hgrm={others}" if option == "--export" else str(others)
            refused = ipctop.run(*QUIET, "-D", 1, option, file)
            assert refused.returncode == 1 and "a run records there" in refused.stderr and refused.stderr.count("\n") == 1, refused
        assert sorted(file.name for file in tmp_path.iterdir() if file != path) == sorted([own.name, others.name])
        obey(ipctop, path, "quit")
        other.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0 and other.wait()[0] == 0
    for recording in (own, others):
        assert ipctop.run("--replay", recording, "-q", "--speed", 0, "--json", again).returncode == 0
    assert ipctop.run(*QUIET, "-D", 0.1, "--json", others).returncode == 0, "it has ended"


def test_a_key_saves_the_screen_as_it_is(ipctop, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with start(ipctop, "-c", cpus()[0]) as terminal:
        press(terminal, "w", lambda text: "window all" in first_line(text))
        press(terminal, "e", lambda text: f"saved in {tmp_path} as ipctop-" in " ".join(text.split()))
        terminal.press("q")
        assert terminal.finish() == 0
    (text,), (result,), (recording,), (script,) = (
        list(tmp_path.glob(f"ipctop-*.{suffix}")) for suffix in ("txt", "json", "rec", "sh"))
    assert ipctop.run("--replay", recording, "-q", "--speed", 0, "--json", "again").returncode == 0
    replayed, saved = (json.loads(pathlib.Path(file).read_text(encoding="utf-8")) for file in ("again", result))
    assert replayed["ended_by"] == "saved" and replayed["rings"] == saved["rings"]
    assert "window all" in text.read_text(encoding="utf-8") and json.loads(result.read_text(encoding="utf-8"))["rings"]
    assert script.read_text(encoding="utf-8").count(" -m pipe,mq --pairs ") == 1


# --- kill -9 while it acts ---

VICTIMS = ("front", "keeper", "both", "host", "member", "load")
ROUNDS = int(os.environ.get("IPCTOP_ROUNDS", "5" if os.environ.get("IPCTOP_FULL") else "1"))     # of each victim
ALONE = 1 + ROUNDS // 5     # of these, so many change the machine's dma latency


def actions(folder):
    return [["policy", "fifo:40", "all"], ["priority", "+1", "all"], ["cpus", str(CPU), "all"], ["undo"], ["interval", "900", "all"],
            ["size", "2k", "all"], ["pause", "all"], ["resume", "all"], ["add", "svsem", OWN], ["remove", "1"],
            ["load", f"fork:{CPU}:20"], ["save", str(folder / "saved")]]


def pids_of(run, victim, choice):
    def named(name):
        return [pid for pid, (found, _) in run.processes().items() if found.startswith(name)]

    if victim in ("front", "keeper", "both"):
        return {"front": [run.pid], "keeper": [run.keeper()], "both": [run.pid, run.keeper()]}[victim]
    found = until({"host": lambda: list(run.hosts().values()), "member": lambda: [pid for pid, _ in run.members().values()],
                   "load": lambda: named("ipctop-load") + named("ipctop-fork") + named("ipctop-spinner")}[victim], step=0.001)
    assert found, (victim, run.processes())
    return [choice.choice(sorted(found))]


class Other:
    """Somebody else's process."""

    def __init__(self):
        def prepare():
            os.sched_setaffinity(0, {CPU})
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(3))
        self.process = subprocess.Popen(["sleep", "900"], preexec_fn=prepare)
        self.before = self.look()

    def look(self):
        pid = self.process.pid
        return os.sched_getscheduler(pid), os.sched_getparam(pid).sched_priority, os.sched_getaffinity(pid)


@pytest.fixture(name="other")
def make_other():
    found = Other()
    yield found
    found.process.kill()
    found.process.wait()


def kill_one(ipctop, room, path, words, victim, choice):
    """All actions are under way at once, in any order, as the victim is killed."""
    choice.shuffle(words)
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(Run(ipctop, *QUIET, "--load", f"spinner:{CPU}:10", "--control", path,
                                      *(["-f"] if victim == "member" else []), room=room))
        await_status(path)
        clients = [stack.enter_context(Client(path)) for _ in words]
        for client, command in zip(clients, words):
            client.send(json.dumps({"command": command[0], "arguments": command[1:]}))
        for client in clients[:choice.randrange(len(clients))]:
            client.read()       # the commands are obeyed one after the other
        for pid in pids_of(run, victim, choice):
            with contextlib.suppress(ProcessLookupError):       # what is opened anew just now ends by itself
                os.kill(pid, signal.SIGKILL)
        if victim in ("host", "member", "load"):
            run.process.send_signal(signal.SIGINT)      # if it has not ended with its last ring
        run.process.wait(PATIENCE)
        assert not run.left()
    path.unlink(missing_ok=True)


@pytest.mark.needs("root", "realtime")
@pytest.mark.parametrize("rounds, more", [
    pytest.param(range(ALONE), [["dma-latency", "20"]], marks=pytest.mark.alone, id="with dma latency"),   # of the machine
    pytest.param(range(ALONE, ROUNDS), [], marks=[pytest.mark.slow, pytest.mark.needs("whole")], id="without")])
def test_nothing_is_left_of_a_run_of_which_a_process_is_killed_while_it_acts(ipctop, path, tmp_path, other, room, rounds, more):
    """The dma latency is let go by the end of the last process that holds it."""
    for number, (turn, victim) in enumerate(itertools.product(rounds, VICTIMS), rounds.start * len(VICTIMS)):
        kill_one(ipctop, room, path, actions(tmp_path) + more, victim, random.Random(number))
        if victim == "both":        # the next start removes their objects
            with Run(ipctop, "-q", "-m", "pipe", "-t", 1, "-D", 0.1, room=room) as run:
                assert run.wait()[0] == 0
        assert not room.left(), (turn, victim)
        assert other.look() == other.before, (turn, victim, other.before, other.look())
