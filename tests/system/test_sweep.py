# SPDX-License-Identifier: GPL-2.0-or-later
"""A sweep measures each CPU with each other one, and nothing of it stays behind."""
import copy
import csv
import io
import json
import math
import os
import re
import signal
import statistics
import subprocess
import time

import jsonschema
import pytest

import made
from conftest import ROOT, but_load, environment, need
from harness import Run, report, until
from terminal import Terminal
from test_control import await_status, ctl, socket_path    # pylint: disable=unused-import

SCHEMA = ROOT / "schema" / "ipctop-compare.schema.json"
CPUS = sorted(os.sched_getaffinity(0))
SWEPT = ("eventfd", "futex", "mq", "pipe", "sem", "shm", "shmfutex", "socketpair")
needs_two = pytest.mark.skipif(len(CPUS) < 2, reason="a matrix needs two CPUs")
LIST = ",".join(map(str, CPUS[:4]))      # larger machines need no more here


def cells_of(found):
    return {(cell["from"], cell["to"]): cell for cell in found["matrix"]["cells"]}


@needs_two
@pytest.mark.parametrize("mechanism", SWEPT)
def test_each_two_cpus_have_finite_figures(ipctop, tmp_path, mechanism):
    if mechanism.startswith("shm"):
        need("file /dev/shm")
    path = tmp_path / "json"
    result = ipctop.run("--sweep", "-c", LIST, "-m", mechanism, "-l", "2", "-D", "50", "-q", "--json", path)
    assert (result.returncode, but_load(result.stderr)) == (0, ""), result
    found, cpus = report(path), CPUS[:4]
    cells, head = cells_of(found), found["matrix"]["summary"]
    assert found["ended_by"] == "loops" and head["rounds"] == 2 and not found["rings"]
    assert head["mechanism"] == mechanism and sorted(head["cpus"]) == cpus
    assert set(cells) == {(a, b) for a in cpus for b in cpus if a != b}
    for cell in cells.values():
        for figure in (cell["hop"], cell["lap"]):
            assert figure["count"] > 0
            times = [figure[name] for name in ("min_ns", "p50_ns", "p99_ns", "max_ns")]
            assert times == sorted(times) and all(math.isfinite(time) and time > 0 for time in times), cell
    for (a, b), cell in cells.items():      # a lap is the same both ways, and no shorter than its hops
        assert cell["lap"] == cells[b, a]["lap"]
        hops = [hop for hop in (cell["hop"], cells[b, a]["hop"]) if hop["count"] >= 20]     # others may have come between
        assert cell["lap"]["p50_ns"] > max((hop["min_ns"] for hop in hops), default=0)
    sums = {name: sum(part["measured"] for part in head[name]["classes"]) for name in ("hop", "lap")}
    assert sums == {"hop": len(cells), "lap": len(cells) // 2}


@needs_two
@pytest.mark.needs("file /dev/shm")
def test_the_table_has_what_the_json_has(ipctop, tmp_path):
    path, table = tmp_path / "json", tmp_path / "csv"
    result = ipctop.run("--sweep", "-c", LIST, "-m", "shm", "-l", "1", "-D", "50", "-q", "--json", path, "--export",
                        f"matrix={table}")
    assert result.returncode == 0, result
    cells, lines = cells_of(report(path)), list(csv.DictReader(io.StringIO(table.read_text(encoding="ascii"))))
    assert len(lines) == len(cells) > 0
    for line in lines:
        numbers = {name: float(value) for name, value in line.items()}
        cell = cells[int(numbers["from"]), int(numbers["to"])]
        assert numbers["age_s"] == pytest.approx(cell["age_ns"] / 1e9, abs=0.001) and cell["age_ns"] >= 0
        for figure in ("hop", "lap"):
            for name in ("min_ns", "p50_ns", "p99_ns", "max_ns"):
                assert numbers[f"{figure}_{name}"] == pytest.approx(cell[figure][name], abs=0.001)
            assert numbers[f"{figure}_n"] == cell[figure]["count"]


@needs_two
def test_after_the_last_round_no_other_one_begins(ipctop, tmp_path):
    recording = tmp_path / "run.rec"
    result = ipctop.run("--sweep", "-c", LIST, "-m", "pipe", "-l", 2, "--record", recording, "--plain")
    assert result.returncode == 0, result
    screen = ipctop.run("--replay", recording, "--render", "100x30").stdout
    assert re.search(r"  (\d+) of \1 pairs  round 2 ", screen.splitlines()[0] + " "), screen
    again = ipctop.run("--replay", recording, "--speed", 0, "--plain").stdout
    for text in (result.stdout, again):
        assert max(map(int, re.findall(r"^\S+ s: round (\d+), ", text, re.M)), default=2) == 2, text



@needs_two
@pytest.mark.needs("whole")
def test_a_recording_has_the_matrix_of_each_moment(ipctop, path, tmp_path):
    recording = tmp_path / "run.rec"
    files = {name: (tmp_path / f"{name}.json", tmp_path / f"{name}.csv") for name in ("run", "replay")}
    options = {"run": ("--sweep", "-c", LIST, "-m", "pipe", "-D", 3, "--tick", "0.1", "--record", recording),
               "replay": ("--replay", recording, "--speed", 0)}
    for name, (summary, table) in files.items():
        result = ipctop.run(*options[name], "-q", "--json", summary, "--export", f"matrix={table}")
        assert (result.returncode, but_load(result.stderr)) == (0, ""), result
    run, replay = (report(summary) for summary, _ in files.values())
    assert run["matrix"] == replay["matrix"] and run["matrix"]["summary"]["measurements"] > 1
    assert files["run"][1].read_text("ascii") == files["replay"][1].read_text("ascii")
    text = ipctop.run(*options["replay"], "--plain").stdout
    assert "sweep of pipe, " in text and "largest asymmetry: " in text
    with Terminal(ipctop, "--replay", recording, "--speed", 0, "--control", path, columns=100, lines=30) as terminal:
        first = terminal.wait_for(lambda text: "END" in text and re.search(r"\bround (\d+)\b", text))
        # From the first checkpoint. A fast machine has measured cells before its first tick.
        assert ctl(ipctop, path, "seek", "-100").returncode == 0
        terminal.wait_for(lambda text: (found := re.search(r"\bround (\d+)\b", text)) and
                          int(found[1]) < int(first[1]))
        assert ctl(ipctop, path, "seek", "100").returncode == 0
        terminal.wait_for(lambda text: re.search(rf"\bround {first[1]}\b", text))
        terminal.press("q")
        assert terminal.finish() == 0


@needs_two
@pytest.mark.needs("whole")
def test_each_cell_has_its_change_since_the_phase_before(ipctop, path, tmp_path):
    recording, summary, again = tmp_path / "run.rec", tmp_path / "run.json", tmp_path / "again.json"
    with Terminal(ipctop, "--sweep", "-c", LIST, "-m", "pipe", "--tick", "0.1", "--record", recording, "--json", summary,
                  "--no-auto-phase", "--control", path, columns=100, lines=30) as terminal:
        terminal.wait_for(lambda text: re.search(r"\bround ([4-9]|\d\d)", text))
        terminal.press("c")
        terminal.wait_for(lambda text: "nothing was measured in an earlier phase" in text)
        time.sleep(3)       # in which most machines measure each pair often enough
        assert ctl(ipctop, path, "mark", "later").returncode == 0
        changes = re.compile(r"pipe hop p50 change \[%\] by \w+, phase 1 > 2, \d+ worse")
        for _ in range(60):     # refused until a frame has the phase
            terminal.press("c")
            terminal.settle(0.2, 1.0)
            if changes.search(terminal.text()):
                break
        terminal.wait_for(changes.search)
        terminal.wait_for(lambda text: re.search(r", \d+ and ([3-9]|\d\d) repeats\n.*, \d+ and ([3-9]|\d\d) repeats$", text, re.M))
        terminal.press("pc")
        terminal.wait_for(lambda text: "pipe hop p99 [" in text)
        terminal.press("q")
        assert terminal.finish() == 0
    found = report(summary)
    n_cpus = len(CPUS[:4])
    for figure, n_cells in (("hop", n_cpus * (n_cpus - 1)), ("lap", n_cpus * (n_cpus - 1) // 2)):
        changes = found["matrix"]["summary"][figure]["changes"]
        assert (changes["from_phase"], changes["to_phase"]) == (1, 2)
        for value in ("p50", "p99"):
            assert changes[value]["cells"] == n_cells
    of_hops = [cell["hop"]["change"]["p50"] for cell in found["matrix"]["cells"]]
    few = [change for change in of_hops if min(change["repeats_a"], change["repeats_b"]) < 3]
    assert [change for change in of_hops if change["verdict"] == "too few"] == few
    assert found["matrix"]["summary"]["hop"]["changes"]["p50"]["too_few"] == len(few)
    for change in of_hops:
        if change in few:
            continue
        assert change["ratio_low"] <= change["ratio"] <= change["ratio_high"]
        assert change["ratio"] == pytest.approx(change["b_ns"] / change["a_ns"], rel=0.01)
    assert ipctop.run("--replay", recording, "--speed", 0, "-q", "--json", again).returncode == 0
    assert report(again)["matrix"] == found["matrix"]
    text = ipctop.run("--replay", recording, "--speed", 0, "--plain").stdout
    assert "changes from phase 1 to phase 2:" in text and "lap, p99: " in text
    compared = [json.loads(ipctop.run("compare", "--json", f"{file}:1", f"{file}:2").stdout) for file in (recording, summary)]
    for document in compared:   # a summary has fewer digits, so what it would take is another number of repeats
        document["summary"]["headline"] = re.sub(r"\d+ repeats", "N repeats", document["summary"]["headline"])
    assert compared[0]["summary"] == compared[1]["summary"]
    for cells in zip(*(cells_of(document).values() for document in compared)):
        for a, b in ((cells[0][figure][value], cells[1][figure][value]) for figure in ("hop", "lap") for value in ("p50", "p99")):
            assert b == pytest.approx(a, rel=1e-3), cells
    found["matrix"]["summary"]["hop"]["changes"]["from_phase"] = 7
    again.write_text(json.dumps(found), encoding="utf-8")
    assert ipctop.refuse("compare", f"{again}:1", f"{again}:2") == (
        f"{again}: has no cells of phase 1, only those of the last phase and of the one measured before it; a recording has "
        "those of all")


def changed(found, path, factors):
    """Writes the summary with repeats that differ by 1 %, and cells that take `factors` as long, to a file."""
    found = copy.deepcopy(found)
    for cell in found["matrix"]["cells"]:
        for figure in ("hop", "lap"):
            for value in ("p50", "p99"):
                cell[figure]["repeats"] |= {"count": 6, value: {
                    "mean_ns": 5000 * factors.get((cell["from"], cell["to"]), 1), "deviation_percent": 1}}
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


@needs_two
@pytest.mark.needs("whole")
def test_two_sweeps_compare(ipctop, tmp_path):
    recording, summary = tmp_path / "run.rec", tmp_path / "run.json"
    result = ipctop.run("--sweep", "-c", LIST, "-m", "pipe", "-D", 4, "-q", "--record", recording, "--json", summary)
    assert result.returncode == 0, result
    found = report(summary)
    texts = [ipctop.run("compare", a, b) for a in (recording, summary) for b in (recording, summary)]
    for text in texts:
        assert text.returncode == 0 and "nothing recorded differs" in text.stdout, text
        assert text.stdout.splitlines()[3] == texts[0].stdout.splitlines()[3], text
    quick, slow = CPUS[0], CPUS[1]
    plain = changed(found, tmp_path / "plain.json", {})
    slower = changed(found, tmp_path / "slower.json", {(quick, slow): 1.5})
    for a, b, verdict, status in ((plain, plain, "same", 0), (plain, slower, "worse", 2), (slower, plain, "better", 0)):
        result = ipctop.run("compare", "--json", a, b)
        assert (result.returncode, result.stderr) == (status, ""), result
        compared = json.loads(result.stdout)
        assert compared["summary"]["verdict"] == verdict, compared["summary"]
        assert compared["summary"]["worse"] == (2 if verdict == "worse" else 0) and compared["summary"]["tests"] > 0
        jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(compared)
        for cell in compared["matrix"]["cells"]:
            moved = verdict != "same" and (cell["from"], cell["to"]) == (quick, slow)
            assert cell["hop"]["p50"]["verdict"] == (verdict if moved else "same"), cell
    text = ipctop.run("compare", plain, slower).stdout
    assert re.search(rf"^worst: {quick}>{slow} 5.000 > 7.50\d us, \+50", text, re.M), text
    refused = ipctop.refuse("compare", "--show", "lap", plain, slower)
    assert refused == "--show lap: sweeps are compared by all of their figures; leave it out"
    assert "WORSE: hop p50 1 worse of " in text and all(len(line) <= 80 for line in text.splitlines()[2:]), text


@needs_two
@pytest.mark.needs("whole")
def test_a_sweep_says_what_it_was_measured_under(ipctop, tmp_path):
    files = {name: (tmp_path / f"{name}.rec", tmp_path / f"{name}.json") for name in ("plain", "batch")}
    nice = os.nice(0) or ""
    for name, (recording, summary) in files.items():
        options = ("--policy", "batch", "-s", "4k") if name == "batch" else ()
        result = ipctop.run("--sweep", "-c", LIST, "-m", "pipe", "-l", 1, "--record", recording, "--json", summary, *options)
        says = f"BAT{nice}, 4096 bytes, 1 at once" if options else f"OTH{nice}, 1 at once"
        found = report(summary)
        assert result.returncode == 0 and found["matrix"]["summary"]["policy"] == (name if options else "other"), result
        assert re.search(rf"^sweep of pipe, \d+ CPUs, {says};", result.stdout, re.M), result.stdout
        counts = [cell["hop"]["count"] for cell in found["matrix"]["cells"]]
        n = f"{min(counts)}-{max(counts)}" if min(counts) < max(counts) else counts[0]
        assert f"hop, p50 of each cell (n {n} in 2 ms)" in result.stdout, result.stdout
        screen = ipctop.run("--replay", recording, "--render", "100x30").stdout
        assert f"── pipe hop p50 [us] by CPU, {says}, n {n} in 2 ms a cell" in screen, screen
    for i in range(2):
        text = ipctop.run("compare", files["plain"][i], files["batch"][i]).stdout
        assert re.search(r"policy OTHER.* > BATCH", " ".join(text.split())) and "size 0 > 4 KiB" in text, text


@needs_two
@pytest.mark.needs("realtime", "program chrt", "file /dev/shm")
def test_two_sweeps_that_spin_at_the_same_priority_both_end(ipctop):
    """A member may have the CPU that the other sweep's members wait for. The limit is of a higher priority than they are."""
    limit = ["chrt", "-f", "97", "timeout", "-s", "KILL", "15", "chrt", "-o", "0"]
    sweep = [ipctop.path, "-q", "--no-config", "--sweep", "-m", "shm", "-c", f"{CPUS[0]},{CPUS[1]}", "-l", "500", "-p", "80",
             "--allow-rt-spin"]
    runs = [subprocess.Popen([*limit, *sweep], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment())
            for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]


@needs_two
def test_repeats_that_there_can_not_be_are_refused(ipctop, tmp_path):
    summary, wrong = tmp_path / "run.json", tmp_path / "wrong.json"
    assert ipctop.run("--sweep", "-c", LIST, "-m", "pipe", "-l", 1, "-q", "--json", summary).returncode == 0
    found = report(summary)
    for spoil in ({"count": 0}, {"count": 1e9}, {"count": "x"}, {"p50": {"mean_ns": -1, "deviation_percent": 1}},
                  {"p50": {"mean_ns": 1e30, "deviation_percent": 1}}, {"p99": {"mean_ns": 5, "deviation_percent": 1e9}}, {"p99": 5}):
        spoiled = copy.deepcopy(found)
        spoiled["matrix"]["cells"][0]["hop"]["repeats"] |= spoil
        wrong.write_text(json.dumps(spoiled), encoding="utf-8")
        assert "neither a JSON summary of ipctop" in ipctop.refuse("compare", summary, wrong)
    for path, value in ((("phases", -1, "number"), 0), (("matrix", "summary", "cpus"), list(range(8192))),
                        (("matrix", "summary", "cpus"), CPUS[:1]), (("matrix", "cells", 0, "from"), 8191),
                        (("matrix", "cells", 0, "class"), "own"), (("matrix", "cells"), [])):
        spoiled = place = copy.deepcopy(found)
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        wrong.write_text(json.dumps(spoiled), encoding="utf-8")
        result = ipctop.run("compare", "--json", wrong, summary)
        assert result.returncode in (0, 1) and (result.returncode == 0) == (value == list(range(8192))), (path, result)


@needs_two
def test_a_recording_of_a_sweep_is_refused_where_rings_are_needed(ipctop, tmp_path):
    recording, another, other = (tmp_path / f"{name}.rec" for name in ("sweep", "pipe", "rings"))
    sweep = ("--sweep", "-c", LIST, "-l", 1)
    for path, options in ((recording, (*sweep, "-m", "mq")), (another, (*sweep, "-m", "pipe")), (other, ("-t", 1, "-D", 1))):
        assert ipctop.run("-q", *options, "--record", path).returncode == 0
    for words, sentence in (
            (("export", "csv", recording), f"export csv: {recording} is of a sweep, which has no rings; choose matrix"),
            (("export", "matrix", other), f"export matrix: {other} has no matrix, as it is not of a sweep"),
            (("--replay", recording, "--baseline", other), f"--baseline: {recording} is of a sweep, which has no rings"),
            (("compare", recording, other), "these phases can't be compared: A is of a sweep, and B is not"),
            (("compare", recording, another), "these phases can't be compared: A is a sweep of mq, and B of pipe")):
        result = ipctop.run(*words)
        assert result.returncode == 1 and sentence in result.stderr and result.stderr.count("\n") == 1, result
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pipe.rec", "rings.rec", "sweep.rec"]
    assert ipctop.run("export", "matrix", recording).stdout.count("\n") > 1


@needs_two
def test_a_sweep_has_a_picture_and_a_report_and_so_has_its_replay(ipctop, tmp_path):
    files = {name: tmp_path / name for name in ("a.svg", "b.svg", "a.html", "b.html", "rec")}
    run = ipctop.run("-q", "--sweep", "-c", LIST, "-m", "pipe", "-l", 2, "--record", files["rec"], "--plot", files["a.svg"],
                     "--report", files["a.html"])
    assert (run.returncode, but_load(run.stderr)) == (0, ""), run
    assert ipctop.run("-q", "--replay", files["rec"], "--plot", files["b.svg"]).returncode == 0
    assert ipctop.run("report", files["rec"], "-o", files["b.html"]).returncode == 0
    n = len(CPUS[:4])
    for first, again in (("a.svg", "b.svg"), ("a.html", "b.html")):
        page = files[first].read_text(encoding="utf-8")
        assert page == files[again].read_text(encoding="utf-8")
        assert "Matrix: hop p50 in" in page and f"{n * (n - 1) // 2} of {n * (n - 1) // 2} pairs are measured" in page


@needs_two
def test_numpy_reads_the_table(ipctop, tmp_path):
    numpy, table = pytest.importorskip("numpy"), tmp_path / "csv"
    assert ipctop.run("--sweep", "-c", LIST, "-l", "1", "-D", "50", "-q", "--export", f"matrix={table}").returncode == 0
    read = numpy.genfromtxt(table, delimiter=",", names=True)
    assert len(read) == len(CPUS[:4]) * (len(CPUS[:4]) - 1) and (read["hop_p50_ns"] > 0).all()


@needs_two
def test_the_text_has_the_matrix_and_its_classes(ipctop, tmp_path):
    summary = tmp_path / "sweep.json"
    result = ipctop.run("--sweep", "-c", LIST, "-m", "futex", "-l", "1", "-D", "50", "--json", summary)
    found = cells_of(report(summary))
    lines = result.stdout.splitlines()
    assert (result.returncode, but_load(result.stderr)) == (0, ""), result
    assert all(len(line) <= 80 for line in lines), result.stdout
    first = next(i for i, line in enumerate(lines) if line.startswith("hop, p50 of each cell"))
    columns = lines[first + 1].split()[1:]
    rows = [line.split() for line in lines[first + 2:first + 2 + len(columns)]]
    assert sorted(map(int, columns)) == CPUS[:4] and [row[0] for row in rows] == columns
    for i, row in enumerate(rows):
        assert row[1 + i] == "-" and all(float(value.rstrip("~")) > 0 for j, value in enumerate(row[1:]) if j != i), row
        for j, value in enumerate(row[1:]):
            few = i != j and found[int(columns[i]), int(columns[j])]["hop"]["count"] < 20
            assert value.endswith("~") == few, (value, columns[i], columns[j])
    assert sum(line.startswith("class ") for line in lines) in (2, 4)      # 4 where cells are of several classes
    assert any(line.startswith("largest asymmetry: ") for line in lines)


def test_each_class_has_its_outliers(ipctop, tmp_path):
    """Of four cores with two threads each. CPU 5 receives slowly."""
    path, page = made.record("sweep-8", tmp_path), tmp_path / "page.html"
    text = ipctop.run("--replay", path, "--speed", 0, "--json", tmp_path / "json").stdout
    found = report(tmp_path / "json")
    assert ipctop.run("report", path, "-o", page).returncode == 0
    cells = {pair: cell["hop"]["p50_ns"] for pair, cell in cells_of(found).items()}
    classes = {part["class"]: part for part in found["matrix"]["summary"]["hop"]["classes"]}
    assert set(classes) == {"smt", "l3", "cross"}
    for name, part in classes.items():
        mine = {pair: ns for pair, ns in cells.items() if cells_of(found)[pair]["class"] == name}

        def medians(end, mine=mine):
            return {cpu: statistics.median(ns for pair, ns in mine.items() if pair[end] == cpu) for cpu in range(8)}

        for key, end in (("slowest_receiver", 1), ("slowest_sender", 0)):
            of = medians(end)
            cpu = part[key]["cpu"]
            assert part[key]["median_ns"] == pytest.approx(max(of.values()), abs=0.1) and of[cpu] == max(of.values())
            assert part[key]["others_ns"] == pytest.approx(statistics.median(ns for other, ns in of.items() if other != cpu), abs=0.1)
        (row, column), ratio = max((((a, b), mine[a, b] / mine[b, a]) for a, b in mine), key=lambda item: item[1])
        asymmetry, slow = part["largest_asymmetry"], part["slowest_receiver"]
        assert asymmetry["cpus"] == [row, column] and slow["cpu"] == 5
        assert re.search(rf"^{name} +5 +{slow['median_ns'] / 1e3:.3f} +{slow['median_ns'] / slow['others_ns']:.2f} .* {row}>{column} +"
                         rf"{asymmetry['there_ns'] / 1e3:.3f} +{ratio:.2f}$", text, re.M), text
        html = page.read_text(encoding="utf-8")
        assert f"<td>{name}<td>5<td>{slow['median_ns'] / 1e3:.3f}<td>" in html
    laps = found["matrix"]["summary"]["lap"]["classes"]
    assert all(part["slowest_cpu"]["cpu"] in (1, 5) and "largest_asymmetry" not in part for part in laps), laps
    assert all(len(line) <= 80 for line in text.splitlines()), text


@needs_two
@pytest.mark.parametrize("victim", ["front", "keeper", "ipctop-sweep"])
def test_sigkill_leaves_nothing(ipctop, room, victim):
    with Run(ipctop, "--sweep", "-c", LIST, "-m", "mq", "-D", "50", "-q", room=room) as run:
        find = {"front": lambda: run.pid, "keeper": run.keeper}
        sweeper = until(lambda: next((pid for pid, (name, _) in run.processes().items() if name == "ipctop-sweep"), 0))
        assert sweeper, run.processes()
        os.kill(find.get(victim, lambda: sweeper)(), signal.SIGKILL)
        status, _, errors = run.wait()
        assert run.left() == {}
    assert room.left() == set()
    if victim == "ipctop-sweep":
        assert status == 1 and "was killed by signal 9" in errors, (status, errors)
    if victim == "keeper":
        assert status == 1 and "the keeper" in errors, (status, errors)


@needs_two
@pytest.mark.screen
def test_a_pair_that_takes_long_is_named(ipctop):
    with Terminal(ipctop, "--sweep", "-c", LIST, "-m", "pipe", "--refresh", 0.2, columns=100, lines=40) as terminal:
        terminal.wait_for(lambda text: re.search(r"\bround [2-9]", text))
        sweeper = next(pid for pid, (name, _) in terminal.processes().items() if name == "ipctop-sweep")
        os.kill(sweeper, signal.SIGSTOP)
        told = terminal.wait_for(re.compile(r"(CPUs \d+ and \d+): measuring them takes longer than 0.5 s").search)
        os.kill(sweeper, signal.SIGCONT)
        terminal.wait_for(lambda text: f"{told[1]}: measuring them took" in text)
        terminal.press("q")
        assert terminal.finish() == 0


@needs_two
@pytest.mark.needs("file /dev/shm")
def test_a_signal_ends_a_sweep_with_its_result(ipctop):
    with Run(ipctop, "--sweep", "-c", LIST, "-m", "shm", "--refresh", "0.1", "--tick", "0.1") as run:
        run.await_output(lambda text: "1 of 1 pairs measured (100 %)" in text or "(100 %)" in text)
        run.process.send_signal(signal.SIGINT)
        status, out, errors = run.wait()
        assert (status, errors, run.left()) == (0, "", {})
        assert "sweep of shm, " in out and "class " in out


@pytest.mark.parametrize("args, sentence", [
    (["--sweep", "-c", str(CPUS[0])], f"--sweep: a matrix needs two CPUs, and only CPU {CPUS[0]} is to be measured"),
    (["--sweep", "-m", "all"], "--sweep measures one mechanism of "),
    (["--sweep", "-m", "tcp"], "-m tcp: --sweep measures one mechanism of eventfd, futex, mq, pipe, sem, shm, "),
    (["--sweep", "-m", "mq,shm"], "-m mq,...: --sweep measures one mechanism of "),
    (["--sweep", "--pairs", "all"], "--pairs: --sweep runs no rings; leave one of them out"),
    (["--sweep", "-i", "100"], "--interval: --sweep runs no rings; leave one of them out"),
    (["--sweep", "-m", "shm", "--show", "first"],
     "--show first: no member of -m shm sleeps; choose answer, for its hops, or lap, or one mechanism of eventfd, futex, mq, pipe, "
     "sem, shmfutex, socketpair"),
    (["--sweep", "--show", "response"], "--show response: a sweep has no intervals; choose first, answer, for its hops, or lap, or "
                                        "leave out --sweep"),
    (["--sweep", "--plan"], "--plan: --sweep runs no rings, so there are none to print; leave one of them out"),
    (["--sweep", "--export", "csv=x"], "--export csv: --sweep runs no rings; choose --export matrix=FILE or --json"),
    (["--export", "matrix=x"], "--export matrix: only a sweep has a matrix; add --sweep"),
    (["--at-once", "2"], "--at-once 2: only a sweep measures pairs at once; add --sweep"),
    (["--sweep", "--at-once", "0"], "--at-once 0: the number of pairs must be 1 to 4096"),
])
def test_what_makes_no_sense_is_refused(ipctop, args, sentence):
    result = ipctop.run(*args, "-D", "1")
    assert (result.returncode, result.stdout) == (1, "") and sentence in result.stderr, result
    assert result.stderr.count("\n") == 1


@needs_two
def test_a_sweep_has_no_baseline_and_the_last_phase_with_a_name_is_compared(ipctop, path, tmp_path):
    recording, summary, saved = tmp_path / "run.rec", tmp_path / "run.json", tmp_path / "saved"

    def is_repeated():
        if ctl(ipctop, path, "save", str(saved)).returncode:
            return False
        cells = cells_of(report(saved.with_suffix(".json"))).values()     # none yet in a phase that has just begun
        return len(cells) > 0 and all(cell["hop"].get("repeats") for cell in cells)

    with Run(ipctop, "--sweep", "-c", LIST, "-m", "pipe", "-q", "--tick", "0.1", "--no-auto-phase", "--control", path,
             "--record", recording, "--json", summary) as run:
        await_status(path)
        said = ctl(ipctop, path, "baseline", "1")
        assert said.returncode == 1 and "baseline 1: a sweep has none" in said.stderr, said
        assert ctl(ipctop, path, "baseline", "0").returncode == 0
        for name in ("a", "b", "a"):
            assert ctl(ipctop, path, "mark", name).returncode == 0
            assert until(is_repeated)
        assert ctl(ipctop, path, "quit").returncode == 0
        code, text, errors = run.wait()
        assert (code, but_load(errors)) == (0, "") and "changes from phase 3 to phase 4:" in text and "can't be compared" not in text
    for file in (recording, summary):       # of the first one, a summary has no repeats
        result = ipctop.run("compare", "--json", f"{file}:a", f"{file}:b")
        assert result.returncode in (0, 2), result
        document = json.loads(result.stdout)
        assert [document[side]["number"] for side in "ab"] == [4, 3], document


@needs_two
def test_a_sweep_has_no_rings_to_act_on_and_is_saved(ipctop, path, tmp_path):
    saved = tmp_path / "saved"
    with Run(ipctop, "--sweep", "-c", LIST, "-m", "sem", "-q", "-D", "50", "--tick", "0.1", "--control", path) as run:
        await_status(path)
        for words in (["add", "pipe"], ["remove", "0"], ["pause", "0"], ["policy", "fifo:1", "0"], ["size", "9", "0"]):
            said = ctl(ipctop, path, *words)
            assert said.returncode == 1 and said.stderr.count("\n") == 1, said
        assert "a sweep runs no rings" in ctl(ipctop, path, "add", "pipe").stderr
        assert until(lambda: ctl(ipctop, path, "save", str(saved)).returncode == 0 and
                     all(cell["hop"]["count"] for cell in cells_of(report(saved.with_suffix(".json"))).values()))
        assert ctl(ipctop, path, "quit").returncode == 0
        assert run.wait()[0] == 0
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".json", ".rec", ".sh", ".txt"]
    script = saved.with_suffix(".sh").read_text(encoding="utf-8")
    assert "# Starts this sweep again." in script
    folder = os.path.dirname(os.path.abspath(ipctop.path))
    again = subprocess.run(["sh", saved.with_suffix(".sh"), "--no-config", "-q", "-l", "1", "--json", "-"], text=True, timeout=60,
                           capture_output=True, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                           check=True)
    replayed = ipctop.run("--replay", saved.with_suffix(".rec"), "-q", "--speed", 0, "--json", "-")
    assert cells_of(report(replayed.stdout)) == cells_of(report(saved.with_suffix(".json")))
    first, second = report(saved.with_suffix(".json"))["matrix"]["summary"], report(again.stdout)["matrix"]["summary"]
    assert [first[name] == second[name] for name in ("mechanism", "cpus")] == [True, True], script


@needs_two
@pytest.mark.screen
def test_keys_that_act_on_rings_say_that_a_sweep_has_none(ipctop):
    with Terminal(ipctop, "--sweep", "-c", LIST, "-m", "pipe", "--refresh", 0.2, columns=120, lines=40) as terminal:
        for shown in ("pipe hop p50 [", "── events ("):
            terminal.wait_for(lambda text, shown=shown: shown in text)
            for key in ("n", "x", "P", "F7", "F8", "C", "a", "i", "S"):
                terminal.press(key)
                terminal.wait_for(lambda text: "a sweep runs no rings: this key has no effect" in text)
                terminal.press("u")
                terminal.wait_for(lambda text: "this key has no effect" not in text)
            terminal.press("M")
        terminal.press("q")
        assert terminal.finish() == 0


@needs_two
@pytest.mark.screen
def test_a_frozen_sweep_has_its_own_header(ipctop):
    with Terminal(ipctop, "--sweep", "-c", LIST, "-m", "pipe", "--refresh", 0.2, "--tick", 0.1, columns=120, lines=40) as terminal:
        # What is frozen is the last tick.
        terminal.wait_for(lambda text: re.search(r"\bround \d", text) and re.search(r"00:\d\d:(0[1-9]|[1-5]\d)", text))
        terminal.press("Space")
        text = terminal.wait_for(lambda text: "FROZEN" in text and text)
        assert re.search(r"  sweep pipe  1 of 1 pairs  round \d+ ", text.splitlines()[0]) if len(CPUS) == 2 else "  sweep pipe  " in text, text
        assert "── pipe hop p50 [us] by " in text and "CLASS" in text and " age " in text, text
        terminal.press("j")
        terminal.wait_for(lambda text: "FROZEN" in text and f"> {CPUS[1]:>3} " in text)
        terminal.press("Space")
        terminal.wait_for(lambda text: "sweep pipe" in text.splitlines()[0] and "pairs/s" in text)
        terminal.press("q")
        assert terminal.finish() == 0


@needs_two
@pytest.mark.needs("file /dev/shm")
def test_the_figure_asked_for_is_shown(ipctop, tmp_path):
    recording = tmp_path / "run.rec"
    for show, figure, options in (("answer", "hop", ()), ("lap", "lap", ("--record", recording))):
        screen = ipctop.run("--sweep", "-c", LIST, "-m", "shm", "--show", show, "-D", 1, "--render", "80x24", *options)
        assert (screen.returncode, screen.stderr) == (0, "") and f"── shm {figure} p50 [" in screen.stdout, screen
    for options, figure in (((), "lap"), (("--show", "answer"), "hop")):
        screen = ipctop.run("--replay", recording, "--render", "80x24", *options)
        assert f"── shm {figure} p50 [" in screen.stdout, screen
    screen = ipctop.run("--replay", recording, "--render", "80x24", "--view", "compare")
    assert "a sweep runs no rings: M, then c compares its cells" in screen.stdout, screen
    for show, why in (("first", " that did not measure first hops"), ("response", ", which has no intervals")):
        assert ipctop.refuse("--replay", recording, "--show", show) == (
            f"--show {show}: {recording} is of a sweep{why}; choose answer, for its hops, or lap")
    file = tmp_path / "config"
    file.write_text("show = response\n", encoding="utf-8")     # for rings
    assert "── shm hop p50 [" in ipctop.run("--config", file, "--replay", recording, "--render", "80x24").stdout
    file.write_text("stamps = lap\nshow = lap\n", encoding="utf-8")
    found = report(ipctop.run("--config", file, "--sweep", "-c", LIST, "-l", 1, "-q", "--show", "answer", "--json", "-").stdout)
    assert found["options"]["show"] == "answer" and "stamps" not in found["options"], found["options"]


@needs_two
@pytest.mark.needs("whole")
def test_first_hops_are_measured_where_they_are_asked_for(ipctop, tmp_path):
    """Each in its own time, so that without them a sweep is as quick as before."""
    files = {name: [tmp_path / f"{name}.{ending}" for ending in ("rec", "json", "csv")] for name in ("first", "again", "plain")}
    for name, (recording, summary, table) in files.items():
        options = {"first": ("--sweep", "-c", LIST, "-m", "pipe", "-D", 4, "--show", "first", "--record", recording),
                   "again": ("--replay", files["first"][0], "--speed", 0),
                   "plain": ("--sweep", "-c", LIST, "-m", "pipe", "-D", 4, "--record", recording)}[name]
        result = ipctop.run(*options, "--json", summary, "--export", f"matrix={table}", timeout=60)
        assert (result.returncode, but_load(result.stderr)) == (0, ""), result
        assert ("first hop, p50 of each cell (n " in result.stdout) == (name != "plain"), result.stdout
    first, again, plain = (report(summary) for _, summary, _ in files.values())
    assert again["matrix"] == first["matrix"] and files["again"][2].read_text("ascii") == files["first"][2].read_text("ascii")
    assert [found["options"]["show"] for found in (first, plain)] == ["first", "answer"] and "first" not in plain["matrix"]["summary"]
    assert not any("first" in cell for cell in plain["matrix"]["cells"]) and "first_n" not in files["plain"][2].read_text("ascii")
    lines = list(csv.DictReader(io.StringIO(files["first"][2].read_text("ascii"))))
    cells = cells_of(first)
    for (a, b), cell in cells.items():
        times = [cell["first"][name] for name in ("min_ns", "p50_ns", "p99_ns", "max_ns")]
        line = next(line for line in lines if (line["from"], line["to"]) == (str(a), str(b)))
        assert times == sorted(times) and 0 < cell["first"]["count"] <= 25, cell
        assert cell["first"]["count"] == int(line["first_n"]) and float(line["first_p50_ns"]) == pytest.approx(times[1], abs=0.001)
    # A lap of first hops takes two sleeps of 1 ms, and a pair 30 of these, unless they take too long.
    measurements = [found["matrix"]["summary"]["measurements"] for found in (first, plain)]
    assert measurements[0] <= 4 / 0.060 + 1 and measurements[0] < measurements[1], measurements
    screen = ipctop.run("--replay", files["first"][0], "--render", "100x30").stdout
    assert re.search(r"── pipe first hop p50 \[us\] by CPU, .*n \d+(-\d+)? in 100 ms a cell", screen), screen
    assert "── pipe hop p50 [us]" in ipctop.run("--replay", files["first"][0], "--show", "answer", "--render", "100x30").stdout
    assert ipctop.refuse("--replay", files["first"][0], "--show", "response").endswith("choose first, answer, for its hops, or lap")
    picture = tmp_path / "matrix.svg"
    assert ipctop.run("--replay", files["first"][0], "-q", "--speed", 0, "--plot", picture).returncode == 0
    assert "Matrix: first hop p50 in" in picture.read_text("utf-8")
    page = tmp_path / "page.html"
    assert ipctop.run("report", files["first"][0], "-o", page).returncode == 0
    assert "First hops by class, after a sleep of their sender" in page.read_text("utf-8")
    both = json.loads(ipctop.run("compare", "--json", files["first"][0], files["first"][1]).stdout)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(both)
    assert both["matrix"]["first"]["p50"]["cells"] == len(cells) and all("first" in cell for cell in both["matrix"]["cells"])
    for a, b, lacks in (("first", "plain", "B"), ("plain", "first", "A")):
        for of_a, of_b in ((0, 0), (1, 1)):
            text = ipctop.run("compare", files[a][of_a], files[b][of_b]).stdout
            assert f"not compared: first hops, which {lacks} does not have" in text and "first hop, p50" not in text, text
        assert "first" not in json.loads(ipctop.run("compare", "--json", files[a][0], files[b][1]).stdout)["matrix"]


@needs_two
@pytest.mark.screen
def test_a_key_goes_through_the_figures_of_a_sweep(ipctop, path, tmp_path):
    saved = tmp_path / "saved"
    with Terminal(ipctop, "--sweep", "-c", LIST, "-m", "pipe", "--show", "first", "--refresh", 0.2, "--control", path, columns=100,
                  lines=30) as terminal:
        for figure in ("first hop", "hop", "lap", "first hop"):
            terminal.wait_for(lambda text, figure=figure: f"── pipe {figure} p50 [" in text)
            terminal.press("o")
        assert ctl(ipctop, path, "save", str(saved)).returncode == 0
        terminal.press("q")
        assert terminal.finish() == 0
    assert " --show first " in saved.with_suffix(".sh").read_text(encoding="utf-8")


@needs_two
def test_pairs_at_once_need_cores_of_their_own(ipctop):
    result = ipctop.run("--sweep", "-c", ",".join(map(str, CPUS[:2])), "--at-once", "2", "-D", "1")
    assert result.returncode == 1 and "--at-once 2: no core may be in two pairs at once: " in result.stderr
    assert "choose 1 to 1" in result.stderr
