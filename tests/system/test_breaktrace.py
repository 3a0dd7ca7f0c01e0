# SPDX-License-Identifier: GPL-2.0-or-later
"""-b: the member that measures the first latency above a limit stops the kernel's tracing, and the run ends.

Each run has a mount namespace of its own, in which the tracing of the whole machine is covered up by a folder of
files, or by a tracing instance: nothing that these tests do is seen by other users of tracing.
"""
import json
import os
import re
import shlex
import signal
import subprocess
import time

import pytest

from conftest import CPU, Program, but_load
from harness import Run, first_ring, report, until, unwrapped

pytestmark = [pytest.mark.needs("root", "unshare --mount", "program setpriv"), pytest.mark.recorder]
COVER = "mount -t tmpfs tmpfs /sys/kernel/tracing && mount -t tmpfs tmpfs /sys/kernel/debug"
NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups"
LINE = re.compile(r"ipctop: (?P<mechanism>\S+) (?P<label>.*) member (?P<member>\d+) \(tid (?P<tid>\d+)\): "
                  r"(?P<figure>first hop|answer|lap|response) (?P<us>\d+\.\d{3}) us, limit (?P<limit>\d+\.\d{3}) us")


def breach_event(found):
    """A member that starves may be an event behind it."""
    text, = [event["text"] for event in found["events"] if LINE.match(f"ipctop: {event['text']}")]
    return text


@pytest.fixture(name="covered", scope="session")
def fixture_covered():
    """Skips where no one can have file systems of their own."""
    if subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", COVER],
                      capture_output=True, check=False).returncode:
        pytest.skip("needs mounts of its own over /sys/kernel/tracing and /sys/kernel/debug")


class Traced(Program):
    """ipctop where tracing is a folder of plain files."""

    def __init__(self, ipctop, folder, place="/sys/kernel/tracing", user="", more="true"):
        super().__init__(folder / "traced")
        self.files = folder / "tracing"
        self.files.mkdir()
        for name, text in (("tracing_on", "1\n"), ("current_tracer", "nop\n"), ("trace_marker", "")):
            (self.files / name).write_text(text)
        setup = f"{COVER} && mkdir -p {place} && mount --bind {shlex.quote(str(self.files))} {place} && {more}"
        script = f'{setup} && exec {user} {shlex.quote(ipctop.path)} "$@"'
        (folder / "traced").write_text("#!/bin/sh\nexec unshare --mount --propagation private "
                                       f'sh -c {shlex.quote(script)} sh "$@"\n')
        (folder / "traced").chmod(0o755)

    def state(self):
        return {file.name: file.read_text() for file in self.files.iterdir()}

    def breach(self, path):
        """What marker, report and events say of the one breach, once they have been found to agree."""
        found, state = report(path), self.state()
        assert state["tracing_on"] in ("0\n", "0") and state["current_tracer"] == "nop\n"
        assert state["trace_marker"].count("\n") == 1, state
        line, breach = LINE.fullmatch(state["trace_marker"].rstrip("\n")), found["breach"]
        assert line, state
        assert found["ended_by"] == "breaktrace" and breach["tracing_stopped"]
        ring = found["rings"][breach["ring"]]
        assert breach["latency_ns"] > breach["limit_ns"] == found["options"]["breaktrace_ns"]
        assert (ring["mechanism"], ring["label"]) == (breach["mechanism"], breach["label"]) == \
            (line["mechanism"], line["label"])
        assert ring["members"][breach["member"]]["tid"] == breach["tid"] == int(line["tid"])
        assert breach["member"] == int(line["member"])
        assert float(line["us"]) == breach["latency_ns"] / 1000 and float(line["limit"]) == breach["limit_ns"] / 1000
        figure = ring["figures"][breach["figure"]]    # a lap that another member than the origin saw is in none
        assert figure.get("max_ns", 0) >= breach["latency_ns"] or (breach["figure"] == "lap" and breach["member"])
        text = state["trace_marker"].removeprefix("ipctop: ").rstrip("\n") + "; tracing is off"
        assert [event["ring"] for event in found["events"] if event["text"] == text] == [breach["ring"]]
        return breach


@pytest.fixture(name="traced")
def fixture_traced(ipctop, covered, tmp_path):
    return Traced(ipctop, tmp_path)


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("fork", [[], ["-f"]], ids=["threads", "processes"])
@pytest.mark.parametrize("args, figure, members", [
    ([], "first", {1}),
    (["--show", "answer"], "answer", {0, 1}),
    (["--show", "lap", "-m", "all"], "lap", {0}),
    (["--show", "response"], "response", {0, 1}),
    (["-i", 0, "-m", "pipe"], "lap", {0}),
    (["-i", 0, "-m", "pipe", "--show", "answer"], "answer", {0, 1}),
    (["--ring", "5", "--pairs", "own", "--show", "answer"], "answer", set(range(5))),
    (["-l", 5000, "-s", 4096], "first", {1})])
def test_the_first_latency_above_the_limit_stops_tracing_and_the_run(traced, tmp_path, fork, args, figure, members):
    path = tmp_path / "report.json"
    result = traced.run("-q", "-D", 20, "-b", "0.001", *fork, *args, "--json", path)
    assert (result.returncode, result.stderr) == (2, "")
    breach = traced.breach(path)
    assert breach["figure"] == figure and breach["member"] in members
    assert report(path)["duration_ns"] < 15e9
    text = traced.state()["trace_marker"].removeprefix("ipctop: ").rstrip() + "; tracing is off\n"
    out = unwrapped(result.stdout)
    assert f"\nended by -b: {text}" in out and f"warning: {text}" in out


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.needs("whole")
def test_the_response_that_ends_the_run_is_a_spike_with_its_cause(traced, tmp_path):
    """Though it is below the limit of spikes. Member 1 is stopped for longer than an interval."""
    path, control = tmp_path / "report.json", tmp_path / "control"
    with Run(traced, "-q", "-t", 1, "-f", "-m", "pipe", "-i", 500000, "--show", "response", "-b", 300000,
             "--spike", "10s", "--control", control, "--json", path) as run:
        assert until(lambda: (first_ring(traced, control) or {"laps": 0})["laps"] >= 2)
        tid = first_ring(traced, control)["members"][1]["tid"]
        os.kill(tid, signal.SIGSTOP)
        time.sleep(0.9)
        os.kill(tid, signal.SIGCONT)
        assert run.wait()[0] == 2
    breach, found = traced.breach(path), report(path)
    assert breach["member"] == 1
    spike, = found["spikes"]["last"]
    assert spike["length_ns"] == breach["latency_ns"] and spike["limit_ns"] == 300_000_000
    assert spike["segments"] and spike["explanation"]


@pytest.mark.needs("realtime")
@pytest.mark.usefixtures("nothing_stays")
def test_real_time_members_do_it_too(traced, tmp_path):
    for fork in ([], ["-f"]):
        for name, text in (("tracing_on", "1\n"), ("trace_marker", "")):
            (traced.files / name).write_text(text)
        result = traced.run("-q", "-Sp98", "-i100", "-d0", "-D", 20, "-b", "0.01", *fork, "--json",
                            tmp_path / "report.json")
        assert (result.returncode, result.stderr) == (2, "")
        traced.breach(tmp_path / "report.json")


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("tool", ["pmqtest", "svsematest", "ptsematest", "sigwaittest", "signaltest"])
def test_compat_tools_end_with_what_they_saw_and_no_error(traced, tmp_path, tool):
    path, theirs = tmp_path / "report.json", tmp_path / "theirs.json"
    result = traced.run(tool, "-q", "-D", 20, "-b", 1, f"--json={theirs}", "--ipctop-json", path)
    assert result.returncode == json.loads(theirs.read_text())["return_code"] == 0, result
    breach, found = traced.breach(path), report(path)
    assert breach["figure"] == ("lap" if tool == "signaltest" else "answer")
    assert found["duration_ns"] < 15e9
    text = traced.state()["trace_marker"].removeprefix("ipctop: ").rstrip() + "; tracing is off"
    assert f"# tracing_on is 1, current_tracer is nop (/sys/kernel/tracing)\n# -b: {text}\n" in result.stderr
    if tool == "signaltest":
        assert result.stdout.startswith(f"Thread {breach['member']} exceeded trace limit.\nT: 0 (")
    else:
        printed = re.search(r"^#1 -> #0, Min +(\d+), Cur +\d+, Avg +\d+, Max +(\d+)$", result.stdout, re.M)
        assert breach["member"] == 0 and printed, result.stdout
        # A hop of less than 1 us is printed as 0; the greatest is rounded up, and the breach is among them.
        least_us, most_us = map(int, printed.groups())
        assert least_us <= breach["latency_ns"] / 1000 <= most_us, (breach, result.stdout)


def test_compat_tools_run_the_documents_own_example(traced):
    """It ends at the limit or at its laps, as the machine is."""
    result = traced.run(*"svsematest -a -b 20us -f -i 100 -l 100 -S".split())
    assert result.returncode == 0 and "Max" in result.stdout, result
    assert ("# -b: svsem" in result.stderr) == traced.state()["tracing_on"].startswith("0")


@pytest.mark.parametrize("tool", ["pmqtest", "signaltest"])
def test_compat_tools_without_a_breach_leave_tracing_alone(traced, tool):
    before = traced.state()
    result = traced.run(tool, "-q", "-l", 20, "-b", "60s")
    assert result.returncode == 0 and "-b" not in result.stderr and "exceeded" not in result.stdout, result
    assert traced.state() == before


@pytest.mark.parametrize("tool", ["pmqtest", "signaltest"])
def test_compat_tools_fail_where_tracing_can_not_be_stopped(ipctop, covered, tmp_path, tool):
    traced = Traced(ipctop, tmp_path, more="mount --bind /dev/full /sys/kernel/tracing/tracing_on")
    result = traced.run(tool, "-q", "-D", 20, "-b", 1)
    assert result.returncode == 1 and "tracing could not be stopped: No space left on device" in result.stderr, result


ABSENT = "# -b: no tracing_on in /sys/kernel/tracing or /sys/kernel/debug/tracing: mount it as root " \
    "(mount -t tracefs tracefs /sys/kernel/tracing); without it, a latency above the limit only ends the run"


@pytest.mark.usefixtures("nothing_stays")
def test_compat_tools_run_without_tracefs(ipctop, covered, tmp_path):
    """The first is a lab's command line, as it is."""
    traced, theirs = Traced(ipctop, tmp_path, place="/sys/kernel/debug/elsewhere"), tmp_path / "theirs.json"
    result = traced.run(*"svsematest -a -b 20000us -f -i 100 -l 100 -S".split())
    # A machine that stands still for 20 ms meanwhile ends it at the limit; otherwise pair 0 has its laps.
    assert result.returncode == 0 and ("Cycles 100\n" in result.stdout or "# -b: svsem " in result.stderr), result
    assert result.stderr.splitlines().count(ABSENT) == 1, result
    for tool in ("pmqtest", "signaltest"):
        path = tmp_path / f"{tool}.json"
        result = traced.run(tool, "-q", "-D", 20, "-b", 1, f"--json={theirs}", "--ipctop-json", path)
        found = report(path)
        assert result.returncode == json.loads(theirs.read_text())["return_code"] == 0, result
        assert found["ended_by"] == "breaktrace" and not found["breach"]["tracing_stopped"], found["events"]
        text, = [event["text"] for event in found["events"] if "there is no tracing" in event["text"]]
        said = [line for line in result.stderr.splitlines() if line.startswith("# -b: ")]
        assert said == [ABSENT, f"# -b: {text}"] and text.endswith(", limit 1.000 us; there is no tracing"), result


def test_without_a_breach_nothing_is_written(traced, tmp_path):
    before = traced.state(), {file.name: file.stat().st_mtime_ns for file in traced.files.iterdir()}
    result = traced.run("-q", "-D", 0.4, "-b", "60s", "--json", tmp_path / "report.json")
    assert (result.returncode, but_load(result.stderr)) == (0, "")
    assert (traced.state(), {file.name: file.stat().st_mtime_ns for file in traced.files.iterdir()}) == before
    found = report(tmp_path / "report.json")
    assert found["ended_by"] == "duration" and "breach" not in found
    assert [event for event in found["events"] if event["kind"] == "note"][0]["text"] == \
        "tracing_on is 1, current_tracer is nop (/sys/kernel/tracing)"


def test_tracing_that_is_off_already_is_told(traced, tmp_path):
    (traced.files / "tracing_on").write_text("0\n")
    assert traced.run("-q", "-D", 20, "-b", "0.001", "--json", tmp_path / "report.json").returncode == 2
    texts = [event["text"] for event in report(tmp_path / "report.json")["events"]]
    assert any("tracing is off already" in text and "echo 1 > /sys/kernel/tracing/tracing_on" in text
               for text in texts), texts
    assert "tracing is off already" in traced.refuse("-D", 20, "-b", 1, "--strict")


def test_a_recording_knows_the_breach(ipctop, traced, tmp_path):
    path = tmp_path / "recording"
    assert traced.run("-q", "-D", 20, "-b", "0.001", "--record", path, "--json", tmp_path / "live.json").returncode == 2
    result = ipctop.run("-q", "--replay", path, "--json", tmp_path / "again.json")
    assert (result.returncode, result.stderr) == (2, "")
    live, again = report(tmp_path / "live.json"), report(tmp_path / "again.json")
    for key in ("breach", "ended_by", "events"):
        assert live[key] == again[key], key


def test_what_can_not_be_stopped_is_told(ipctop, covered, tmp_path):
    traced = Traced(ipctop, tmp_path, more="mount --bind /dev/full /sys/kernel/tracing/tracing_on")
    assert traced.run("-q", "-D", 20, "-b", "0.001", "--json", tmp_path / "report.json").returncode == 2
    found = report(tmp_path / "report.json")
    assert found["ended_by"] == "breaktrace" and not found["breach"]["tracing_stopped"]
    assert breach_event(found).endswith("; tracing could not be stopped: No space left on device")


def test_debugfs_serves_where_tracefs_has_none(ipctop, covered, tmp_path):
    traced = Traced(ipctop, tmp_path, "/sys/kernel/debug/tracing")
    assert traced.run("-q", "-D", 20, "-b", "0.001", "--json", tmp_path / "report.json").returncode == 2
    traced.breach(tmp_path / "report.json")


@pytest.mark.usefixtures("nothing_stays")
def test_where_it_can_not_be_had_nothing_starts(plain, covered, tmp_path):
    cases = [({"place": "/sys/kernel/debug/elsewhere"}, ["mount -t tracefs", "as root"]),
             ({"user": NOBODY, "more": "chmod 700 /sys/kernel/tracing"},
              ["/sys/kernel/tracing/tracing_on", "Permission denied", "run as root"]),
             ({"more": "rm /sys/kernel/tracing/trace_marker"}, ["trace_marker"])]
    for number, (more, words) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        sentence = Traced(plain, folder, **more).refuse("-b", 50, "-D", 20)
        assert "-b" in sentence and all(word in sentence for word in words), (sentence, words)


KERNEL = """
machine=$1
on=$2
shift 2
mount -t tracefs tracefs $machine || exit 77
before=$(cat $machine/tracing_on)
instance=$machine/instances/ipctop-test-$$
mkdir $instance || exit 77
trap 'umount /sys/kernel/tracing; rmdir $instance' EXIT
echo 1 > $instance/events/sched/sched_switch/enable
mount --bind $instance /sys/kernel/tracing
echo $on > $instance/tracing_on
"$@"
status=$?
cat $instance/tracing_on
grep -v '^#' $instance/trace | tail -n 200
test "$before" = "$(cat $machine/tracing_on)" || exit 99
exit $status
"""


def in_an_instance(folder, on, command):
    """The command's result, where tracing is an instance of the kernel's own, which is on or off at first."""
    (folder / "machine").mkdir()
    result = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", KERNEL, "sh",
                             folder / "machine", str(on), *command],
                            capture_output=True, text=True, timeout=60, check=False)
    if result.returncode == 77:
        pytest.skip(f"needs tracefs with instances: {result.stderr}")
    return result


@pytest.mark.alone
@pytest.mark.usefixtures("nothing_stays", "covered")
@pytest.mark.parametrize("tool", [[], ["pmqtest"]], ids=["ipctop", "pmqtest"])
def test_tracing_that_was_off_is_not_said_to_be_stopped(ipctop, tmp_path, tool):
    path = tmp_path / "report.json"
    result = in_an_instance(tmp_path, 0, [ipctop.path, *tool, "-q", "-D", "20", "-t", "1", "-b", "1",
                                          "--ipctop-json" if tool else "--json", path])
    assert result.returncode == (0 if tool else 2), result
    found = report(path)
    assert found["ended_by"] == "breaktrace" and not found["breach"]["tracing_stopped"]
    assert breach_event(found).endswith(" us; tracing was off already")
    assert "; tracing was off already\n" in (result.stderr if tool else unwrapped(result.stdout)), result


@pytest.mark.alone
@pytest.mark.usefixtures("nothing_stays", "covered")
def test_the_kernel_s_trace_ends_with_the_line(ipctop, tmp_path):
    result = in_an_instance(tmp_path, 1, [ipctop.path, "-q", "-D", "20", "-t", "1", "-b", "0.001",
                                          "--json", tmp_path / "report.json"])
    assert (result.returncode, result.stderr) == (2, ""), result
    breach = report(tmp_path / "report.json")["breach"]
    on, *trace = result.stdout[result.stdout.rindex("tracing is off\n"):].splitlines()[1:]
    marks = [line for line in trace if "tracing_mark_write" in line]
    assert on == "0" and len(marks) == 1 and LINE.search(marks[0]), trace
    assert re.match(rf" *mq:0\.{breach['member']}-{breach['tid']} ", marks[0]), marks
    assert any("sched_switch" in line for line in trace)
    assert len(trace) - trace.index(marks[0]) < 20      # other CPUs may come to a few lines more


@pytest.mark.needs("whole")
def test_tracing_is_a_difference_between_runs(traced, tmp_path):
    paths = tmp_path / "plain.json", tmp_path / "begun.json", tmp_path / "traced.json"
    args = ("-q", "-m", "pipe", "--pairs", f"{CPU}:{CPU}", "-i", "1ms")
    assert traced.run(*args, "-D", 1, "--json", paths[0]).returncode == 0
    with Run(traced, *args, "-D", 8, "--json", paths[1]) as run:
        run.tid("pipe:0.0")     # the tracing before is known by then
        (traced.files / "current_tracer").write_text("function\n")
        assert run.wait()[0] == 0
    assert traced.run(*args, "-D", 1, "--json", paths[2]).returncode == 0
    plain, begun, last = (report(path) for path in paths)
    assert [found["host"]["tracing"] for found in (plain, begun, last)] == ["off", "function", "function"]
    assert "tracing: off -> function" in [event["text"] for event in begun["events"]]
    assert "tracing off > function" in " ".join(traced.run("compare", paths[0], paths[2]).stdout.split())
    assert traced.run("compare", paths[2], paths[2]).returncode == 0


def test_a_run_that_a_breach_ended_was_traced(traced, tmp_path):
    (traced.files / "current_tracer").write_text("function\n")
    path = tmp_path / "breach.json"
    assert traced.run("-q", "-m", "pipe", "--pairs", f"{CPU}:{CPU}", "-b", 1, "-D", 20, "--json", path).returncode == 2
    found = report(path)
    assert found["ended_by"] == "breaktrace" and found["host"]["tracing"] == "function"
