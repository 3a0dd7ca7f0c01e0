# SPDX-License-Identifier: GPL-2.0-or-later
"""What a mechanism does to tokens is told on the screen, in the lines, in the report and by the exit status."""
import os
import pathlib
import re

import pytest

from conftest import Program, in_whole
from harness import report

NAMES = ["lost", "repeated", "reordered", "damaged"]
ARGS = ["-m", "faulty", "-t", 1, "-i", 1000, "-l", 200, "-s", 100]


@pytest.fixture(scope="module")
def faulty(ipctop):
    """The program with one mechanism, which only tests build."""
    path = pathlib.Path(ipctop.path).parent / "tests" / "ipctop_faulty"
    assert os.access(path, os.X_OK), f"{path} is not there: build all of it"
    return Program(path)


# What is done to the 120th token, which is behind the warm-up, and what is to be found. One that is held back
# until it is given up for lost comes behind the one that was sent for it.
CASES = {
    "lost": ({"lost": 1}, "1 token lost"),
    "repeated": ({"repeated": 1}, "1 token repeated"),
    "reordered": ({"lost": 1, "reordered": 1}, "1 token lost, 1 reordered"),
    "damaged": ({"damaged": 1}, "1 token damaged"),
}


@pytest.mark.parametrize("fork", [[], in_whole(["-f"])], ids=["threads", "processes"])
@pytest.mark.parametrize("fault", NAMES)
def test_each_fault_is_counted_shown_and_an_error(faulty, tmp_path, fault, fork):
    counts, words = CASES[fault]
    environment = {"IPCTOP_FAULT": f"{fault} 120 1 {fault == 'damaged':d}"}
    path, recording = tmp_path / "report.json", tmp_path / "recording"
    lines = faulty.run(*ARGS, *fork, "--json", path, "--record", recording, env=environment)
    screen = faulty.run(*ARGS, *fork, "--render", "120x40", env=environment)
    assert (lines.returncode, screen.returncode) == (1, 1), (lines, screen)

    for found in (report(path), report(faulty.run("--replay", recording, "--speed", 0, "--json", "-").stdout)):
        token = found["rings"][0]["token"]
        assert {name: token[name] for name in NAMES} == dict.fromkeys(NAMES, 0) | counts
        warnings = "; ".join(event["text"] for event in found["events"] if event["kind"] == "warning")
        # a tick may end between the two faults of a case
        assert words in warnings or all(f"1 token {name}" in warnings for name in counts), warnings
        assert found["rings"][0]["laps"] == 200
    assert words in lines.stdout
    head = screen.stdout.splitlines()[:6]
    assert any(words in line for line in head), screen.stdout
    row = re.search(r"^[> ]*\d+>\d+(?:#\d+)? .*$", screen.stdout, re.M)[0]
    assert ("lost" if "lost" in counts else fault) in row, screen.stdout


def test_without_a_fault_all_is_well(faulty):
    result = faulty.run(*ARGS, "--json", "-")
    token = report(result.stdout)["rings"][0]["token"]
    assert result.returncode == 0 and token == {"bytes": 100, "checked": True} | dict.fromkeys(NAMES, 0)
