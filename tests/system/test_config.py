# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person sets while ipctop runs: a frozen display, the refresh."""
import re
import time

from harness import report
from terminal import Terminal

FAST = ("--tick", 0.1, "--refresh", 0.1)
COUNT = re.compile(r"── .* n (\d+)")     # the selected pair's samples


def count(text):
    found = COUNT.search(text)
    return int(found[1]) if found else 0


def counting(terminal):
    terminal.wait_for(count)
    return terminal


# --- keys ---

def test_space_freezes_the_display_while_collecting_goes_on(ipctop, tmp_path):
    with Terminal(ipctop, *FAST, "-c", 0, "--json", tmp_path / "report.json") as terminal:
        assert "LIVE 0.1s" in counting(terminal).text()
        terminal.press(" ")
        terminal.wait_for(lambda text: "FROZEN 00:00 ago" in text and "LIVE" not in text, 2)
        frozen = terminal.text()
        elapsed = re.search(r"\d\d:\d\d:\d\d", frozen)[0]
        terminal.wait_for(lambda text: "FROZEN 00:01 ago" in text, 3)
        assert terminal.text() == frozen.replace("00:00 ago", "00:01 ago")
        terminal.press("o")     # keys work on what is frozen
        terminal.wait_for(lambda text: "answer [us]" in text and elapsed in text and "FROZEN" in text, 2)
        terminal.press("o")
        terminal.press("o")
        terminal.press("o")
        terminal.press("h")
        terminal.wait_for(lambda text: "open or close this help" in text and "FROZEN" in text, 2)
        terminal.press("h")
        terminal.wait_for(lambda text: count(text) == count(frozen) and "first hop [us]" in text, 2)
        terminal.press(" ")
        terminal.wait_for(lambda text: "LIVE 0.1s" in text and count(text) > count(frozen) + 500, 2)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
    assert report(tmp_path / "report.json")["rings"][0]["figures"]["first"]["count"] > count(frozen) + 500


def test_a_frozen_display_can_be_quit_and_resized(ipctop):
    with Terminal(ipctop, *FAST) as terminal:
        counting(terminal).press(" ")
        terminal.wait_for(lambda text: "FROZEN" in text, 2)
        terminal.resize(40, 10)
        terminal.wait_for(lambda text: "FROZEN" in text and "PAIR" in text, 2)
        terminal.resize(120, 40)
        terminal.wait_for(lambda text: "FROZEN" in text and "p99.9" in text, 2)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_plus_and_minus_change_the_refresh(ipctop):
    with Terminal(ipctop, "--tick", 0.1, "--refresh", 0.2) as terminal:
        counting(terminal)
        for key, sign in (("+", "0.1s"), ("+", "0.1s"), ("-", "0.2s"), ("-", "0.5s"), ("-", "1.0s"), ("-", "2.0s"),
                          ("-", "5.0s"), ("-", "10.0s"), ("-", "10.0s")):
            terminal.press(key)
            terminal.wait_for(lambda text, sign=sign: f"LIVE {sign}" in text, 2)
        terminal.settle(0.1, 0.3)
        still, start = terminal.text(), time.monotonic()
        while time.monotonic() < start + 1.5:       # that is what it now waits for
            terminal.pump(0.1)
        assert terminal.text() == still
        for _ in range(6):
            terminal.press("+")
        terminal.wait_for(lambda text: "LIVE 0.1s" in text and count(text) > count(still) + 300, 3)
