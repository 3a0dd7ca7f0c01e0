# SPDX-License-Identifier: GPL-2.0-or-later
"""The detail of a pair on a real terminal: what its lines for the shell do, and the way back."""
import os
import re
import subprocess

import pytest

from harness import in_words
from table import FAST, ready, rows, selected
from terminal import Terminal

pytestmark = pytest.mark.screen


def member(text, who):
    """Its thread id, what stands of its scheduling, and the two commands."""
    line = re.search(rf"^{who} +(\d+)  (.*?)  (chrt .*?)  (taskset -pc \d+ \d+)", text, re.M)
    return line and (int(line[1]), re.sub(" +", " ", line[2]), line[3].strip(), line[4].strip())


def says(terminal, who, words):
    return terminal.wait_for(lambda text: (m := member(text, who)) and m[1] == words and m)


@pytest.mark.needs("realtime", "2 cpus", "program chrt", "program taskset")
def test_the_lines_for_the_shell_do_what_they_say_and_esc_goes_back(ipctop):
    with Terminal(ipctop, *FAST, "-m", "mq,svsem", "--side-by-side", columns=120) as terminal:
        ready(terminal).press("j")
        terminal.wait_for(lambda text: selected(text) == [1])
        name = rows(terminal.text())[1][1:]
        terminal.press("\r")
        text = terminal.wait_for(lambda text: "p99.99" in text and member(text, "member 1") and text)
        assert re.search(rf"^── {name[0]} ", text, re.M) and "PAIR" not in text, text
        tid, words, to_fifo, pin = member(text, "member 1")
        cpu = int(name[0].split(">")[1])
        with open(f"/proc/{tid}/status", encoding="ascii") as status:
            assert f"Pid:\t{tid}\n" in status.read()
        assert os.sched_getaffinity(tid) == {cpu} and words == f"{in_words('OTH')} cpu {cpu}"

        subprocess.run(to_fifo, shell=True, check=True, capture_output=True)
        assert os.sched_getscheduler(tid) == os.SCHED_FIFO
        back = says(terminal, "member 1", f"FF80 asked {in_words('OTH')} cpu {cpu}")[2]
        subprocess.run(back, shell=True, check=True, capture_output=True)
        says(terminal, "member 1", f"{in_words('OTH')} cpu {cpu}")

        usable = os.sched_getaffinity(0)
        os.sched_setaffinity(tid, usable)
        says(terminal, "member 1", f"{in_words('OTH')} {len(usable)} cpus asked {cpu}")
        subprocess.run(pin, shell=True, check=True, capture_output=True)
        says(terminal, "member 1", f"{in_words('OTH')} cpu {cpu}")

        terminal.press("Esc")
        terminal.wait_for(lambda text: "PAIR" in text and selected(text) == [1])
        assert rows(terminal.text())[1][1:] == name
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_it_can_be_what_the_screen_starts_with_at_any_size(ipctop):
    with Terminal(ipctop, *FAST, "--view", "detail", columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: re.search(r"^n/s +0-\d+\|", text, re.M) and "stddev" in text)
        for columns, lines, words in ((80, 24, ("chrt -", "p99.99", "^1")), (40, 10, ("p99", "max", "late99")),
                                      (200, 60, ("taskset -pc", "stddev", "late ")), (20, 5, ("too small",))):
            terminal.resize(columns, lines)
            terminal.wait_for(lambda text, words=words: all(word in text for word in words))
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_render_prints_it(ipctop):
    text = ipctop.run("--render", "80x24", "--view", "detail", "-D", "0.5", env={"LC_ALL": "C.UTF-8"}).stdout
    assert all(word in text for word in ("member 0", "p99.99", "late99", "1^")) and not {"PAIR", "chrt"} & set(text.split()), text
    assert "overview" in ipctop.refuse("--view", "nonesuch")
