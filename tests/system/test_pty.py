# SPDX-License-Identifier: GPL-2.0-or-later
"""The live table on a real terminal: what it shows, and what keys do."""
import fcntl
import os
import pty
import re
import struct
import termios
import time

import pytest

from conftest import CPU, OWN
from harness import THREE, Run, report, until
from table import READY, heads, lines_of, marked, ready, rows, sorted_by, table
from terminal import CONTROL, Terminal

pytestmark = pytest.mark.screen

COLOR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")


# --- what it shows ---

def hops_of(text):
    """The rows of hops: (mark, number, from and to, latest)."""
    return re.findall(r"^([> ]) +(\d+): (\d+>\d+)(?:#\d+)? .*?(\d+\.\d\d)", text, re.M)


def test_a_ring_unfolds_to_its_hops_and_the_selection_stays(ipctop):
    with table(ipctop, "--ring", 3, "--pairs", "own", "-c", CPU) as terminal:
        terminal.wait_for(re.compile(rf"^> +▸ {OWN}>{CPU} .*\d\.\d\d", re.M).search)
        terminal.press("f")
        terminal.wait_for(lambda text: [hop[1:3] for hop in hops_of(text)] == [(n, OWN) for n in "012"])
        for _ in range(2):
            terminal.press("j")
        terminal.press("I")     # by PAIR, the other way round
        terminal.wait_for(lambda text: [hop[:2] for hop in hops_of(text)] == [(" ", "2"), (">", "1"), (" ", "0")])
        before = hops_of(terminal.text())
        # A frame may be read in parts.
        terminal.wait_for(lambda text: (hops := hops_of(text)) != before and [hop[0] for hop in hops] == [" ", ">", " "])
        terminal.press("f")
        terminal.wait_for(lambda text: not hops_of(text) and re.search(rf"^> +▸ {OWN}>{CPU} ", text, re.M))


@pytest.mark.recorder
@pytest.mark.parametrize("term", ["tmux-256color", "linux", "vt100"])
def test_header_rows_and_histogram_at_80x24(ipctop, term):
    with table(ipctop, "-m", "mq,svsem", "-t", 2, "--side-by-side", term=term) as terminal:
        terminal.wait_for(lambda text: len(READY.findall(text)) >= 2)
        # A frame may be read in parts: each thing is waited for.
        for word in (os.uname().release.split("-")[0], "preempt", "isol", "dma", "first hop"):
            terminal.wait_for(lambda text, word=word: word in "\n".join(text.splitlines()[:3]))
        terminal.wait_for(lambda text: re.search(r"^load [\d.]+ [\d.]+ [\d.]+ ", text, re.M))  # as /proc/loadavg has it
        terminal.wait_for(lambda text: {"Cur", "p99", "Max", "Resp99", "RMax", "missed"} <= heads(text))
        terminal.wait_for(lambda text: len(rows(text)) == 4)
        terminal.wait_for(lambda text: "▾ mq" in text and "▾ svsem" in text and "Quit" in text.splitlines()[-1])
        terminal.wait_for(lambda text: re.search(r"^  all \(\d+ pairs\) +[\d.]+ ", text, re.M) and "events (" in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_without_a_known_terminal_it_goes_on_with_lines(ipctop):
    for term in ("nonesuch", "dumb", ""):
        with Terminal(ipctop, "-D", 0.5, "--refresh", 0.3, term=term) as terminal:
            assert terminal.finish() == 0, terminal.text()
            assert terminal.whole() == "" and "figure: first hop" in terminal.raw.decode()


def test_colors_are_there_and_can_be_turned_off(ipctop):
    for env, args, colored in (({}, [], True), ({"NO_COLOR": "1"}, [], False), ({"NO_COLOR": ""}, [], True),
                               ({}, ["--no-color"], False)):
        with table(ipctop, *args, env=env) as terminal:
            ready(terminal).settle(0.1, 0.3)
            assert bool(COLOR.search(terminal.raw)) == colored, (env, args)


def test_outside_utf8_it_is_ascii(ipctop):
    with table(ipctop, env={"LC_ALL": "C", "LANG": "C"}) as terminal:
        ready(terminal)
        assert all(byte < 0x80 for byte in terminal.raw)


def test_ascii_can_be_asked_for_in_any_locale(ipctop):
    for args, ascii_only in ((["-U"], True), (["--ascii"], True), ([], False)):
        with table(ipctop, *args) as terminal:
            ready(terminal).settle(0.1, 0.3)
            assert all(byte < 0x80 for byte in terminal.raw) == ascii_only, args
    text = ipctop.run("--render", "80x24", "-U", "-D", "0.3", env={"LC_ALL": "C.UTF-8"}).stdout
    assert text.isascii() and "PAIR" in text


# --- keys ---

def test_the_whole_terminal_scrolls_afterwards(ipctop):
    with Terminal(ipctop, "--pairs", "own", lines=60) as terminal:
        terminal.wait_for(READY.search)
        terminal.press("q")
        assert terminal.finish() == 0
        margins = terminal.screen.margins
        assert margins is None or (margins.top, margins.bottom) == (0, 59)


@pytest.mark.parametrize("key", ["q", "F10"])
@pytest.mark.timing
def test_q_and_f10_quit_and_the_summary_stays(ipctop, tmp_path, key, stall):
    with table(ipctop, "--json", tmp_path / "report.json") as terminal:
        ready(terminal).press(key)
        start = time.monotonic()
        assert terminal.finish() == 0 and time.monotonic() - start < 1 + stall.longest
        assert terminal.whole() == "" and terminal.left() == {}
        after = terminal.raw[terminal.raw.rfind(CONTROL["LEAVE_SCREEN"]):].decode()
        assert "figure: first hop" in after and re.search(rf"^mq +{OWN} ", after, re.M)
        assert "F1 Help" not in terminal.text() and "figure: first hop" in terminal.text()
    assert report(tmp_path / "report.json")["ended_by"] == "quit"


@pytest.mark.parametrize("term", ["linux", "vt100"])
def test_without_a_second_screen_the_summary_has_lines_of_its_own(ipctop, term):
    with table(ipctop, term=term) as terminal:
        ready(terminal).press("q")
        assert terminal.finish() == 0
        first = next(line for line in terminal.text().splitlines() if ", kernel " in line)
        assert first.startswith("ipctop ") and "Quit" not in first


def test_the_selection_moves_and_stays_on_its_row(ipctop):
    with table(ipctop, "-m", THREE, "-t", 2, "--side-by-side") as terminal:
        text = ready(terminal).text()
        last = len(lines_of(text)) - 1
        assert last >= 4 and marked(text) == [1]
        for key, at in (("j", 2), ("Down", 3), ("k", 2), ("g", 0), ("k", 0), ("G", last), ("j", last), ("Up", last - 1),
                        ("PgUp", 0), ("PgDn", last), ("g", 0)):
            terminal.press(key)
            terminal.wait_for(lambda text, at=at: marked(text) == [at])
        terminal.press("G")
        terminal.wait_for(lambda text: marked(text) == [last])
        name = lines_of(terminal.text())[last]
        terminal.press("I")     # the order turns, and the selection follows its row
        terminal.wait_for(lambda text: marked(text) == [last - 1])
        assert lines_of(terminal.text())[last - 1] == name


def test_f_folds_a_mechanism_and_capital_f_all(ipctop):
    with table(ipctop, "-m", "mq,svsem", "-t", 2, "--side-by-side", term="linux") as terminal:
        everything = len(rows(ready(terminal).text()))
        for key, left, line in (("f", everything // 2, "> ▸ mq ("), ("f", everything, "> ▾ mq ("), ("F", 0, "> ▸ mq ("),
                                ("F", everything, "> ▾ mq (")):
            terminal.press(key)
            terminal.settle(0.05, 0.3)
            terminal.press("Ctrl-L")
            terminal.wait_for(lambda text, left=left, line=line: len(rows(text)) == left and line in text)


def test_o_shows_the_next_figure_and_says_which(ipctop):
    with table(ipctop) as terminal:
        ready(terminal)
        for title in ("first hop", "answer", "lap", "response", "first hop"):
            terminal.wait_for(lambda text, title=title: re.search(
                rf"^ipctop .*\b{title} \[us\]", text, re.M) and f"all pairs, {title}, a column" in text)
            terminal.press("o")


def test_u_shows_the_next_unit(ipctop):
    with table(ipctop) as terminal:
        ready(terminal)
        for unit in ("us", "ms", "ns", "us"):
            terminal.wait_for(lambda text, unit=unit: f"[{unit}]" in text.splitlines()[0])
            terminal.press("u")


def test_sorting_follows_the_keys(ipctop):
    with table(ipctop) as terminal:
        ready(terminal)
        first, arrow = sorted_by(terminal.text())
        assert first == "PAIR"
        terminal.press(">")
        terminal.wait_for(lambda text: sorted_by(text)[0] == "SCHED")
        terminal.press("<")
        terminal.wait_for(lambda text: sorted_by(text) == (first, arrow))
        terminal.press("I")
        terminal.wait_for(lambda text: sorted_by(text)[0] == first and sorted_by(text)[1] != arrow)
        for _ in range(12):
            at, _ = sorted_by(terminal.text())
            if at == "Max":
                break
            terminal.press(">")
            terminal.wait_for(lambda text, at=at: sorted_by(text)[0] not in ("", at))
        assert sorted_by(terminal.text())[0] == "Max"

        terminal.wait_for(lambda text: len(READY.findall(text)) == len(rows(text)))

        def maxima(text):
            head = next(line for line in text.splitlines() if "PAIR" in line)
            end = head.index("Max") + 3
            return [float(line[:end].split()[-1].strip("~")) for line in text.splitlines()
                    if re.match(r"[> ] +\d+>\d+(?:#\d+)? .*\d", line)]

        down = terminal.wait_for(lambda text: (m := maxima(text)) in (sorted(m), sorted(m, reverse=True)) and m)
        terminal.press("I")
        terminal.wait_for(lambda text: (m := maxima(text)) == sorted(m, reverse=down == sorted(down)))


def test_the_filter_is_typed_and_q_is_a_letter_meanwhile(ipctop):
    with table(ipctop, "-m", "mq,svsem", "--side-by-side", columns=120) as terminal:
        everything = len(rows(ready(terminal).text()))
        terminal.press("/")
        terminal.wait_for(lambda text: "show rings with" in text)
        terminal.press("m")
        terminal.press("q")
        terminal.wait_for(lambda text: "mq_" in text)
        assert terminal.process.poll() is None
        terminal.press("\r")
        terminal.settle(0.05, 0.3)
        terminal.press("Ctrl-L")        # the emulator scrolls parts of a screen wrongly
        terminal.wait_for(lambda text: rows(text) and all(row[2] == "mq" for row in rows(text)))
        assert re.search(r"filter mq \(\d+ of \d+\)", terminal.text())
        terminal.press("/")
        terminal.press("cpu:x\r")
        terminal.wait_for(lambda text: "write a list of CPUs as in" in text and "show rings with" in text)
        terminal.press("Esc")
        terminal.wait_for(lambda text: "show rings with" not in text)
        terminal.press("/")
        terminal.press("\r")
        terminal.settle(0.05, 0.3)
        terminal.press("Ctrl-L")
        terminal.wait_for(lambda text: len(rows(text)) == everything and "filter" not in text.splitlines()[0])
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.parametrize("open_key, close_key", [("h", "Esc"), ("?", "h"), ("h", "?")])
def test_help_opens_and_closes_and_q_is_quit_in_it(ipctop, open_key, close_key):
    with table(ipctop) as terminal:
        ready(terminal)
        terminal.press(open_key)
        terminal.wait_for(lambda text: "open or close this help" in text)
        terminal.press(close_key)
        terminal.wait_for(lambda text: "open or close this help" not in text and rows(text))
        terminal.press(open_key)
        terminal.wait_for(lambda text: "open or close this help" in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_ctrl_l_draws_what_was_spoilt_anew(ipctop):
    with Terminal(ipctop, "--refresh", 60) as terminal:
        terminal.wait_for(lambda text: "Quit" in text)
        terminal.settle(0.3)
        terminal.stream.feed(b"\x1b[2J\x1b[5;5Hspoilt")
        terminal.press("Ctrl-L")
        terminal.wait_for(lambda text: "PAIR" in text and "Quit" in text and "spoilt" not in text)


def test_keys_that_mean_nothing_do_nothing(ipctop):
    with table(ipctop) as terminal:
        ready(terminal)
        for key in ("\x1b[200~", "é", "\x1bOZ", "\x00", "\x1b[<0;1;1M", "%", "\x7f" * 300):
            terminal.press(key)
        terminal.settle(0.1, 0.5)
        assert terminal.process.poll() is None and rows(terminal.text())
        terminal.press("Esc")
        terminal.press("q")
        assert terminal.finish() == 0


@pytest.mark.parametrize("term", ["vt100", "tmux-256color"])
def test_keys_of_another_terminal_are_not_taken_for_ours(ipctop, term):
    """F5, Ctrl-Up, End, the Linux console's F1, focus: all have a bracket, and some end in I, F or r."""
    with table(ipctop, term=term) as terminal:
        ready(terminal)
        for key in ("\x1b[15~", "\x1b[1;6Q", "\x1b[1;5A", "\x1b[F", "\x1b[[A", "\x1b[I", "\x1b[O", "\x1b[24;80R",
                    "\x1bOI", "\x1b[1;2r"):
            terminal.press(key)
            terminal.settle(0.1, 0.3)
        terminal.wait_for(lambda text: " LIVE " in text and "▴PAIR" in text and "PHASE 1 " in text)
        terminal.press("m")
        terminal.wait_for(lambda text: "name of the new phase" in text)
        terminal.press("\x1b[15~")
        terminal.press("[O")
        terminal.wait_for(lambda text: " [O_" in text)
        terminal.press("Esc")
        terminal.wait_for(lambda text: "name of the new phase" not in text)
        terminal.press("\x1b[")     # Esc, and a key of its own behind it
        terminal.wait_for(lambda text: " FROZEN " in text)


def test_the_loss_of_its_terminal_ends_it(ipctop, tmp_path):
    with table(ipctop, "--json", tmp_path / "report.json") as terminal:
        ready(terminal)
        os.close(terminal.slave)
        os.close(terminal.master)
        assert until(lambda: terminal.process.poll() is not None)
        assert terminal.left() == {}
        terminal.master, terminal.slave = os.open("/dev/null", os.O_RDWR), os.open("/dev/null", os.O_RDWR)
        assert terminal.process.returncode == 0
    assert report(tmp_path / "report.json")["ended_by"] in ("signal SIGHUP", "quit", "output closed")


@pytest.mark.needs("proc", "terminals")
@pytest.mark.parametrize("args", [["--plain"], ["--view", "overview"], ["pmqtest"]], ids=["lines", "dashboard", "tool"])
def test_a_closed_terminal_is_no_error_without_its_signal(ipctop, args):
    """Where it is not the controlling terminal, as under setsid(1), there is no SIGHUP."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with Run(ipctop, *args, stdin=slave, stdout=slave, env={"TERM": "tmux-256color"}, start_new_session=True) as run:
        os.close(slave)
        assert os.read(master, 1), "it runs"
        os.close(master)
        code, _, err = run.wait()
        assert code == 0 and "can't write" not in err, (code, err)


# --- sizes ---

def test_resizing_is_followed(ipctop):
    with table(ipctop, "-m", "all") as terminal:
        ready(terminal)
        for columns, lines, words in ((40, 10, ("PAIR", OWN)), (30, 5, ("too small",)), (1, 1, ()),
                                      (120, 40, ("PAIR", "p50", "p99.9", "Quit")),
                                      (80, 24, ("PAIR", "RMax", "Quit"))):
            terminal.resize(columns, lines)
            terminal.wait_for(lambda text, words=words: all(word in text for word in words))
            terminal.settle(0.05, 0.3)
            assert terminal.process.poll() is None
        terminal.wait_for(lambda text: "Quit" in text.splitlines()[-1])
        for step in range(40):      # as a window that is dragged
            terminal.resize(60 + step, 15 + step % 20)
        terminal.resize(80, 24)
        terminal.wait_for(lambda text: "RMax" in text and "Quit" in text.splitlines()[-1])
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


@pytest.mark.parametrize("columns, lines", [(20, 4), (40, 10), (200, 60)])
def test_it_starts_on_a_terminal_of_any_size(ipctop, columns, lines):
    with table(ipctop, columns=columns, lines=lines) as terminal:
        terminal.wait_for(lambda text: "too small" in text if columns < 40 else rows(text))
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


# --- windows ---

def test_w_shows_the_next_window(ipctop):
    with table(ipctop) as terminal:
        ready(terminal)
        for window in ("phase", "all", "1s", "10s", "60s", "phase"):
            terminal.wait_for(lambda text, window=window: f"window {window} " in text.splitlines()[0] and rows(text))
            terminal.press("w")


def test_each_row_has_its_trend(ipctop):
    with table(ipctop) as terminal:
        ready(terminal).wait_for(lambda text: "▁▂▃▄▅▆█>" in text and re.search(rf"[> ] +{OWN} .*[▁▂▃▄▅▆▇█*]$", text, re.M))
