# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line, from outside: help, version, plan, and wrong input."""
import re

import pytest

SYNTHETIC = {"HWLOC_SYNTHETIC": "pack:2 [numa] l3:2 l2:2 core:1 pu:2"}


def test_help_lists_options_and_mechanisms_and_fits_80_columns(ipctop):
    result = ipctop.run("--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ipctop ")
    for line in ("  -p, --priority PRIO", "  -a, --affinity[=LIST]", "      --dma-latency USEC", "  mq ", "  svsem ",
                 "  signal "):
        assert f"\n{line}" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_version_is_one_line(ipctop):
    result = ipctop.run("-V")
    assert result.returncode == 0
    assert re.fullmatch(r"ipctop \d+\.\d+\.\d+\n", result.stdout)


@pytest.mark.parametrize("args, sentence", [
    (["-D", "abc"], r"-D abc: the duration must be .*"),
    (["-i", "-5"], r"-i -5: the interval must be .*"),
    (["-i", "1e3"], r"-i 1e3: the interval must be .*"),
    (["-p", "120"], r"-p 120: the priority must be 0 to 98"),
    (["-p", ""], r"-p '': the priority must be 0 to 98"),
    (["-l", "99999999999999999999999"], r"-l 9+: the number of laps must be .*"),
    (["-m", "nope"], r"-m nope: no such mechanism: choose of .*mq.*"),
    (["-c", "x"], r"-c x: must be a list of CPUs such as 0-3,8"),
    (["--memory", "node:4000"], r"--memory node:4000: this machine has nodes? [0-9,-]+"),
    (["--memory", "near"], r"--memory near: the place must be receiver, sender, node:N, interleave or local, .*"),
    (["--policy", "fifo"], r"--policy fifo needs a priority: add -p 1\.\.98"),
    (["--policy", "deadline"], r"--policy deadline: .*"),
    (["--nope"], r"--nope: no such option; .*"),
    (["--re", "1"], r"--re: may mean --refresh, --render, --record, --replay"),
    (["nope"], r"nope: no such command: .*"),
    (["--json", "-", "--render", "80x24"], r"--json -: .*"),
    (["--pairs", "nope"], r"--pairs nope.*"),
    (["-c", "8191"], r"-c 8191.*"),
])
def test_wrong_input_is_one_sentence_and_starts_nothing(ipctop, nothing_stays, args, sentence):
    assert re.fullmatch(sentence, ipctop.refuse(*args, timeout=5))
    assert nothing_stays.new() == set()


def test_control_characters_do_not_reach_the_terminal(ipctop):
    assert "\x1b" not in ipctop.refuse("-p", "\x1b]0;title\x07")


def test_plan_prints_pairs_on_a_synthetic_machine(ipctop):
    result = ipctop.run("--plan", "--pairs", "cross", env=SYNTHETIC)
    assert (result.returncode, result.stderr) == (0, "")
    assert re.search(r"\bcross\b", result.stdout)


def test_measuring_a_machine_that_is_not_this_one_is_refused(ipctop, nothing_stays):
    assert "HWLOC_SYNTHETIC" in ipctop.refuse("-D", "1", env=SYNTHETIC)


def test_list_names_each_mechanism(ipctop, nothing_stays):
    result = ipctop.run("list")
    assert (result.returncode, result.stderr) == (0, "")
    assert {"mq", "signal", "svsem"} <= {line.split()[0] for line in result.stdout.splitlines() if line.split()}
