# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing that a terminal sends, or fails to send or to take, keeps a run from its end."""
import contextlib
import os
import re
import select
import signal
import time

import pytest

import made
from conftest import as_nobody, in_whole
from harness import report, until
from table import ready, rows, table
from terminal import CONTROL, Terminal
from test_ends import is_full

pytestmark = pytest.mark.screen

CUT_OFF = "\x1b[<0;1"      # the mouse's button, and where it was: the end is missing
END_S = 60                  # on a busy machine; an end that waits for the terminal never comes
DELAY_MS = 700              # its patience with a terminal adds up to 390 ms; the rest is for a busy machine
MANY = ("-m", "all", "-t", 8, "--side-by-side", "-i", 50000)    # rows for a long summary, and little load


def ended(terminal):
    """Without a look at what it wrote. Looks are counted, not seconds, for a machine that stands still shows none."""
    for _ in range(END_S * 100):
        if terminal.process.poll() is not None:
            return True
        time.sleep(0.01)
    return False


# --- what it sends ---

def outlast(terminal):
    """Until the program has given up the rest of a sequence: it has read what there is, and drawn frames since, each
    later than INPUT_PATIENCE_NS."""
    assert until(lambda: not terminal.unread())
    for _ in range(3):
        time.sleep(0.1)
        while terminal.pump(0):
            pass
        assert until(lambda: terminal.pump(0.1))


@pytest.mark.parametrize("end, why", [("-D", "duration"), ("q", "quit"), (signal.SIGTERM, "signal SIGTERM"),
                                      in_whole(signal.SIGHUP, "signal SIGHUP")], ids=str)
def test_a_cut_off_sequence_keeps_no_run_from_its_end(ipctop, tmp_path, end, why):
    args = ("-D", 3) if end == "-D" else ()     # time for the table to come
    with table(ipctop, "--mouse", "--json", tmp_path / "report.json", *args, term="xterm-256color") as terminal:
        ready(terminal).press(CUT_OFF)
        if end == "q":
            outlast(terminal)
            terminal.press(end)
        elif end != "-D":
            terminal.process.send_signal(end)
        assert terminal.finish() == 0
        assert terminal.whole() == "" and terminal.left() == {}
    assert report(tmp_path / "report.json")["ended_by"] == why


@pytest.mark.parametrize("start", [CUT_OFF, "\x1b[", in_whole("\x1bO"), in_whole("\x1b[M "), in_whole("\x1b[1;5"), "\xc3"], ids=ascii)
def test_keys_after_a_cut_off_sequence_are_keys(ipctop, start):
    with table(ipctop, "--mouse", term="xterm-256color") as terminal:
        ready(terminal)
        os.write(terminal.master, start.encode("latin-1"))
        outlast(terminal)
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
        terminal.drain()
        assert terminal.whole() == "" and terminal.left() == {}


# --- members that take all CPUs ---

@contextlib.contextmanager
def above_all():
    """Keys are pressed while members keep everybody else from the CPUs, the dashboard too."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def starved(ipctop):
    return table(ipctop, "-m", "mq", "-t", 8, "--side-by-side", "-i", 0, "--policy", "fifo", "-p", 80, "--force")


def starved_end_ms(ipctop, keys):
    with starved(ipctop) as terminal, above_all():
        terminal.wait_for(rows)
        time.sleep(0.3)
        for key in keys:
            terminal.press(key)
            time.sleep(0.02)
        start = time.monotonic()
        while terminal.process.poll() is None:
            terminal.pump(0.005)
            assert time.monotonic() < start + END_S
        return (time.monotonic() - start) * 1000


@pytest.mark.needs("realtime")
@pytest.mark.alone
@pytest.mark.parametrize("keys", [in_whole(["q"]), ["k", "j", "q"], in_whole(["Ctrl-C"])], ids=" ".join)
def test_starving_members_hardly_delay_the_end(ipctop, keys, stall):
    """The least of several, for other work runs on this machine."""
    times = [starved_end_ms(ipctop, keys) for _ in range(3)]
    assert min(times) < DELAY_MS + stall.longest_of_machine * 1000, (times, stall.longest_of_machine)


@pytest.mark.needs("realtime")
@pytest.mark.alone
def test_a_q_behind_the_key_of_a_dialog_is_text_however_late_the_dialog_is(ipctop):
    with starved(ipctop) as terminal, above_all():
        terminal.wait_for(rows)
        os.write(terminal.master, b"m")
        time.sleep(0.002)
        os.write(terminal.master, b"q")
        terminal.wait_for(lambda text: "name of the new phase" in text and re.search(r" q_( |$)", text, re.M))
        terminal.press("Enter")
        terminal.press("q")
        assert terminal.finish() == 0


# --- what it does not take ---

def stall(terminal):
    """Until the program has more to write than the terminal keeps."""
    assert until(lambda: os.write(terminal.master, b"ou") and is_full(terminal))
    time.sleep(0.1)     # what was typed is read, so that a q that comes alone ends it


@pytest.mark.parametrize("end", ["q", in_whole("F10"), in_whole(signal.SIGTERM)], ids=str)
def test_a_stalled_terminal_does_not_delay_the_end_for_its_summary(ipctop, tmp_path, end):
    """A long one: it would wait for the reader for ever."""
    with Terminal(ipctop, *MANY, "--refresh", 0.1, "--json", tmp_path / "report.json", columns=300,
                  lines=100) as terminal:
        terminal.wait_for(rows)
        stall(terminal)
        if isinstance(end, str):
            terminal.press(end)
        else:
            terminal.process.send_signal(end)
        assert ended(terminal), "it waits for the terminal"
        assert terminal.process.returncode == 0 and terminal.left() == {}
        terminal.drain()       # what the terminal still took
        assert terminal.whole() == ""
    assert report(tmp_path / "report.json")["rings"]


def end_ms(ipctop, recording, stalled):
    """How long a replay with a summary of 1,024 rows takes from q on."""
    with Terminal(ipctop, "--replay", recording, "--speed", 0, "--refresh", 0.1, columns=300, lines=100) as terminal:
        terminal.wait_for(rows)
        if stalled:
            stall(terminal)
        else:
            terminal.settle(0.05, 0.5)
        start = time.monotonic()
        terminal.press("q")
        while terminal.process.poll() is None:
            assert time.monotonic() < start + 2 * END_S
            if not stalled and select.select([terminal.master], [], [], 0.002)[0]:
                os.read(terminal.master, 65536)     # pyte would take its time
            elif stalled:
                time.sleep(0.002)
        return (time.monotonic() - start) * 1000


@pytest.mark.timing
def test_a_stalled_terminal_hardly_delays_the_end(ipctop, tmp_path, stall):
    """The least of several, for other work runs on this machine."""
    recording = made.record("crowd", tmp_path)
    read, stalled = (min(end_ms(ipctop, recording, stalled) for _ in range(3)) for stalled in (False, True))
    assert stalled - read < DELAY_MS + stall.longest * 1000, (read, stalled, stall.longest)


def test_a_terminal_that_is_read_gets_the_whole_summary(ipctop, tmp_path):
    with Terminal(ipctop, *MANY, "--refresh", 0.1, "--json", tmp_path / "report.json", columns=300, lines=100) as terminal:
        terminal.wait_for(rows)
        terminal.settle(0.05, 0.3)
        terminal.press("q")
        late = b""
        while terminal.process.poll() is None:     # pyte would take its time, and the rest be dropped
            if select.select([terminal.master], [], [], 0.02)[0]:
                late += os.read(terminal.master, 65536)
        terminal.raw += late
        terminal.stream.feed(late)
        assert terminal.finish() == 0 and terminal.whole() == ""
        after = terminal.raw[terminal.raw.rfind(CONTROL["LEAVE_SCREEN"]):].decode()
    rings = report(tmp_path / "report.json")["rings"]
    lines = re.findall(r"^\S+ +\d+>\d+(?:#\d+)? ", after, re.M)
    assert len(after) > 10000 and len(lines) == len(rings), after


LINES = ("-i", 20000, "-m", "all", "--side-by-side", "--refresh", 0.1, "--tick", 0.05)


@pytest.mark.parametrize("args, end", [
    (("--plain", *LINES), signal.SIGTERM), (("--plain", *LINES, "-D", 1), None), (("-q", "-D", 0.5), None),
    in_whole(("-q",), signal.SIGTERM), (("-D", 0.5, "--json", "-"), None)], ids=str)
def test_lines_on_a_stalled_terminal_keep_no_run_from_its_end(ipctop, args, end):
    with Terminal(ipctop, *args, stopped=True) as terminal:
        if end:     # else it may be over before it is looked at
            assert until(lambda: terminal.hosts())
            time.sleep(0.7)
            terminal.process.send_signal(end)
        assert ended(terminal), "it waits for the terminal"
        assert terminal.left() == {}
        # A summary may be lost; what is to be read by a program may not, without a word.
        assert terminal.process.returncode == (1 if "--json" in args else 0)


def test_a_complaint_on_a_stalled_terminal_keeps_no_run_from_its_end(ipctop):
    with Terminal(ipctop, "-q", "-D", 0.5, "--json", "/dev/full", stopped=True) as terminal:
        assert ended(terminal) and terminal.process.returncode == 1 and terminal.left() == {}


def test_a_compat_tool_on_a_stalled_terminal_ends_in_time(ipctop):
    with Terminal(ipctop, "pmqtest", "-i", 1000, "-D", 1, stopped=True) as terminal:
        assert ended(terminal) and terminal.left() == {}


def test_lines_go_on_where_a_stalled_terminal_goes_on(ipctop, tmp_path):
    """The run never waited: its ticks are as long as ever."""
    with Terminal(ipctop, "--plain", *LINES, "--json", tmp_path / "report.json", stopped=True) as terminal:
        assert until(lambda: terminal.hosts())
        time.sleep(1)
        before = terminal.raw.count(b"\n")
        terminal.press("Ctrl-Q")
        assert until(lambda: terminal.pump(0.1) and terminal.raw.count(b"\n") > before + 100)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.finish() == 0
        assert b"figure: first hop" in terminal.raw
        for line in terminal.raw.splitlines():
            assert len(line) < 300, line


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
