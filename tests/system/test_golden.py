# SPDX-License-Identifier: GPL-2.0-or-later
"""What terminals of many colours, of few and of none really show of recorded runs, beside the expected screens."""
import re

import pytest

import made
from conftest import in_whole
from terminal import Terminal

pytestmark = pytest.mark.screen

# A style's attributes, and its colour where there are colours: what ui/screen.c has in `looks`.
LOOKS = {
    "plain": (set(), "default"),
    "dim": (set(), "default"),      # which the emulated terminal does not tell from plain: see test_turns.py
    "strong": ({"bold"}, "default"),
    "title": ({"bold"}, "cyan"),
    "head": ({"reverse"}, "default"),
    "selected": ({"reverse", "bold"}, "default"),
    "warning": ({"bold"}, "brown"),     # as the first eight colours have yellow
    "bad": ({"bold"}, "red"),
    "bar": (set(), "cyan"),
    "key": ({"reverse"}, "default"),
}
DRAWN = {"bar"}     # styles of signs: without colour the signs are still there
NAMES = sorted(path.stem for path in made.SCREENS.glob("*.txt"))
TERMINALS = {
    "256 colours": ({"term": "tmux-256color"}, (), True),
    "8 colours": ({"term": "linux"}, (), True),
    "mono vt100": ({"term": "vt100"}, (), False),
    "mono vt220": ({"term": "vt220"}, (), False),
    "NO_COLOR": ({"env": {"NO_COLOR": "1"}}, (), False),
    "--no-color": ({}, ("--no-color",), False),
}
UTC = {"TZ": "UTC", "LC_ALL": "C.UTF-8"}
SGR = re.compile(rb"\x1b\[([\d;]*)m")


def split(name):
    """A file's name: view, columns, lines, in ASCII?"""
    view, columns, lines, ascii_only = re.fullmatch(r"(.*)-(\d+)x(\d+)(-ascii)?", name).groups()
    return view, int(columns), int(lines), bool(ascii_only)


@pytest.fixture(scope="module", name="recordings")
def make_recordings(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("golden"), {}
    for run, _ in made.views().values():
        found.setdefault(run, made.record(run, folder))
    return found


def blinks(raw):
    """Is blinking asked for anywhere? A 5 behind 38 or 48 is the kind of a colour."""
    for match in SGR.finditer(raw):
        numbers = match[1].split(b";")
        while numbers:
            number = numbers.pop(0)
            if number in (b"38", b"48"):
                del numbers[:2]
            elif number in (b"5", b"05", b"6"):
                return True
    return False


def wrong_cells(screen, expected, color):
    """Where a cell that has the expected letter has not its style's look."""
    found = []
    for y, styles in enumerate(expected.styles):
        text = expected.lines[y].ljust(screen.columns)
        for x, style in enumerate(styles):
            cell = screen.buffer[y][x]
            attributes, foreground = LOOKS[style]
            if cell.data != text[x]:
                break           # in the first line alone, see below
            want = (attributes & {"reverse"}, attributes & {"bold"}, foreground if color else "default")
            have = ({"reverse"} if cell.reverse else set(), {"bold"} if cell.bold else set(), cell.fg)
            if cell.data == " ":    # has no strokes to be bold or coloured
                want, have = want[:1], have[:1]
            if want != have or cell.underscore or cell.bg != "default":
                found.append((y, x, cell, style))
    return found


def below(text, lines):
    """All but the first line, which tells how it is looked at: live, replayed, or as one picture."""
    return text.split("\n")[1:lines]


def rendered(ipctop, recording, name):
    """Before any key."""
    _, columns, lines, ascii_only = split(name)
    result = ipctop.run("--replay", recording, "--render", f"{columns}x{lines}", *(["-U"] if ascii_only else []),
                        env=UTC)
    assert (result.returncode, result.stderr) == (0, ""), result
    return below(result.stdout, lines)


def look(ipctop, recordings, name, args=(), color=True, **more):
    view, columns, lines, ascii_only = split(name)
    run, keys = made.views()[view]
    expected = made.Expected(view, columns, lines, ascii_only)
    at_end = rendered(ipctop, recordings[run], name)
    args = [*args, "-U"] if ascii_only else args
    with Terminal(ipctop, "--replay", recordings[run], "--speed", 0, "--refresh", 0.1, *args,
                  columns=columns, lines=lines, **{**more, "env": UTC | more.get("env", {})}) as terminal:
        terminal.wait_for(lambda text: below(text, lines) == at_end)
        for key in keys:
            terminal.press(key)
            terminal.pump(1)        # each key has its frame, as in the files
            terminal.settle(0.03)
        terminal.wait_for(lambda text: below(text, lines) == expected.lines[1:])
        assert wrong_cells(terminal.screen, expected, color) == []
        assert not blinks(terminal.raw)


@pytest.mark.parametrize("name", [in_whole(name) if name.endswith("-ascii") and "80x24" not in name else name
                                  for name in NAMES])
def test_a_terminal_shows_what_is_expected(ipctop, recordings, name):
    look(ipctop, recordings, name)


@pytest.mark.parametrize("kind", TERMINALS)
@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("80x24")])
def test_each_kind_of_terminal_shows_the_same(ipctop, recordings, name, kind):
    more, args, color = TERMINALS[kind]
    look(ipctop, recordings, name, args, color, **more)


def test_nothing_is_told_by_colour_alone():
    """A colour comes with an attribute, or with signs that no plain text has."""
    for style, (attributes, foreground) in LOOKS.items():
        assert foreground == "default" or attributes or style in DRAWN, style
    for name in NAMES:
        expected = made.Expected(*split(name))
        for line, styles in zip(expected.lines, expected.styles):
            for letter, style in zip(line, styles):
                assert style not in DRAWN or not letter.isalnum(), (name, line)


def test_a_frame_in_print_is_the_same_text(ipctop, recordings):
    for name in NAMES:
        view, *size = split(name)
        run, keys = made.views()[view]
        if not keys:
            assert rendered(ipctop, recordings[run], name) == made.Expected(view, *size).lines[1:]
