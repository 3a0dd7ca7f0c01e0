# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing that a terminal sends, or fails to send or to take, keeps a run from its end."""
import contextlib
import os
import signal
import time

import pytest

from conftest import as_nobody, in_whole
from harness import report, until
from table import ready, table

CUT_OFF = "\x1b[<0;1"      # the mouse's button, and where it was: the end is missing
END_S = 5                   # on a busy machine; an end that waits for the terminal never comes


def ended(terminal, seconds=END_S):
    """Without a look at what it wrote."""
    return until(lambda: terminal.process.poll() is not None, seconds)


# --- what it sends ---

@pytest.mark.parametrize("end, why", [("-D", "duration"), ("q", "quit"), (signal.SIGTERM, "signal SIGTERM"),
                                      in_whole(signal.SIGHUP, "signal SIGHUP")], ids=str)
def test_a_cut_off_sequence_keeps_no_run_from_its_end(ipctop, tmp_path, end, why):
    args = ("-D", 1.2) if end == "-D" else ()
    with table(ipctop, "--mouse", "--json", tmp_path / "report.json", *args, term="xterm-256color") as terminal:
        ready(terminal).press(CUT_OFF)
        time.sleep(0.2)
        if end == "q":
            terminal.press(end)
        elif end != "-D":
            terminal.process.send_signal(end)
        assert terminal.finish(END_S) == 0
        assert terminal.whole() == "" and terminal.left() == {}
    assert report(tmp_path / "report.json")["ended_by"] == why


@pytest.mark.parametrize("start", [CUT_OFF, "\x1b[", in_whole("\x1bO"), in_whole("\x1b[M "), in_whole("\x1b[1;5"), "\xc3"], ids=ascii)
def test_keys_after_a_cut_off_sequence_are_keys(ipctop, start):
    with table(ipctop, "--mouse", term="xterm-256color") as terminal:
        ready(terminal)
        os.write(terminal.master, start.encode("latin-1"))
        time.sleep(0.3)
        terminal.press("h")
        terminal.wait_for(lambda text: "open or close this help" in text)
        terminal.press("F10")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_a_terminal_that_closes_in_the_middle_of_a_sequence_ends_it(ipctop, tmp_path):
    with table(ipctop, "--mouse", "--json", tmp_path / "report.json", term="xterm-256color") as terminal:
        ready(terminal).press(CUT_OFF)
        os.close(terminal.slave)
        os.close(terminal.master)
        gone = ended(terminal)
        terminal.master, terminal.slave = os.open("/dev/null", os.O_RDWR), os.open("/dev/null", os.O_RDWR)
        assert gone and terminal.left() == {}
    assert report(tmp_path / "report.json")["ended_by"] in ("signal SIGHUP", "quit")


@pytest.mark.parametrize("what", [b"jkou", in_whole(b"\x1b[<64;9;9M"), b"\x1b[1;", in_whole(b"\x00\xff")], ids=ascii)
def test_a_terminal_that_sends_without_a_pause_keeps_no_run_from_its_end(ipctop, what):
    with table(ipctop, "--mouse", "-t", 1, term="xterm-256color") as terminal:
        ready(terminal)
        os.set_blocking(terminal.master, False)
        start, asked = time.monotonic(), False
        while terminal.process.poll() is None and time.monotonic() < start + END_S:
            with contextlib.suppress(BlockingIOError):
                os.write(terminal.master, what * 100)
            terminal.pump(0)
            if not asked and time.monotonic() > start + 0.5:
                terminal.process.send_signal(signal.SIGTERM)
                asked = True
        assert terminal.process.returncode == 0
        terminal.settle(0.05)
        assert terminal.whole() == "" and terminal.left() == {}


# --- whose terminal it is ---

class AsNobody:
    """As after su: the terminal stays the one who came first's."""
    enter = staticmethod(as_nobody)


@pytest.mark.needs("root")
def test_a_terminal_that_is_another_users_works_as_any(plain):
    with table(plain, "-t", 1, room=AsNobody) as terminal:
        ready(terminal).press("h")
        terminal.wait_for(lambda text: "open or close this help" in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == "" and "figure: first hop" in terminal.text()
