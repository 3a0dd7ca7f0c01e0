# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports: each format, read by the rules of its own documentation, has what the JSON of the same session has."""
import csv
import functools
import json
import os
import pathlib
import re
import select
import signal
import subprocess

import pytest

from conftest import ROOT, but_load, environment, in_whole
from harness import table, until
from made import record

pytestmark = pytest.mark.together

SCHEMA = json.loads((ROOT / "schema" / "ipctop.schema.json").read_text(encoding="utf-8"))
FORMATS = tuple(name for name in table("export_formats") if name != "matrix")    # it is of sweeps, see test_sweep.py
FIGURES = ("first", "answer", "lap", "response", "lateness", "served")
STORIES = ("few", in_whole("many"), "rings", "marks")


@pytest.fixture(scope="module", params=STORIES)
def made(request, ipctop, tmp_path_factory):
    """A made-up run: its recording, and its JSON."""
    folder = tmp_path_factory.mktemp(request.param)
    path = record(request.param, folder)
    return path, read_json(ipctop.run("--replay", path, "-q", "--json", folder / "json"), folder / "json")


def read_json(result, path):
    assert (result.returncode, result.stderr) in ((0, ""), (1, ""), (2, "")), result
    return json.loads(path.read_text(encoding="utf-8"))


def export(ipctop, name, path, *options):
    result = ipctop.run(*options, "export", name, path)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def shown(report, ring):
    """The figure that an export without --show has."""
    return report["options"]["show"] if ring["interval_ns"] else "lap"


def values(figure):
    """{ns: count} by the schema: a bucket is read at its middle, within the exact extremes."""
    found = {}
    for lower, width, count in figure["histogram"]:
        ns = min(max(lower + width // 2, figure["min_ns"]), figure["max_ns"])
        found[ns] = found.get(ns, 0) + count
    return found


def added(figures):
    """One figure of all samples."""
    full = [figure for figure in figures if figure["histogram"]]
    return {"histogram": [bucket for figure in full for bucket in figure["histogram"]],
            "min_ns": min(figure["min_ns"] for figure in full), "max_ns": max(figure["max_ns"] for figure in full)}


# --- hgrm: the example of HdrHistogram's GoogleChartsExample, and the reader of its plotFiles.html ---

def read_hgrm(text):
    """Rows (value, percentile, total count, 1/(1-percentile) or None), and the footer's numbers."""
    rows, footer = [], {}
    lines = [line for line in text.split("\n") if line.strip()]
    assert [line.split() for line in lines if not line.startswith("#")][0] == [
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    for line in lines:
        if line.startswith("#"):
            footer |= {name: float(number) for name, number in re.findall(r"(\w[\w ]*\w|\w) *= *([\d.]+)", line)}
        elif "Value" not in line:
            fields = line.split()
            assert len(fields) in (3, 4), line
            rows.append((float(fields[0]), float(fields[1]), int(fields[2]),
                         float(fields[3]) if len(fields) == 4 else None))
    return rows, footer


def check_hgrm(text, figure):
    rows, footer = read_hgrm(text)
    expected, longest = values(figure), figure["max_ns"] / 1000
    expected[figure["max_ns"]] = expected.pop(max(expected))    # the last bucket is the maximum
    n = sum(expected.values())
    assert footer["Total count"] == n and footer["Max"] == longest
    assert rows[0][1] == 0 and rows[-1] == (longest, 1.0, n, None) and rows[-2][0] == longest
    assert rows == sorted(rows, key=lambda row: (row[1], row[0]))
    for value, level, total, inverse in rows[:-1]:
        up_to = sum(count for ns, count in expected.items() if ns / 1000 <= value)
        before = sum(count for ns, count in expected.items() if ns / 1000 < value)
        assert total == up_to and before / n < level + 1e-9 <= up_to / n + 2e-9 or level == 0, (value, level, total)
        assert inverse == pytest.approx(1 / (1 - level), rel=1e-4, abs=0.006)
    levels = [row[1] for row in rows]
    assert {0.0, 0.5, 0.75} <= set(levels) or n < 20


def test_hgrm_of_all_rings_has_all_their_samples(ipctop, made):
    path, report = made
    text = export(ipctop, "hgrm", path)
    assert f" of {len(report['rings'])} ring" in text.split("\n")[0]
    figure = shown(report, report["rings"][0])
    check_hgrm(text, added([ring["figures"][figure] for ring in report["rings"]]))


def test_hgrm_with_a_percent_sign_is_a_file_for_each_ring(ipctop, made, tmp_path):
    path, report = made
    result = ipctop.run("--replay", path, "-q", "--export", f"hgrm={tmp_path}/%.hgrm", "--show", "lap")
    assert result.stderr == "", result
    assert sorted(os.listdir(tmp_path)) == sorted(f"{ring['id']}.hgrm" for ring in report["rings"])
    for ring in report["rings"]:
        text = (tmp_path / f"{ring['id']}.hgrm").read_text(encoding="utf-8")
        assert text.startswith(f"#[ipctop: lap of {ring['mechanism']} {ring['label']}, us]\n")
        lap = ring["figures"]["lap"]
        if lap["count"]:
            check_hgrm(text, lap)
            p50 = [row[0] for row in read_hgrm(text)[0] if row[1] == 0.5]
            assert p50 == [lap["percentiles"]["p50_ns"] / 1000] or "p50_ns" not in lap["percentiles"]
        else:
            assert read_hgrm(text) == ([], {"Mean": 0, "StdDeviation": 0, "Max": 0, "Total count": 0, "Buckets": 31,
                                            "SubBuckets": 64})


# --- cyclictest: cyclictest(8), and the usual script, which cuts columns out of lines without # ---

def read_cyclictest(text):
    """{microsecond: [count of each column]}, and the lists below."""
    lines = text.split("\n")
    rows = {int(line.split()[0]): [int(field) for field in line.split()[1:]]
            for line in lines if line and not line.startswith("#")}
    lists = {name: [int(number) for number in numbers.split()]
             for name, numbers in re.findall(r"^# ([A-Z][\w ]+):((?: \d+)+)$", text, re.M)}
    return rows, lists


def test_cyclictest_has_a_column_for_each_ring(ipctop, made):
    path, report = made
    text = export(ipctop, "cyclictest", path)
    rows, lists = read_cyclictest(text)
    assert list(rows) == list(range(len(rows)))
    for column, ring in enumerate(report["rings"]):
        figure = ring["figures"][shown(report, ring)]
        expected = {}
        for ns, count in values(figure).items():
            expected[ns // 1000] = expected.get(ns // 1000, 0) + count
        beyond = sum(count for us, count in expected.items() if us >= 10000)
        counts = {us: counts[column] for us, counts in rows.items() if counts[column]}
        assert counts == {us: count for us, count in expected.items() if us < 10000}
        assert lists["Histogram Overflows"][column] == beyond
        assert lists["Total"][column] == sum(counts.values())
        assert [lists[f"{name} Latencies"][column] for name in ("Min", "Avg", "Max")] == [
            int(figure.get(key, 0)) // 1000 for key in ("min_ns", "mean_ns", "max_ns")]
        others = f" # {beyond:05d} others" if beyond else ""
        assert f"# Thread {column}:{others}\n" in text
    names = ", ".join(f"{ring['mechanism']} {ring['label']}" for ring in report["rings"])
    assert re.sub(r" (first hop|lap)(?=,|\n)", "", text.split("\n")[0] + "\n") == f"# ipctop: us; columns: {names}\n"


# The script of OSADL, "Create a latency plot from cyclictest histogram data", for the first two columns.
PLOT = """max=`grep "Max Latencies" "$1" | tr " " "\\n" | sort -n | tail -1 | sed s/^0*//`
grep -v -e "^#" -e "^$" "$1" | tr " " "\\t" >histogram
for i in 1 2; do cut -f1,$(expr $i + 1) histogram >histogram$i; done
gnuplot <<end
set terminal dumb
set xlabel "Latency (us), max $max us"
set logscale y
set yrange [0.8:*]
plot "histogram1" using 1:2 title "CPU0" with histeps, "histogram2" using 1:2 title "CPU1" with histeps
end
"""


@pytest.mark.needs("program gnuplot")
def test_gnuplot_plots_a_file_of_cyclictest(ipctop, tmp_path):
    path = tmp_path / "export"
    path.write_text(export(ipctop, "cyclictest", record("few", tmp_path)), encoding="ascii")
    out = subprocess.run(["sh", "-c", PLOT, "sh", path], cwd=tmp_path, capture_output=True, text=True, check=True)
    longest = max(read_cyclictest(path.read_text())[1]["Max Latencies"])
    assert out.stderr == "" and f"max {longest} us" in out.stdout and "CPU1" in out.stdout, out
    assert "*" in out.stdout and "#" in out.stdout, out.stdout


# --- csv: RFC 4180 ---

def read_csv(data):
    """Rows as {name: value}; None where there is none. Fails where RFC 4180 would not have it so."""
    text = data.decode("utf-8")
    assert text.endswith("\r\n") and "\n" not in text.replace("\r\n", "")
    names, *lines = list(csv.reader(text.split("\r\n")[:-1], strict=True))
    assert all(len(line) == len(names) for line in lines) and len(set(names)) == len(names)
    return names, [{name: value or None for name, value in zip(names, line)} for line in lines]


def section_of_exports():
    page = (ROOT / "man" / "ipctop.1").read_text(encoding="utf-8")
    return page[page.index(".Sh EXPORTS"):page.index(".Sh TRACING")]


def documented_names():
    """{name in CSV: its place in the JSON}, from the man page's table."""
    return dict(re.findall(r"^\.It Li (\S+) Ta Li (\S+)$", section_of_exports(), re.M))


def at(place, figure, ring, phase):
    """The value of the JSON at a place of that table; None where there is none."""
    if place == "FIGURE":
        return figure
    head, _, rest = place.partition(".")
    found = {"rings[]": ring, "phases[]": phase}[head]
    part, _, inner = rest.partition(".")
    if part == "rings[]":
        found = next(own for own in found["rings"] if own["id"] == ring["id"])
        if inner.startswith("figures.FIGURE."):
            found, inner = found["figures"][figure], inner.removeprefix("figures.FIGURE.")
        if inner.startswith("percentiles."):
            found, inner = found["percentiles"], inner.removeprefix("percentiles.")
        part = inner
    return found.get(part)


def check_csv(data, report):
    """Each row is that of a ring, a phase and a figure, in this order, and says what the JSON says."""
    names, rows = read_csv(data)
    documented = documented_names()
    assert names == list(documented)
    wanted = [(figure, ring, phase) for ring in report["rings"] for phase in report["phases"] for figure in FIGURES]
    assert len(rows) == len(wanted)
    for row, (figure, ring, phase) in zip(rows, wanted):
        for name, place in documented.items():
            value = at(place, figure, ring, phase)
            assert row[name] == (None if value in (None, "") else f"{value:.3f}" if isinstance(value, float)
                                 else str(value)), (name, ring["label"], phase["number"], figure)


def test_csv_says_what_the_json_says_by_the_names_of_the_man_page(ipctop, made):
    path, report = made
    out = subprocess.run([ipctop.path, "export", "csv", path], env=environment(), capture_output=True, check=True)
    check_csv(out.stdout, report)


# --- jsonl: JSON, a value a line ---

@functools.cache
def own_names(kind):
    """The names of a line of this type that the JSON lacks, or has elsewhere: the man page's table."""
    rows = re.findall(r"^\.It (\w+) Ta Li (\S+) Ta ", section_of_exports(), re.M)
    return {name for types, name in rows if types in ("all", kind)}


def check_names(line):
    """Each name of a line is the schema's, or in the man page's table, of which only two may be absent."""
    kinds, figure = SCHEMA["$defs"], "figures.FIGURE."
    of_schema = {"header": SCHEMA, "tick": SCHEMA, "ring": kinds["ring"], "event": kinds["event"], "damage": kinds["event"],
                 "spike": kinds["spike"]}
    known = set(of_schema[line["type"]]["properties"]) | {figure + name for name in kinds["figure"]["properties"]}
    names = set(line) | {figure + name for part in line.get("figures", {}).values() for name in part}
    assert names <= known | own_names(line["type"]), line
    assert own_names(line["type"]) - {"turn_held", figure + "last_ns"} <= names, line


def read_jsonl(data):
    """The lines, each bucket once: those of a run are in no order."""
    lines = [json.loads(line) for line in data.decode("utf-8").splitlines()]
    for line in lines:
        check_names(line)
    for figure in (figure for line in lines for figure in line.get("figures", {}).values()):
        counts = {}
        for lower, width, count in figure["histogram"]:
            counts[lower, width] = counts.get((lower, width), 0) + count
        figure["histogram"] = counts
    return lines


def test_jsonl_says_what_the_json_says_by_its_names(ipctop, made):
    path, report = made
    header, *lines = read_jsonl(export(ipctop, "jsonl", path).encode("utf-8"))
    of_start = {key: value for key, value in header.items() if key not in ("type", "host", "rings")}
    assert of_start == {key: report[key] for key in of_start} and "start_monotonic_ns" in of_start
    assert set(header["host"]) <= set(report["host"])
    assert [line["at_ns"] for line in lines if line["type"] == "tick"][-1] == report["duration_ns"]
    events = [{key: value for key, value in line.items() if key != "type"} for line in lines if line["type"] == "event"]
    assert events == report["events"] or report["events_dropped"]
    for planned, ring in zip(header["rings"], report["rings"], strict=True):
        planned["token"] |= {key: ring["token"][key] for key in set(ring["token"]) - set(planned["token"])}
        assert planned == {key: ring[key] for key in planned}
        mine = [line for line in lines if line["type"] == "ring" and line["ring"] == ring["id"]]
        if mine:
            check_jsonl_ring(mine, ring)


def check_jsonl_ring(lines, ring):
    """The lines of a ring add up to what the JSON has of it."""
    last = lines[-1]
    assert set(last) - {"type", "at_ns", "ring"} <= set(ring)
    for key in ("mechanism", "label", "state", "condition", "age_ns"):
        assert last[key] == ring[key], key
    for key in ("active_ns", "laps", "warmup_laps", "missed", "rested", "away"):
        assert sum(line[key] for line in lines) == ring[key], key
    assert set(last["token"]) < set(ring["token"])
    for member, whole in zip(last["members"], ring["members"], strict=True):
        assert set(member) <= set(whole)
    for name, figure in ring["figures"].items():
        parts = [line["figures"][name] for line in lines]
        assert sum(part["count"] for part in parts) == figure["count"]
        if "max_ns" in figure:
            assert (figure["max_ns"], figure["max_at_ns"]) in [
                (part.get("max_ns"), part.get("max_at_ns")) for part in parts]


def test_jsonl_says_where_a_recording_is_damaged(ipctop, tmp_path):
    path = record("few", tmp_path)
    contents = bytearray(path.read_bytes())
    place = len(contents) // 2
    contents[place] ^= 0x55
    path.write_bytes(contents)
    lines = read_jsonl(ipctop.run("export", "jsonl", path).stdout.encode("utf-8"))
    (damage,) = [line for line in lines if line["type"] == "damage"]
    assert 0 < damage["offset"] <= place and damage["text"]


@pytest.mark.recorder
def test_a_run_writes_all_formats_and_its_recording_exports_the_same(ipctop, tmp_path):
    exports = [word for name in FORMATS for word in ("--export", f"{name}={tmp_path}/{name}")]
    result = ipctop.run("-q", "--tick", "0.1", "-D", "1.2", "-m", "mq,pipe", "--record", tmp_path / "recording",
                        "--json", tmp_path / "json", *exports)
    assert (result.returncode, but_load(result.stderr)) == (0, ""), result
    report = json.loads((tmp_path / "json").read_text(encoding="utf-8"))
    check_csv((tmp_path / "csv").read_bytes(), report)
    for name in FORMATS:
        out = subprocess.run([ipctop.path, "export", name, tmp_path / "recording"], env=environment(),
                             capture_output=True, check=True)
        same = read_jsonl if name == "jsonl" else bytes
        assert same(out.stdout) == same((tmp_path / name).read_bytes()), name
    types = [line["type"] for line in read_jsonl((tmp_path / "jsonl").read_bytes())]
    assert types[0] == "header" and types.count("header") == 1 and types.count("tick") == report["ticks"]
    assert types.count("ring") == report["ticks"] * len(report["rings"])
    assert types.count("event") == len(report["events"])


# --- perfetto: an array of JSON objects ---

@pytest.mark.recorder
def test_perfetto_is_json_with_the_spikes(ipctop, tmp_path):
    words = ["-q", "-t", "1", "-l", "100", "--spike", "1"]
    result = ipctop.run(*words, "--export", f"perfetto={tmp_path / 'file'}", "--record", tmp_path / "recording")
    assert result.returncode == 0, result
    events = json.loads((tmp_path / "file").read_text(encoding="utf-8"))
    assert {event["ph"] for event in events} == {"M", "X"}, events
    assert json.loads(export(ipctop, "perfetto", tmp_path / "recording")) == events


def test_perfetto_without_spikes_is_json(ipctop, made):
    assert json.loads(export(ipctop, "perfetto", made[0]))[0]["args"] == {"name": "ipctop"}


def test_a_tick_can_be_read_as_soon_as_it_is_there(ipctop):
    with ipctop.start("-q", "-t", "1", "--tick", "0.1", "--export", "jsonl=-") as process:
        ticks = 0
        while ticks < 2:    # spikes and events may come between them
            ticks += json.loads(process.stdout.readline())["type"] == "tick"
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        rest, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "") and json.loads(rest.splitlines()[-1])["type"]


@pytest.mark.parametrize("words", [("-q", "-t", "1", "--tick", "0.1", "--export", "jsonl=-"), in_whole(("export", "jsonl"))],
                         ids=["run", "recording"])
def test_a_reader_that_goes_away_ends_it_without_a_word(ipctop, tmp_path, words):
    words = (*words, record("crowd", tmp_path)) if words[0] == "export" else words
    with ipctop.start(*words) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert (process.wait(30), process.stderr.read()) == (0, "")


# The pipe's capacity less two pages and some ticks: its last page is begun, and the run waits for its next tick.
@pytest.mark.parametrize("taken", [0, 65536 - 2 * 4096 - 1500], ids=["while it writes", "before it writes"])
def test_a_signal_ends_a_run_whose_export_nobody_reads(ipctop, taken):
    reader, writer = os.pipe()
    os.write(writer, b"x" * taken)
    process = ipctop.start("-q", "-t", "1", "--tick", 0.5 if taken else 0.1, "--export", "jsonl=-", stdout=writer)
    try:
        assert until(lambda: not select.select([], [writer], [], 0)[1], 60)     # the pipe is full
        process.send_signal(signal.SIGINT)
        assert (process.wait(60), process.stderr.read()) == (0, "")
    finally:
        os.close(reader)
        os.close(writer)
        process.communicate()


# --- files that can't be written ---

def test_what_can_not_be_written_is_refused_before_the_run(ipctop, tmp_path):
    (tmp_path / "folder").mkdir()
    recording = tmp_path / "recording"
    for name in FORMATS:
        for path, why in ((tmp_path / "folder", "Is a directory"), (tmp_path / "none" / "x", "No such file or directory"),
                          ("", "No such file or directory")):
            said = ipctop.refuse("--export", f"{name}={path}")
            assert said.startswith("can't write ") and said.endswith(f": {why}"), said
        path = tmp_path / "one"
        assert ipctop.refuse("--record", recording, "--export", f"{name}={recording}") == (
            f"--export {name}={recording}: --record writes there; name another file")
        assert ipctop.refuse("--json", path, "--export", f"{name}={tmp_path}/./one") == (
            f"--export {name}={tmp_path}/./one: --json {path} writes there, too; name another file")
    assert ipctop.refuse("--export", f"hgrm={path}", "--export", f"csv={path}") == (
        f"--export csv={path}: --export hgrm={path} writes there, too; name another file")
    pattern, of_ring = f"--export hgrm={tmp_path}/%.x", tmp_path / "4.x"
    for words in (["--json", of_ring], ["--export", f"csv={of_ring}"], ["--metrics", of_ring]):
        said = ipctop.refuse(*words, *pattern.split(" ", 1))
        assert said.endswith(" writes there, too; name another file") and pattern in said, said
    assert ipctop.refuse("--record", of_ring, *pattern.split(" ", 1)) == (
        f"{pattern}: --record writes there; name another file")
    assert f"{tmp_path}/a0/b%.x" in ipctop.refuse("--export", f"hgrm={tmp_path}/a%/b%.x")
    assert "FORMAT is one of hgrm, cyclictest, csv, jsonl" in ipctop.refuse("--export", "csv")
    assert sorted(os.listdir(tmp_path)) == ["folder"]


def test_an_export_never_takes_the_place_of_the_recording_that_it_is_of(ipctop, tmp_path):
    path = record("short", tmp_path)
    path = path.rename(tmp_path / "0")
    before = path.read_bytes()
    for name in FORMATS:
        assert ipctop.refuse("--replay", path, "-q", "--export", f"{name}={path}") == (
            f"--export {name}={path}: --replay reads there; name another file")
    assert ipctop.refuse("--replay", path, "-q", "--export", f"hgrm={tmp_path}/%") == (
        f"--export hgrm={tmp_path}/%: --replay reads there; name another file")
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", FORMATS)
def test_a_full_disk_is_one_sentence(ipctop, tmp_path, name):
    path = record("few", tmp_path)
    full = "No space left on device"
    result = ipctop.run("--replay", path, "-q", "--export", f"{name}=/dev/full")
    assert (result.returncode, result.stderr) == (1, f"ipctop: can't write /dev/full: {full}\n")
    with pathlib.Path("/dev/full").open("w", encoding="ascii") as out:
        result = ipctop.run("export", name, path, stdout=out)
    assert (result.returncode, result.stderr) == (1, f"ipctop: can't write standard output: {full}\n")
    assert ipctop.run("--replay", path, "-q", "--export", f"{name}=/dev/null").stderr == ""
