# SPDX-License-Identifier: GPL-2.0-or-later
"""--stamps lap and --batch: they measure fewer figures, and no output shows the others."""
import json
import re

import pytest

from conftest import cpus
from harness import report

MEASURED = {"lap": {"lap", "lateness"}, "batches": {"lap"}}
KINDS = {"lap": ("--stamps", "lap", "-i", 500), "batches": ("--batch", 16, "-i", 0)}


@pytest.fixture(scope="module", params=KINDS)
def measured(request, ipctop, tmp_path_factory):
    """A ring of three: its kind, text, report and recording."""
    folder = tmp_path_factory.mktemp("stamps")
    result = ipctop.run("-q", "-m", "pipe", "-c", cpus()[0], "--ring", 3, "--pairs", "own", "-l", 400,
                        "--json", folder / "report.json", "--record", folder / "rec", *KINDS[request.param])
    assert (result.returncode, result.stderr) == (0, ""), result
    return request.param, result.stdout, report(folder / "report.json"), folder / "rec"


def check_ring(ring, kind):
    assert ring["stamps"] == "lap" and ring.get("batch_laps") == (16 if kind == "batches" else None)
    assert ring["laps"] == 400
    counts = {name for name, figure in ring["figures"].items() if figure["count"]}
    assert counts == MEASURED[kind]
    lap = ring["figures"]["lap"]
    assert lap["count"] == 400 and lap["mean_ns"] > 0
    assert ("max_ns" in lap, "p50_ns" in lap["percentiles"], bool(lap["histogram"])) == (kind == "lap",) * 3
    assert not any("latency" in hop for hop in ring["hops"])


def test_figures_that_were_not_measured_are_absent(measured):
    kind, _, found, _ = measured
    assert found["options"]["stamps"] == "lap" and found["options"]["show"] == "lap"
    check_ring(found["rings"][0], kind)


def test_the_summary_says_which_stamps_there_were(measured):
    kind, text, found, _ = measured
    assert ("figure: lap, times in us, " + ("batches of 16 laps" if kind == "batches" else "stamps lap")) in text
    head, row = [line.split() for line in text.splitlines() if line.startswith(("mech ", "pipe "))][:2]
    cells = dict(zip(head, row))
    assert cells["n"] == "400"
    if kind == "batches":   # else there are columns that say more
        assert float(cells["Avg"]) == pytest.approx(found["rings"][0]["figures"]["lap"]["mean_ns"] / 1000, abs=1e-3)
    assert {cells[name] == "-" for name in ("Max", "p99.9", "p99", "p50", "Min")} == {kind == "batches"}
    assert cells["Resp99"] == cells["RMax"] == "-"
    assert "hops of" not in text


def test_the_response_of_a_flood_is_its_lap(ipctop, tmp_path):
    result = ipctop.run("-q", "-m", "pipe", "-c", cpus()[0], "-t", 1, "-l", 400, "-i", 0, "--stamps", "lap")
    assert (result.returncode, result.stderr) == (0, ""), result
    head, row = [line.split() for line in result.stdout.splitlines() if line.startswith(("mech ", "pipe "))][:2]
    cells = dict(zip(head, row))
    assert cells["RMax"] == cells["Max"] != "-" and cells["Resp99"] == cells["p99"]


def test_a_report_and_a_screen_have_no_response_that_was_not_measured(measured, ipctop, tmp_path):
    kind, _, _, recording = measured
    assert ipctop.run("report", recording, "-o", tmp_path / "page").returncode == 0
    table = (tmp_path / "page").read_text(encoding="utf-8").partition("<h2>Rings</h2>")[2].partition("</table>")[0]
    names, cells = ([cell.rstrip("</tr>\n") for cell in re.split("<t[hd]>", row)[1:]] for row in table.split("<tr>")[1:3])
    assert {name: cell for name, cell in zip(names, cells) if "response" in name} == {"response p99 us": "-", "response Max us": "-"}
    screen = ipctop.run("--replay", recording, "--speed", 0, "--render", "120x20", "-U").stdout.splitlines()
    heads = [i for i, line in enumerate(screen) if "RMax" in line]
    assert len(heads) == (kind == "lap")    # batches have no such columns
    for head in heads:
        assert screen[head + 1][screen[head].index("Resp99"):].split()[:2] == ["-", "-"], screen


def test_a_recording_says_the_same(measured, ipctop, tmp_path):
    kind, text, found, recording = measured
    result = ipctop.run("-q", "--replay", recording, "--speed", 0, "--json", tmp_path / "replayed.json")
    assert result.returncode == 0, result
    replayed = report(tmp_path / "replayed.json")
    assert replayed["rings"][0]["figures"]["lap"] == found["rings"][0]["figures"]["lap"]
    check_ring(replayed["rings"][0], kind)
    assert [line for line in text.splitlines() if line.startswith(("mech ", "pipe "))][1] in result.stdout
    lines = ipctop.run("export", "jsonl", recording).stdout.splitlines()
    rings = [line for line in map(json.loads, lines) if line["type"] == "ring"]
    assert sum(ring["figures"]["lap"]["count"] for ring in rings) == 400


@pytest.mark.parametrize("view", ["overview", "detail"])
def test_the_screen_says_which_stamps_there_were(ipctop, view):
    result = ipctop.run("-m", "pipe", "-c", cpus()[0], "-t1", "-i", 0, "--batch", 16, "-D", 0.6, "--view", view,
                        "--render", "120x40", "-U")
    assert result.returncode == 0, result
    assert "batches of 16 laps" in result.stdout and "no single laps: they ran in batches" in result.stdout


def test_laps_with_other_stamps_are_not_compared(measured, ipctop, tmp_path):
    kind, _, _, recording = measured
    other = tmp_path / "other.json"
    result = ipctop.run("-q", "-m", "pipe", "-c", cpus()[0], "--ring", 3, "--pairs", "own", "-l", 400,
                        "--show", "lap", "-i", KINDS[kind][-1], "--json", other)
    assert result.returncode == 0, result
    result = ipctop.run("compare", recording, other)
    assert result.returncode == 1 and "stamps: lap in A, all in B" in result.stderr, result
    assert ("batch: 16 laps in A, none in B" in result.stderr) == (kind == "batches")
