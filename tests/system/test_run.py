# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs without a terminal: how they end, what they print, and what they write."""
import fcntl
import os
import re
import signal
import subprocess
import time

import pytest

from conftest import OWN, but_load, cpus, environment, in_whole
from harness import THREE, Run, is_unfit, report, together, until
from terminal import Terminal

LINE = re.compile(r"(\d\d:\d\d:\d\d) +(?:(\w+) +)?(\d+>\d+)(?:#\d+)? ")


# --- reports of every kind ---

KINDS = {
    "plain": ["-D", 0.4],
    "all": ["-m", "all", "-D", 2.3],
    "processes": ["-m", "all", "-f", "-D", 1.3],
    "side by side": ["-m", THREE, "--side-by-side", "-D", 0.5],
    "loops": ["-l", 150, "-i", 500],
    "slow": ["-i", "10s", "-D", 0.3],
    "long": ["-i", "250ms", "-D", 0.8],
    "no time": ["-D", "0.001"],
    "answer": ["--show", "answer", "-D", 0.3],
    "response": ["--show", "response", "--tick", 0.05, "-D", 0.3],
    "all pairs": ["--pairs", "all", "-i", "200us", "-D", 0.5],
    "distance": ["-d", 333, "-D", 0.4],
    "payload": ["-s", "4k", "-D", 0.3],
    "work of processes": ["-s", 100, "--work", 64, "-f", "-D", 0.3],
}


# Alone, for flood takes what there is. It has no slots to be missed, so it ends by its laps.
FLOODS = {
    "flood": ["-i", 0, "-l", 150],
    "flood of processes": ["-m", THREE, "-i", 0, "-f", "-l", 150],
}


@pytest.mark.needs("whole")
def test_every_kind_of_run_writes_a_good_report_and_nothing_else(ipctop):
    ended = together(ipctop, *([*args, "--json", "-"] for args in KINDS.values()))
    for args in FLOODS.values():
        ended += together(ipctop, [*args, "--json", "-"])
    still = []
    for (kind, args), (status, out, err) in zip((KINDS | FLOODS).items(), ended):
        assert (status, but_load(err)) == (0, "") and (kind != "slow" or err), kind
        found = report(out)
        assert out.endswith("}\n") and out.startswith("{"), kind
        assert found["ended_by"] == ("loops" if "-l" in args else "duration"), kind
        failed = [ring for ring in found["rings"] if ring["state"] == "failed" and not is_unfit(ring)]
        assert not failed, (kind, [(ring["mechanism"], ring["reason"]) for ring in failed])
        # On a machine that stood still all slots were missed, or no ring could start before its run ended.
        if not sum(ring["laps"] + ring["missed"] for ring in found["rings"]):
            assert kind in ("slow", "no time") or not any(ring["active_ns"] for ring in found["rings"]), kind
            still.append(kind)
    assert len(still) <= len(KINDS) / 2, still


def test_every_token_is_checked_where_it_has_bytes(ipctop):
    for args, size in ((["-m", "mq,signal"], 0), (["-s", "2k", "--work", 256], 2048)):
        found = report(ipctop.run("-q", "-l", 100, "-c", cpus()[0], *args, "--json", "-").stdout)
        for ring in found["rings"]:
            carried = max(size, 1) if ring["mechanism"] == "mq" else 0
            assert ring["token"] == {"bytes": carried, "checked": carried > 0, "lost": 0, "repeated": 0,
                                     "reordered": 0, "damaged": 0}
        assert found["options"]["size_bytes"] == size


def test_what_the_front_uses_itself_is_a_share_of_the_cpus(ipctop):
    for args in (["-D", 1.2], ["-l", 300]):
        assert 0 <= report(ipctop.run(*args, "--json", "-").stdout)["own_cpu"] <= os.cpu_count()


@pytest.mark.needs("root", "unshare --mount")
def test_a_report_file_is_written_without_proc_too(ipctop, tmp_path):
    path = tmp_path / "report.json"
    script = 'mount -t tmpfs tmpfs /proc || exit 99; for round in 1 2; do "$0" -q -t 1 -D 0.2 --json "$1" || exit; done'
    result = subprocess.run(["unshare", "--mount", "sh", "-c", script, ipctop.path, path], env=environment(),
                            capture_output=True, text=True, check=False, timeout=60)
    if result.returncode == 99:
        pytest.skip(f"needs a mount of its own over /proc: {result.stderr}")
    assert (result.returncode, but_load(result.stderr)) == (0, ""), result
    assert report(path)["rings"] and os.listdir(tmp_path) == ["report.json"]


def test_a_report_file_is_the_same_as_a_report_on_standard_output(ipctop, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    result = ipctop.run("-D", 0.3, "--json", path)
    assert result.returncode == 0 and "figure: first hop" in result.stdout
    assert report(path)["options"]["max_duration_ns"] == 300_000_000
    assert os.listdir(tmp_path) == ["report.json"]


@pytest.mark.timing
def test_loops_are_counted_exactly(ipctop):
    kinds = [(["-l", loops, "-i", interval, *more, "-m", THREE, "--json", "-"], loops)
             for loops, interval, more in ((1, 1000, []), (137, 500, ["-f"]), (1000, 0, []), (300, 100, ["-p", 0]))]
    for (status, out, _), (_, loops) in zip(together(ipctop, *(args for args, _ in kinds)), kinds):
        found = report(out)
        assert (status, found["ended_by"]) == (0, "loops")
        for ring in found["rings"]:
            assert (ring["state"], ring["laps"]) == ("done", loops)
            assert ring["figures"]["lap"]["count"] == loops
            assert ring["warmup_laps"] <= 200 and (ring["warmup_laps"] or loops == 1)


@pytest.mark.parametrize("text, seconds", [("0.7", 0.7), ("1s", 1.0), ("0.01m", 0.6)])
@pytest.mark.timing
def test_a_duration_is_kept(ipctop, text, seconds, stall):
    start = time.monotonic()
    found = report(ipctop.run("-D", text, "--json", "-").stdout)
    took, noise = time.monotonic() - start, stall.total
    assert seconds <= took      # to start and to end takes as long as the machine is slow
    assert abs(found["duration_ns"] / 1e9 - seconds) < 0.3 + noise
    assert all(abs(ring["active_ns"] / 1e9 - seconds) < 0.3 + noise for ring in found["rings"])


@pytest.mark.needs("whole")
def test_flood_knows_laps_and_answers_alone(ipctop):
    result = ipctop.run("-i", 0, "-D", 0.8, "--plain", "--refresh", "0.2")
    assert re.search(r"^figure: lap, window phase, times in us\ntime +mech ", result.stdout, re.M) and "s, figure: lap" in result.stdout
    found = report(ipctop.run("-i", 0, "-l", 150, "--json", "-").stdout)
    for ring in found["rings"]:
        counts = {name: figure["count"] for name, figure in ring["figures"].items()}
        assert counts["lap"] == ring["laps"] > 100
        # The stop may fall into a lap whose first hop was made.
        assert 0 <= counts["answer"] - 2 * ring["laps"] <= 1
        assert counts["first"] == counts["response"] == counts["lateness"] == 0


@pytest.mark.timing
def test_latencies_add_up(ipctop):
    """First hop and answer fit in the lap, lateness and first hop in the response; nothing is nothing."""
    for ring in report(ipctop.run("-m", THREE, "--side-by-side", "-l", 500, "--json", "-").stdout)["rings"]:
        mean = {name: figure["mean_ns"] for name, figure in ring["figures"].items()}
        assert mean["first"] > 200 and mean["answer"] > 200
        # A stall between receiving and answering is in the lap alone, so this holds of most laps and not of the mean.
        median = {name: ring["figures"][name]["percentiles"]["p50_ns"] for name in ("first", "answer", "lap")}
        assert median["lap"] < 1.5 * (median["first"] + median["answer"]) + 100_000
        # A lap that started late, without a sleep, has no first hop: its hop is among the answers.
        if ring["figures"]["first"]["count"] == ring["figures"]["served"]["count"]:
            assert mean["first"] + mean["answer"] <= mean["lap"]
            if not ring["missed"]:  # a missed lap has the same wait in both
                assert abs(mean["lateness"] + mean["first"] - mean["response"]) < 1000


@pytest.mark.needs("2 cpus")
@pytest.mark.timing
def test_pairs_are_those_that_were_asked_for(ipctop):
    a, b = cpus()[:2]
    both = f"{a},{b}"
    cases = [(["--pairs", "own", "-c", both], [f"{a}>{a}", f"{b}>{b}"]),
             (["--pairs", "all", "-c", both], [f"{a}>{a}", f"{a}>{b}", f"{b}>{a}", f"{b}>{b}"]),
             (["--pairs", f"{b}:{a},{a}:{a}"], [f"{b}>{a}", f"{a}>{a}"]),
             (["-c", b], [f"{b}>{b}"]), ([f"-a{b}"], [f"{b}>{b}"]), (["-S", "-c", both], [f"{a}>{a}", f"{b}>{b}"])]
    runs = together(ipctop, *([*args, "--side-by-side", "-l", 20, "-q", "--json", "-"] for args, _ in cases))
    for (status, out, _), (args, labels) in zip(runs, cases):
        found = report(out)
        assert sorted(ring["label"] for ring in found["rings"]) == sorted(labels), args
        assert status == 0, (args, found["ended_by"], [(ring["state"], ring.get("reason")) for ring in found["rings"]])
        for ring in found["rings"]:
            assert [member["cpu"] for member in ring["members"]] == ring["cpus"] and ring["laps"] == 20


@pytest.mark.needs("2 cpus")
def test_taskset_narrows_what_is_measured_and_a_list_widens_it_again(ipctop):
    a, b = cpus()[:2]

    def narrow():
        os.sched_setaffinity(0, {b})

    (_, narrowed, _), (_, widened, _) = together(
        ipctop, ["-D", 0.2, "--json", "-"], ["-c", a, "-D", 0.2, "--json", "-"], preexec_fn=narrow)
    assert [ring["label"] for ring in report(narrowed)["rings"]] == [f"{b}>{b}"]
    assert [ring["label"] for ring in report(widened)["rings"]] == [f"{a}>{a}"]


# --- where memory lies ---

def nodes_with_memory():
    try:
        with open("/sys/devices/system/node/has_memory", encoding="ascii") as file:
            return [node for part in file.read().strip().split(",")
                    for node in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
    except OSError:     # a kernel that knows no nodes
        return [0]


@pytest.mark.needs("whole")
def test_memory_lies_where_it_was_asked_to(ipctop, tmp_path):
    nodes, recording = nodes_with_memory(), tmp_path / "recording"
    mechanisms = ",".join(ipctop.built_with("mq", "shmfutex", "unix", "uring"))
    everywhere = ["receiver", "sender", f"node:{nodes[-1]}", "interleave", "local"]
    ended = together(ipctop, *(["-m", mechanisms, "-l", 50, *fork, "--memory", where, "--json", "-"]
                               for where in everywhere for fork in ([], ["-f", "-s", 0])))
    for number, (status, out, err) in enumerate(ended):
        found, where = report(out), everywhere[number // 2]
        assert (status, err, found["options"]["memory"]) == (0, "", where)
        assert all(ring["state"] != "failed" for ring in found["rings"]), [ring.get("reason") for ring in found["rings"]]
        for hop in (hop for ring in found["rings"] for hop in ring["hops"]):
            assert len(nodes) > 1 or hop["node"] == nodes[0], (where, hop)
            assert not where.startswith("node:") or hop["node"] == nodes[-1], (where, hop)
    status, out, _ = together(ipctop, ["-m", "shmfutex,unix", "-s", "64k", "-l", 50, "--record", recording,
                                       "--memory", f"node:{nodes[-1]}", "--json", "-"])[0]
    again = report(ipctop.run("--replay", recording, "--speed", 0, "--json", "-").stdout)
    for found in (report(out), again):
        assert found["options"]["memory"] == f"node:{nodes[-1]}"
        assert {hop["node"] for ring in found["rings"] for hop in ring["hops"]} == {nodes[-1]}
    screen = ipctop.run("--replay", recording, "--render", "120x40", "--view", "detail").stdout
    assert len(re.findall(rf"^member [01] .* hop on node {nodes[-1]}\b", screen, re.M)) == 2, screen


# --- text ---

@pytest.mark.timing
def test_lines_come_one_per_pair_at_each_refresh_and_without_escapes(ipctop, stall):
    result = ipctop.run("-m", "mq,signal", "--side-by-side", "--tick", 0.1, "--refresh", 0.3, "-D", 1.4)
    assert (result.returncode, result.stderr) == (0, "")
    assert not re.search(r"[^\x20-\x7e\n]", result.stdout)
    rows = LINE.findall(result.stdout)
    pairs = {(mechanism, pair) for _, mechanism, pair in rows}
    assert pairs == {(mechanism, f"{cpu}>{cpu}") for mechanism in ("mq", "signal") for cpu in cpus()}
    for pair in pairs:
        assert 4 - stall.total / 0.3 <= sum((row[1], row[2]) == pair for row in rows) <= 6, rows
    assert "figure: first hop, window phase, times in us" in result.stdout


def test_batch_on_a_terminal_has_no_escapes(ipctop):
    with Terminal(ipctop, "--plain", "-D", 0.6, "--refresh", 0.3) as terminal:
        assert terminal.finish() == 0
    assert b"\x1b" not in terminal.raw and len(LINE.findall(terminal.raw.decode())) >= 1


def test_quiet_is_the_summary_alone(ipctop):
    result = ipctop.run("-D", 0.6, "--refresh", 0.2, "-q")
    assert (result.returncode, but_load(result.stderr)) == (0, "")
    assert not LINE.search(result.stdout)
    assert len(re.findall(r"^mq +\d+>\d+(?:#\d+)? ", result.stdout, re.M)) == len(cpus())


@pytest.mark.parametrize("figure, words", [("first", "first hop"), ("answer", "answer"), ("lap", "lap"),
                                           ("response", "response")])
def test_the_figure_that_is_shown_is_chosen_and_named(ipctop, figure, words):
    result = ipctop.run("-D", 0.3, "--refresh", 0.2, "--show", figure)
    # An event may come before.
    assert re.search(rf"^figure: {words}, window phase, times in us\ntime ", result.stdout, re.M) and f"s, figure: {words}, " in result.stdout


def test_a_sample_above_the_limit_is_told_by_the_exit_status(ipctop, tmp_path):
    path = tmp_path / "recording"
    show = ("--show", "response")       # a late lap has no first hop; where all slots are missed, it has them
    for limit, wanted in (("1ns", 1), ("0.01", 2), ("60s", 0), ("0", 0)):
        result = ipctop.run("-q", "-D", 0.4, *show, "--fail-above", limit, "--json", tmp_path / "report.json", "--record", path)
        assert result.returncode == wanted, (limit, result.stderr)
        if wanted == 1:
            assert "limit must be" in result.stderr
            continue
        options = report(tmp_path / "report.json")["options"]
        assert options.get("fail_above_ns") == {"0.01": 10, "60s": 60 * 10 ** 9, "0": None}[limit]
        again = ("-q", *show, "--replay", path)
        assert ipctop.run(*again).returncode == wanted      # a recording has its own limit,
        assert ipctop.run(*again, "--fail-above", 0.01).returncode == 2     # or another one
        assert ipctop.run(*again, "--fail-above", 0).returncode == 0
    assert ipctop.run("--render", "120x24", "-D", 0.3, *show, "--fail-above", 0.01).returncode == 2


def test_render_prints_a_screen_as_text(ipctop):
    for size in ("80x24", "120x40", "40x10"):
        columns, lines = map(int, size.split("x"))
        result = ipctop.run("--render", size, "-D", 0.5)
        shown = result.stdout.splitlines()
        assert result.returncode == 0 and len(shown) <= lines and max(map(len, shown)) <= columns, size
        assert "\x1b" not in result.stdout and OWN in result.stdout and "first hop" in result.stdout, size


# --- ends ---

@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("fork", [in_whole([]), ["-f"]], ids=["threads", "processes"])
def test_signals_end_a_run_with_its_report(ipctop, tmp_path, number, fork):
    with Run(ipctop, "-m", THREE, *fork, "--json", tmp_path / "report.json") as run:
        run.await_laps("mq:0.0", 500)
        run.process.send_signal(number)
        status, out, err = run.wait()
        assert (status, err) == (0, "")
        assert "figure: first hop" in out
        assert run.left() == {}
    found = report(tmp_path / "report.json")
    assert found["ended_by"] == f"signal {number.name}"
    assert found["rings"][0]["laps"] > 0
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_signal_at_any_moment_ends_it(ipctop):
    """From the first moment on; before it is listened for it ends the program the default way."""
    runs = []
    try:
        for delay in (0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08):
            runs.append(Run(ipctop, "-m", "all", "-D", 20, "-q"))
            time.sleep(delay)
            runs[-1].process.send_signal(signal.SIGTERM)
        for run in runs:
            assert run.wait()[0] in (0, -signal.SIGTERM)
            assert run.left() == {}
    finally:
        for run in runs:
            run.kill_all()


@pytest.mark.timing
def test_a_reader_that_stalls_delays_no_lap_and_no_end_for_longer_than_it_stalls(ipctop, tmp_path, stall):
    """Its pipe is small, and full after the first lines."""
    with Run(ipctop, "--tick", 0.05, "--refresh", 0.1, "-m", THREE, "--side-by-side", "-D", 2.5,
             "--json", tmp_path / "report.json") as run:
        fcntl.fcntl(run.process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        time.sleep(3)
        assert run.wait()[0] == 0 and run.left() == {}
    for ring in report(tmp_path / "report.json")["rings"]:
        slots = ring["laps"] + ring["warmup_laps"] + ring["missed"]
        assert slots > 2300 - 1000 * stall.total, (slots, stall.total)
        assert ring["missed"] < 0.2 * slots + 1000 * stall.total, (slots, ring["missed"], stall.total)
        assert ring["figures"]["response"]["max_ns"] < 500e6 + stall.longest * 1e9


def test_a_reader_that_leaves_ends_the_run(ipctop, tmp_path):
    with Run(ipctop, "--refresh", 0.2, "--tick", 0.1, "-D", 30, "--json", tmp_path / "report.json") as run:
        assert run.process.stdout.readline()
        run.process.stdout.close()
        assert until(lambda: run.process.poll() is not None)
        assert run.left() == {}
    assert report(tmp_path / "report.json")["ended_by"] == "output closed"


def test_a_reader_that_has_seen_enough_of_a_screen_is_no_error(ipctop):
    """Of one that is longer than a buffer, too."""
    with Run(ipctop, "-D", 0.3, "--render", "300x100") as run:
        run.process.stdout.close()
        assert run.process.wait(20) == 0 and run.process.stderr.read() == ""


@pytest.mark.parametrize("args", [["--json", "/dev/full"], ["--json", "/dev/full", "-f", "-m", "all"]], ids=str)
def test_a_full_disk_is_an_error_that_names_the_file(ipctop, args):
    result = ipctop.run("-D", 0.2, "-q", *args)
    assert (result.returncode, but_load(result.stderr)) == (1, "ipctop: can't write /dev/full: No space left on device\n")
    assert re.search(rf"^mq +{OWN} ", result.stdout, re.M), "what was measured is shown all the same"


def test_standard_output_on_a_full_disk_is_an_error(ipctop):
    with open("/dev/full", "w", encoding="ascii") as full:
        for args in (["-D", 0.3], ["-D", 0.3, "-q"], ["-D", 0.3, "--json", "-"],
                     ["-D", 0.3, "--render", "300x100"]):
            result = ipctop.run(*args, stdout=full)
            assert result.returncode == 1 and "No space left on device" in result.stderr, (args, result)


def test_closed_standard_output_is_an_error_and_the_report_is_written(ipctop, tmp_path):
    def close():
        os.close(1)

    for args in (["-V"], ["--plan"], ["-D", 0.3, "--json", "-"],
                 ["-D", 0.3, "-q", "--json", tmp_path / "report.json"]):
        result = ipctop.run(*args, preexec_fn=close)
        assert (result.returncode, result.stdout, but_load(result.stderr)) == (
            1, "", "ipctop: can't write standard output: Bad file descriptor\n"), args
    found = report(tmp_path / "report.json")
    assert found["ended_by"] == "duration", [(ring["state"], ring.get("reason")) for ring in found["rings"]]
