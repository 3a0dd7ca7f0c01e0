# SPDX-License-Identifier: GPL-2.0-or-later
"""What terminals of many colours, of few and of none really show of recorded runs, beside the expected screens."""
import functools
import re
import shutil
import subprocess

import pyte
import pytest

import made
from conftest import in_whole
from harness import until
from terminal import KEYS, Terminal

pytestmark = pytest.mark.screen

# The first eight colours as the emulated terminal calls them; it shows no dim, see test_turns.py.
COLOURS = ["black", "red", "green", "brown", "blue", "magenta", "cyan", "white"]
DRAWN = re.compile("bar|shade|step|halves")     # styles of signs: without colour the signs are still there, or others
# The setup shows how the program was started, which is not alike here: see test_keys.py. A replay has no new phases, and can not act.
NAMES = sorted(path.stem for path in made.SCREENS.glob("*.txt") if not path.stem.startswith(("setup", "name", "act-")))
# The terminal, the options, and the number of colours with them.
TERMINALS = {
    "256 colours": ({"term": "tmux-256color"}, (), 256),
    "colour-blind": ({"term": "tmux-256color"}, ("--palette", "colour-blind"), 256),
    "mono palette": ({"term": "tmux-256color"}, ("--palette", "mono"), 256),
    "8 colours": ({"term": "linux"}, (), 8),
    "mono vt100": ({"term": "vt100"}, (), 0),
    "mono vt220": ({"term": "vt220"}, ("--palette", "colour-blind"), 0),
    "NO_COLOR": ({"env": {"NO_COLOR": "1"}}, (), 0),
    "--no-color": ({}, ("--no-color",), 0),
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
        if run not in found:
            found[run] = made.record(run, folder)
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


def colour(word):
    """A colour as the emulated terminal has it: a name, or six hexadecimal digits."""
    if word[0] == "#":
        return word[1:] if int(word[1:], 16) >= 8 else COLOURS[int(word[1:], 16)]
    return COLOURS[int(word)] if int(word) < 8 else pyte.graphics.FG_BG_256[int(word)]


def look_of(words):
    """{reverse}, {bold, underline}, foreground, background of a look such as "196 on 16 bold"."""
    words, found = list(words), {"text": "default", "on": "default"}
    place = "text"
    attributes = set()
    for word in words:
        if word == "on":
            place = "on"
        elif word.isdigit() or word[0] == "#":
            found[place] = colour(word)
        else:
            attributes.add(word)
    return attributes & {"reverse"}, attributes & {"bold", "underline"}, found["text"], found["on"]


def wrong_cells(screen, expected, looks):
    """Where a cell that has the expected letter has not its style's look."""
    found, wanted = [], {style: look_of(words) for style, words in looks.items()}
    for y, styles in enumerate(expected.styles):
        text = expected.lines[y].ljust(screen.columns)
        for x, style in enumerate(styles):
            cell = screen.buffer[y][x]
            if cell.data != text[x]:
                break           # in the first line, see below, or in the key bar of a replay
            want = wanted[style]
            have = ({"reverse"} if cell.reverse else set(),
                    {name for name, on in (("bold", cell.bold), ("underline", cell.underscore)) if on},
                    cell.fg, cell.bg)
            if cell.data == " ":    # has no strokes to be bold or coloured
                want, have = (want[0], want[3]), (have[0], have[3])
            if want != have:
                found.append((y, x, cell, style))
    return found


def below(text, lines):
    """All but the first line, which tells how it is looked at: live, replayed, or as one picture."""
    return text.split("\n")[1:lines]


LIVE_COLUMNS = "; no live columns"


def replayed(lines):
    """The tasks of a replay have ended: nothing changes their scheduling, and what CPUs do now is not shown."""
    lines = [re.sub(r" +chrt .*", "", line) if line.startswith("member ") else line for line in lines]
    title = re.compile(rf"(. topology: .*?) [-─]{{{len(LIVE_COLUMNS)}}}([-─]*)$")
    return [title.sub(rf"\1{LIVE_COLUMNS} \2", line) for line in lines]


ACTING = {"r Phase", "m Mark", "Enter Try", "x Stop"}


def shows(text, expected):
    """Whether a replay shows these lines, the first of which is left out. Its key bar has no key that acts: others may
    have their places."""
    *found, bar = below(text, len(expected) + 1)
    *lines, keys = expected
    left = [key for key in keys.split("  ") if key not in ACTING]
    if left == keys.split("  "):
        return found == lines and bar == keys
    return found == lines and not ACTING & {*bar.split("  ")} and [key for key in bar.split("  ") if key in left] == left


@functools.cache
def rendered(ipctop, recording, columns, lines, ascii_only):
    """Before any key."""
    result = ipctop.run("--replay", recording, "--render", f"{columns}x{lines}", *(["-U"] if ascii_only else []),
                        env=UTC)
    assert result.returncode in (0, 2) and not result.stderr, result    # 2: some are above the limit
    return below(result.stdout, lines)


def press_one_by_one(terminal, keys):
    """Each key has its frame, as in the files."""
    for key in keys:
        terminal.press(key)
        terminal.pump(1)
        terminal.settle(0.03)


def press_at_once(terminal, keys):
    terminal.press("".join(KEYS.get(key, key) for key in keys))


def look(ipctop, recordings, name, args=(), colors=256, press=press_one_by_one, **more):
    view, columns, lines, ascii_only = split(name)
    run, keys = made.views()[view]
    expected = made.Expected(view, columns, lines, ascii_only)
    palette = args[args.index("--palette") + 1] if "--palette" in args else "default"
    looks = made.looks()[palette, colors]
    at_end = rendered(ipctop, recordings[run], columns, lines, ascii_only)
    args = [*args, "-U"] if ascii_only else args
    with Terminal(ipctop, "--replay", recordings[run], "--speed", 0, "--refresh", 0.1, *args,
                  columns=columns, lines=lines, **{**more, "env": UTC | more.get("env", {})}) as terminal:
        terminal.wait_for(lambda text: shows(text, at_end))
        press(terminal, keys)
        terminal.wait_for(lambda text: shows(text, replayed(expected.lines[1:])))
        until(lambda: not wrong_cells(terminal.screen, expected, looks) or terminal.pump(0.05) and False, 5)
        assert wrong_cells(terminal.screen, expected, looks) == []
        assert not blinks(terminal.raw)


def sizes_in_turn():
    """Each view in one size, in turn, and with IPCTOP_FULL in two of them. The suite `screen` draws each in all."""
    for i, view in enumerate(sorted({split(name)[0] for name in NAMES})):
        for k, name in enumerate(name for name in NAMES if split(name)[0] == view):
            if (k - 3 * i) % 4 == 0:
                yield name if (k - 3 * i) % 8 == 0 else in_whole(name)


@pytest.mark.parametrize("name", sizes_in_turn())
def test_a_terminal_shows_what_is_expected(ipctop, recordings, name):
    look(ipctop, recordings, name)


@pytest.mark.parametrize("name", [in_whole(name) if i % 3 else name
                                  for i, name in enumerate(name for name in NAMES if name.endswith("120x40"))])
def test_keys_that_come_faster_than_frames_mean_the_same(ipctop, recordings, name):
    look(ipctop, recordings, name, press=press_at_once)


def terminals_in_turn():
    """Each view in one kind of terminal, in turn, and with IPCTOP_FULL each fourth one in all of them."""
    kinds = list(TERMINALS)
    for i, name in enumerate(name for name in NAMES if name.endswith("80x24")):
        for k, kind in enumerate(kinds):
            if (k - i) % len(kinds) == 0:
                yield name, kind
            elif i % 4 == 0:
                yield in_whole(name, kind)


@pytest.mark.parametrize("name, kind", terminals_in_turn())
def test_each_kind_of_terminal_shows_the_same(ipctop, recordings, name, kind):
    more, args, colors = TERMINALS[kind]
    look(ipctop, recordings, name, args, colors, **more)


TRUE_COLOR = r"""xterm-direct|true colour by semicolons,
	RGB, colors#0x1000000, pairs#0x7FFF,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48;2;%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d%;m,
	use=xterm-256color,
"""


@pytest.fixture(name="terminfo")
def make_terminfo(tmp_path):
    if not shutil.which("tic"):
        pytest.skip("needs tic")
    (tmp_path / "source").write_text(TRUE_COLOR)
    subprocess.run(["tic", "-x", "-o", tmp_path, tmp_path / "source"], check=True)
    return {"TERMINFO": str(tmp_path)}


TRUE = {"COLORTERM": "truecolor"}


@pytest.mark.parametrize("term, more, args, depth", [
    ("xterm-256color", TRUE, (), "true"), ("xterm-256color", {"COLORTERM": "24bit"}, (), "true"),
    ("xterm-256color", {"COLORTERM": "yes"}, (), 256), ("xterm-256color", {}, (), 256), ("xterm-direct", {}, (), "true"),
    ("xterm", TRUE, (), 8), ("xterm-256color", TRUE, ("--colors", "256"), 256),
    ("xterm-256color", {}, ("--colors", "true"), "true"), ("xterm", TRUE, ("--colors", "true"), 8),
    ("xterm-direct", {}, ("--colors", "256"), 256), ("xterm-256color", {"NO_COLOR": "1"}, ("--colors", "256"), 256)])
def test_a_terminal_is_sent_the_colours_that_it_has(ipctop, recordings, terminfo, term, more, args, depth):
    look(ipctop, recordings, "limit-120x40", args, depth, term=term, env={**terminfo, **more})


@pytest.mark.parametrize("term, more", [("xterm-256color", TRUE), ("xterm-direct", {})])
def test_the_setup_changes_how_many_colours_are_sent(ipctop, recordings, terminfo, term, more):
    run, keys = made.views()["limit"]
    expected = made.Expected("limit", 120, 40)
    with Terminal(ipctop, "--replay", recordings[run], "--speed", 0, "--refresh", 0.1, "--no-config", columns=120,
                  lines=40, term=term, env={**UTC, **terminfo, **more}) as terminal:
        terminal.wait_for(lambda text: "END" in text)
        for key in keys:
            terminal.press(key)
        for values, depth in ((("auto",), "true"), (("true", "256"), 256), (("16", "none"), 0), (("auto", "true"), "true")):
            terminal.press("F2")
            terminal.wait_for(lambda text: " setup: " in text)
            for key in ("Tab", "End", "Up", "Up", "Up"):
                terminal.press(key)
            for value in values:
                if len(values) > 1:
                    terminal.press("Right")
                terminal.wait_for(lambda text, value=value: re.search(rf"> Colors .*\[{value}\]", text))
            terminal.press("Esc")
            terminal.wait_for(lambda text: shows(text, replayed(expected.lines[1:])))
            assert wrong_cells(terminal.screen, expected, made.looks()["default", depth]) == [], depth
        terminal.press("q")
        assert terminal.finish() in (0, 2) and terminal.whole() == ""


def test_nothing_is_told_by_colour_alone():
    """A colour comes with an attribute, or with signs that no plain text has."""
    for styles in made.looks().values():
        for style, look in styles.items():
            _, _, text, ground = look_of(look)
            plain = text == ground == "default"
            assert plain or DRAWN.match(style) or look[-1].isalpha(), (style, look)
    for name in NAMES:
        expected = made.Expected(*split(name))
        for line, styles in zip(expected.lines, expected.styles):
            for letter, style in zip(line, styles):
                assert not DRAWN.match(style) or not letter.isalnum(), (name, line)


def test_a_frame_in_print_is_the_same_text(ipctop, recordings):
    """But for the key bar: no key acts on a print."""
    for name in NAMES:
        view, *size = split(name)
        run, keys = made.views()[view]
        if not keys:
            assert rendered(ipctop, recordings[run], *size)[:-1] == made.Expected(view, *size).lines[1:-1]
