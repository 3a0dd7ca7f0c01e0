# SPDX-License-Identifier: GPL-2.0-or-later
"""Metrics for Prometheus: the file, read by a strict reader, by the run's own report, and by promtool."""
import os
import signal
import subprocess

import pytest

from conftest import ROOT, but_load, in_whole
from harness import Run, report, until
from metrics_reader import Metrics, check_against_report
from terminal import Terminal

EAGER = ["--tick", 0.05, "--refresh", 0.1]


def read(path):
    return Metrics(path.read_text(encoding="utf-8"), "prometheus")


RUNS = {
    "pairs": ["-m", "mq,pipe", "-i", "500us"],
    "rings": ["-m", "pipe", "--ring", "5x2"],
    "flood": ["-m", "futex", "-i", 0],
    "laps": ["-m", "mq", "--stamps", "lap"],
    "batches": ["-m", "mq", "-i", 0, "--batch", 16],
    "tokens": ["-m", "mq", "-s", "1k", "--fail-above", "1us"],
}


@pytest.mark.recorder
@pytest.mark.parametrize("kind", [kind if kind in ("pairs", "tokens") else in_whole(kind) for kind in RUNS])
def test_the_file_says_what_the_report_says(ipctop, tmp_path, kind):
    path, summary = tmp_path / "run.prom", tmp_path / "run.json"
    result = ipctop.run("-q", "-D", 1.2, *RUNS[kind], "--metrics", path, "--json", summary)
    assert result.returncode in (0, 2) and but_load(result.stderr) == "", result
    found, said = read(path), report(summary)
    check_against_report(found, said)
    figures = {name for ring in said["rings"] for name, figure in ring["figures"].items() if figure["histogram"]}
    assert {dict(key)["figure"] for key in found.histograms("ipctop_latency_seconds")} >= figures - {"served"}
    # A spike that is under way counts in the report alone.
    blame, spikes = said["spikes"]["blame"], sum(found.of("ipctop_spikes_total").values())
    under_way = blame["spikes"] + blame["passed_over"] - spikes
    assert 0 <= under_way <= len(said["rings"]), (blame, spikes)
    for ring in said["rings"]:
        counts = found.of("ipctop_above_limit_total", ring=str(ring["id"]))
        above = sum(count for lower, width, count in ring["figures"]["first"]["histogram"]
                    if lower + width // 2 > 1000)
        assert list(counts.values()) == ([above] if kind == "tokens" else [])


def test_each_refresh_replaces_the_file_as_a_whole(ipctop, tmp_path):
    path = tmp_path / "run.prom"
    with Run(ipctop, "-q", *EAGER, "--metrics", path) as run:
        seen = set()
        # Each look reads a whole file, or the reader fails.
        assert until(lambda: path.exists() and (seen.add(read(path).one("ipctop_run_seconds_total")), len(seen))[1] > 4)
        assert until(lambda: os.listdir(tmp_path) == ["run.prom"])      # between two writes
        run.process.send_signal(signal.SIGTERM)
        status, _, err = run.wait()
    assert (status, err) == (0, "")
    assert read(path).one("ipctop_run_seconds_total") > max(seen)
    assert os.listdir(tmp_path) == ["run.prom"]


def test_the_dashboard_writes_it_too(ipctop, tmp_path):
    path = tmp_path / "run.prom"
    with Terminal(ipctop, *EAGER, "--metrics", path) as terminal:
        assert terminal.wait_for(lambda _: path.exists())
        terminal.press("q")
        assert terminal.wait()[0] == 0
    assert read(path).one("ipctop_run_seconds_total") > 0


def test_a_file_that_can_not_be_written_is_tried_again(ipctop, tmp_path):
    for comes_back in (True, False):
        folder, away = tmp_path / f"folder {comes_back}", tmp_path / f"away {comes_back}"
        folder.mkdir()
        path = folder / "run.prom"
        with Run(ipctop, "-q", *EAGER, "--metrics", path) as run:
            assert until(path.exists)
            folder.rename(away)
            sentence = run.process.stderr.readline()
            assert sentence.startswith("ipctop: can't write ") and str(path) in sentence
            if comes_back:
                away.rename(folder)
                path.unlink()
                assert until(path.exists)
            run.process.send_signal(signal.SIGTERM)
            status, _, err = run.wait()
        assert status == (0 if comes_back else 1)
        assert err == ("" if comes_back else sentence)


def test_the_dashboard_shows_that_it_can_not_be_written(ipctop, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with Terminal(ipctop, *EAGER, "--metrics", folder / "run.prom") as terminal:
        assert terminal.wait_for(lambda _: (folder / "run.prom").exists())
        folder.rename(tmp_path / "away")
        assert terminal.wait_for(lambda screen: "warning" in screen and "can't write" in screen)
        terminal.press("q")
        assert terminal.wait()[0] == 1


def test_a_pipe_in_place_of_the_file_stalls_nothing(ipctop, tmp_path):
    path = tmp_path / "run.prom"
    os.mkfifo(tmp_path / "pipe")
    with Run(ipctop, "-q", *EAGER, "--metrics", path) as run:
        assert until(path.exists)
        os.rename(tmp_path / "pipe", path)
        sentence = run.process.stderr.readline()
        run.process.send_signal(signal.SIGTERM)
        status, _, err = run.wait()
    assert f"--metrics {path}: must be a regular file" in sentence
    assert (status, err) == (1, sentence)


def test_a_file_that_is_no_regular_one_or_has_another_use_is_refused(ipctop, tmp_path):
    other = tmp_path / "other"
    os.mkfifo(tmp_path / "pipe")
    for file in ("-", "/dev/null", tmp_path / "pipe"):
        assert f"--metrics {file}: must be a regular file" in ipctop.refuse("-D", 1, "--metrics", file)
    for option in ("--json", "--record"):
        assert f"--metrics {other}: {option}" in ipctop.refuse("-D", 1, "--metrics", other, option, other)
    assert "/nowhere/at/all.prom" in ipctop.refuse("--metrics", "/nowhere/at/all.prom")
    for more in (["--plan"], ["list"], ["--replay", other]):
        assert ipctop.refuse("--metrics", other, *more).startswith("--metrics: ")
    assert os.listdir(tmp_path) == ["pipe"]


def test_the_man_page_names_every_metric(ipctop, tmp_path):
    path = tmp_path / "run.prom"
    ipctop.run("-q", "-l", 100, "--metrics", path)
    page = (ROOT / "man" / "ipctop.1").read_text(encoding="utf-8")
    section = page.partition(".Sh METRICS\n")[2].partition("\n.Sh ")[0]
    listed = {word for line in section.splitlines() if line.startswith(".It Sy ")
              for word in line.removeprefix(".It Sy ").split(" , ")}
    assert listed == set(read(path).types)


@pytest.mark.needs("program promtool")
def test_promtool_finds_no_fault_with_the_metrics(ipctop, tmp_path):
    path = tmp_path / "run.prom"
    ipctop.run("-q", "-l", 100, "-m", "mq,pipe", "--fail-above", 1, "--metrics", path)
    with open(path, encoding="utf-8") as text:
        said = subprocess.run(["promtool", "check", "metrics"], stdin=text, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
