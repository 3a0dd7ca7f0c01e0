# SPDX-License-Identifier: GPL-2.0-or-later
"""What a person sets: options in a file, and while ipctop runs a frozen display and the refresh."""
import os
import re
import time

import pytest

from conftest import CPU, OWN, but_load
from harness import report, until
from table import FAST
from terminal import Terminal

COUNT = re.compile(r"── .* n (\d+)")     # the selected pair's samples
AGE = re.compile(r"FROZEN (\d\d):(\d\d) ago")


def count(text):
    found = COUNT.search(text)
    return int(found[1]) if found else 0


def age(text):
    """Of what is frozen, in seconds; None where it is live."""
    found = AGE.search(text)
    return 60 * int(found[1]) + int(found[2]) if found else None


def stays(terminal, seconds):
    """Does the screen stay as it is?"""
    terminal.settle(0.02, 0.2)
    before, end = terminal.text(), time.monotonic() + seconds
    while time.monotonic() < end:
        terminal.pump(0.05)
    return terminal.text() == before


def counting(terminal):
    terminal.wait_for(count)
    return terminal


# --- options in a file ---

@pytest.fixture
def home(tmp_path):
    """A home with a file of options, which the fixture's function writes: the environment for it."""
    def write(text, under=".config"):
        folder = tmp_path / under / "ipctop"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config").write_text(text, encoding="utf-8")
        return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": None}
    return write


def measured(ipctop, *args, env):
    result = ipctop.run("-D", 0.2, "-c", CPU, "--json", "-", *args, env=env)
    assert (result.returncode, but_load(result.stderr)) == (0, ""), result
    return report(result.stdout)["rings"][0]


def test_options_of_the_file_hold_and_the_command_line_wins(ipctop, home):
    env = home("# usual\ninterval = 7ms\nmechanisms svsem\n")
    ring = measured(ipctop, env=env)
    assert (ring["interval_ns"], ring["mechanism"]) == (7000000, "svsem")
    ring = measured(ipctop, "-i", 3000, env=env)
    assert (ring["interval_ns"], ring["mechanism"]) == (3000000, "svsem")
    ring = measured(ipctop, "--no-config", env=env)
    assert (ring["interval_ns"], ring["mechanism"]) == (1000000, "mq")


def test_xdg_config_home_comes_before_home(ipctop, home, tmp_path):
    env = home("interval 7ms\n")
    home("interval 9ms\n", under="elsewhere")
    assert measured(ipctop, env=env)["interval_ns"] == 7000000
    assert measured(ipctop, env=env | {"XDG_CONFIG_HOME": str(tmp_path / "elsewhere")})["interval_ns"] == 9000000
    assert measured(ipctop, env=env | {"XDG_CONFIG_HOME": str(tmp_path / "none")})["interval_ns"] == 1000000


def test_a_file_can_be_named(ipctop, home, tmp_path):
    env = home("interval 7ms\nmechanisms svsem\n")
    (tmp_path / "lab.conf").write_text("interval 8ms", encoding="utf-8")
    ring = measured(ipctop, "--config", tmp_path / "lab.conf", env=env)
    assert (ring["interval_ns"], ring["mechanism"]) == (8000000, "mq")
    assert measured(ipctop, "--config=/dev/null", env=env)["interval_ns"] == 1000000


@pytest.mark.parametrize("text, sentence", [
    ("quiet\ninterval soon\n", r".*/config:2: interval soon: the interval must be .*"),
    ("\n\nnope 5", r".*/config:3: nope: no such option; .*"),
    ("json out.json", r".*/config:1: json: only the command line may have it"),
    ("quiet\0\n", r".*/config:1: there is a NUL byte in the line"),
    ("policy rr\n", r".*/config:1: --policy rr needs a priority: .*"),
    ("\ncpus 8000", r".*/config:2: -c 8000: CPU 8000 is .*"),
    ("\naffinity 8000\n", r".*/config:2: -c 8000: CPU 8000 is .*"),
    ("housekeeping 8000", r".*/config:1: -H 8000: CPU 8000 is .*"),
    ("quiet\npairs 8000:8000", r".*/config:2: --pairs 8000:8000: CPU 8000 is .*"),
    ("memory node:999\nquiet", r".*/config:1: --memory node:999: this machine has .*"),
    ("\x1b]0;title\x07", r".*/config:1: \?\]0;title\?: no such option; .*"),
    ("#\n" * 40000, r".*/config: larger than 65536 bytes"),
], ids=lambda value: repr(value)[:30])
@pytest.mark.usefixtures("nothing_stays")
def test_a_wrong_line_is_one_sentence_and_starts_nothing(ipctop, home, text, sentence):
    env = home(text)
    assert re.fullmatch(sentence, ipctop.refuse("-D", 1, env=env))
    assert ipctop.run("--help", env=env).returncode == 0    # which is what then helps


def test_a_wrong_value_of_any_option_names_its_line(ipctop, home):
    names = re.findall(r"^  (?:-\w, |    )--([\w-]+)", ipctop.run("--help").stdout, re.MULTILINE)
    assert len(names) > 60 and {"pairs", "smp", "columns", "version"} < set(names)
    for name in names:
        sentence = ipctop.refuse("--plan", env=home(f"# of a test\nquiet\n{name} nonsense\n"))
        assert re.match(rf".*/config:3: (--)?{name}\b", sentence), sentence


@pytest.mark.parametrize("text, args, start", [
    ("pairs all\n", ["--pairs", "nonsense"], "--pairs nonsense: "),
    ("cpus 8000\n", ["-c", 8000], "-c 8000: "),
    ("cpus 8000\n", ["-a", 8000], "-c 8000: "),
    ("affinity 8000\n", ["-c", 8000], "-c 8000: "),
])
def test_a_wrong_value_of_the_command_line_names_no_line(ipctop, home, text, args, start):
    assert ipctop.refuse("--plan", *args, env=home(text)).startswith(start)


@pytest.mark.parametrize("args, sentence", [
    (["--config", "/nowhere/at/all"], "/nowhere/at/all: No such file or directory"),
    (["--config", "/"], "/: Is a directory"),
    (["--config", "/dev/zero"], "/dev/zero: larger than 65536 bytes"),
    (["--config", "/dev/null", "--no-config"], "--config /dev/null: --no-config reads no file; leave one of them out"),
])
def test_a_named_file_that_can_not_be_read_is_an_error(ipctop, args, sentence):
    assert ipctop.refuse("-D", 1, *args) == sentence


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_by_default_that_can_not_be_read_is_an_error(ipctop, home, tmp_path):
    env = home("quiet\n")
    (tmp_path / ".config" / "ipctop" / "config").chmod(0)
    assert ipctop.refuse("-D", 1, env=env).endswith("/ipctop/config: Permission denied")


def test_the_screen_obeys_the_file_too(ipctop, home):
    env = home("ascii\nrefresh 0.2\ntick 0.1\nshow lap\n")
    with Terminal(ipctop, env={"HOME": env["HOME"], "XDG_CONFIG_HOME": ""}) as terminal:
        terminal.wait_for(lambda text: "LIVE 0.2s" in text and "lap [us]" in text and OWN in text)
        assert all(byte < 0x80 for byte in terminal.raw)


# --- the setup writes the file ---

def write_from_setup(terminal):
    terminal.wait_for(lambda text: OWN in text)
    terminal.press("F2")
    terminal.wait_for(lambda text: " setup: " in text)
    terminal.press("Tab")
    for key in ("Down", "Right", "End", "Enter"):
        terminal.settle(0.05, 0.3)
        terminal.press(key)


def test_the_setup_writes_the_file_and_keeps_its_other_lines(ipctop, home, tmp_path):
    env = home("# usual\nrefresh 0.2 # fast\n\tinterval = 7ms\n")
    path = tmp_path / ".config" / "ipctop" / "config"
    with Terminal(ipctop, "-c", CPU, env={"HOME": env["HOME"], "XDG_CONFIG_HOME": ""}, columns=160) as terminal:
        write_from_setup(terminal)
        terminal.wait_for(lambda text: f"wrote unit to {path}" in text)
        terminal.press("Enter")
        terminal.wait_for(lambda text: f"{path} already has these settings" in text)
        terminal.press("q")
        assert terminal.finish() == 0
    assert path.read_text(encoding="utf-8") == "# usual\nrefresh 0.2 # fast\n\tinterval = 7ms\nunit ms\n"
    assert [file.name for file in path.parent.iterdir()] == ["config"]
    assert measured(ipctop, env=env)["interval_ns"] == 7000000


def test_a_window_that_the_setup_keeps_is_read_again(ipctop, home, tmp_path):
    env = home("")
    path = tmp_path / ".config" / "ipctop" / "config"
    where = {"HOME": env["HOME"], "XDG_CONFIG_HOME": ""}
    with Terminal(ipctop, "-c", CPU, env=where, columns=160) as terminal:
        terminal.wait_for(lambda text: OWN in text and "window phase" in text)
        terminal.press("F2")
        terminal.wait_for(lambda text: " setup: " in text)
        for key in ("Tab", "Down", "Down", "Down", "Left", "End", "Enter"):
            terminal.settle(0.05, 0.3)
            terminal.press(key)
        terminal.wait_for(lambda text: f"wrote window to {path}" in text)
        terminal.press("q")
        assert terminal.finish() == 0
    assert path.read_text(encoding="utf-8") == "window 60s\n"
    with Terminal(ipctop, "-c", CPU, env=where) as terminal:
        terminal.wait_for(lambda text: OWN in text and "window 60s" in text)
    with Terminal(ipctop, "-c", CPU, "--window", "10s", env=where) as terminal:
        terminal.wait_for(lambda text: OWN in text and "window 10s" in text)


def test_the_setup_says_why_it_writes_no_file(ipctop, tmp_path):
    (tmp_path / "lab.conf").mkdir()
    for args, env, sentence in (
            (["--no-config"], {}, "--no-config: no file is used, so none was written"),
            ([], {"HOME": "/proc/nowhere", "XDG_CONFIG_HOME": ""}, "can't write /proc/nowhere/.config/ipctop/config")):
        with Terminal(ipctop, "-c", CPU, *args, env=env, columns=160) as terminal:
            write_from_setup(terminal)
            terminal.wait_for(lambda text, sentence=sentence: sentence in text)


# --- keys ---

def test_space_freezes_the_display_while_collecting_goes_on(ipctop, tmp_path):
    with Terminal(ipctop, *FAST, "-c", CPU, "--json", tmp_path / "report.json", columns=200) as terminal:
        assert "LIVE 0.1s" in counting(terminal).text()
        terminal.press(" ")
        terminal.wait_for(lambda text: age(text) is not None and "LIVE" not in text)
        frozen = terminal.steady()
        elapsed = re.search(r"\d\d:\d\d:\d\d", frozen)[0]
        terminal.wait_for(lambda text: (age(text) or 0) > age(frozen) and AGE.sub("", text) == AGE.sub("", frozen))
        terminal.press("o")     # keys work on what is frozen
        terminal.wait_for(lambda text: "answer [us]" in text and elapsed in text and "FROZEN" in text)
        terminal.press("o")
        terminal.press("o")
        terminal.press("o")
        terminal.press("h")
        terminal.wait_for(lambda text: "open or close this help" in text and "FROZEN" in text)
        terminal.press("h")
        terminal.wait_for(lambda text: count(text) == count(frozen) and "first hop [us]" in text)
        terminal.press(" ")
        terminal.wait_for(lambda text: "LIVE 0.1s" in text and count(text) > count(frozen) + 300)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
    assert report(tmp_path / "report.json")["rings"][0]["figures"]["first"]["count"] > count(frozen) + 300


def test_a_frozen_display_can_be_quit_and_resized(ipctop):
    with Terminal(ipctop, *FAST, columns=200) as terminal:
        counting(terminal).press(" ")
        terminal.wait_for(lambda text: "FROZEN" in text)
        terminal.resize(40, 10)
        terminal.wait_for(lambda text: "FROZEN" in text and "PAIR" in text)
        terminal.resize(120, 40)
        terminal.wait_for(lambda text: "FROZEN" in text and "p99.9" in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""


def test_plus_and_minus_change_the_refresh(ipctop):
    with Terminal(ipctop, "--tick", 0.1, "--refresh", 0.2, columns=200) as terminal:
        counting(terminal)
        for key, sign in (("+", "0.1s"), ("+", "0.1s"), ("-", "0.2s"), ("-", "0.5s"), ("-", "1.0s"), ("-", "2.0s"),
                          ("-", "5.0s"), ("-", "10.0s"), ("-", "10.0s")):
            terminal.press(key)
            terminal.wait_for(lambda text, sign=sign: f"LIVE {sign}" in text)
        assert until(lambda: stays(terminal, 1.2))      # an event is shown at once, so more than one try
        still = terminal.text()
        for _ in range(6):
            terminal.press("+")
        terminal.wait_for(lambda text: "LIVE 0.1s" in text and count(text) > count(still) + 300)
        live = terminal.text()
        terminal.wait_for(lambda text: text != live, 5)     # half of what it was
