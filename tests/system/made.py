# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up runs as recordings, by the programs that are built beside ipctop, and the screens expected of them."""
import functools
import os
import pathlib
import re
import subprocess

import pytest

from conftest import ROOT

SCREENS = ROOT / "tests" / "golden" / "screens"


def built(name):
    path = pathlib.Path(os.environ.get("IPCTOP", ROOT / "build" / "ipctop")).absolute().parent / "tests" / name
    if not path.exists():
        pytest.skip(f"needs {path}, which is built beside ipctop")
    return path


def record(name, folder):
    """One of tests/golden/story.c's runs."""
    path = folder / name
    subprocess.run([built("golden_record"), name, path], check=True)
    return path


@functools.cache
def told(what):
    out = subprocess.run([built("golden_screens"), what], check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def views():
    """{view: (run, [key, ...])}"""
    return {view: (run, [named(key) for key in re.findall(r"\\.|.", keys)]) for view, run, keys in told("--list")}


def named(key):
    r"""A key by its name in terminal.KEYS: \r, \6."""
    return "Enter" if key == "\\r" else f"F{key[1:]}" if key.startswith("\\") else key


def looks():
    """{(palette, colours of the terminal): {style: its look, in words}}"""
    found = {}
    for palette, colors, style, look in told("--looks"):
        found.setdefault((palette, int(colors) if colors.isdigit() else colors), {})[style] = look.split()
    return found


def key_rows():
    """Each row of the program's table of keys: its names, and what it does."""
    return [(names.split(", "), help) for names, help in told("--keys")]


def keys():
    """Each key's name, in the order of the program's table: "q", "F10", ..."""
    return [name for names, _ in told("--keys") for name in names.split(", ")]


def view_keys():
    """The names of keys that open a view, and there go back."""
    return [name for names, help in told("--keys") if help == "there: back to the overview" for name in names.split(", ")]


class Expected:
    """A file of tests/golden/screens: the lines, and of each cell its style."""

    def __init__(self, view, columns, lines, ascii_only=False):
        path = SCREENS / f"{view}-{columns}x{lines}{'-ascii' if ascii_only else ''}.txt"
        text, styles, _ = path.read_text(encoding="utf-8").split("\n--\n")
        self.lines = text.split("\n")
        self.lines += [""] * (lines - len(self.lines))      # the file's last line ends in no newline more
        self.styles = [["plain"] * columns for _ in range(lines)]
        for line in styles.splitlines():
            y, _, runs = line.partition(": ")
            for run in runs.split(", "):
                style, _, place = run.partition(" ")
                first, last = map(int, place.split("-"))
                self.styles[int(y)][first:last + 1] = [style] * (last + 1 - first)
