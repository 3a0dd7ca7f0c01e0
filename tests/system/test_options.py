# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line, from outside: help, version, plan and list. What is wrong on it: test_wrong.py."""
import re
import subprocess

import pytest

from conftest import ROOT, environment
from harness import table

SYNTHETIC = {"HWLOC_SYNTHETIC": "pack:2 [numa] l3:2 l2:2 core:1 pu:2"}


def test_help_lists_verbs_and_options_and_fits_80_columns(ipctop):
    result = ipctop.run("--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ipctop ")
    for line in ("       ipctop compare A B ", "       ipctop ctl PATH COMMAND ", "       ipctop try KNOB=VALUE ", "       ipctop self-test ",
                 "  -p, --priority PRIO", "  -a, --affinity[=LIST]", "      --dma-latency USEC"):
        assert f"\n{line}" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_version_is_one_line(ipctop):
    result = ipctop.run("-V")
    assert result.returncode == 0
    assert re.fullmatch(r"ipctop \d+\.\d+\.\d+\n", result.stdout)


def test_plan_prints_pairs_on_a_synthetic_machine(ipctop):
    result = ipctop.run("--plan", "--pairs", "cross", env=SYNTHETIC)
    assert (result.returncode, result.stderr) == (0, "")
    assert re.search(r"\bcross\b", result.stdout)


@pytest.mark.usefixtures("nothing_stays")
def test_list_names_each_mechanism_load_and_tool(ipctop):
    result = ipctop.run("list")
    assert (result.returncode, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert {"mq", "signal", "svsem"} <= {words[0] for words in lines}
    assert [words[1] for words in lines if words[0] == "--load"] == list(table("load_kinds"))
    tools = re.findall(r"^\t\['([\w-]+)'", (ROOT / "src" / "compat" / "meson.build").read_text(encoding="utf-8"), re.M)
    assert [words[1] for words in lines if words[0] == "ipctop"] == tools and "pmqtest" in tools
    assert "Tools:" not in ipctop.run("--help").stdout
    mechanisms = [line for line in result.stdout.splitlines() if line[:1].isalnum() and not line.startswith("ipctop ")]
    columns = {[match.start(1) for match in re.finditer(r"  +(\S)", line)][-1] for line in mechanisms}
    assert len(columns) == 1, result.stdout


@pytest.mark.needs("root", "unshare --net")
def test_without_a_loopback_interface_list_says_what_can_not_run(ipctop):
    result = subprocess.run(["unshare", "--net", ipctop.path, "list"], env=environment(), capture_output=True,
                            text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    told = dict(line.split(maxsplit=1) for line in result.stdout.splitlines() if "no loopback interface" in line)
    assert set(told) == set(ipctop.built_with("tcp", "udp", "zmq-tcp", "zmq-req-tcp"))
