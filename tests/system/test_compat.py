# SPDX-License-Identifier: GPL-2.0-or-later
"""The compat tools that stand in for rt-tests: what their users' scripts call, and what their parsers read."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import CPU, Program, cpus, in_whole, undisturbed, usable_cpus
from harness import Run, report, until
from hog import await_hog, end_of_hog, start_hog
from terminal import Terminal

PAIRS = ["pmqtest", "svsematest", "ptsematest", "sigwaittest"]
TOOLS = [*PAIRS, "signaltest"]
ONE_OF_PAIRS = [PAIRS[0], *map(in_whole, PAIRS[1:])]
ONE_OF_EACH = [*ONE_OF_PAIRS, "signaltest"]


# --- parsers, as others have them ---

def test_definitions(path):
    """Linaro's and KernelCI's: [(min, avg, max)] of the JSON, whose return code is 0."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    assert found["return_code"] == 0
    threads = [found["thread"][str(i)] for i in range(found["num_threads"])]
    return [tuple(float(thread.get("receiver", thread)[key]) for key in ("min", "avg", "max")) for thread in threads]


def awk(path):
    """Lines: one that is a thread's, and the first min, avg and max after it."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        thread = re.match(r'\s*"(\d+)": \{$', line)
        figure = re.match(r'\s*"(min|avg|max)": ([\d.]+),?$', line)
        if thread:
            found.append({})
        elif figure and found:
            found[-1].setdefault(figure[1], float(figure[2]))
    return [(one["min"], one["avg"], one["max"]) for one in found]


def mmtests(out):
    """[(sender, receiver, min, cur, avg, max)]"""
    pattern = r"#+(\d+) -> #+(\d+), Min\s+(\d+), Cur\s+(\d+), Avg\s+(\d+), Max\s+(\d+)"
    return [tuple(map(int, match)) for match in re.findall(pattern, out)]


def in_order(figures):
    """A run ends with the first pair that has its laps: another one, whose CPU was busy, may have none."""
    return all(0 <= least <= mean <= most and (mean > 0 or most == 0) for least, mean, most in figures) and any(
        mean > 0 for _, mean, _ in figures)


test_definitions.__test__ = False


@pytest.mark.parametrize("tool", PAIRS)
def test_what_the_parsers_read_of_pairs(ipctop, tmp_path, tool):
    path = tmp_path / "F"
    result = ipctop.run(tool, "-q", "-a", "-t", 3, "-l", 400, f"--json={path}")
    assert result.returncode == 0, result
    assert len(test_definitions(path)) == 3 and in_order(test_definitions(path)), path.read_text()
    assert awk(path) == test_definitions(path)
    rows = mmtests(result.stdout)
    assert [row[:2] for row in rows] == [(1, 0), (3, 2), (5, 4)], result.stdout
    assert all(least <= cur <= most and least <= mean <= most for _, _, least, cur, mean, most in rows)
    # The JSON has the mean with two decimals, the text to the nearest: of a half, either may be nearer.
    assert all(abs(one[2] - row[5]) < 0.51 for one, row in zip(awk(path), rows)), result.stdout


def test_what_the_parsers_read_of_signaltest(ipctop, tmp_path):
    path = tmp_path / "F"
    assert ipctop.run("signaltest", "-q", "-l", 60, "-a", "-m", "-t", 2, f"--json={path}").returncode == 0
    assert len(test_definitions(path)) == 2 and in_order(test_definitions(path)), path.read_text()
    assert awk(path) == test_definitions(path)
    first, second = (thread["cycles"] for thread in json.loads(path.read_text())["thread"].values())
    assert first == 60 and 30 <= second <= 60, (first, second)     # a late lap has no first hop


# --- side by side with the real ones ---

def shape(text):
    """Numbers and what is padded to them don't matter, nor the program's name in the command line, nor that a
    starved pair of the real tool has no average, and of ours no figures."""
    text = re.sub(r"-?\bnan\b", "0.00", text).replace(" (not yet ready)", ", Min 0, Cur 0, Avg 0, Max 0")
    text = re.sub(r'("cmdline:": ").*(")', r"\1\2", text)
    text = re.sub(r'("(start|end)_time": "\w+, \d+ \w+ \d+ )\S+', r"\1", text)
    return re.sub(r" *-?\d+(\.\d\d\b)?", lambda match: "0.00" if match[1] else "0", text).splitlines()


class Real(Program):
    """In an IPC namespace of its own: all runs of a real tool use queues or keys of the same names."""

    def start(self, *args, env=None, **more):
        return Program(shutil.which("unshare")).start("--ipc", self.path, *args, env={"_": self.path} | (env or {}), **more)


def real(tool):
    """The program of that name that is not a link to ipctop."""
    path = shutil.which(tool)
    if not path or os.path.basename(os.path.realpath(path)) == "ipctop":
        pytest.skip(f"needs {tool} of rt-tests")
    return Real(path)


@pytest.mark.needs("root", "realtime", "unshare --ipc")
@pytest.mark.parametrize("options", [("-a", "-t", 2, "-p", 40), ("-t", 2), ("-a", CPU, "-t", 3), (f"-a{CPU}", "-t2")])
@pytest.mark.parametrize("tool", ONE_OF_PAIRS)
def test_text_and_json_of_pairs_have_the_real_ones_shape(ipctop, tmp_path, tool, options):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    here = ipctop.run(tool, "-q", *options, "-l", 30, f"--json={ours}")
    there = real(tool).run("-q", *options, "-l", 30, f"--json={theirs}")
    assert shape(here.stdout) == shape(there.stdout)
    assert shape(ours.read_text()) == shape(theirs.read_text())
    # What is not measured is the same.
    fixed = re.compile(r"#\d+: |, P\d+|, I\d+|#\d+ -> #\d+")
    assert fixed.findall(here.stdout) == fixed.findall(there.stdout)


@pytest.mark.needs("root", "unshare --ipc")
@pytest.mark.parametrize("options", [("-t", 3), ("-a", "-t", 2), ("-a", CPU)])
def test_text_and_json_of_signaltest_have_the_real_ones_shape(ipctop, tmp_path, options):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    here = ipctop.run("signaltest", "-q", *options, "-l", 40, f"--json={ours}")
    there = real("signaltest").run("-q", *options, "-l", 40, f"--json={theirs}")
    assert shape(here.stdout) == shape(there.stdout)
    assert shape(ours.read_text()) == shape(theirs.read_text())
    here = ipctop.run("signaltest", *options, "-l", 40)
    there = real("signaltest").run(*options, "-l", 40)
    n = len(shape(ipctop.run("signaltest", "-q", *options, "-l", 40).stdout))
    assert shape(here.stdout)[-n - 3:] == shape(re.sub(r"\x1b\[\d+A", "", there.stdout))[-n - 3:]


# --- how it prints ---

@pytest.mark.parametrize("tool", PAIRS)
def test_a_link_by_its_name_does_the_same(ipctop, tmp_path, tool):
    link = tmp_path / tool
    link.symlink_to(ipctop.path)
    result = Program(link).run("-q", "-l", 5, "-a")
    assert result.returncode == 0 and len(mmtests(result.stdout)) == 1, result
    assert ("TO 0, Cycles 5" in result.stdout) == (tool == "pmqtest")


@pytest.mark.parametrize("tool", ONE_OF_EACH)
def test_in_a_pipe_block_follows_block_without_an_escape(ipctop, tool):
    with Run(ipctop, tool, "-D", 60, "-a") as run:
        run.await_output(lambda text: len(re.findall("^#0: |^T: 0 ", text, re.M)) > 3)
        run.process.send_signal(signal.SIGINT)
        status, out, _ = run.wait()
    assert status == 0 and "\x1b" not in out, out


def test_on_a_terminal_the_block_is_redrawn_in_place(ipctop):
    with Terminal(ipctop, "pmqtest", "-a", "-t", 2, "-D", 120) as terminal:
        terminal.wait_for(lambda text: "#3 -> #2" in text)
        first = terminal.text()
        terminal.wait_for(lambda text: text != first)
        terminal.wait_for(lambda text: [line[:3] for line in text.splitlines() if line] == ["#0:", "#2:", "#1 ", "#3 "])
        terminal.wait_for(lambda text: len(mmtests(text)) == 2)     # a late pair is not yet ready
        terminal.press("Ctrl-C")
        assert terminal.finish() == 0
        assert terminal.whole() == ""
        assert len(mmtests(terminal.text())) == 2, terminal.text()


def test_more_pairs_than_a_terminal_has_lines_for_are_cut_until_the_end(ipctop):
    with Terminal(ipctop, "pmqtest", "-a", "-t", 9, "-D", 120, lines=10, columns=40) as terminal:
        terminal.wait_for(lambda text: "#1 -> #0" in text)
        seen = terminal.text().splitlines()
        assert [line[:3] for line in seen if line][:4] == ["#0:", "#2:", "#4:", "#6:"], terminal.text()
        terminal.press("Ctrl-C")
        assert terminal.finish() == 0
        assert "#17 -> #16" in terminal.raw.decode()


@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_verbose_prints_each_lap(ipctop, quiet):
    result = ipctop.run("signaltest", "-v", *quiet, "-l", 300, "-a", CPU)
    values = [tuple(map(int, match)) for match in re.findall(r"^ *(\d+): *(\d+): *(\d+)$", result.stdout, re.M)]
    assert [value[1] for value in values] == list(range(300)) and {value[0] for value in values} == {0}
    thread = re.search(r"^T: 0 .*C: *300 Min: *(\d+) Act: *(\d+) Avg: *\d+ Max: *(\d+)$", result.stdout, re.M)
    laps = [value[2] for value in values]
    assert thread, result.stdout
    least, last, most = map(int, thread.groups())
    # Each lap is rounded, the least of them down, the greatest up.
    assert last == laps[-1] and 0 <= min(laps) - least <= 1 and 0 <= most - max(laps) <= 1, result.stdout


@pytest.mark.timing
def test_threads_of_signaltest_see_no_pause(ipctop, tmp_path):
    path = tmp_path / "F"
    ipctop.run("signaltest", "-q", "-t", 3, "-a", CPU, "-D", 2, f"--json={path}")
    means = [mean for _, mean, _ in test_definitions(path)]
    assert max(means) - min(means) < 300, means     # of 10 ms each 16th lap would be 600 us


# --- what it does ---

def test_the_documents_own_examples_run(ipctop):
    for command in ("pmqtest -Sp99 -i100 -d0 -D 1 -q", "pmqtest --loops=1000 --interval=1000 --prio=99 -q",
                    "svsematest -a -t -p99 -i100 -d25 -l1000 -q", "svsematest -a -f -i 100 -l 100 -S -q",
                    "signaltest --prio 99 -D 1 -q"):
        result = ipctop.run(*command.split())
        if "no right to the real-time policy" in result.stderr:
            pytest.skip("needs the right to real-time policies")
        assert result.returncode == 0 and "Max" in result.stdout, (command, result)


@pytest.mark.needs("realtime")
def test_priorities_go_down_but_with_smp(ipctop):
    shown = lambda *options: re.findall(r"^#\d+: ID\d+, P(\d+), .*#\d+: ID\d+, P(\d+),",
                                        ipctop.run("svsematest", "-q", "-l", 5, *options).stdout, re.M)
    assert shown("-a", "-t", 4, "-p", 3) == [("3", "3"), ("2", "2"), ("1", "1"), ("1", "1")]
    assert shown("-S", "-p", 3) == [("3", "3")] * usable_cpus()
    assert shown("-t", 2) == [("0", "0")] * 2


@pytest.mark.needs("2 cpus")
@pytest.mark.parametrize("tool", ["pmqtest", "signaltest"])
def test_what_smp_ignores_is_said(ipctop, tool):
    said = lambda *options: [line for line in ipctop.run(tool, "-q", "-l", 5, *options).stderr.splitlines()
                             if "ignored" in line]
    n = usable_cpus()
    for options in (("-S", "-t", n + 1, f"-a{CPU}"), (f"-a{CPU}", f"--threads={n + 1}", "-S")):
        assert said(*options) == ["# -a: ignored, because -S uses all usable CPUs",
                                  f"# -t {n + 1}: ignored, because -S has one for each usable CPU: {n}"]
    assert said("-S", "-t", n, "-a") == []


@pytest.mark.parametrize("tool", ["svsematest", "sigwaittest"])
def test_fork_makes_processes(ipctop, tool):
    with Run(ipctop, tool, "-f", "-a", "-D", 120, "-i", 1000) as run:
        tasks = run.tool_tasks(tool, 3)
        assert all(pid == tid for pid, tid in tasks), tasks


@pytest.mark.needs("2 cpus")
def test_members_are_pinned_only_where_that_is_asked_for(ipctop):
    for options, n in (((), usable_cpus()), (("-a",), 1)):
        with Run(ipctop, "pmqtest", "-D", 120, *options) as run:
            for tid in [tid for pid, tid in run.tool_tasks("pmqtest", 3) if tid != pid]:
                assert until(lambda: len(os.sched_getaffinity(tid)) == n), os.sched_getaffinity(tid)


@pytest.mark.needs("2 cpus", "program taskset")
def test_taskset_is_respected(ipctop):
    if not os.path.exists("/sys/devices/system/cpu"):
        pytest.skip("needs /sys/devices/system/cpu, else hwloc numbers CPUs from 0")
    result = subprocess.run(["taskset", "-c", str(cpus()[1]), ipctop.path, "pmqtest", "-S", "-q", "-l", "5"],
                            capture_output=True, text=True, timeout=60, check=True)
    assert re.findall(r"CPU\d+", result.stdout) == [f"CPU{cpus()[1]}"] * 2, result.stdout


def test_timeouts_are_counted(ipctop, tmp_path):
    path = tmp_path / "F"
    result = ipctop.run("pmqtest", "-q", "-T", 1, "-f", 2, "-D", 4, f"--json={path}")
    count = json.loads(path.read_text())["thread"]["0"]["receiver"]["timeoutcount"]
    assert result.returncode == 0 and 1 <= count <= 4 and f"TO {count}," in result.stdout, result
    assert ("no latency, because no cycle was counted" in result.stderr) == ("not yet ready" in result.stdout), result


def test_two_at_once_are_two_runs(ipctop):
    runs = [ipctop.start("svsematest", "-q", "-l", 1000, "-t", 2) for _ in range(3)]
    for run in runs:
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0 and len(mmtests(out)) == 2, (out, err)


def test_no_sample_prints_no_nonsense(ipctop, tmp_path):
    path = tmp_path / "F"
    result = ipctop.run("pmqtest", "-q", "-i", "60s", "-D", 1, f"--json={path}")
    assert result.returncode == 0 and "#1 -> #0 (not yet ready)\n" in result.stdout, result
    assert json.loads(path.read_text())["thread"]["0"]["receiver"]["max"] == 0


@pytest.mark.parametrize("words", ["-p 100", "-D abc", "-i -5", "-a 9999", "--bogus", "-l x", "more"])
@pytest.mark.parametrize("tool", TOOLS)
def test_bad_values_are_errors(ipctop, tool, words):
    result = ipctop.run(tool, *words.split())
    assert result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1, result
    assert result.stderr.startswith(f"{tool}: {words.split()[0]}"), result


@pytest.mark.parametrize("tool", TOOLS)
def test_what_can_not_be_written_is_an_error(ipctop, tmp_path, tool):
    with open("/dev/full", "w", encoding="ascii") as full:
        result = ipctop.start(tool, "-q", "-l", 5, stdout=full)
        assert "can't write standard output" in result.communicate(timeout=60)[1] and result.returncode == 1
    result = ipctop.run(tool, "-q", "-l", 5, "--json", tmp_path / "no" / "F")
    assert result.returncode == 1 and str(tmp_path / "no" / "F") in result.stderr and not result.stdout, result


def test_a_signal_ends_it_with_its_results(ipctop, tmp_path):
    with Run(ipctop, "pmqtest", "-a", f"--json={tmp_path / 'F'}") as run:
        assert any(" Min " in line for line in run.process.stdout), run.process
        os.kill(run.pid, signal.SIGINT)
        status, out, _ = run.wait()
    assert status == 0 and mmtests(out) and len(test_definitions(tmp_path / "F")) == 1, out


@pytest.mark.parametrize("tool", ONE_OF_EACH)
def test_a_script_ends_what_it_has_put_into_the_background(ipctop, tool):
    """A shell without job control has it ignore SIGINT, and the tools take that nevertheless."""
    with Run(ipctop, tool, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as run:
        assert any("Min" in line for line in run.process.stdout), run.process
        os.kill(run.pid, signal.SIGINT)
        status, out, err = run.wait()
    assert status == 0 and "Min" in out, (out, err)


def test_help_is_printed(ipctop):
    for tool in [*TOOLS, "lat_ctx", "ipc-bench"]:
        result = ipctop.run(tool, "--help")
        assert result.returncode == 0 and "--json=" in result.stdout and tool in result.stdout, result
    with open("/dev/full", "w", encoding="ascii") as full:
        process = ipctop.start("pmqtest", "--help", stdout=full)
        assert "pmqtest: can't write standard output" in process.communicate(timeout=60)[1] and process.returncode == 1


def test_its_own_json_is_beside_the_tools(ipctop, tmp_path):
    for tool in TOOLS:
        ipctop.run(tool, "-q", "-l", 20, "-a", f"--json={tmp_path / 'F'}", f"--ipctop-json={tmp_path / 'G'}")
        found = report(tmp_path / "G")
        assert found["ended_by"] == "loops" and found["rings"][0]["laps"] == 20, (tool, found)


# --- what the tools hide ---

@pytest.mark.alone
@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.needs("whole")
@pytest.mark.parametrize("tool", ["pmqtest", "svsematest"])
def test_a_hog_is_the_response_and_is_said(ipctop, tmp_path, tool, stall):
    run = ipctop.start(tool, "-q", f"-a{CPU}", "-p", 50, "-D", 3.5, "--ipctop-json", tmp_path / "G")
    time.sleep(1)
    start, end = end_of_hog(start_hog(CPU, 1.5))
    out, err = run.communicate(timeout=60)
    spent_us, noise_us = (end - start) / 1000, stall.total_of_machine * 1e6
    response = report(tmp_path / "G")["rings"][0]["figures"]["response"]
    assert abs(response["max_ns"] / 1000 - spent_us) < 0.05 * spent_us + noise_us, (response["max_ns"], spent_us, noise_us)
    said = re.findall(r"^# #1 -> #0: response up to (\d+) us, .*latency, as printed, up to (\d+) us", err, re.M)
    assert len(said) == 1 and abs(int(said[0][0]) - spent_us) < 0.05 * spent_us + noise_us, err
    assert int(said[0][1]) == mmtests(out)[0][5], (out, err)


@pytest.mark.alone
@pytest.mark.needs("realtime", "2 cpus", "proc", "whole")   # a task's state, which is the reason, is in /proc
def test_a_pair_that_got_no_cpu_is_said(ipctop):
    cpu = min(os.sched_getaffinity(0))
    hog = start_hog(cpu, 40)
    try:
        await_hog(hog)
        for options, said in (([], "response up to [0-9]+ us, from when it was due; no latency, because no cycle was counted"),
                              (["-i", 0], "no cycle was counted: (starved|throttled|never ran)")):
            result = ipctop.run("pmqtest", "-q", f"-a{cpu}", "-p", 50, "-D", 2, *options)
            assert result.returncode == 0 and "#1 -> #0 (not yet ready)\n" in result.stdout, result
            assert re.search(f"^# #1 -> #0: {said}$", result.stderr, re.M), result
    finally:
        hog.kill()
        hog.communicate()


def test_the_first_pair_ends_the_run(ipctop, tmp_path):
    path = tmp_path / "F"
    ipctop.run("svsematest", "-q", "-a", "-t", 2, "-i", 500, "-d", 4500, "-l", 1000, f"--json={path}")
    found = json.loads(path.read_text())["thread"]
    assert found["0"]["sender"]["samples"] == 1000 and 0 < found["1"]["sender"]["samples"] < 1000, found


def test_slower_pairs_have_samples_of_a_short_run(ipctop):
    """600 cycles of pair 0 take 60 ms, and the 100 of a warm-up would take pair 1 110."""
    result = ipctop.run("svsematest", "-a", "-f", "-q", "-i", 100, "-d", 1000, "-l", 600, "-t", 2, *undisturbed())
    assert result.returncode == 0 and len(mmtests(result.stdout)) == 2, result
