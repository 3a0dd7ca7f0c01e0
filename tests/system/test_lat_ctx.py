# SPDX-License-Identifier: GPL-2.0-or-later
"""The compat tool that stands in for lmbench's lat_ctx: what its readers find, and how the figures come about."""
import json
import os
import re
import statistics

import pytest

from harness import VALIDATOR


def xgraph(err):
    """(size, overhead, {processes: us}) as lmbench's scripts read it: a title after an empty line, then pairs."""
    lines = err.splitlines()
    title = re.fullmatch(r'"size=(\d+)k ovr=(\d+\.\d\d)', lines[1])
    assert lines[0] == "" and title, err
    rows = [re.fullmatch(r"(\d+) (\d+\.\d\d)", line) for line in lines[2:] if not line.startswith("#")]
    assert all(rows), err
    return int(title[1]), float(title[2]), {int(row[1]): float(row[2]) for row in rows}


def expected(found):
    """What the laps in the JSON make of overhead and switches, in microseconds."""
    part = found["overhead"]
    overhead = statistics.median(part["lap_us"]) / part["processes"]
    return overhead, {ring["processes"]: statistics.median(ring["lap_us"]) / ring["processes"] - overhead
                      for ring in found["rings"]}


def agree(result, path):
    """Text and JSON tell the same, and both what follows from the laps; what is not positive is in the JSON only."""
    found = json.loads(path.read_text(encoding="utf-8"))
    size, printed_overhead, printed = xgraph(result.stderr)
    overhead, switches = expected(found)
    assert size == found["size_kib"] and printed_overhead == pytest.approx(overhead, abs=0.0051)
    assert found["overhead"]["overhead_us"] == pytest.approx(overhead, abs=1e-5)
    for ring in found["rings"]:
        assert ring["switch_us"] == pytest.approx(switches[ring["processes"]], abs=1e-5)
    assert printed == pytest.approx({n: us for n, us in switches.items() if us > 0}, abs=0.0051)
    return found


@pytest.mark.needs("whole")
def test_the_documents_example_runs(ipctop, tmp_path):
    path = tmp_path / "F"
    result = ipctop.run("lat_ctx", "-N", 3, f"--json={path}", "-s", 0, 2, 4, 8, 16, 20, timeout=120)
    assert result.returncode == 0 and result.stdout == "", result
    found = agree(result, path)
    assert [ring["processes"] for ring in found["rings"]] == [2, 4, 8, 16, 20]
    assert found["overhead"]["processes"] == 20 and not found["pinned"]
    assert all(len(ring["lap_us"]) == 3 and ring["laps"] for ring in found["rings"])


@pytest.mark.needs("whole")
def test_pinned_it_prints_lap_less_overhead(ipctop, tmp_path):
    path = tmp_path / "F"
    cpu = max(os.sched_getaffinity(0))
    result = ipctop.run("lat_ctx", "--cpus", cpu, f"--json={path}", "-s", 16, 2, 5, timeout=120)
    assert result.returncode == 0 and "#" not in result.stderr, result
    found = agree(result, path)
    assert found["pinned"] and {ring["ran_on"] for ring in found["rings"]} == {str(cpu)}


def test_unpinned_one_line_tells_where_they_ran(ipctop):
    result = ipctop.run("lat_ctx", "-N", 2, 2, 3, timeout=60)
    said = [line for line in result.stderr.splitlines() if line.startswith("#")]
    assert result.returncode == 0 and len(said) == 1, result
    assert re.match(r"# the members ran on CPUs? [\d,-]+,", said[0]), said


def test_rings_side_by_side_and_reports_of_all_runs(ipctop, tmp_path):
    path = tmp_path / "G"
    result = ipctop.run("lat_ctx", "-P", 3, "-N", 2, "-W", 60000, f"--ipctop-json={path}", 2, 4, timeout=60)
    assert result.returncode == 0, result
    reports = json.loads(path.read_text(encoding="utf-8"))
    for report in reports:
        VALIDATOR.validate(report)
    assert [[len(ring["members"]) for ring in report["rings"]] for report in reports] == [[4], [2] * 3, [4] * 3]
    assert [report["options"].get("alone", False) for report in reports] == [True, False, False]


@pytest.mark.timing
def test_work_makes_the_overhead_larger(ipctop):
    _, little, _ = xgraph(ipctop.run("lat_ctx", "-N", 3, "-s", 0, 2, timeout=60).stderr)
    size, much, _ = xgraph(ipctop.run("lat_ctx", "-N", 3, "-s", 1024, 2, timeout=60).stderr)
    assert size == 1024 and much > little, (little, much)


def test_what_can_not_be_written_is_an_error(ipctop):
    with open("/dev/full", "w", encoding="ascii") as full:
        assert ipctop.start("lat_ctx", "-N", 1, 2, stderr=full).wait(timeout=60) == 1


@pytest.mark.parametrize("words", ["", "-s 0", "1", "2 2049", "2 x", "-N 0 2", "-s x 2", "--cpus 99999 2"])
def test_bad_values_are_one_sentence(ipctop, words):
    result = ipctop.run("lat_ctx", *words.split())
    assert result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1, result
    assert result.stderr.startswith("lat_ctx: "), result
