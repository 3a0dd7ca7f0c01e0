# SPDX-License-Identifier: GPL-2.0-or-later
"""ipctop compare: did B become worse than A? Of summaries and recordings, in text and as JSON."""
import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios

import jsonschema
import pytest

import made
from conftest import CPU, OWN, ROOT, cpus
from harness import Run, first_ring, in_words, report, status, until

pytestmark = pytest.mark.together

SCHEMA = ROOT / "schema" / "ipctop-compare.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
# One phase each: other work may change a setting of the machine, or move a member, meanwhile.
PAIRS = ("-m", "pipe,futex", "--pairs", f"{CPU}:{CPU}", "--side-by-side", "-i", "1ms", "--fail-above", "1",
         "--no-auto-phase")
# what the machine does by itself
DRIFTS = {"host.sched_rivals", "host.kernel_irq_threads", "load", "interrupts a second", "late ticks of ipctop a second"}


def measure(ipctop, folder, name, *args):
    """A run of 6 s, or as @args have it: its recording and its summary."""
    paths = folder / f"{name}.rec", folder / f"{name}.json"
    result = ipctop.run("-q", "-D", "6", "--record", paths[0], "--json", paths[1], *PAIRS, *args, timeout=60)
    assert result.returncode == 2, result      # no machine hands over in 1 us each time
    return paths


@pytest.fixture(scope="module")
def runs(ipctop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    return {"before": measure(ipctop, folder, "before"),
            "worked": measure(ipctop, folder, "worked", "--work", "256k"),
            "longer": measure(ipctop, folder, "longer", "-i", "2ms"),
            "flood": measure(ipctop, folder, "flood", "-i", "0", "-D", "1")}


def compare(ipctop, *args):
    result = ipctop.run("compare", *args)
    assert result.returncode in (0, 2), result
    return result


def compare_json(ipctop, *args):
    """The comparison as JSON, once it has been found good by the schema; its result."""
    result = compare(ipctop, "--json", *args)
    document = json.loads(result.stdout)
    VALIDATOR.validate(document)
    is_worse = document["summary"]["verdict"] in ("worse", "mixed")
    assert result.returncode == (2 if is_worse else 0)
    return document


def test_the_lateness_of_a_flood_is_unknown(ipctop, runs):
    for path in runs["flood"]:
        assert "p99 of the lateness - > -;" in compare(ipctop, path, path).stdout
        assert all((row["lateness_p99_a_ns"], row["lateness_p99_b_ns"]) == (None, None)
                   for row in compare_json(ipctop, path, path)["rows"])
    row = compare_json(ipctop, *runs["before"])["rows"][0]
    assert row["lateness_p99_a_ns"] == row["lateness_p99_b_ns"] > 0


def test_a_file_is_the_same_as_itself(ipctop, runs):
    for path in runs["before"]:
        result = compare(ipctop, path, path)
        assert result.returncode == 0
        assert "nothing recorded differs" in result.stdout
        assert re.search("^(same$|undecided: nothing moved, A and B have the same samples$|too few: )", result.stdout, re.M), result


def test_a_summary_says_what_its_recording_says(ipctop, runs):
    texts = []
    for i in (0, 1):
        lines = compare(ipctop, runs["before"][i], runs["worked"][i]).stdout.splitlines()
        assert lines[0].startswith("A  ") and lines[1].startswith("B  ")
        texts.append(lines[2:])
    assert texts[0] == texts[1]


def test_the_only_difference_is_named(ipctop, runs):
    lines = compare(ipctop, runs["before"][1], runs["worked"][1]).stdout.splitlines()
    # What others do may differ, too.
    assert re.match("(only this changed|differs in [2-5]): work 0 > 256 KiB", lines[2]), lines[2]
    assert all(len(line) <= 80 for line in lines if not line.startswith(("A ", "B ")))


def test_json_has_the_same_verdicts(ipctop, runs):
    document = compare_json(ipctop, runs["before"][0], runs["worked"][0])
    assert [row["label"] for row in document["rows"]] == [OWN, OWN]
    assert sum(document["summary"]["rows"].values()) == 2
    text = compare(ipctop, runs["before"][0], runs["worked"][0]).stdout
    for row in document["rows"]:
        assert f"{row['mechanism']} {row['label']}: {row['verdict']}" in text


def test_an_unknown_key_is_none_of_the_schema(ipctop, runs):
    result = subprocess.run([sys.executable, ROOT / "tests" / "check_json.py", SCHEMA, ipctop.path, "compare", "--json",
                             runs["before"][0], runs["before"][0]], stdout=subprocess.PIPE, check=False)
    assert result.returncode == 0 and result.stdout.count(b"\nok ") == 3, result.stdout.decode()


def test_samples_above_the_limit_are_compared_by_their_rates(ipctop, runs):
    document = compare_json(ipctop, runs["before"][0], runs["worked"][0])
    assert document["limit_ns"] == 1000
    for row in document["rows"]:
        assert 0 < row["above"]["a"] <= row["count_a"] and 0 < row["above"]["b"] <= row["count_b"]
    assert "  >1 us  " in compare(ipctop, runs["before"][0], runs["worked"][0]).stdout


def test_blocks_are_what_a_verdict_needs(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    for ring in document["phases"][-1]["rings"]:
        del ring["blocks"]
    path = tmp_path / "without.json"
    path.write_text(json.dumps(document))
    text = compare(ipctop, path, runs["before"][1]).stdout
    assert "\nof 2 rows 2 undecided\n" in text
    assert "\nundecided: without blocks nothing is judged\n" in compare(ipctop, path, runs["worked"][1]).stdout
    assert all(row["percentiles"][p]["reason"] for row in compare_json(ipctop, path, runs["before"][1])["rows"]
               for p in ("p50", "p99", "p99.9"))
    assert all(f"A has no blocks of the {what}" in text for what in (
        "shown figure: --json-blocks writes them.", "response: older versions wrote none", "slots: older versions wrote none"))
    assert "B's rate is" not in text
    assert all(len(line) <= 80 for line in compare(ipctop, path, path).stdout.splitlines()
               if not line.startswith(("A  ", "B  ")))


def test_the_longest_verdict_fits_80_columns(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    for ring in document["phases"][-1]["rings"]:
        ring["blocks"]["missed"] = ring["blocks"]["slots"]
    path = tmp_path / "missed.json"
    path.write_text(json.dumps(document))
    lines = compare(ipctop, path, runs["before"][1]).stdout.splitlines()
    verdicts = [line for line in lines if line.endswith(" better missed")]
    assert len(verdicts) == 2 and all(len(line) <= 80 for line in verdicts), lines


def test_a_row_that_may_have_moved_by_chance_says_so(ipctop, runs, tmp_path):
    """Slots are missed in ever more blocks, until the row is worse: then that may be chance, as it is one mark of many."""
    document, none, some = json.loads(runs["before"][1].read_text()), tmp_path / "none.json", tmp_path / "some.json"
    ring = document["phases"][-1]["rings"][0]
    blocks = ring["blocks"]

    def write(path, count):
        blocks["missed"] = [slots // 10 if i < count else 0 for i, slots in enumerate(blocks["slots"])]
        ring["missed"] = sum(blocks["missed"])
        path.write_text(json.dumps(document))

    write(none, 0)
    for count in range(1, len(blocks["slots"]) + 1):
        write(some, count)
        if compare_json(ipctop, none, some)["rows"][0]["verdict"] == "worse":
            break
    text = compare(ipctop, none, some).stdout
    assert re.search(r" worse missed\?$", text, re.MULTILINE) and ": worse, may be chance: missed " in text, text
    assert re.search(r"^  missed .*: worse, may be chance$", text, re.MULTILINE) and "\n? may be chance: " in text, text
    assert all(len(line) <= 80 for line in text.splitlines() if not line.startswith(("A  ", "B  "))), text
    write(some, len(blocks["slots"]))
    text = compare(ipctop, none, some).stdout
    assert re.search(r" worse missed$", text, re.MULTILINE) and "may be chance" not in text, text


def test_no_interval_is_narrower_than_the_step_of_the_clock(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    document["host"]["clock_step_ns"] = 40000
    path = tmp_path / "coarse.json"
    path.write_text(json.dumps(document))
    for row in compare_json(ipctop, path, path)["rows"]:
        p50 = row["percentiles"]["p50"]
        if "low" not in p50 or not p50["low"] or not p50["high"]:
            continue     # too few blocks, or these vary too much
        step = 1 + 40000 / p50["a_ns"]
        assert p50["high"] > step and p50["low"] < 1 / step, row


def test_what_cannot_be_compared_is_refused_by_name(ipctop, runs, tmp_path):
    before, flood = runs["before"][0], runs["flood"][0]
    broken = tmp_path / "broken.json"
    broken.write_text('{"phases": 7}')
    for args, sentence in (
            ((before, flood), "these phases can't be compared: no ring has the same mechanism, CPUs, size and figure in both"),
            ((before,), "compare: takes two files, A and B; ipctop compare --help has more"),
            ((f"{before}:7", before), f"{before}: has no phase 7, only 1 'start'"),
            ((f"{before}:", before), f"{before}: no phase is named after the colon; choose from 1 'start'"),
            ((broken, before), f"{broken}: neither a JSON summary of ipctop nor a recording"),
            (("--show", "none", before, before), "--show none: no such figure; choose from first, answer, lap, response"),
    ):
        assert ipctop.refuse("compare", *args) == sentence


def test_another_interval_is_a_difference(ipctop, runs):
    text = " ".join(compare(ipctop, runs["before"][0], runs["longer"][0]).stdout.split())
    assert "2 of 2 rings' intervals 1 ms > 2 ms" in text


def test_a_phase_is_chosen_by_number_or_name(ipctop, runs):
    for before in runs["before"]:
        texts = [compare(ipctop, f"{before}{phase}", before).stdout for phase in ("", ":1", ":start")]
        assert texts[0] == texts[1] == texts[2]


def test_help_is_printed(ipctop):
    result = ipctop.run("compare", "--help")
    assert result.returncode == 0 and "  -o, --show FIGURE     first, answer" in result.stdout
    assert subprocess.run([ipctop.path, "compare", "--nonsense"], capture_output=True, check=False).returncode == 1


@pytest.mark.recorder   # with a file of options its name is in the refusal
def test_blocks_are_those_of_the_shown_figure_or_of_all(ipctop, tmp_path):
    for option, figures in ((), {"first", "response", "served"}), (
            ("--json-blocks",), {"first", "answer", "lap", "response", "lateness", "served"}):
        path = tmp_path / "blocks.json"
        assert ipctop.run("-q", "-D", "2", "--json", path, *option, *PAIRS, timeout=60).returncode == 2
        document = json.loads(path.read_text())
        for ring, of_phase in zip(document["rings"], document["phases"][0]["rings"]):
            slots, missed = of_phase["blocks"].pop("slots"), of_phase["blocks"].pop("missed")
            assert sum(slots) == of_phase["laps"] + of_phase["missed"] and sum(missed) == of_phase["missed"]
            assert figures == set(of_phase["blocks"])
            for name, blocks in of_phase["blocks"].items():
                assert sum(block["count"] for block in blocks) == ring["figures"][name]["count"]
                assert sum(block["active_ns"] for block in blocks) == of_phase["active_ns"]
    assert ipctop.refuse("--json-blocks", "-D", "1") == "--json-blocks: no JSON is written; add --json FILE"


def test_a_foreign_summary_sends_nothing_to_the_terminal(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    document["options"]["\x1b[31mred"] = "\x1b]0;title\x07\n"
    document["host"]["kernel"] = "\x1b[2J"
    path = tmp_path / "foreign.json"
    path.write_text(json.dumps(document))
    text = compare(ipctop, path, runs["before"][1]).stdout
    assert "?[31mred ?]0;title?? > not given" in text.splitlines()[2]
    assert not any(ord(c) < 32 and c != "\n" for c in text)


def test_output_that_is_lost_is_an_error(ipctop, runs):
    before = runs["before"][1]
    for args in ((before, before), ("--json", before, before), ("--help",)):
        with open("/dev/full", "w") as full:
            result = subprocess.run([ipctop.path, "compare", *args], stdout=full, stderr=subprocess.PIPE, check=False)
        assert result.returncode == 1 and b"can't write standard output" in result.stderr


def test_files_and_phases_may_have_colons(ipctop, runs, tmp_path):
    before = runs["before"][0]
    path = tmp_path / "a:b.rec"
    path.write_bytes(before.read_bytes())
    assert f"{path}, phase 1 'start'" in compare(ipctop, f"{path}:start", before).stdout
    assert ipctop.refuse("compare", f"{path}:pipe 0>1: CPU 0 -> CPU 1", before) == \
        f"{path}: has no phase pipe 0>1: CPU 0 -> CPU 1, only 1 'start'"


def test_a_summary_may_begin_with_a_blank(ipctop, runs, tmp_path):
    blank = tmp_path / "blank.json"
    blank.write_text("\n " + runs["before"][1].read_text())
    assert "nothing recorded differs" in compare(ipctop, runs["before"][1], blank).stdout


def test_long_names_and_differences_fit_the_width(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    document["host"]["kernel"] = " ".join(["isolcpus=1,2,3"] * 12)
    for ring in document["rings"]:
        ring["label"] = "0>1>2>3>4>5>6>7"
    path = tmp_path / "long.json"
    path.write_text(json.dumps(document))
    lines = compare(ipctop, runs["before"][1], path).stdout.splitlines()
    assert all(len(line) <= 80 for line in lines if not line.startswith(("A ", "B ")))
    assert "pipe 0>1>2>3>4>5>6>7" in lines


def table(text):
    """The two lines of titles, and the rows."""
    lines = text.split(" [us]; ")[1].split("\n\n")[0].splitlines()[1:]
    return lines[0], lines[1], lines[2:]


def test_the_table_takes_the_width_that_there_is(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    document["rings"][0]["label"] = "\u00e9>\u00fc"
    document["rings"][1]["label"] = "0>1>2>3>4>5>6>7>8>9>10"
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(document))
    first = ["missed%", "p50", "p99", "Max"]
    for columns, titles in ((50, ["missed%", "p99"]), (80, first), (100, first[:3] + ["Resp99", "Late99"]),
                            (120, first + ["Resp99", "Late99"]),
                            (160, first[:3] + ["p99.9", "Max", "Resp99", "Late99", ">1", "us/s", "n"])):
        for locale in ("C", "C.UTF-8"):
            result = ipctop.run("compare", path, path, env={"COLUMNS": str(columns), "LC_ALL": locale})
            head, sides, rows = table(result.stdout)
            assert [title for title in head.split() if title != "n"] == [title for title in titles if title != "n"], result
            ends = [i for i, side in enumerate(sides.split("verdict")[0]) if side in "AB"]
            assert len(ends) == 2 * len([title for title in head.split() if title != "us/s"])
            cells = [row for row in rows if row.strip() != "futex 0>1>2>3>4>5>6>7>8>9>10"]
            assert len(cells) == 2 and len(rows) == (2 if columns == 160 else 3), rows
            if "p99.9" in titles:       # of 6,000 samples at most: 6 are beyond it
                assert "\n~ fewer than 10 samples beyond it: not to be trusted\n" in result.stdout
            for row in cells:
                assert len(row) <= max(columns, 52), row
                assert ("p99.9" in titles) <= (row.count("~") >= 2), row
                assert all(row[end] != " " and row[end + 1] == " " and " " in row[end - 7:end] for end in ends), row
            wide = [line for line in result.stdout.splitlines() if not line.startswith(("A ", "B "))]
            assert columns < 80 or all(len(line) <= columns for line in wide), result


@pytest.mark.needs("terminals")
def test_a_terminal_has_its_own_width(ipctop, runs):
    before = runs["before"][1]
    for size, more, has_late in ((200, {}, True), (200, {"COLUMNS": "80"}, False), (80, {}, False), (0, {}, False)):
        master, slave = os.openpty()
        try:
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, size, 0, 0))
            process = ipctop.start("compare", before, before, stdout=slave, env=more)
            text = b""
            while process.poll() is None or select.select([master], [], [], 0)[0]:
                if select.select([master], [], [], 0.1)[0]:
                    text += os.read(master, 65536)
            assert process.returncode == 0 and (b"Late99" in text) == has_late, text
        finally:
            os.close(master)
            os.close(slave)
    assert "Late99" not in compare(ipctop, before, before).stdout


def test_a_phase_without_samples_has_no_figures(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    of_phase = document["phases"][-1]["rings"][0]
    of_phase["active_ns"] = 0
    for figure in of_phase["figures"].values():
        figure.update(count=0, histogram=[])
    for figure in ("first", "response", "served"):
        for block in of_phase["blocks"][figure]:
            block.update(count=0, histogram=[], active_ns=0)
    path = tmp_path / "idle.json"
    path.write_text(json.dumps(document))
    lines = compare(ipctop, path, runs["before"][1]).stdout.splitlines()
    row = next(line for line in lines if line.startswith(f"pipe {OWN}  ")).split()
    assert row[4] == row[6] == row[8] == "-" and row[-2:] == ["too", "few"]
    compare_json(ipctop, path, runs["before"][1])
    assert "  p50 too few: A has no samples" in lines and "  Max not compared: A has no samples" in lines


def test_a_ring_that_ran_in_one_phase_alone_is_in_no_sum(ipctop, runs, tmp_path):
    """It missed half of its slots, and was paused then: no slot of the others is served any better."""
    document = json.loads(runs["before"][1].read_text())
    ring, path, paused = document["phases"][-1]["rings"][0], tmp_path / "before.json", tmp_path / "paused.json"
    ring["blocks"]["missed"] = [slots // 2 for slots in ring["blocks"]["slots"]]
    path.write_text(json.dumps(document))
    ring.update(active_ns=0, laps=0, missed=0)
    for figure in ring["figures"].values():
        figure.update(count=0, histogram=[])
    for name, blocks in ring["blocks"].items():
        ring["blocks"][name] = [0 if isinstance(block, int) else block | {"count": 0, "histogram": [], "active_ns": 0} for block in blocks]
    paused.write_text(json.dumps(document))
    for a, b in ((path, paused), (paused, path)):
        summary = compare_json(ipctop, a, b)["summary"]
        assert summary["verdict"] not in ("worse", "better", "mixed") and "missed" not in summary["headline"], summary


def test_rows_that_one_phase_alone_has_are_named(ipctop, runs, tmp_path):
    before, fewer = runs["before"][1], tmp_path / "fewer.json"
    args = ("-q", "-D", "1", "-m", "pipe", "--pairs", f"{CPU}:{CPU}", "-i", "1ms")
    run = ipctop.run(*args, "--json", fewer, "--baseline", before, timeout=60)
    assert run.returncode == 0, run
    for text in (run.stdout, compare(ipctop, before, fewer).stdout):
        assert f"\nnot compared: A alone has futex {OWN}\n" in text, text
    assert f"\nnot compared: B alone has futex {OWN}\n" in compare(ipctop, fewer, before).stdout
    document = json.loads(before.read_text())
    for rings in (document["rings"], document["phases"][-1]["rings"]):
        rings[1:] = [dict(rings[1]) for _ in range(7)]
    for i, ring in enumerate(document["rings"]):
        ring["label"] = f"{i}"
    many = tmp_path / "many.json"
    many.write_text(json.dumps(document))
    text = " ".join(compare(ipctop, many, fewer).stdout.split())
    assert " not compared: A alone has futex 1, futex 2, futex 3, futex 4 and 3 more " in text, text


def test_each_summary_has_the_figure_that_the_other_run_showed(ipctop, runs, tmp_path):
    document = json.loads(runs["before"][1].read_text())
    document["options"]["show"] = "answer"
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(document))
    for a, b, figure in ((path, runs["before"][1], "first"), (runs["before"][1], path, "answer")):
        assert compare_json(ipctop, a, b)["figure"] == figure


def test_that_tracefs_was_not_mounted_is_no_difference(ipctop, runs, tmp_path):
    paths = []
    for tracers in ("absent", "none"):
        document = json.loads(runs["before"][1].read_text())
        document["host"]["kernel_slow_tracers"] = tracers
        paths.append(tmp_path / f"{tracers}.json")
        paths[-1].write_text(json.dumps(document))
    assert "\nnothing recorded differs\n" in compare(ipctop, *paths).stdout


def test_batches_have_no_single_laps_to_compare(ipctop, tmp_path):
    paths = tmp_path / "run.rec", tmp_path / "run.json"
    result = ipctop.run("-q", "-m", "pipe", "-c", CPU, "-i", "0", "--batch", "64", "-D", "2", "--record", paths[0], "--json",
                        paths[1], timeout=60)
    assert result.returncode == 0, result
    laps = report(paths[1])["rings"][0]["laps"]
    for path in paths:
        text = compare(ipctop, path, path).stdout
        assert "batches have only the mean of their laps" in text and "has no single laps" in text
        assert f"n {laps} > {laps}" in text, (laps, text)
        assert compare_json(ipctop, path, path)["rows"][0]["count_a"] == laps


def test_a_phase_that_a_change_ends_has_all_its_samples(ipctop, tmp_path):
    recording, summary = tmp_path / "recording", tmp_path / "summary.json"
    with Run(ipctop, "--plain", "--refresh", 0.5, "-c", CPU, "-i", "1ms", "--policy", "batch", "-D", 120, "--tick", 0.5,
             "--record", recording, "--json", summary) as run:
        tids = [run.tid(name) for name in ("mq:0.0", "mq:0.1")]
        run.await_laps("mq:0.1", 1000)
        os.kill(run.pid, signal.SIGSTOP)    # so that one tick finds both
        assert until(lambda: status(run.pid)[1] == "T")
        for tid in tids:
            os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))
        os.kill(run.pid, signal.SIGCONT)
        run.await_output(lambda text: f"{in_words('BATCH')} -> {in_words('OTHER')}" in text)
        run.await_laps("mq:0.1", 1000)
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0
    phases = report(summary)["phases"]
    document = compare_json(ipctop, f"{recording}:1", f"{recording}:{phases[1]['name']}")
    assert [document[side]["number"] for side in "ab"] == [1, 2]
    # Other tests are a load, which may differ.
    difference, = [one for one in document["differences"] if "counted" in one]
    assert (difference["counted"], difference["changed"], difference["of"]) == ("members", 2, 2)
    assert difference["a"].startswith("BATCH") and difference["b"].startswith("OTHER")      # nice as this test
    for side, phase in zip("ab", phases):
        assert document[side]["duration_ns"] == phase["end_ns"] - phase["start_ns"]
        assert document["rows"][0][f"count_{side}"] == phase["rings"][0]["figures"]["first"]["count"]


def test_a_recording_that_is_cut_off_is_named(ipctop, runs, tmp_path):
    before, cut = runs["before"][0], tmp_path / "cut.rec"
    cut.write_bytes(before.read_bytes()[:-40])
    result = compare(ipctop, cut, before)
    assert result.stderr == f"ipctop: {cut}: has no end: it was cut off, or is still being written\n"
    assert compare(ipctop, before, before).stderr == ""


@pytest.mark.needs("2 cpus")
def test_a_ring_that_failed_is_the_same_in_both_kinds_of_files(ipctop, tmp_path):
    paths = tmp_path / "run.rec", tmp_path / "run.json"
    args = ("-m", "pipe,yield", "--pairs", f"{CPU}:{CPU},{CPU}:{cpus()[1]}", "--side-by-side", "-i", "1ms", "-D", "2")
    assert ipctop.run("-q", *args, "--record", paths[0], "--json", paths[1], timeout=60).returncode == 0
    assert any(ring["state"] == "failed" for ring in json.loads(paths[1].read_text())["rings"])
    assert "nothing recorded differs" in compare(ipctop, *paths).stdout


@pytest.mark.needs("whole")
def test_phases_of_one_recording_are_told_apart_by_those_between(ipctop, tmp_path):
    path = made.record("many", tmp_path)
    changed = "any may be the cause. Compare 1 with 2, 2 with 3."
    result = compare(ipctop, f"{path}:1", f"{path}:3")
    text = " ".join(result.stdout.split())
    assert f"governor powersave > performance; 2 of 80 members FIFO:80 > RR:5; load average 0.5 > 2.6 3 things changed: {changed}" in text
    document = compare_json(ipctop, f"{path}:1", f"{path}:3")
    assert document["phases_between"] == [2]
    assert document["differences"] == [
        {"name": "host.governor", "a": "powersave", "b": "performance"},
        {"name": "policy", "a": "FIFO:80", "b": "RR:5", "counted": "members", "changed": 2, "of": 80},
        {"name": "load", "a": "0.5", "b": "2.6"}]
    for one in (1, 2):      # each of the two
        document = compare_json(ipctop, f"{path}:{one}", f"{path}:{one + 1}")
        assert document["phases_between"] == []
        assert len([difference for difference in document["differences"] if difference["name"] != "load"]) == 1
    assert re.fullmatch(rf"{path}: has no phase 9, only 1 'start', 2 '.*', 3 '.*'", ipctop.refuse("compare", f"{path}:9", path))


@pytest.mark.needs("whole")
def test_the_last_phase_is_said_to_be_it_unless_it_was_named(ipctop, tmp_path):
    recording, summary = made.record("many", tmp_path), tmp_path / "many.json"
    assert ipctop.run("-q", "--replay", recording, "--json", summary).returncode == 0
    how = ": FILE:PHASE takes another, by number or name"
    for path in (recording, summary):
        for a, b, sentence in ((path, f"{path}:2", "A is the last phase of its file"), (f"{path}:2", path, "B is the last phase of its file"),
                               (path, path, "A and B are the last of their files"), (f"{path}:3", f"{path}:2", None)):
            lines = compare(ipctop, a, b).stdout.splitlines()
            assert (lines[2] == f"{sentence}{how}") == (sentence is not None) == any(how in line for line in lines), lines
        text = " ".join(ipctop.run("-q", "--replay", recording, "--baseline", path).stdout.split())
        assert f"FIFO:80 -> RR:5', the last of {path}: " in text, text
        screen = ipctop.run("--replay", recording, "--baseline", path, "--view", "compare", "--render", "120x40").stdout
        assert f"\nA base {path.name}:3 " in screen.replace("  ", " "), screen


def test_phases_of_one_mark_are_replicates(ipctop, tmp_path):
    control, recording, summary = tmp_path / "control", tmp_path / "recording", tmp_path / "summary"

    def laps_of(path):
        return (first_ring(ipctop, path) or {"laps": 0})["laps"]

    with Run(ipctop, "-q", "-m", "pipe", "-c", CPU, "-i", "1ms", "--tick", 0.1, "--control", control,
             "--record", recording, "--json", summary) as run:
        assert until(lambda: laps_of(control))
        for name in ("a", "b", "a", "b"):
            assert ipctop.run("ctl", control, "mark", name).returncode == 0
            laps = laps_of(control)
            assert until(lambda laps=laps: laps_of(control) >= laps + 300)
        assert ipctop.run("ctl", control, "quit").returncode == 0
        assert run.wait()[0] == 0
    for file in (recording, summary):
        document = compare_json(ipctop, f"{file}:a", f"{file}:b")
        # the newest, unless the other one is more than twice as long
        assert document["a"]["number"] in (2, 4) and document["b"]["number"] in (3, 5), document
        assert [document[side]["replicates"] for side in "ab"] == [2, 2]
        first = compare_json(ipctop, f"{file}:2", f"{file}:3")
        assert [(first[side]["number"], first[side]["judged_phases"]) for side in "ab"] == [(2, [2, 4]), (3, [3, 5])]
        assert (first["rows"], first["summary"]) == (document["rows"], document["summary"])
        phases = json.loads(summary.read_text())["phases"]
        for side, numbers, row in (("a", [2, 4], document["rows"][0]), ("b", [3, 5], document["rows"][0])):
            assert document[side]["judged_phases"] == numbers
            assert row[f"count_{side}"] == sum(phases[number - 1]["rings"][0]["figures"]["first"]["count"] for number in numbers)
            assert row["missed"][f"slots_{side}"] >= row[f"count_{side}"]
            assert document[side]["judged_ns"] == sum(phases[number - 1]["end_ns"] - phases[number - 1]["start_ns"] for number in numbers)
        text = compare(ipctop, f"{file}:a", f"{file}:b").stdout
        heads = [f"{side.upper()}  {file}, phases {numbers} '{side}', {document[side]['judged_ns'] / 1e9:.1f} s, "
                 f"{document['rows'][0][f'count_{side}']} samples" for side, numbers in (("a", "2, 4"), ("b", "3, 5"))]
        assert text.splitlines()[:2] == heads and "\n2 x A, 2 x B; " in text, (heads, text)
        document = compare_json(ipctop, f"{file}:2", f"{file}:4")
        text = compare(ipctop, f"{file}:2", f"{file}:4").stdout
        # another test may change a setting of the machine meanwhile
        differs = {difference["name"] for difference in document["differences"]} - DRIFTS
        assert document.get("are_replicates", False) == (not differs) == ("\nreplicates" in text), text
        if differs:
            continue
        assert all(one["verdict"] not in ("worse", "better", "mixed") for one in (document["summary"], *document["rows"]))
        assert re.search("^(the machine itself moved|same|undecided|too few)", text, re.M), text
    texts = [compare(ipctop, f"{file}:a", f"{file}:b").stdout.splitlines()[2:] for file in (recording, summary)]
    assert texts[0] == texts[1]
    assert re.fullmatch(rf"{summary}: has no phase c, only 1 'start', 2 'a', 3 'b', 4 'a', 5 'b'",
                        ipctop.refuse("compare", f"{summary}:c", summary))
    older = json.loads(summary.read_text())
    for phase in older["phases"]:
        phase.pop("host", None)
    summary.write_text(json.dumps(older))
    assert ipctop.refuse("compare", f"{summary}:a", summary) == \
        f"{summary}: the settings of phase a are not known; only the last phase can be compared"


def test_a_number_is_that_of_a_phase_before_it_is_a_name(ipctop, tmp_path):
    control, recording, summary = tmp_path / "control", tmp_path / "recording", tmp_path / "summary"
    with Run(ipctop, "-q", "-m", "pipe", "-c", CPU, "-i", "1ms", "--tick", 0.1, "--control", control,
             "--record", recording, "--json", summary) as run:
        assert until(control.exists)
        for name in ("3", "x", "2", "50"):
            assert ipctop.run("ctl", control, "mark", name).returncode == 0
        assert ipctop.run("ctl", control, "quit").returncode == 0
        assert run.wait()[0] == 0
    for file in (recording, summary):
        for wanted, said in (("3", "phase 3 'x'"), ("2", "phase 2 '3'"), ("50", "phase 5 '50'"), ("x", "phase 3 'x'")):
            assert f"{file}, {said}" in compare(ipctop, f"{file}:{wanted}", file).stdout, wanted
        assert ipctop.refuse("compare", f"{file}:6", file) == (
            f"{file}: has no phase 6, only 1 'start', 2 '3', 3 'x', 4 '2', 5 '50'")


def test_a_ring_that_is_opened_anew_is_compared_with_what_it_was(ipctop, tmp_path):
    control, recording, summary = tmp_path / "control", tmp_path / "recording", tmp_path / "summary"
    with Run(ipctop, "-q", "-m", "pipe,mq", "-c", CPU, "--side-by-side", "-i", "1ms", "--tick", 0.1, "--no-auto-phase",
             "--control", control, "--record", recording, "--json", summary) as run:
        def command(*words):
            result = ipctop.run("ctl", control, *words)
            assert result.returncode == 0, result
            return result.stdout

        def rings():
            return [ring for ring in json.loads(command("rings"))["rings"] if ring["state"] != "gone"]

        def go_round():
            """All rings, 300 times: so the phase has each of them."""
            before = {ring["ring"]: ring["laps"] for ring in rings()}
            assert until(lambda: all(ring["laps"] >= before[ring["ring"]] + 300 for ring in rings())), rings()

        assert until(control.exists)
        go_round()
        for name, *words in (("slow", "interval", "2ms", "all"), ("big", "size", "64", f"pipe:{OWN}")):
            # Paused, the old ring has no part in the new phase, however long it takes until it ends.
            command("pause", "all")
            assert until(lambda: all(ring["state"] == "paused" for ring in rings())), rings()
            command("mark", name)
            command(*words)
            command("resume", "all")
            go_round()
        command("quit")
        assert run.wait()[0] == 0
    for a, b, rows, alone, expected in (
            ("1", "slow", 2, 0, {"name": "interval", "a": "1 ms", "b": "2 ms", "counted": "rings' intervals", "changed": 2, "of": 2}),
            ("slow", "big", 1, 1, {"name": "rings that the other phase lacks", "a": "1", "b": "1"})):
        documents = []
        for file in (recording, summary):
            documents.append(compare_json(ipctop, f"{file}:{a}", f"{file}:{b}"))
            assert [len(documents[-1]["rows"]), documents[-1]["rows_only_a"], documents[-1]["rows_only_b"]] == [rows, alone, alone]
            assert all(row["count_a"] and row["count_b"] for row in documents[-1]["rows"])
            assert expected in documents[-1]["differences"]
        assert all(documents[0][name] == documents[1][name] for name in ("differences", "summary", "rows"))
