# SPDX-License-Identifier: GPL-2.0-or-later
"""1,024 pairs, and a matrix of 576 CPUs, on the screen: how long a frame takes, and how soon a key is answered."""
import json
import os
import random
import statistics
import tempfile
import time

import program
import stats
import yardstick
from figure import Skip
from terminal import Terminal

BAR_FRAME_MS, BAR_KEY_MS = 5, 50
PRESSES, COLUMNS, LINES = 30, 200, 60
PAIRS, ACTIONS, START_S = 1024, 20, 6
F7, F8 = "\x1b[18~", "\x1b[19~"
TESTS = program.IPCTOP.parent / "tests"


def frames(results, folder):
    path = os.path.join(folder, "frame.json")
    with yardstick.beside("memory") as yard, Terminal([TESTS / "bench_frame", path], COLUMNS, LINES) as terminal:
        if terminal.wait(300):
            raise RuntimeError("bench_frame failed")
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    show, show_max = found.pop("show")
    matrix = found.pop("matrix")[0]
    worst = max(found, key=lambda name: found[name][0])
    for name, (median, longest) in found.items():
        results.note(f"{name}: median {median:.2f} ms, longest {longest:.2f} ms")
    results.note(f"curses, with the write: median {show:.2f} ms, longest {show_max:.2f} ms")
    yard.bar(results, "a frame of 1,024 pairs, composed and shown", found[worst][0] + show, BAR_FRAME_MS, " ms",
             f"{COLUMNS}x{LINES}, the worst: {worst}", strict=True)
    yard.bar(results, "a frame of the matrix of 576 CPUs, all measured", matrix, BAR_KEY_MS, " ms", f"{COLUMNS}x{LINES}")


def keys(results, folder):
    path = os.path.join(folder, "crowd")
    program.run([TESTS / "golden_record", "crowd", path])
    chance = random.Random(stats.SEED)
    # At its own speed, so that ticks come between; frames of their own are rare.
    command = [program.IPCTOP, "--replay", path, "--speed", 1, "--refresh", 60]
    times = {key: [] for key in "jw"}
    with yardstick.beside("memory") as yard, Terminal(command, COLUMNS, LINES) as terminal:
        time.sleep(3)
        for key, taken in times.items():
            for _ in range(PRESSES):
                terminal.wait_quiet(0.1 + chance.random() / 10)
                taken.append(terminal.press(key) * 1000)
    for key, taken in times.items():
        yard.bar(results, f"'{key}' is answered", max(taken), BAR_KEY_MS, " ms",
                 f"the longest of {PRESSES}; median {statistics.median(taken):.2f} ms")


def check_acts(summary):
    with open(summary, encoding="utf-8") as file:
        texts = [event["text"] for event in json.load(file)["events"]]
    for what in ("FIFO:50 -> FIFO:51", " -> RR:50", "is paused", "goes on"):
        if not any(text.endswith(what) for text in texts):
            raise RuntimeError(f"no event of the keys ends with '{what}'")


def acting(results, folder):
    """On a run of 1,024 rings, nearly all of which wait for their turns: the event of an action is its answer."""
    summary = os.path.join(folder, "run.json")
    command = [program.IPCTOP, "-m", "eventfd", "-t", PAIRS, "-i", "10ms", "-p", 50, "--refresh", 60, "--json", summary]
    times = {"F8": [], "P": [], "C": [], "Enter": []}
    with yardstick.beside("memory") as yard, Terminal(command, COLUMNS, LINES) as terminal:
        time.sleep(START_S)
        if terminal.process.poll() is not None:
            raise Skip(f"needs the right to {PAIRS} real-time rings")

        def press(name, key):
            terminal.wait_quiet(0.2)
            times[name].append(terminal.press(key) * 1000)

        for i in range(ACTIONS):
            press("F8", F7 if i % 2 else F8)
            press("P", "P")     # pauses, and goes on
            press("C", "C")
            for letter in ("fifo:50", "rr:50")[i % 2]:
                terminal.press(letter)
            press("Enter", "\r")
        terminal.wait_quiet(0.2)    # the dialog waits for the reply, and drops what is typed meanwhile
        terminal.press("q")
        terminal.wait(60)
    check_acts(summary)
    for key, taken in times.items():
        yard.bar(results, f"'{key}' acts on one of 1,024 live rings", max(taken), BAR_KEY_MS, " ms",
                 f"the longest of {len(taken)}; median {statistics.median(taken):.2f} ms")


def bench(results, options):
    del options
    with tempfile.TemporaryDirectory(prefix="ipctop-frame-") as folder:
        frames(results, folder)
        keys(results, folder)
        acting(results, folder)
