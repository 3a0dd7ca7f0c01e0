# SPDX-License-Identifier: GPL-2.0-or-later
"""The mouse on a real terminal: off unless it is asked for, and off again afterwards."""
import re
import signal

import pytest

from table import marked, ready, sorted_by, table

pytestmark = pytest.mark.screen

def test_the_mouse_stays_off(ipctop):
    with table(ipctop) as terminal:
        ready(terminal)
        assert not re.search(rb"\x1b\[\?(9|100[0-6])h", terminal.raw)


MOUSE_ON = re.compile(rb"\x1b\[\?(?:1006;)?1000h")


def mouse_is_off(terminal):
    on = max((match.end() for match in MOUSE_ON.finditer(terminal.raw)), default=0)
    return on > 0 and re.search(rb"\x1b\[\?[\d;]*1000l", terminal.raw[on:]) is not None


@pytest.mark.parametrize("term, click", [("xterm-256color", "\x1b[<{button};{x};{y}{end}"), ("tmux-256color", None)])
def test_the_mouse_selects_sorts_and_scrolls_where_it_is_asked_for(ipctop, term, click):
    def mouse(button, x, y, ends="Mm"):
        for end in ends:
            if click:
                terminal.press(click.format(button=button, x=x, y=y, end=end))
            else:
                terminal.press("\x1b[M" + chr(32 + (button if end == "M" else 3)) + chr(32 + x) + chr(32 + y))

    with table(ipctop, "--mouse", "-m", "mq,svsem", "-t", 2, "--side-by-side", term=term) as terminal:
        text = ready(terminal).wait_for(lambda text: "Quit" in text and " Max " in text and text)
        assert MOUSE_ON.search(terminal.raw), "it was turned on"
        lines = text.splitlines()
        head = next(y for y, line in enumerate(lines) if "PAIR" in line)
        mouse(0, 20, head + 1 + 4)
        terminal.wait_for(lambda text: marked(text) == [3])
        mouse(65, 20, 20, "M")
        mouse(64, 20, 20, "M")
        mouse(0, lines[head].index("Max") + 2, head + 1)
        terminal.settle(0.05, 0.3)
        terminal.press("Ctrl-L")
        terminal.wait_for(lambda text: sorted_by(text) == ("Max", "▾"))
        mouse(0, lines[head].index("Max") - 3, head + 1)     # the gap before the column
        terminal.settle(0.05, 0.3)
        terminal.press("Ctrl-L")
        terminal.wait_for(lambda text: sorted_by(text) == ("Max", "▴"))
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == "" and mouse_is_off(terminal)


def test_a_click_on_a_word_of_the_key_bar_is_its_key(ipctop):
    def click(word):
        line = terminal.wait_for(lambda text: word in text.splitlines()[23] and text.splitlines()[23])
        terminal.press(f"\x1b[<0;{line.index(word) + 1};24M\x1b[<0;{line.index(word) + 1};24m")

    with table(ipctop, "--mouse", term="xterm-256color", columns=120) as terminal:
        ready(terminal)
        click("Help")
        terminal.wait_for(lambda text: "[1 keys]" in text and "Esc Close" in text)
        click("Right")
        terminal.wait_for(lambda text: "[2 glossary]" in text)
        click("Close")
        terminal.wait_for(lambda text: sorted_by(text)[0] == "PAIR" and "w Window" in text)
        click("w Window")
        terminal.wait_for(lambda text: "window all" in text)
        click("Phase")
        terminal.wait_for(lambda text: "PHASE 2 " in text)
        click("Quit")
        assert terminal.finish() == 0 and terminal.whole() == "" and mouse_is_off(terminal)


def test_the_setup_turns_the_mouse_on_and_obeys_it(ipctop):
    def click(word):
        lines = terminal.wait_for(lambda text: word in text and text.splitlines())
        y = next(y for y, line in enumerate(lines) if word in line)
        x = lines[y].index(word) + 1
        terminal.press(f"\x1b[<0;{x};{y + 1}M\x1b[<0;{x};{y + 1}m")

    with table(ipctop, "--no-config", term="xterm-256color", columns=100, lines=30) as terminal:
        ready(terminal)
        terminal.press("F2")
        terminal.wait_for(lambda text: "> [x] PAIR" in text)
        terminal.press("Tab")
        terminal.wait_for(lambda text: "> Sort" in text)
        terminal.press("End")
        terminal.wait_for(lambda text: "> Write the file" in text)
        terminal.press("Up")
        terminal.wait_for(lambda text: "> Mouse       on [off]" in text)
        assert not MOUSE_ON.search(terminal.raw)
        terminal.press("Space")
        terminal.wait_for(lambda text: "[on] off" in text)
        assert MOUSE_ON.search(terminal.raw)
        click("us] ms")
        terminal.wait_for(lambda text: "> Unit        ns [us] ms" in text)
        click(" ASCII")
        terminal.wait_for(lambda text: "UTF-8 [ASCII]" in text and "── " not in text)
        click("[x] Max")
        terminal.wait_for(lambda text: "> [ ] Max" in text)
        click("Write the file")
        terminal.wait_for(lambda text: "no file is used, so none was written" in text)
        click("Esc Close")
        terminal.wait_for(lambda text: " setup: " not in text and " Max " not in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == "" and mouse_is_off(terminal)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL])
def test_the_mouse_is_off_again_whatever_ends_it(ipctop, number):
    with table(ipctop, "--mouse", term="xterm-256color") as terminal:
        ready(terminal).process.send_signal(number)
        terminal.finish()
        assert terminal.left() == {}
        terminal.drain()
        assert terminal.whole() == "" and mouse_is_off(terminal)
