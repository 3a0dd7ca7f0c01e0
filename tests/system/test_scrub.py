# SPDX-License-Identifier: GPL-2.0-or-later
"""Back in time: a live display that is frozen and goes through its past, and a replay that is paused and sought in."""
import contextlib
import json
import os
import re
import time

import pytest

import made
from conftest import CPU, OWN, in_whole
from harness import Run, in_words, until
from table import FAST
from terminal import Terminal

pytestmark = [pytest.mark.screen, pytest.mark.timing]     # they compare figures of the past with those of now

CHANGE = f"{in_words('BATCH')} -> {in_words('OTHER')}"
PLACE = re.compile(r"(REPLAY x[\d.]+|PAUSED|END)  (\d\d):(\d\d):(\d\d)/(\d\d):(\d\d):(\d\d)")


def age(text):
    found = re.search(r"FROZEN (\d\d):(\d\d) ago  \d\d:\d\d:\d\d", text)
    return 60 * int(found[1]) + int(found[2]) if found else None


def count(text):
    """Samples of the selected pair."""
    found = re.search(r"^> .* (\d+) [▁▂▃▄▅▆▇█/* ]*$", text, re.M)
    return int(found[1]) if found else 0


def events(text):
    found = re.search(r" events \((\d+)\)", text)
    return int(found[1]) if found else None


def place(text):
    """(sign, seconds, of how many)"""
    found = PLACE.search(text)
    if not found:       # in the middle of a frame
        return "", -1, -1
    hours = [int(number) for number in found.groups()[1:]]
    return found[1], 3600 * hours[0] + 60 * hours[1] + hours[2], 3600 * hours[3] + 60 * hours[4] + hours[5]


@pytest.mark.parametrize("recorded", [in_whole(False), True])
@pytest.mark.slow
def test_the_past_is_shown_as_it_was(ipctop, tmp_path, recorded):
    more = ("--record", tmp_path / "recording") if recorded else ()
    with Terminal(ipctop, *FAST, "-c", CPU, "--policy", "batch", "--window", "all",
                  "--json", tmp_path / "report.json", *more,
                  columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: "00:00:00" not in text and count(text) > 2500)
        for name in ("mq:0.0", "mq:0.1"):
            os.sched_setscheduler(terminal.tid(name), os.SCHED_OTHER, os.sched_param(0))
        laps = terminal.wait_for(lambda text: CHANGE in text and "PHASE 2" in text and count(text))
        terminal.wait_for(lambda text: count(text) > laps + 3000)
        terminal.press(" ")
        terminal.wait_for(lambda text: age(text) is not None and "LIVE" not in text)
        past = frozen = terminal.steady()
        assert "PHASE 2" in frozen
        while "PHASE 1 'start'" not in past:
            terminal.press("[")
            terminal.wait_for(lambda text, was=past: count(text) and text != was)   # a starved pair has no new samples
            past = terminal.steady()
        assert CHANGE not in past and events(past) < events(frozen)
        assert 0 < count(past) < count(frozen) - 1500 and "FROZEN" in past
        first = past
        while "the first kept" not in first:    # it may have no samples
            terminal.press("{")
            terminal.wait_for(lambda text, was=first: text != was and age(text) is not None)
            first = terminal.steady()
        assert count(first) <= count(past)
        for _ in range(400):    # a slow machine has a longer past, and more spikes
            past = terminal.text()
            if age(past) == 0 and "PHASE 2" in past and count(past) >= count(frozen):
                break
            terminal.press("}")
            terminal.wait_for(lambda text, was=past: text != was and age(text) is not None)
        else:
            assert False, past
        for key in "rm":        # a phase begins in what is measured now, which is not shown
            terminal.press(key)
            terminal.wait_for(lambda text: "frozen: press Space first" in text and "name of" not in text)
            terminal.press("j")
            terminal.wait_for(lambda text: "frozen: press" not in text)
        terminal.press(" ")
        terminal.wait_for(lambda text: "LIVE 0.1s" in text)
        assert "PHASE 2" in terminal.text()
        terminal.press("r")
        terminal.wait_for(lambda text: "PHASE 3" in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
    causes = [phase["cause"] for phase in json.loads((tmp_path / "report.json").read_text())["phases"]]
    assert causes == ["start", "change", "key"]


@pytest.fixture(scope="module", name="recording")
def fixture_recording(tmp_path_factory):
    return made.record("few", tmp_path_factory.mktemp("scrub"))


def replay(ipctop, path, *args):
    return Terminal(ipctop, "--replay", path, "--refresh", 0.1, "--window", "all", *args, columns=120, lines=30)


def test_a_replay_pauses_steps_and_seeks(ipctop, recording):
    with replay(ipctop, recording) as terminal:
        terminal.wait_for(lambda text: place(text)[0] == "REPLAY x1" and place(text)[1] > 0)
        terminal.press(" ")
        terminal.wait_for(lambda text: place(text)[0] == "PAUSED")
        still = terminal.steady()
        time.sleep(1.2)
        assert terminal.steady() == still and place(still)[2] == 185
        for _ in range(3):      # ticks of half a second: 500 laps
            terminal.press(".")
            terminal.wait_for(lambda text, was=count(terminal.text()): was + 300 < count(text) < was + 700)
        assert place(terminal.text())[0] == "PAUSED"
        terminal.press("}")
        far = terminal.wait_for(lambda text: text if count(text) > count(still) + 10000 else None)
        assert place(far)[:2] == ("PAUSED", min(place(still)[1] + 11, place(far)[1]))
        terminal.press("{")
        terminal.wait_for(lambda text: count(text) < count(far) - 9000 and place(text)[0] == "PAUSED")
        for _ in range(20):
            terminal.press("[")
        terminal.wait_for(lambda text: place(text)[1] == 0 and count(text) < 700)
        terminal.press("]")
        terminal.press(" ")
        terminal.wait_for(lambda text: place(text)[0] == "REPLAY x1" and place(text)[1] >= 2)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_the_end_is_said_and_can_be_left_again(ipctop, recording, tmp_path):
    with replay(ipctop, recording, "--speed", 0, "--json", tmp_path / "report.json") as terminal:
        end = terminal.wait_for(lambda text: text if "END" in text and count(text) else None)
        assert place(end)[1] == place(end)[2]
        terminal.press(" ")
        terminal.press("{")
        terminal.wait_for(lambda text: place(text)[0] == "PAUSED" and count(text) < count(end) - 9000)
        for key in "rm":        # the next seek would lose it
            terminal.press(key)
            terminal.wait_for(lambda text: "begin them while measuring" in text and "name of" not in text)
            terminal.press("k")
            terminal.wait_for(lambda text: "begin them" not in text)
        terminal.press(" ")
        terminal.wait_for(lambda text: place(text)[0] == "END" and count(text) == count(end))
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["phases"][-1]["number"] == 5 and found["ended_by"] == "duration"
    assert found["rings"][0]["figures"]["first"]["count"] == count(end)


def test_a_step_at_the_end_waits_for_nothing(ipctop, recording):
    def used_s(pid):
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return sum(map(int, file.read().rsplit(")")[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    with replay(ipctop, recording, "--speed", 0) as terminal:
        terminal.wait_for(lambda text: "END" in text and count(text))
        terminal.press(".")
        terminal.settle(0.05, 0.5)
        before = used_s(terminal.pid)
        time.sleep(1)
        assert used_s(terminal.pid) - before < 0.3
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_who_goes_back_from_the_end_is_paused_there_at_any_speed(ipctop, recording):
    with replay(ipctop, recording, "--speed", 500) as terminal:
        end = terminal.wait_for(lambda text: place(text)[0] == "END" and place(text)[1])
        for _ in range(3):
            terminal.press("[")
        # The tick that was shown then may have ended in the second before.
        terminal.wait_for(lambda text: place(text)[0] == "PAUSED" and place(text)[1] in (end - 3, end - 4))
        found = place(terminal.steady())
        time.sleep(0.5)
        assert place(terminal.steady()) == found and found[0] == "PAUSED"
        terminal.resize(120, 40)
        terminal.wait_for(lambda text: "▁▂▃▄▅▆█>" in text and place(text) == found)
        terminal.press(" ")
        terminal.wait_for(lambda text: place(text)[0] == "END")
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_no_memory_is_kept_without_a_dashboard(ipctop, tmp_path):
    def files(pid):
        found = []
        for fd in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(FileNotFoundError):    # closed meanwhile
                found.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        return found

    with Run(ipctop, "--plain", "-D", 120, "--refresh", 0.2, "--json", tmp_path / "report.json") as run:
        run.await_output(lambda text: f" {OWN} " in text)
        assert not [name for name in files(run.pid) if "ipctop-history" in name]
    with Terminal(ipctop, *FAST) as terminal:
        assert until(lambda: [name for name in files(terminal.pid) if "ipctop-history" in name])
