# SPDX-License-Identifier: GPL-2.0-or-later
"""Terminals after the end of a replay, which no keeper mends, and terminals that nobody reads."""
import os
import select
import signal
import time

import pytest

import made
from conftest import in_whole
from harness import report, status, until
from terminal import CONTROL, Terminal
from test_pty import ready, rows

ENDS = {"q": 0, "F10": 0, "Ctrl-C": 0, "Ctrl-\\": 0, signal.SIGINT: 0, signal.SIGTERM: 0, signal.SIGHUP: 0,
        signal.SIGQUIT: 0, signal.SIGSEGV: -signal.SIGSEGV, signal.SIGABRT: -signal.SIGABRT,
        signal.SIGBUS: -signal.SIGBUS, signal.SIGFPE: -signal.SIGFPE}
OPEN = {"nothing": ("", lambda text: rows(text)), "help": ("h", lambda text: "close this help" in text),
        "a dialog": ("m", lambda text: "name of the new phase" in text)}


@pytest.fixture(scope="module", name="few")
def make_few(tmp_path_factory):
    return made.record("few", tmp_path_factory.mktemp("ends"))


def replayed(ipctop, few, *args, **more):
    return Terminal(ipctop, "--replay", few, "--speed", 0, *args, **more)


def bring(terminal, end):
    if isinstance(end, signal.Signals):
        terminal.process.send_signal(end)
    else:
        terminal.press(end)


def is_plain(terminal):
    """What is written next has no attribute and no colour."""
    return terminal.screen.cursor.attrs == terminal.screen.default_char


@pytest.mark.parametrize("end", ENDS, ids=str)
def test_a_replay_leaves_a_whole_terminal(ipctop, few, end):
    with replayed(ipctop, few) as terminal:
        terminal.wait_for(rows)
        assert terminal.whole() != ""
        bring(terminal, end)
        assert terminal.finish(2) == ENDS[end]
        terminal.settle(0.05)
        assert terminal.whole() == "" and is_plain(terminal) and terminal.left() == {}


@pytest.mark.parametrize("term", ["tmux-256color", "linux", "vt100", "vt220"])
@pytest.mark.parametrize("end", ["Ctrl-C", signal.SIGTERM, signal.SIGSEGV], ids=str)
@pytest.mark.parametrize("what", OPEN)
def test_whatever_is_open_the_terminal_is_whole_afterwards(ipctop, few, term, end, what):
    with replayed(ipctop, few, term=term) as terminal:
        terminal.wait_for(rows)
        for key in OPEN[what][0]:
            terminal.press(key)
        terminal.wait_for(OPEN[what][1])
        bring(terminal, end)
        assert terminal.finish(2) == ENDS[end]
        terminal.settle(0.05)
        assert terminal.whole() == "" and is_plain(terminal)


@pytest.mark.parametrize("what", OPEN)
def test_a_replay_is_stopped_and_goes_on(ipctop, few, what):
    with replayed(ipctop, few) as terminal:
        terminal.wait_for(rows)
        for key in OPEN[what][0]:
            terminal.press(key)
        terminal.wait_for(OPEN[what][1])
        terminal.press("Ctrl-Z")
        assert until(lambda: not terminal.pump(0.05) and status(terminal.pid)[1] == "T", 3)
        assert terminal.whole() == ""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for(lambda text: OPEN[what][1](text) and terminal.whole() != "", 2)
        terminal.press("F10")
        assert terminal.finish(2) == 0 and terminal.whole() == ""


# --- terminals that nobody reads ---

SECONDS = 3
RUN = ("-c", 0, "-p", 50, "-i", 1000, "--tick", 0.05, "--refresh", 0.1)


def fill(terminal, read):
    """For so long: all rows are drawn anew again and again; read or not."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        terminal.press("o")
        terminal.press("u")
        if read:
            terminal.settle(0.02, 0.05)
        time.sleep(0.05)


def is_full(terminal):
    """Is nothing more to be had from the program than what the terminal kept?"""
    return not select.select([], [terminal.slave], [], 0)[1]


def run_for_a_while(ipctop, path, read, end):
    """The ring's report, and how long the end took."""
    with Terminal(ipctop, *RUN, "--json", path, columns=200, lines=60) as terminal:
        ready(terminal)
        fill(terminal, read)
        assert read or is_full(terminal)
        start = time.monotonic()
        bring(terminal, end)
        assert until(lambda: terminal.process.poll() is not None or terminal.hosts() == {}, 1)
        members_took = time.monotonic() - start
        before = len(terminal.raw)
        assert terminal.finish() == 0
        took = time.monotonic() - start
        assert terminal.whole() == "" and CONTROL["LEAVE_SCREEN"] in terminal.raw[before:] or read
    return report(path)["rings"][0], members_took, took


def slots_a_second(ring):
    return (ring["laps"] + ring["warmup_laps"] + ring["missed"]) / ring["active_ns"] * 1e9


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("end", ["q", in_whole(signal.SIGTERM)], ids=str)
def test_a_terminal_that_nobody_reads_costs_no_lap(ipctop, tmp_path, end):
    read, _, _ = run_for_a_while(ipctop, tmp_path / "read.json", True, end)
    stalled, members_took, took = run_for_a_while(ipctop, tmp_path / "stalled.json", False, end)
    assert members_took < 1 and took < 2
    for ring in (read, stalled):
        assert slots_a_second(ring) == pytest.approx(1000, rel=0.01)
    # What the machine itself costs, the run that was read has lost as well.
    laps = [ring["laps"] / ring["active_ns"] for ring in (read, stalled)]
    assert laps[1] >= 0.99 * laps[0], (read["missed"], stalled["missed"])
    late = [ring["figures"]["lateness"]["percentiles"]["99"] for ring in (read, stalled)]
    assert late[1] <= 2 * late[0] + 100000, late


def test_a_stalled_replay_ends_within_a_second(ipctop, few):
    for end in ("q", signal.SIGTERM, signal.SIGSEGV):
        with replayed(ipctop, few, "--refresh", 0.1, columns=200, lines=60) as terminal:
            terminal.wait_for(rows)
            assert until(lambda terminal=terminal: os.write(terminal.master, b"ou") and is_full(terminal), 10)
            time.sleep(0.1)     # the guard obeys a q that comes alone; others wait for the screen
            start = time.monotonic()
            bring(terminal, end)
            assert until(lambda terminal=terminal: terminal.process.poll() is not None, 2), end
            assert time.monotonic() - start < 1
            terminal.settle(0.05)
            assert terminal.whole() == ""
