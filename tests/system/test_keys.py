# SPDX-License-Identifier: GPL-2.0-or-later
"""Each key of the program's table, pressed on a real terminal: a key without a case here fails by its name."""
import re

import pytest

import made
from table import phase_line, rows, selected, sorted_by
from terminal import Terminal

pytestmark = pytest.mark.screen

HELP = "open or close this help"


def chosen(text):
    """The selected row's pair."""
    return next((row[1] for row in rows(text) if row[0] == ">"), None)


def mechanisms(text):
    return {row[2] for row in rows(text)}


def first_line(text):
    return text.split("\n", maxsplit=1)[0]


def refresh(text):
    return re.search(r"LIVE (\S+)", first_line(text))[1]


class At:
    """A terminal at rest, and what keys do to it."""

    def __init__(self, terminal):
        self.terminal = terminal

    @property
    def text(self):
        return self.terminal.text()

    def press(self, key, true):
        """Until true(text)."""
        self.terminal.press(key)
        self.terminal.wait_for(true)

    def goes(self, key, value, *after):
        """Pressed as often, value(text) is this."""
        for wanted in after:
            self.press(key, lambda text, wanted=wanted: value(text) == wanted)


def toggles_help(at, key):
    at.press(key, lambda text: HELP in text and not rows(text))
    at.press(key, lambda text: HELP not in text and rows(text))


def closes_help(at, key):
    at.press("h", lambda text: HELP in text)
    at.press(key, lambda text: HELP not in text and rows(text))


def quits(at, key):
    at.terminal.press(key)
    assert at.terminal.finish() == 0 and at.terminal.whole() == ""


def begins_a_phase(at, key):
    at.press(key, lambda text: phase_line(text).startswith("PHASE 2 "))


def asks_for_a_name(at, key):
    at.press(key, lambda text: "name of the new phase" in text)
    for letter in "abc":
        at.press(letter, lambda text, letter=letter: f"{letter}_" in text)
    at.press("Enter", lambda text: phase_line(text).startswith("PHASE 2 'abc'"))


def changes_the_window(at, key):
    """A round of its two turns takes 2 s, so there is no window of 1 s."""
    at.goes(key, lambda text: re.search(r"window (\w+)", first_line(text))[1], "10s", "60s", "phase", "all", "10s")


def changes_the_figure(at, key):
    at.goes(key, lambda text: re.search(r"(\w+) \[us\]", first_line(text))[1], "answer", "lap", "response", "hop")


def changes_the_unit(at, key):
    at.goes(key, lambda text: re.search(r"\[(\w+)\]", first_line(text))[1], "ms", "ns", "us")


def sorts_to_the_left(at, key):
    at.press(">", lambda text: sorted_by(text)[0] != "PAIR")
    at.press(key, lambda text: sorted_by(text)[0] == "PAIR")


def sorts_to_the_right(at, key):
    at.goes(key, lambda text: sorted_by(text)[0], "MECH")


def inverts_the_order(at, key):
    before = rows(at.text)
    at.press(key, lambda text: sorted_by(text) == ("PAIR", "▾") and rows(text)[-1][1:] == before[0][1:])
    at.press(key, lambda text: rows(text) == before)


def pairs(text):
    return [row[1] for row in rows(text)]


def selects_the_next(at, key):
    at.goes(key, chosen, *pairs(at.text)[1:3])


def selects_the_one_before(at, key):
    first, second, third = pairs(at.text)[:3]
    at.goes("j", chosen, second, third)
    at.goes(key, chosen, second, first)


def selects_the_last(at, key):
    before = pairs(at.text)
    at.press(key, lambda text: chosen(text) == pairs(text)[-1] not in before)


def selects_the_first(at, key):
    before = pairs(at.text)
    at.press("G", lambda text: pairs(text) != before)
    at.press(key, lambda text: pairs(text) == before)


def goes_a_page_down(at, key):
    """What was on the page is there no more, but for a row or two."""
    before = pairs(at.text)
    at.press(key, lambda text: chosen(text) not in before[:-1] and pairs(text)[0] != before[0])


def goes_a_page_up(at, key):
    first = chosen(at.text)
    at.press("G", lambda text: chosen(text) == pairs(text)[-1] != first)
    last = chosen(at.text)
    at.press(key, lambda text: chosen(text) not in (last, pairs(text)[-1]))


def freezes(at, key):
    at.press(key, lambda text: "FROZEN" in first_line(text))
    at.press(key, lambda text: "FROZEN" not in first_line(text) and "LIVE" in first_line(text))


def refreshes_faster(at, key):
    at.goes(key, refresh, "0.1s")


def refreshes_slower(at, key):
    at.goes(key, refresh, "0.5s", "1.0s", "2.0s", "5.0s", "10.0s")


def filters(at, key):
    at.terminal.press(key)
    for letter in "signal":
        at.terminal.press(letter)
    at.press("Enter", lambda text: mechanisms(text) == {"signal"})


def folds_a_mechanism(at, key):
    before = mechanisms(at.text)
    at.press(key, lambda text: mechanisms(text) and "mq" not in mechanisms(text))
    at.press(key, lambda text: mechanisms(text) == before)


def folds_all_mechanisms(at, key):
    at.press(key, lambda text: "PAIR" in text and not rows(text))
    at.press(key, lambda text: "mq" in mechanisms(text))


def place(text):
    found = re.search(r"(\d\d:\d\d:\d\d)/00:03:05", first_line(text))
    return found and found[1]


def goes_a_second_back(at, key):
    at.goes(key, place, "00:03:04", "00:03:03")


def goes_a_second_on(at, key):
    at.press("{", lambda text: place(text) == "00:02:55")
    at.goes(key, place, "00:02:56", "00:02:57")


def goes_ten_seconds_back(at, key):
    at.goes(key, place, "00:02:55", "00:02:45")


def goes_ten_seconds_on(at, key):
    at.press("{", lambda text: place(text) == "00:02:55")
    at.press("{", lambda text: place(text) == "00:02:45")
    at.goes(key, place, "00:02:55")


def steps_a_tick(at, key):
    at.press("{", lambda text: place(text) == "00:02:55")
    at.terminal.press(key)
    at.press(key, lambda text: place(text) == "00:02:56" and "PAUSED" in first_line(text))


def opens_and_closes_a_view(at, key):
    pair, first = chosen(at.text), at.text
    at.press(key, lambda text: f" {key} Back " in text and text != first)
    at.press(key, lambda text: chosen(text) == pair and f" {key} Back " not in text)


def draws_anew(at, key):
    at.terminal.stream.feed(b"\x1b[2J\x1b[5;5Hspoilt")
    at.press(key, lambda text: "PAIR" in text and "Quit" in text and "spoilt" not in text)


# What the key does is seen on a recorded run of 40 pairs; on a live one of one pair where it must be.
LIVE = {"r", "m", "Space", "+", "-"}
KEY_CASES = {
    "h": toggles_help, "?": toggles_help, "F1": toggles_help,
    "r": begins_a_phase,
    "m": asks_for_a_name,
    "w": changes_the_window,
    "o": changes_the_figure,
    "u": changes_the_unit,
    "<": sorts_to_the_left,
    ">": sorts_to_the_right,
    "I": inverts_the_order,
    "k": selects_the_one_before, "Up": selects_the_one_before,
    "j": selects_the_next, "Down": selects_the_next,
    "/": filters,
    "f": folds_a_mechanism, "F": folds_all_mechanisms,
    "PgUp": goes_a_page_up,
    "PgDn": goes_a_page_down,
    "g": selects_the_first, "Home": selects_the_first,
    "G": selects_the_last, "End": selects_the_last,
    "Space": freezes,
    "[": goes_a_second_back,
    "]": goes_a_second_on,
    "{": goes_ten_seconds_back,
    "}": goes_ten_seconds_on,
    ".": steps_a_tick,
    "+": refreshes_faster,
    "-": refreshes_slower,
    "Ctrl-L": draws_anew,
    "Esc": closes_help,
    "q": quits, "F10": quits,
}


@pytest.fixture(scope="module", name="many")
def make_many(tmp_path_factory):
    return made.record("many", tmp_path_factory.mktemp("keys"))


def live(ipctop):
    return Terminal(ipctop, "-t", 1, "--tick", 0.1, "--refresh", 0.2)


def replayed(ipctop, many):
    return Terminal(ipctop, "--replay", many, "--speed", 0, "--refresh", 0.2, columns=130, lines=40)


@pytest.mark.parametrize("key", KEY_CASES)
def test_a_key_does_what_it_says(ipctop, many, key):
    with live(ipctop) if key in LIVE else replayed(ipctop, many) as terminal:
        terminal.wait_for(lambda text: rows(text) if key in LIVE else "END" in first_line(text) and selected(text) == [0])
        terminal.settle(0.05, 0.3)
        KEY_CASES[key](At(terminal), key)


def test_a_view_opens_and_closes_by_its_key(ipctop, many):
    with replayed(ipctop, many) as terminal:
        terminal.wait_for(lambda text: "END" in first_line(text) and selected(text) == [0])
        for key in made.view_keys():
            terminal.settle(0.05, 0.3)
            opens_and_closes_a_view(At(terminal), key)


def test_every_key_of_the_table_has_a_case():
    views = made.view_keys()
    keys = made.keys()
    missing = [key for key in keys if key not in KEY_CASES and key not in views]
    several = {key: keys.count(key) for key in keys if keys.count(key) > 1}
    assert not missing, f"keys that no case presses, see KEY_CASES: {missing}"
    assert several == {key: 2 for key in views}, f"rows of one key: {several}"
    assert set(KEY_CASES) <= set(keys), f"cases of no key: {sorted(set(KEY_CASES) - set(keys))}"
