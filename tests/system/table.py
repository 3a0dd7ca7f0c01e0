# SPDX-License-Identifier: GPL-2.0-or-later
"""The table on a terminal: how tests start it, and what they read from it."""
import re

from terminal import Terminal

FAST = ("--tick", 0.1, "--refresh", 0.1)
READY = re.compile(r"^[> ] +\d+>\d+(?:#\d+)? .*\d\.\d\d .*$", re.M)    # a row with figures


def rows(text):
    return re.findall(r"^([> ]) +(\d+>\d+)(?:#\d+)? +(\w+)?", text, re.M)


def heads(text):
    return {word for line in text.splitlines() if "PAIR" in line for word in line.split()}


def selected(text):
    return [index for index, row in enumerate(rows(text)) if row[0] == ">"]


def lines_of(text):
    """The table's lines, those of mechanisms too: (mark, what)."""
    return re.findall(r"^([> ]) +([▾▸] \w+|\d+>\d+(?:#\d+)? +\w+)", text, re.M)


def marked(text):
    return [index for index, line in enumerate(lines_of(text)) if line[0] == ">"]


def sorted_by(text):
    """The column's name, and the arrow before it; nothing in the middle of a frame."""
    found = re.search(r"([▴▾])(\S*)", text)
    return (found[2], found[1]) if found else ("", "")


def table(ipctop, *args, **more):
    return Terminal(ipctop, *FAST, *args, **more)


def ready(terminal):
    terminal.wait_for(READY.search)
    return terminal


def first_line(text):
    return text.split("\n", maxsplit=1)[0]


def phase_line(text):
    return next((line for line in text.splitlines() if line.startswith("PHASE ")), "")
