# SPDX-License-Identifier: GPL-2.0-or-later
"""Terminals after whatever ended what was on them, or stopped it, and terminals that nobody reads."""
import os
import re
import select
import shlex
import signal
import time

import pexpect
import pytest

import made
from conftest import CPU, environment, in_whole, undisturbed
from harness import PATIENCE, read, report, status, until
from terminal import CONTROL, Terminal
from table import ready, rows, table

pytestmark = pytest.mark.screen

ENDS = {"q": 0, "F10": 0, "Ctrl-C": 0, "Ctrl-\\": 0, signal.SIGINT: 0, signal.SIGTERM: 0, signal.SIGHUP: 0,
        signal.SIGQUIT: 0, signal.SIGSEGV: -signal.SIGSEGV, signal.SIGABRT: -signal.SIGABRT,
        signal.SIGBUS: -signal.SIGBUS, signal.SIGFPE: -signal.SIGFPE}
OPEN = {"nothing": ("", lambda text: rows(text)), "help": ("h", lambda text: "close this help" in text),
        "a dialog": ("/", lambda text: "show rings with" in text)}


# --- of a replay, which no keeper mends ---

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
        assert terminal.finish() == ENDS[end]
        assert terminal.whole() == "" and is_plain(terminal) and terminal.left() == {}


@pytest.mark.parametrize("term", ["tmux-256color", in_whole("linux"), in_whole("vt100"), "vt220"])
@pytest.mark.parametrize("end", ["Ctrl-C", signal.SIGTERM, signal.SIGSEGV], ids=str)
@pytest.mark.parametrize("what", OPEN)
def test_whatever_is_open_the_terminal_is_whole_afterwards(ipctop, few, term, end, what):
    with replayed(ipctop, few, term=term) as terminal:
        terminal.wait_for(rows)
        for key in OPEN[what][0]:
            terminal.press(key)
        terminal.wait_for(OPEN[what][1])
        bring(terminal, end)
        assert terminal.finish() == ENDS[end]
        assert terminal.whole() == "" and is_plain(terminal)


@pytest.mark.parametrize("what", OPEN)
def test_a_replay_is_stopped_and_goes_on(ipctop, few, what):
    with replayed(ipctop, few) as terminal:
        terminal.wait_for(rows)
        for key in OPEN[what][0]:
            terminal.press(key)
        terminal.wait_for(OPEN[what][1])
        terminal.press("Ctrl-Z")
        assert until(lambda: not terminal.pump(0.05) and status(terminal.pid)[1] == "T")
        assert terminal.whole() == ""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait_for(lambda text: OPEN[what][1](text) and terminal.whole() != "")
        terminal.press("F10")
        assert terminal.finish() == 0 and terminal.whole() == ""


# --- of a run ---

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals_that_ask_for_the_end_leave_a_whole_terminal_and_a_report(ipctop, tmp_path, number):
    with table(ipctop, "--json", tmp_path / "report.json") as terminal:
        ready(terminal)
        assert terminal.whole() != ""
        terminal.process.send_signal(number)
        assert terminal.finish() == 0
        assert terminal.whole() == "" and terminal.left() == {}
        assert "figure: first hop" in terminal.text()
    assert report(tmp_path / "report.json")["ended_by"] == f"signal {number.name}"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE])
def test_crashes_leave_a_whole_terminal_and_nothing_else(ipctop, number):
    with table(ipctop, "-m", "all") as terminal:
        ready(terminal)
        terminal.process.send_signal(number)
        assert terminal.finish() == -number
        assert terminal.left() == {}
        terminal.drain()
        assert terminal.whole() == ""


def test_ctrl_c_ends_it_and_loses_nothing(ipctop, tmp_path):
    with table(ipctop, "--json", tmp_path / "report.json") as terminal:
        ready(terminal).press("Ctrl-C")
        assert terminal.finish() == 0 and terminal.whole() == ""
        assert "figure: first hop" in terminal.text()
    assert report(tmp_path / "report.json")["ended_by"] == "signal SIGINT"


def test_a_duration_ends_the_table_with_its_summary(ipctop):
    with table(ipctop, "-D", 0.8) as terminal:
        assert terminal.finish() == 0 and terminal.whole() == ""
        assert "figure: first hop" in terminal.text()


def test_rows_that_all_failed_stay_to_be_read(ipctop, tmp_path):
    """And q then ends it, with an error's status."""
    with table(ipctop, "--json", tmp_path / "report.json") as terminal:
        for host in until(lambda: len(terminal.hosts()) == len(os.sched_getaffinity(0)) and terminal.hosts()).values():
            os.kill(host, signal.SIGKILL)
        terminal.wait_for(lambda text: "failed" in text and "killed by signal 9" in text)
        terminal.settle(0.1, 0.5)
        assert terminal.process.poll() is None
        terminal.press("q")
        assert terminal.finish() == 1 and terminal.whole() == ""
    assert all(ring["state"] == "failed" for ring in report(tmp_path / "report.json")["rings"])


MODES = r"([0-9a-f]+(:[0-9a-f]+)+)\r\n"      # as stty -g prints them


@pytest.mark.needs("terminals")
def test_stop_and_foreground_in_a_shell(ipctop):
    """Ctrl-Z gives the shell a whole terminal; fg draws the table again; the members went on all the while."""
    shell = pexpect.spawn("bash", ["--norc", "--noprofile", "-i"], dimensions=(24, 80), encoding="utf-8", timeout=PATIENCE,
                          env=environment({"TERM": "tmux-256color", "LC_ALL": "C.UTF-8", "PS1": "READY$ "}))
    try:
        shell.expect_exact("READY$ ")
        shell.sendline("stty -g")
        shell.expect(MODES)
        before = shell.match[1]
        shell.expect_exact("READY$ ")
        shell.sendline(f"{shlex.quote(ipctop.path)} --tick 0.1 --refresh 0.1 --json /dev/null")
        for _ in range(2):
            shell.expect_exact("\x1b[?1049h")
            shell.expect(r"RMax.*Quit")
            shell.send("\x1a")
            shell.expect_exact("\x1b[?1049l")
            shell.expect_exact("Stopped")
            shell.expect_exact("READY$ ")
            shell.sendline("stty -g")
            shell.expect(MODES)
            assert shell.match[1] == before
            shell.expect_exact("READY$ ")
            shell.sendline("fg")
        shell.expect_exact("\x1b[?1049h")
        shell.expect(r"RMax.*Quit")
        shell.send("q")
        shell.expect_exact("\x1b[?1049l")
        shell.expect_exact("figure: first hop")
        shell.expect_exact("READY$ ")
        shell.sendline("echo status $?; stty -g")
        shell.expect(r"status 0\s+" + MODES)
        assert shell.match[1] == before
    finally:
        shell.close(force=True)


@pytest.mark.needs("terminals")
def test_in_the_background_it_leaves_the_keys_to_the_shell(ipctop):
    """To read one of them would stop it."""
    shell = pexpect.spawn("bash", ["--norc", "--noprofile", "-i"], dimensions=(24, 80), encoding="utf-8", timeout=PATIENCE,
                          env=environment({"TERM": "tmux-256color", "LC_ALL": "C.UTF-8", "PS1": "READY$ "}))
    try:
        shell.expect_exact("READY$ ")
        shell.sendline(f"{shlex.quote(ipctop.path)} --refresh 0.1 -c {CPU}")
        shell.expect(r"RMax.*Quit")
        shell.send("\x1a")
        shell.expect_exact("Stopped")
        shell.expect_exact("READY$ ")
        for command in ("bg", *(f"echo the shell has {i}" for i in range(30))):
            for letter in command + "\r":
                shell.send(letter)
            shell.expect_exact("READY$ ")
        shell.sendline("jobs")
        shell.expect(r"\[1\]\+ +(Running|Stopped)")
        assert shell.match[1] == "Running"
        shell.expect_exact("READY$ ")
        shell.sendline("fg")
        shell.expect(r"RMax.*Quit")
        shell.send("q")
        shell.expect_exact("figure: first hop")
        shell.expect_exact("READY$ ")
    finally:
        shell.close(force=True)


@pytest.mark.needs("program timeout", "terminals")
def test_a_script_may_limit_its_time(ipctop):
    """timeout(1) takes itself and the program out of the foreground, where the shell has not done so."""
    words = shlex.join(["timeout", "120", ipctop.path, "-D", "0.5", "-c", str(CPU)])
    script = pexpect.spawn("sh", ["-c", f"{words}; echo ended by $?"], dimensions=(24, 80), encoding="utf-8", timeout=PATIENCE,
                           env=environment({"TERM": "tmux-256color", "LC_ALL": "C.UTF-8"}))
    try:
        script.expect_exact("\x1b[?1049h")
        script.expect_exact("\x1b[?1049l")
        script.expect_exact("ended by 0")
    finally:
        script.close(force=True)


@pytest.mark.timing
def test_members_go_on_while_the_front_is_stopped(ipctop, tmp_path, stall):
    with table(ipctop, "--json", tmp_path / "report.json", "-c", CPU, *undisturbed()) as terminal:
        ready(terminal)
        start = time.monotonic()
        os.kill(terminal.pid, signal.SIGSTOP)
        assert until(lambda: status(terminal.pid)[1] == "T")
        terminal.settle()
        time.sleep(1)
        os.kill(terminal.pid, signal.SIGCONT)
        spent = time.monotonic() - start
        terminal.settle(0.1, 0.3)
        terminal.press("q")
        assert terminal.finish() == 0
    ring = report(tmp_path / "report.json")["rings"][0]
    assert ring["laps"] > 700 * (spent - stall.total)
    assert ring["figures"]["response"]["max_ns"] < 500e6 + stall.longest * 1e9


# --- terminals that nobody reads ---

SECONDS = 3
RUN = ("-c", CPU, "-p", 50, "-i", 1000, "--tick", 0.05, "--refresh", 0.1)


def fill(terminal, read):
    """For so long, or until the terminal is full: all rows are drawn anew again and again; read or not."""
    start = time.monotonic()
    while (now := time.monotonic()) < start + SECONDS or (not read and not is_full(terminal)):
        assert now < start + PATIENCE, "it never fills"
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
        start = time.monotonic()
        bring(terminal, end)
        assert until(lambda: terminal.process.poll() is not None or terminal.hosts() == {})
        members_took = time.monotonic() - start
        before = len(terminal.raw)
        assert terminal.finish() == 0
        took = time.monotonic() - start
        assert terminal.whole() == "" and CONTROL["LEAVE_SCREEN"] in terminal.raw[before:] or read
    return report(path)["rings"][0], members_took, took


@pytest.mark.timing
def test_a_terminal_that_stalls_delays_no_member(ipctop, tmp_path, stall):
    """Nobody reads for 2 s; at 20 frames a second its buffer is full long before."""
    with Terminal(ipctop, "--tick", 0.05, "--refresh", 0.1, "--json", tmp_path / "report.json", *undisturbed(),
                  columns=200, lines=60) as terminal:
        ready(terminal)
        start = time.monotonic()
        while time.monotonic() < start + 2:
            terminal.press("o")     # all rows are drawn anew
            terminal.press("u")
            time.sleep(0.05)
        terminal.press("q")
        # The members' end waits for no reader either: there is none before finish().
        assert until(lambda: terminal.hosts() == {})
        assert terminal.finish() == 0 and terminal.whole() == ""
    found = report(tmp_path / "report.json")
    for ring in found["rings"]:
        slots = ring["laps"] + ring["warmup_laps"] + ring["missed"]
        assert slots > 2000 and ring["missed"] < 0.15 * slots + 1000 * stall.total, (slots, ring["missed"], stall.total)
        assert ring["figures"]["response"]["max_ns"] < 500e6 + stall.longest * 1e9


def slots_a_second(ring):
    slots = ring["laps"] + ring["warmup_laps"] + ring["missed"] + ring["rested"]
    return slots / ring["active_ns"] * 1e9


@pytest.mark.needs("realtime")
@pytest.mark.parametrize("end", ["q", in_whole(signal.SIGTERM)], ids=str)
@pytest.mark.timing
@pytest.mark.slow
def test_a_terminal_that_nobody_reads_costs_no_lap(ipctop, tmp_path, end, stall):
    read, *took_read = run_for_a_while(ipctop, tmp_path / "read.json", True, end)
    stalled, *took = run_for_a_while(ipctop, tmp_path / "stalled.json", False, end)
    # No longer than where the terminal is read, which is how fast this machine is.
    assert all(late < in_time + 1 + stall.total for late, in_time in zip(took, took_read)), (took, took_read)
    for ring in (read, stalled):
        assert slots_a_second(ring) == pytest.approx(1000, rel=0.01)
    # Members that waited for the reader would have missed nearly all; what the machine and others cost is less.
    laps = [ring["laps"] / ring["active_ns"] * 1e9 for ring in (read, stalled)]
    assert laps[1] >= 0.4 * laps[0] - 1000 * stall.total_of_machine / SECONDS, (read["missed"], stalled["missed"])


@pytest.mark.timing
def test_a_stalled_replay_ends_within_a_second(ipctop, few, stall):
    for end in ("q", signal.SIGTERM, signal.SIGSEGV):
        with replayed(ipctop, few, "--refresh", 0.1, columns=200, lines=60) as terminal:
            terminal.wait_for(rows)
            assert until(lambda terminal=terminal: os.write(terminal.master, b"ou") and is_full(terminal))
            time.sleep(0.1)     # the input thread obeys a q that comes alone; others wait for the screen
            start = time.monotonic()
            bring(terminal, end)
            assert until(lambda terminal=terminal: terminal.process.poll() is not None), end
            assert time.monotonic() - start < 1 + stall.longest
            terminal.drain()
            assert terminal.whole() == ""


def ignored(pid):
    return int(re.search(rb"^SigIgn:\t(\w+)$", read(f"/proc/{pid}/status"), re.M)[1], 16)


def test_ctrl_z_is_not_ignored_while_a_frame_is_written(ipctop, few):
    """What curses does unless it is kept from it; one that is pending then would be lost."""
    with replayed(ipctop, few, "--refresh", 0.1, columns=200, lines=60) as terminal:
        terminal.wait_for(rows)
        assert until(lambda: os.write(terminal.master, b"ou") and is_full(terminal))
        time.sleep(0.1)
        assert not ignored(terminal.pid) >> (signal.SIGTSTP - 1) & 1
        terminal.press("Ctrl-Z")
        assert until(lambda: status(terminal.pid)[1] == "T")
        terminal.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("end", ["q", in_whole("Ctrl-C"), in_whole(signal.SIGTERM), signal.SIGSEGV, "Ctrl-Q"], ids=str)
@pytest.mark.timing
def test_a_terminal_that_is_stopped_from_the_start_keeps_nobody(ipctop, end, stall):
    """Ctrl-Q lets it go on: then all is as ever."""
    with Terminal(ipctop, stopped=True) as terminal:
        assert until(lambda: terminal.hosts() and status(terminal.pid)[1] == "S")
        time.sleep(0.5)
        start = time.monotonic()
        bring(terminal, end)
        if end == "Ctrl-Q":
            terminal.wait_for(rows)
            terminal.press("q")
        assert until(lambda: terminal.process.poll() is not None)
        assert end == "Ctrl-Q" or time.monotonic() - start < 1 + stall.longest
        assert terminal.process.returncode == ENDS.get(end, 0)
        terminal.drain()
        assert terminal.whole() == "" and until(lambda: terminal.left() == {})
