# SPDX-License-Identifier: GPL-2.0-or-later
"""A real pseudo terminal with a program on it, read only when a test looks."""
import copy
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import uuid

import pyte

from conftest import environment, need, stop
from harness import MARK, PATIENCE, Run, until

CONTROL = {"ENTER_SCREEN": b"\x1b[?1049h", "LEAVE_SCREEN": b"\x1b[?1049l",
           "HIDE_CURSOR": b"\x1b[?25l", "SHOW_CURSOR": b"\x1b[?25h"}
# Arrows as a terminal sends them that was told to (smkx).
KEYS = {"F1": "\x1bOP", "F2": "\x1bOQ", "F6": "\x1b[17~", "F7": "\x1b[18~", "F8": "\x1b[19~", "F10": "\x1b[21~", "Esc": "\x1b", "Home": "\x1b[1~", "End": "\x1b[4~",
        "Enter": "\r", "Space": " ", "Tab": "\t", "Backspace": "\x7f",
        "Up": "\x1bOA", "Down": "\x1bOB", "Left": "\x1bOD", "Right": "\x1bOC",
        "Ctrl-L": "\x0c", "Ctrl-Q": "\x11", "Ctrl-S": "\x13", "Ctrl-Z": "\x1a",
        "Ctrl-C": "\x03", "Ctrl-\\": "\x1c", "PgDn": "\x1b[6~", "PgUp": "\x1b[5~"}


class Stream(pyte.ByteStream):
    """With the sequences SU and SD, which pyte leaves out: curses scrolls parts of a screen by them."""
    csi = {**pyte.ByteStream.csi, "S": "scroll_up", "T": "scroll_down"}
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}


class Screen(pyte.Screen):
    """With an alternate screen, which pyte has not, and its text, of which the lines that did not change are kept."""
    kept = None

    def __init__(self, columns, lines):
        self.texts = {}
        super().__init__(columns, lines)

    def text(self):
        """Without blanks at the ends of lines. Reads again what pyte marked as dirty; nobody else does."""
        for y in self.dirty:
            cells = self.buffer[y]
            self.texts[y] = "".join([cells[x].data for x in range(self.columns)]).rstrip()
        self.dirty.clear()
        return "\n".join([self.texts[y] for y in range(self.lines)])

    def scroll_up(self, count=None):
        self.scroll(self.delete_lines, count)

    def scroll_down(self, count=None):
        self.scroll(self.insert_lines, count)

    def scroll(self, how, count):
        x, y = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        how(count or 1)
        self.cursor.x, self.cursor.y = x, y

    def set_mode(self, *modes, **more):
        if 1049 in modes and more.get("private") and not self.kept:
            self.kept = copy.deepcopy(self.buffer), copy.copy(self.cursor)
        super().set_mode(*modes, **more)

    def reset_mode(self, *modes, **more):
        super().reset_mode(*modes, **more)
        if 1049 in modes and more.get("private") and self.kept:
            (self.buffer, self.cursor), self.kept = self.kept, None
            self.dirty.update(range(self.lines))


class Terminal(Run):
    """A Run whose standard streams are a terminal of its own, which it controls."""

    def __init__(self, ipctop, *args, columns=80, lines=24, env=None, term="tmux-256color", room=None,
                 stopped=False):
        """@stopped: Ctrl-S was pressed before the program began."""
        need("proc", "terminals")
        self.master, self.slave = pty.openpty()
        self.raw = b""
        self.screen = Screen(columns, lines)
        self.stream = Stream(self.screen)
        self.set_size(columns, lines)
        self.before = termios.tcgetattr(self.slave)
        if stopped:
            self.press("Ctrl-S")
            while select.select([], [self.slave], [], 0)[1]:
                time.sleep(0.01)
        self.mark = uuid.uuid4().hex
        command = [ipctop.path, *(str(arg) for arg in args)]

        def prepare():
            if room:
                room.enter()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        more = {MARK: self.mark, "TERM": term, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **(env or {})}
        self.process = subprocess.Popen(command, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        env=environment(more), start_new_session=True, preexec_fn=prepare)
        self.pid = self.process.pid

    def __exit__(self, *_):
        deadline = time.monotonic() + 3     # a program that is blocked on its output can't end
        self.process.send_signal(signal.SIGTERM)
        while self.process.poll() is None and time.monotonic() < deadline:
            self.pump(0.05)
        stop(self.process)
        self.kill_all()
        os.close(self.master)
        os.close(self.slave)

    def set_size(self, columns, lines):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns, lines):
        """The kernel tells the foreground process by SIGWINCH."""
        self.pump(0)
        self.screen.resize(lines, columns)
        self.set_size(columns, lines)

    def pump(self, seconds):
        """Takes what the program writes, for so long at most; whether there was any."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        data = os.read(self.master, 65536)
        self.raw += data
        self.stream.feed(data)
        return True

    def settle(self, quiet=0.1, seconds=3.0):
        """Takes all until nothing has come for a while."""
        end = time.monotonic() + seconds
        while self.pump(quiet) and time.monotonic() < end:
            pass

    def text(self):
        return self.screen.text()

    def steady(self):
        """The text, once nothing has come for half a second."""
        until(lambda: not self.pump(0.5))
        return self.text()

    def drain(self):
        """Takes all that was written until now: zeros, which are drawn nowhere, come behind it."""
        zeros, begun = bytes(16), len(self.raw)
        while not select.select([], [self.slave], [], 0)[1]:
            if not self.pump(0.5):
                return      # it is stopped, and passes on nothing
        end = time.monotonic() + PATIENCE
        while zeros not in self.raw[begun:]:
            assert time.monotonic() < end, "nothing comes through"
            os.write(self.slave, zeros)     # again, if a keeper that gives the terminal back has dropped them
            while self.pump(1) and zeros not in self.raw[begun:]:
                pass
        self.raw = self.raw[:begun] + self.raw[begun:].replace(zeros, b"")

    def wait_for(self, true, seconds=PATIENCE):
        """Until true(text); what it returned, or an assertion with the screen.

        It looks at whole frames, between which nothing comes, and once a second on a machine that is too slow for that.
        """
        end, look = time.monotonic() + seconds, time.monotonic() + 1
        while True:
            if not self.pump(0.01) or time.monotonic() > look:
                look = time.monotonic() + 1
                if value := true(self.text()):
                    return value
            assert time.monotonic() < end, f"not in {seconds} s on this screen:\n{self.text()}"

    def wait_within(self, seconds, stall, true):
        """As wait_for(): after no more than these seconds, and those for which the machine stood still meanwhile."""
        start, stalled = time.monotonic(), stall.total
        value = self.wait_for(true)
        took, allowed = time.monotonic() - start, seconds + stall.total - stalled
        assert took < allowed, (took, allowed)
        return value

    def unread(self):
        """How many bytes of what was typed the program has not read yet."""
        return int.from_bytes(fcntl.ioctl(self.slave, termios.FIONREAD, bytes(4)), sys.byteorder)

    def press(self, key):
        os.write(self.master, KEYS.get(key, key).encode())

    def finish(self, seconds=PATIENCE):
        """To the end: the exit status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"still there after {seconds} s:\n{self.text()}"
            self.pump(0.02)
        self.drain()
        return self.process.returncode

    def wait(self, seconds=PATIENCE):
        return self.finish(seconds), self.text(), ""

    def whole(self):
        """What is still wrong with the terminal, in words: "" where it is as it was before."""
        wrong = []
        if termios.tcgetattr(self.slave) != self.before:
            wrong.append("termios differ")
        for on, off, what in (("ENTER_SCREEN", "LEAVE_SCREEN", "alternate screen"),
                              ("HIDE_CURSOR", "SHOW_CURSOR", "hidden cursor")):
            if self.raw.rfind(CONTROL[on]) > self.raw.rfind(CONTROL[off]):
                wrong.append(what)
        return ", ".join(wrong)
