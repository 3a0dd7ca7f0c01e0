# SPDX-License-Identifier: GPL-2.0-or-later
"""Each key of the program's table, pressed on a real terminal: a key without a case here fails by its name."""
import os
import re

import pytest

import made
from conftest import cpus
from harness import THREE
from table import heads, first_line, phase_line, ready, rows, selected, sorted_by
from terminal import Terminal

pytestmark = pytest.mark.screen

HELP = "open or close this help"


def chosen(text):
    """The selected row's pair."""
    return next((row[1] for row in rows(text) if row[0] == ">"), None)


def mechanisms(text):
    return {row[2] for row in rows(text)}


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


def turns_to_the_glossary(at, key):
    at.press("F1", lambda text: HELP in text)
    at.press(key, lambda text: HELP not in text and "the longest sample, exact" in text)


def turns_to_the_keys(at, key):
    turns_to_the_glossary(at, "Right")
    at.press(key, lambda text: HELP in text)


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
    at.goes(key, lambda text: re.search(r"window (\w+)", first_line(text))[1], "all", "10s", "60s", "phase", "all")


def changes_the_figure(at, key):
    at.goes(key, lambda text: re.search(r"(\w+) \[us\]", first_line(text))[1], "answer", "lap", "response", "hop")


def changes_the_unit(at, key):
    at.goes(key, lambda text: re.search(r"\[(\w+)\]", first_line(text))[1], "ms", "ns", "us")


def sorts_to_the_left(at, key):
    at.press(">", lambda text: sorted_by(text)[0] != "PAIR")
    at.press(key, lambda text: sorted_by(text)[0] == "PAIR")


def sorts_to_the_right(at, key):
    at.goes(key, lambda text: sorted_by(text)[0], "MECH")


def sets_up(at, key):
    """A column is turned off and on, and the screen behind follows."""
    at.press(key, lambda text: " setup: " in text and "[x] PAIR" in text)
    at.press("End", lambda text: "> [x] trend" in text)
    at.press("Up", lambda text: "> [x] vs base" in text)
    at.press("Up", lambda text: "> [x] n\n" in text)
    at.press("Space", lambda text: "> [ ] n\n" in text)
    at.press("Esc", lambda text: rows(text) and "n" not in heads(text))
    at.press(key, lambda text: "[ ] n\n" in text)
    at.press("Esc", rows)


def goes_to_the_other_list(at, key):
    """A setting is changed by arrow keys."""
    at.press("F2", lambda text: "> [x] PAIR" in text)
    at.press(key, lambda text: "> Sort " in text)
    at.press("Down", lambda text: "> Unit " in text and "ns [us] ms" in text)
    at.press("Right", lambda text: "ns us [ms]" in text)
    at.press("Left", lambda text: "ns [us] ms" in text)
    at.press(key, lambda text: "> [x] PAIR" in text)
    at.press("Esc", rows)


def sorts_by_a_list(at, key):
    at.press(key, lambda text: " sort by " in text and "> PAIR" in text)
    at.press("Down", lambda text: "> MECH" in text)
    at.press("Esc", lambda text: " sort by " not in text and sorted_by(text)[0] == "PAIR")
    at.press(key, lambda text: "> PAIR" in text)
    at.press("End", lambda text: "> vs base" in text)
    at.press("Up", lambda text: "> n " in text)
    at.press("Up", lambda text: "> missed" in text)
    at.press("Enter", lambda text: " sort by " not in text and sorted_by(text)[0] == "missed")


def of_mechanism(text, mechanism):
    return [row for row in rows(text) if row[2] == mechanism]


def inverts_the_order(at, key):
    before = rows(at.text)
    at.press(key, lambda text: sorted_by(text) == ("PAIR", "▾") and of_mechanism(text, "mq")[-1:] == before[:1])
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


def selects_the_worst(at, key):
    """The ring that is starved, on another page."""
    assert "11>10" not in pairs(at.text)
    at.press(key, lambda text: chosen(text) == "11>10" and " above, " in text)


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


def holds_the_turn(at, key):
    at.press(key, lambda text: re.search(r" turn \d/3 held ", first_line(text)))
    at.press(key, lambda text: re.search(r" turn \d/3  ", first_line(text)))


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


def compared(text):
    """The numbers of the phases A and B."""
    return [re.search(rf"^{letter}  (base )?phase (\d)", text, re.M) for letter in "AB"]


def numbers(text):
    return [int(found[2]) for found in compared(text) if found]


def takes_the_next_phase_as_a(at, key):
    """Of the three of the run."""
    at.press("c", lambda text: numbers(text) == [2, 3])
    at.goes(key, numbers, [1, 3], [2, 3])


def takes_the_next_phase_as_b(at, key):
    at.press("c", lambda text: numbers(text) == [2, 3])
    at.goes(key, numbers, [2, 1], [2, 3])


def lists_what_differs(at, key):
    at.press("c", lambda text: numbers(text) == [2, 3])
    at.press(key, lambda text: "what differs between A and B" in text)
    at.press(key, lambda text: "what differs between A and B" not in text and "VERDICT" in text)


def makes_a_the_baseline(at, key):
    at.press("c", lambda text: numbers(text) == [2, 3])
    at.press(key, lambda text: compared(text)[0] and compared(text)[0][1])
    at.press(key, lambda text: compared(text)[0] and not compared(text)[0][1])


def opens_and_closes_a_view(at, key):
    pair, first = chosen(at.text), at.text
    at.press(key, lambda text: f" {key} Back " in text and text != first)
    at.press(key, lambda text: chosen(text) == pair and f" {key} Back " not in text)


def goes_back_to_the_overview(at, key):
    for view in made.view_keys():
        at.press(view, lambda text, view=view: f" {view} Back " in text)
        at.press(key, lambda text, view=view: rows(text) and f" {view} Back " not in text)


def closes_each_dialog(at, key):
    for opener, title in (("h", HELP), ("F2", " setup: "), ("F6", " sort by "), ("/", " show rings with ")):
        at.press(opener, lambda text, title=title: title in text)
        at.press(key, lambda text, title=title: title not in text and rows(text))
    assert phase_line(at.text).startswith("PHASE 3 "), at.text


def changes_what_is_marked(at, key):
    at.press("F2", lambda text: "> [x] PAIR" in text)
    at.press("Down", lambda text: "> [x] MECH" in text)
    at.press(key, lambda text: "> [ ] MECH" in text)
    at.press("Enter", lambda text: "> [x] MECH" in text)
    at.press("Tab", lambda text: "> Sort        [PAIR]" in text)
    at.press(key, lambda text: "> Sort        [MECH]" in text)


def steps_through_values(at, key):
    """Each setting of the list has another value then, and a step back its first one."""
    back = {"Left": "Right", "Right": "Left"}[key]
    at.press("F2", lambda text: "> [x] PAIR" in text)
    at.press("Tab", lambda text: "> Sort" in text)
    for name in ("Sort", "Unit", "Refresh", "Window", "Figure", "Limit", "Threshold", "Baseline", "Palette", "Colors",
                 "Signs", "Mouse"):
        def value(text, name=name):
            found = re.search(rf"[>] {name} +(.*?) *$", text, re.M)
            return found and found[1]
        at.terminal.wait_for(value)
        before = value(at.text)
        if name == "Threshold":     # part of the method
            at.terminal.press(key)
        elif name == "Limit":       # ends at 0
            at.press("Right", lambda text: value(text) == "[1us]")
            at.press(key, lambda text: value(text) == {"Left": "[0]", "Right": "[2us]"}[key])
        else:
            at.press(key, lambda text: value(text) not in (None, before))
            at.press(back, lambda text: value(text) == before)
        at.press("Down", lambda text: value(text) is None)
        if name == "Threshold":
            assert before in at.text
    at.terminal.wait_for(lambda text: "> Write the file" in text)


def moves_a_column(at, key):
    at.press("F2", lambda text: "> [x] PAIR" in text)
    for _ in range(13):
        at.terminal.press("Down")
    at.terminal.wait_for(lambda text: "> [x] p99.9" in text)
    at.press(key, lambda text: re.search({"F7": r"> \[x\] p99\.9.*\n.*\[x\] p99(?!\.)", "F8": r"\[x\] Max.*\n> \[x\] p99\.9"}[key], text))
    at.press("Esc", lambda text: re.search({"F7": "p50 +p99\\.9 +p99 +Max", "F8": "p50 +p99 +Max +p99\\.9"}[key], text))


def writes_the_file(at, key):
    at.press("F2", lambda text: "> [x] PAIR" in text)
    at.press("Tab", lambda text: "> Sort" in text)
    at.press("End", lambda text: "> Write the file" in text)
    at.press(key, lambda text: "--no-config: no file is used, so none was written" in text)


def spike(text):
    """The selected line of the view of spikes."""
    return next((line for line in text.split("\n") if re.match(r"> \d\d:\d\d:\d\d ", line)), "")


def title_of_spike(text):
    found = re.search(r"── (\w+ \d+>\d+ at [\d:.]+): response", text)
    return found and found[1]


def takes_a_spike_apart(at, key):
    at.press("t", lambda text: "stopped" in spike(text))
    at.press("Up", lambda text: "stress-ng-cpu" in spike(text))
    at.press(key, lambda text: "recorded: 2" in text and "AAAA" in text and "received" in text)
    at.press(key, lambda text: "stress-ng-cpu" in spike(text))


def opens_another_spike(at, key):
    titles = []
    at.press("t", lambda text: "stopped" in spike(text))
    at.press("Up", lambda text: "stress-ng-cpu" in spike(text))
    for pressed in ("Enter", key, {"Left": "Right", "Right": "Left"}[key]):
        at.press(pressed, lambda text: "received" in text and title_of_spike(text) not in titles[-1:])
        titles.append(title_of_spike(at.text))
    assert titles[0] == titles[2] and titles[0] is not None, titles


def ranks_cpus(at, key):
    at.press("t", lambda text: "the newest last" in text and "blame, phase" in text)
    at.press(key, lambda text: "blame by CPU" in text and "CPU 1: stress-ng-cpu" in text)
    at.press(key, lambda text: "blame, phase" in text and "CPU 1: stress-ng-cpu" not in text)


def sorts_spikes(at, key):
    at.press("t", lambda text: "the newest last" in text and "stopped" in spike(text))
    at.press("w", lambda text: "window all" in first_line(text))
    for again in ("<", ">", key):
        at.press(again, lambda text: "the longest of this run first" in text and "throttled" in spike(text))
        at.press(again, lambda text: "the newest last" in text and "stopped" in spike(text))


def selects_the_longest_spike(at, key):
    at.press("t", lambda text: "stopped" in spike(text))
    at.press("w", lambda text: "window all" in first_line(text))
    at.press(key, lambda text: "throttled" in spike(text))


def goes_to_the_moment_of_a_spike(at, key):
    selects_the_longest_spike(at, "!")
    at.press(key, lambda text: re.search(r"00:00:07/00:00:30", first_line(text)) and "throttled" in spike(text))


def part(text):
    """The selected line of the view of the machine's parts."""
    return next((line for line in text.split("\n") if re.match(r"> +[▾▸C]", line)), "")


def selects_a_core(at):
    at.press("T", lambda text: "▾ machine" in part(text) and "CPU 5" in text)
    for name in ("package 0", "L3 0", "core 0", "CPU 0", "CPU 1", "core 1"):
        at.press("Down", lambda text, name=name: f" {name} " in part(text))


def folds_a_part(at, key):
    selects_a_core(at)
    at.press(key, lambda text: "▸ core 1" in part(text) and "CPU 2 " not in text and "CPU 4 " in text)
    at.press(key, lambda text: "▾ core 1" in part(text) and "CPU 2 " in text)
    at.press("Down", lambda text: "CPU 2" in part(text))
    at.press(key, lambda text: "▸ core 1" in part(text) and "CPU 2 " not in text)


def folds_all_of_a_level(at, key):
    selects_a_core(at)
    at.press(key, lambda text: "▸ core 1" in part(text) and "▸ core 19" in text and "CPU 4 " not in text)
    at.press(key, lambda text: "▾ core 1" in part(text) and "CPU 4 " in text)


def selects_the_worst_part(at, key):
    """The smallest part with the longest Max shows the Max of the machine's line."""
    at.press("T", lambda text: "▾ machine" in part(text) and "CPU 5" in text)
    longest = max(map(float, re.findall(r"(?<= )\d+\.\d+(?= )", part(at.text))))
    at.press(key, lambda text: "machine" not in part(text) and f" {longest} " in part(text))


def shows_the_rings_of_a_part(at, key):
    selects_a_core(at)
    at.press(key, lambda text: "filter in:2-3 (2 of 40)" in first_line(text) and len(rows(text)) == 2)
    at.press("T", lambda text: "core 1" in part(text) and "CPU 0 " in text)
    at.press("Home", lambda text: "machine" in part(text))
    at.press(key, lambda text: "filter" not in first_line(text) and len(rows(text)) > 2)


def axis(text):
    found = re.search(r"(log|linear) count( to p[\d.]+)?", text)
    return found and found[0]


def zooms_in(at, key):
    at.press("Enter", lambda text: axis(text) == "log count")
    at.goes(key, axis, "log count to p99.9", "log count to p99", "log count to p90", "log count to p50")
    assert re.search(r" >\d", at.text), "what is beyond is counted"


def zooms_out(at, key):
    zooms_in(at, "z")
    at.goes(key, axis, "log count to p90", "log count to p99", "log count to p99.9", "log count")


def changes_the_axis(at, key):
    at.press("Enter", lambda text: axis(text) == "log count")
    at.goes(key, axis, "linear count", "log count")


def starred(text):
    return re.findall(r"^[> ]\* +(\d+>\d+)", text, re.M)


def marks_rows(at, key):
    first, second, third = (row[1] for row in rows(at.text)[:3])
    at.press("v", lambda text: starred(text) == [first] and chosen(text) == second)
    at.press("v", lambda text: starred(text) == [first, second] and chosen(text) == third)
    if key == "V":
        at.press("V", lambda text: not starred(text))
    else:
        at.press("k", lambda text: True)
        at.press("v", lambda text: starred(text) == [first])


def adds_a_ring(at, key):
    at.press(key, lambda text: "add rings" in text and "_" in text)
    for letter in f"futex {cpus()[0]}>{cpus()[0]}":
        at.terminal.press(letter)
    at.press("Enter", lambda text: "add rings" not in text and re.search(r"\d+>\d+(?:#\d+)? +futex", text))


def removes_a_ring(at, key):
    for no in ("Esc", "n"):
        at.press(key, lambda text: "remove?" in text)
        at.press(no, lambda text: "remove?" not in text and " gone" not in text)
    at.press(key, lambda text: "remove?" in text)
    at.press("y", lambda text: "remove?" not in text and re.search(r"\d+>\d+(?:#\d+)? .* gone", text))


def pauses_a_ring(at, key):
    at.press(key, lambda text: re.search(r"\d+>\d+(?:#\d+)? .* paused", text))
    at.press(key, lambda text: not re.search(r"\d+>\d+(?:#\d+)? .* paused", text))


def answers_with(sentence):
    """What it does to rings is in test_act.py."""
    def presses(at, key):
        at.press(key, lambda text: sentence in text)
    return presses


def saves(at, key):
    """In the last lines, where no event takes its place."""
    at.press(key, lambda text: re.search(r"saved in \S+ as ipctop-.* \.sh \(starts these rings\)$", " ".join(text.split())))


def draws_anew(at, key):
    at.terminal.stream.feed(b"\x1b[2J\x1b[5;5Hspoilt")
    at.press(key, lambda text: "PAIR" in text and "Quit" in text and "spoilt" not in text)


def switches_the_recorder(at, key):
    """Where the rights allow none, the reason is an event, and it stays off."""
    at.press(key, lambda text: "flight recorder: " in text or "recorder auto: " in text)


# What the key does is seen on a recorded run of 40 pairs; on a live one of one pair where it must be.
LIVE = {"r", "m", "s", "Space", "+", "-", "n", "x", "P", "F7", "F8", "C", "a", "i", "S", "L", "l", "U", "e", "E"}
KEY_CASES = {
    "h": toggles_help, "?": toggles_help, "F1": toggles_help,
    "d": lists_what_differs,
    "A": takes_the_next_phase_as_a, "B": takes_the_next_phase_as_b, "b": makes_a_the_baseline,
    "r": begins_a_phase,
    "m": asks_for_a_name,
    "w": changes_the_window,
    "o": changes_the_figure,
    "u": changes_the_unit,
    "<": sorts_to_the_left,
    ">": sorts_to_the_right,
    "F2": sets_up, "Tab": goes_to_the_other_list,
    "F6": sorts_by_a_list,
    "F7": answers_with("which has none: set a policy"), "F8": answers_with("which has none: set a policy"),
    "C": answers_with("policy of the members"), "a": answers_with("CPUs of the members"),
    "i": answers_with("interval: the ring"), "S": answers_with("size of tokens"), "L": answers_with("dma latency to hold"), "l": answers_with("load, such as fork:0-3:50"),
    "e": saves,
    "U": answers_with("there is nothing to undo"),
    "I": inverts_the_order,
    "k": selects_the_one_before, "Up": selects_the_one_before,
    "j": selects_the_next, "Down": selects_the_next,
    "!": selects_the_worst,
    "/": filters,
    "f": folds_a_mechanism, "F": folds_all_mechanisms,
    "PgUp": goes_a_page_up,
    "PgDn": goes_a_page_down,
    "g": selects_the_first, "Home": selects_the_first,
    "G": selects_the_last, "End": selects_the_last,
    "s": holds_the_turn,
    "E": switches_the_recorder,
    "Space": freezes,
    "[": goes_a_second_back,
    "]": goes_a_second_on,
    "{": goes_ten_seconds_back,
    "}": goes_ten_seconds_on,
    ".": steps_a_tick,
    "+": refreshes_faster,
    "-": refreshes_slower,
    "Left": turns_to_the_keys, "1": turns_to_the_keys,
    "Right": turns_to_the_glossary, "2": turns_to_the_glossary,
    "v": marks_rows, "V": marks_rows,
    "n": adds_a_ring, "x": removes_a_ring, "P": pauses_a_ring,
    "z": zooms_in, "Z": zooms_out, "y": changes_the_axis,
    "Ctrl-L": draws_anew,
    "Esc": closes_help,
    "q": quits, "F10": quits,
}


def groups_knobs(at, key):
    at.press("K", lambda text: "KNOB" in text)
    at.press(key, lambda text: re.search(r"^(scheduler|interrupts|kernel|power|memory|CPUs and isolation|virtualisation)(:|$)", text, re.M))
    at.press(key, lambda text: "KNOB" in text and not re.search(r"^(scheduler|interrupts|kernel|power|memory|CPUs and isolation)(:|$)", text, re.M))


def finds_knobs(at, key):
    at.press("K", lambda text: "KNOB" in text)
    at.press(key, lambda text: "show knobs with" in text)
    for letter in "watchd":
        at.terminal.press(letter)
    at.press("Enter", lambda text: re.search(r"2 of \d+ with 'watchd'", text) and "nmi_watchdog" in text and "skew_tick" not in text)


def title_of_matrix(text):
    return next((line for line in text.split("\n") if re.search(r"── \w+ (hop|lap) ", line)), "")


def of_matrix(pattern):
    """What the title says."""
    def value(text):
        found = re.search(pattern, title_of_matrix(text))
        return found and found[1]
    return value


def selected_pair(text):
    found = re.search(r"^(\d+>\d+)(?:#\d+)? \w+ n ", text, re.M)
    return found and found[1]


def changes_hops_to_laps(at, key):
    at.goes(key, of_matrix("(hop|lap)"), "lap", "hop")


def changes_the_value(at, key):
    at.goes(key, of_matrix("(p50|p99|Max|Min)"), "p99", "Max", "Min", "p50")


def groups_cpus(at, key):
    at.goes(key, of_matrix(r"by (\w+)"), "core", "L3", "node", "CPU")


def shows_the_pair(at, key):
    at.press(key, lambda text: re.search(r"^lap n ", text, re.M))
    at.press(key, lambda text: not re.search(r"^lap n ", text, re.M))


def selects_cells(at, _):
    """With two CPUs the cell to the right is selected at first, because a CPU with itself is no pair."""
    first = selected_pair(at.text)
    at.press("Left", lambda text: "with itself" in text)
    at.press("Right", lambda text: selected_pair(text) == first)
    at.press("Down", lambda text: selected_pair(text) != first)
    at.press("Up", lambda text: selected_pair(text) == first)


def selects_the_slowest(at, key):
    """One of the two hops; which one is not known."""
    at.press("Left", lambda text: "with itself" in text)
    at.press(key, selected_pair)


def shows_changes(at, key):
    at.press(key, lambda text: "nothing was measured in an earlier phase" in text)
    at.terminal.press("r")
    for _ in range(60):     # refused until a frame has the phase
        at.terminal.press(key)
        at.terminal.settle(0.2, 1.0)
        if "change" in title_of_matrix(at.terminal.text()):
            break
    at.press(key, lambda text: title_of_matrix(text) and "change" not in title_of_matrix(text))


# Keys that mean something else in a dialog, or in one view, by what the table says of them.
DIALOG_CASES = {
    "choose the value before": steps_through_values, "choose the next value": steps_through_values,
    "spikes: take one apart": takes_a_spike_apart, "spikes: by time or by length": sorts_spikes,
    "spikes: blame causes or CPUs": ranks_cpus,
    "spikes: open the one before": opens_another_spike, "spikes: open the next one": opens_another_spike,
    "spikes: select the longest": selects_the_longest_spike, "spikes: go to its moment": goes_to_the_moment_of_a_spike,
    "topology: show rings inside": shows_the_rings_of_a_part,
    "topology: select the worst": selects_the_worst_part,
    "topology: fold or unfold it": folds_a_part, "topology: all of its level": folds_all_of_a_level,
    "matrix: go to the left": selects_cells, "matrix: go to the right": selects_cells,
    "matrix: show all figures": shows_the_pair, "matrix: the next figure": changes_hops_to_laps,
    "matrix: p50, p99, Max or Min": changes_the_value, "matrix: the next grouping": groups_cpus,
    "matrix: show what changed": shows_changes, "matrix: select the worst": selects_the_slowest,
    "move the column to the left": moves_a_column, "move the column to the right": moves_a_column,
    "confirm the dialog": lambda at, _: None,    # see test_act.py, as for the next one
    "close it, remove nothing": lambda at, _: None,
    "knobs: try another value": lambda at, _: None,   # see test_try.py, as for the next one
    "knobs: stop the trial": lambda at, _: None,
    "knobs: in groups or together": groups_knobs,
    "knobs: show only some": finds_knobs,
    "choose the marked line": lambda at, _: sorts_by_a_list(at, "F6"),
    "change what is marked": changes_what_is_marked,
    "write the configuration": writes_the_file,
    "go back to the overview": goes_back_to_the_overview,
    "close this help, or a dialog": closes_each_dialog,
}


@pytest.fixture(scope="module", name="many")
def make_many(tmp_path_factory):
    return made.record("many", tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module", name="spikes")
def make_spikes(tmp_path_factory):
    return made.record("spikes", tmp_path_factory.mktemp("keys"))


def live(ipctop, key):
    pairs_of = ("-m", THREE, "-c", cpus()[0], "--turns", 0.3) if key == "s" else ("-t", 1)
    # What a key does may be an event, which others would soon hide on a busy machine.
    return Terminal(ipctop, *pairs_of, "--tick", 0.1, "--refresh", 0.2, "--spike", "60s", lines=60)


def replayed(ipctop, many):
    return Terminal(ipctop, "--replay", many, "--speed", 0, "--refresh", 0.2, "--no-config", columns=130, lines=40)


def at_the_end(terminal):
    terminal.wait_for(lambda text: "END" in first_line(text) and selected(text) == [0])
    terminal.settle(0.05, 0.3)
    return At(terminal)


@pytest.mark.parametrize("key", KEY_CASES)
def test_a_key_does_what_it_says(ipctop, many, key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with live(ipctop, key) if key in LIVE else replayed(ipctop, many) as terminal:
        if key in LIVE:
            ready(terminal)     # a ring that is not open yet refuses keys
            terminal.settle(0.05, 0.3)
        KEY_CASES[key](At(terminal) if key in LIVE else at_the_end(terminal), key)


def press_in_a_sweep(ipctop, row, key):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("a matrix needs two CPUs")
    with Terminal(ipctop, "--sweep", "--refresh", 0.2, "--no-config", "-c",
                  ",".join(map(str, sorted(os.sched_getaffinity(0))[:2])), columns=130, lines=40) as terminal:
        terminal.wait_for(selected_pair)
        DIALOG_CASES[row](At(terminal), key)


@pytest.mark.parametrize("row", DIALOG_CASES)
def test_a_key_of_a_dialog_does_what_it_says(ipctop, many, spikes, row):
    names = next(names for names, help in made.key_rows() if help == row)
    if row.startswith("matrix: "):
        press_in_a_sweep(ipctop, row, names[0])
        return
    with replayed(ipctop, spikes if row.startswith("spikes: ") else many) as terminal:
        DIALOG_CASES[row](at_the_end(terminal), names[0])


def test_a_view_opens_and_closes_by_its_key(ipctop, many):
    with replayed(ipctop, many) as terminal:
        at = at_the_end(terminal)
        for key in made.view_keys():
            opens_and_closes_a_view(at, key)
            terminal.settle(0.05, 0.3)


def help_of_key_case(key):
    """The help text of the key's first row that is not of a dialog, or of one view: its case presses that."""
    rows_of_key = [help for names, help in made.key_rows() if key in names]
    return next((help for help in rows_of_key if help not in DIALOG_CASES), rows_of_key[0])


def test_every_key_of_the_table_has_a_case():
    views = made.view_keys()
    keys = made.keys()
    of_views_alone = {key for key in keys if all(help in DIALOG_CASES for names, help in made.key_rows() if key in names)}
    missing = [key for key in keys if key not in KEY_CASES and key not in views and key not in of_views_alone]
    several = {help for names, help in made.key_rows()
               if help not in DIALOG_CASES and any(keys.count(name) > 1 for name in names)}
    assert not missing, f"keys that no case presses, see KEY_CASES: {missing}"
    of_views = {help for names, help in made.key_rows() if set(names) & set(views)}
    assert several <= {help_of_key_case(key) for key in KEY_CASES} | of_views, f"rows without a case: {several}"
    assert set(DIALOG_CASES) <= {help for _, help in made.key_rows()}
    assert set(KEY_CASES) <= set(keys), f"cases of no key: {sorted(set(KEY_CASES) - set(keys))}"
