# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings: replayed they say what the run said, and whatever happens to them, they can be read."""
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time

import pytest

from conftest import CPU, OWN, as_nobody, but_load, environment
from harness import PATIENCE, Run, in_words, read, until, unwrapped
from made import built
from terminal import Terminal

NO_END = "has no end: it was cut off, or is still being written"
QUICK = ("-q", "--tick", "0.1", "-t", "1")


def ticks(ipctop, path):
    """How many ticks can be read, and how many damages were told."""
    result = ipctop.run("export", "jsonl", path)
    assert result.returncode == 0, result
    types = [json.loads(line)["type"] for line in result.stdout.splitlines()]
    assert types[0] == "header"
    return types.count("tick"), types.count("damage")


@pytest.fixture(scope="module")
def recorded(ipctop, public):
    """A run's recording, its JSON and its summary."""
    path, report = public / "recording", public / "report.json"
    live = ipctop.run("-q", "--recorder", "auto", "-m", "mq,signal", "--tick", "0.1", "-D", "2.5", "--record", path, "--json", report)
    assert (live.returncode, but_load(live.stderr)) == (0, ""), live
    path.chmod(0o644)
    return path, report.read_text(encoding="utf-8"), live.stdout


def test_a_replay_says_what_the_run_said(ipctop, recorded, tmp_path):
    path, report, summary = recorded
    again = tmp_path / "again.json"
    result = ipctop.run("-q", "--replay", path, "--json", again)
    assert (result.returncode, result.stdout, result.stderr) == (0, summary, "")
    assert json.loads(again.read_text(encoding="utf-8")) == json.loads(report)


def test_a_replay_knows_payload_and_work(ipctop, tmp_path):
    path, report, again = tmp_path / "recording", tmp_path / "report.json", tmp_path / "again.json"
    live = ipctop.run(*QUICK, "-D", 0.5, "-s", 100, "--work", 64, "--record", path, "--json", report)
    assert live.returncode == 0 and "token of 100 bytes, work of 64 KiB" in live.stdout, live
    result = ipctop.run("-q", "--replay", path, "--json", again)
    assert (result.returncode, result.stdout, result.stderr) == (0, live.stdout, "")
    assert json.loads(again.read_text(encoding="utf-8")) == json.loads(report.read_text(encoding="utf-8"))


@pytest.mark.timing
def test_a_replay_has_the_phases_of_the_run(ipctop, tmp_path, stall):
    path, report, again = tmp_path / "recording", tmp_path / "report.json", tmp_path / "again.json"
    with Terminal(ipctop, "--tick", 0.5, "--refresh", 0.1, "-c", CPU, "--policy", "batch", "--record", path,
                  "--json", report) as terminal:
        terminal.wait_for(lambda text: re.search(r"PHASE 1 'start' [1-9]", text))
        terminal.press("r")
        terminal.wait_within(0.4, stall, lambda text: "PHASE 2 " in text)       # does not wait for a tick
        for key in ("m", "a", "b", "\r"):
            terminal.press(key)
        terminal.wait_for(lambda text: "PHASE 3 'ab'" in text)
        os.sched_setscheduler(terminal.tid("mq:0.0"), os.SCHED_OTHER, os.sched_param(0))
        terminal.wait_for(lambda text: f"PHASE 4 'mq {OWN} member 0: {in_words('BATCH')} -> {in_words('OTHER')}'" in text)
        terminal.settle(0.05, 0.6)
        terminal.press("q")
        assert terminal.finish() == 0
    result = ipctop.run("-q", "--replay", path, "--json", again)
    assert (result.returncode, result.stderr) == (0, ""), result
    live, replayed = (json.loads(file.read_text(encoding="utf-8")) for file in (report, again))
    assert [phase["cause"] for phase in live["phases"]] == ["start", "key", "mark", "change"]
    assert replayed == live


@pytest.mark.parametrize("options", [("-D", "2.3"), ("-D", "0.58", "--refresh", "0.1", "--tick", "0.1")],
                         ids=["the last line before the end", "a last line at the end"])
def test_lines_of_a_replay_are_the_runs(ipctop, tmp_path, options):
    path = tmp_path / "recording"
    live = ipctop.run("--plain", "-t", "1", *options, "--record", path)
    replayed = ipctop.run("--plain", "--replay", path, *options[2:4])
    assert live.returncode == replayed.returncode == 0
    assert replayed.stdout == live.stdout


@pytest.mark.timing
def test_speed_is_kept(ipctop, recorded, stall):
    path = recorded[0]
    start = time.monotonic()
    ipctop.run("-q", "--replay", path, "--speed", "2.5")
    assert 0.9 < time.monotonic() - start < 5 + stall.longest


def test_nobody_may_replay(plain, recorded):
    path, _, summary = recorded
    result = plain.run("-q", "--replay", path, preexec_fn=as_nobody)
    assert (result.returncode, result.stdout) == (0, summary), result


def test_an_export_has_every_tick_and_every_sample(ipctop, recorded):
    path, report, _ = recorded
    lines = [json.loads(line) for line in
             ipctop.run("export", "jsonl", path).stdout.splitlines()]
    report = json.loads(report)
    rings = [line for line in lines if line["type"] == "ring"]
    assert len([line for line in lines if line["type"] == "tick"]) == report["ticks"]
    assert len([line for line in lines if line["type"] == "event"]) == len(report["events"])
    for ring in report["rings"]:
        mine = [line for line in rings if line["ring"] == ring["id"]]
        for name, figure in ring["figures"].items():
            assert sum(line["figures"][name]["count"] for line in mine) == figure["count"], (ring["label"], name)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_an_export_that_nobody_reads(ipctop, recorded, number):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4096)
    os.set_blocking(writer, True)
    with subprocess.Popen([ipctop.path, "export", "jsonl", recorded[0]], stdout=writer) as process:
        try:
            time.sleep(0.5)
            assert process.poll() is None
            process.send_signal(number)
            assert process.wait(PATIENCE) == -number
        finally:
            process.kill()
            os.close(reader)
            os.close(writer)


@pytest.mark.needs("whole")
def test_a_recording_that_grows_has_its_place_before_its_end(ipctop, tmp_path):
    def places(text):
        found = re.search(r"(\d\d):(\d\d):(\d\d)/(\d\d):(\d\d):(\d\d)", text)
        at = [int(part) for part in found.groups()] if found else [0] * 6
        return [at[n] * 3600 + at[n + 1] * 60 + at[n + 2] for n in (0, 3)]

    path = tmp_path / "recording"
    with Run(ipctop, *QUICK, "-D", 600, "--record", path) as run:
        # The replay ends where it reaches a run that stalls: it begins so much behind it.
        assert until(lambda: path.exists() and ticks(ipctop, path)[0] >= 60)
        with Terminal(ipctop, "--replay", path, "--refresh", 0.1) as terminal:
            first = terminal.wait_for(lambda text: places(text)[1])
            at, end = terminal.wait_for(lambda text: places(text)[0] > first and places(text), first + PATIENCE)
            assert at <= end, terminal.text()
        run.process.send_signal(signal.SIGTERM)
        assert run.wait()[0] == 0


def test_kill_9_loses_one_tick_at_most(ipctop, tmp_path):
    path = tmp_path / "recording"
    run = Run(ipctop, *QUICK, "--record", path)
    try:
        assert until(lambda: path.exists() and ticks(ipctop, path)[0] >= 8)
        seen = ticks(ipctop, path)[0]
        run.process.send_signal(signal.SIGKILL)
        run.process.wait(PATIENCE)
        assert run.left() == {}
    finally:
        run.kill_all()
    after, damages = ticks(ipctop, path)
    assert after >= seen and damages == 0
    result = ipctop.run("-q", "--replay", path, "--json", tmp_path / "cut.json")
    assert (result.returncode, result.stderr) == (0, f"ipctop: {path}: {NO_END}\n"), result
    assert json.loads((tmp_path / "cut.json").read_text())["ended_by"] == "the recording is cut off"


def is_recording(ipctop, path):
    return ipctop.run("-q", "--replay", path).returncode == 0


def test_killed_at_any_moment_it_can_be_read_or_is_no_recording_yet(ipctop, tmp_path):
    paths = [tmp_path / str(number) for number in range(8)]
    for number, path in enumerate(paths):
        with Run(ipctop, *QUICK, "--record", path) as run:
            assert until(path.exists, step=0.001)
            time.sleep(number ** 2 * 0.01)
            if path == paths[-1]:
                assert until(lambda path=path: is_recording(ipctop, path))
            run.process.send_signal(signal.SIGKILL)
            run.process.wait(PATIENCE)
    for path in paths:
        result = ipctop.run("-q", "--replay", path)
        if result.returncode == 0:
            assert result.stderr == f"ipctop: {path}: {NO_END}\n" and ticks(ipctop, path)[1] == 0, result
        else:
            assert result.stderr == f"ipctop: {path}: not a recording of ipctop\n", result
    assert result.returncode == 0, "the last one had time"


def time_of_last_tick(ipctop, path):
    """In seconds since the run's start."""
    lines = [json.loads(line) for line in ipctop.run("export", "jsonl", path).stdout.splitlines()]
    return [line["at_ns"] for line in lines if line["type"] == "tick"][-1] / 1e9


def test_what_is_cut_off_is_told_and_has_the_time_of_its_ticks(ipctop, recorded, tmp_path):
    contents, path = recorded[0].read_bytes(), tmp_path / "cut"
    first_line = contents.index(b"\n") + 1
    header = ipctop.run("export", "jsonl", recorded[0]).stdout.splitlines()[0]
    times, last_ticks = [], []      # of the whole one, and of what is left
    for size, told, status in ((len(contents), None, 0), (len(contents) - 1, NO_END, 0), (len(contents) // 2, NO_END, 0),
                               (len(header) // 2, f"its header is damaged (at byte {first_line})", 1)):
        path.write_bytes(contents[:size])
        result = ipctop.run("-q", "--replay", path)
        assert result.returncode == status, result
        assert result.stderr == (f"ipctop: {path}: {told}\n" if told else ""), result
        times += re.findall(r"^([\d.]+) s, ", result.stdout, re.M)
        if status == 0:
            last_ticks.append(time_of_last_tick(ipctop, path))
    assert times == [f"{last:.1f}" for last in last_ticks]
    whole, unclosed, half = last_ticks
    assert whole == unclosed > 2.4 and 0 < half < whole


def test_a_damaged_entry_is_told_with_its_place_and_skipped(ipctop, recorded, tmp_path):
    whole, path = ticks(ipctop, recorded[0])[0], tmp_path / "damaged"
    place, left = len(recorded[0].read_bytes()) // 2, whole
    while left == whole:        # events and facts of the machine may be between the ticks there
        contents = bytearray(recorded[0].read_bytes())
        contents[place] ^= 0x55
        path.write_bytes(contents)
        left, damages = ticks(ipctop, path)
        assert damages == 1
        place += 1000 * (left == whole)  # facts of the machine take tens of thousands of bytes
    assert left == whole - 1
    result = ipctop.run("-q", "--replay", path)
    assert result.returncode == 0 and result.stderr.startswith(f"ipctop: {path}: damaged at byte "), result
    told = int(result.stderr.split("damaged at byte ")[1].split(":")[0])
    assert told <= place
    assert f"the recording is damaged at byte {told}" in result.stdout


@pytest.mark.needs("root", "unshare --mount")
def test_a_disk_that_is_full_ends_the_recording_and_not_the_run(ipctop, tmp_path):
    run = """mount -t tmpfs -o size=16k none "$1" || exit 99
        "$2" -q -t 1 --tick 0.05 -D 4 --record "$1/recording" --json "$3"; status=$?
        "$2" export jsonl "$1/recording" | grep -c '"type":"tick"' >&2
        exit $status"""
    folder, report = tmp_path / "disk", tmp_path / "report.json"
    folder.mkdir()
    result = subprocess.run(["unshare", "--mount", "sh", "-c", run, "sh", folder, ipctop.path, report],
                            capture_output=True, text=True, check=False)
    if result.returncode == 99:
        pytest.skip(f"needs a file system of its own: {result.stderr}")
    told, *more = result.stderr.splitlines()
    n = next(line for line in more if line.isdigit())
    assert result.returncode == 1 and int(n) > 0, result
    assert f"ipctop: {folder}/recording: {NO_END}" in more
    assert told == f"ipctop: can't record to {folder}/recording: No space left on device"
    seen = json.loads(report.read_text(encoding="utf-8"))
    assert seen["duration_ns"] > 3.9e9 and seen["ticks"] > int(n)
    assert [event["kind"] for event in seen["events"] if "No space left" in event["text"]] == ["warning"]


def test_a_reader_that_goes_away_ends_the_recording_and_not_the_run(ipctop, tmp_path):
    path = tmp_path / "fifo"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    process = ipctop.start(*QUICK, "-D", "8", "--record", path)
    assert until(lambda: select.select([reader], [], [], 0)[0])
    os.close(reader)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and but_load(err) == f"ipctop: can't record to {path}: Broken pipe\n", err
    assert f" warning: can't record to {path}: Broken pipe\n" in unwrapped(out), out
    assert float(re.search(r"^([\d.]+) s, figure", out, re.M)[1]) >= 8, out


def test_a_file_that_is_recorded_to_is_no_other_runs(ipctop, tmp_path):
    path = tmp_path / "recording"
    with Run(ipctop, *QUICK, "--record", path) as run:
        assert until(lambda: path.exists() and path.stat().st_size)
        sentence = ipctop.refuse(*QUICK, "-D", 0.2, "--record", path)
        assert sentence == f"can't record to {path}: another run records there: name another file"
        run.process.send_signal(signal.SIGTERM)
        status, out, err = run.wait()
        assert (status, but_load(err)) == (0, "")
    again = ipctop.run("-q", "--replay", path)
    assert (again.returncode, again.stdout, but_load(again.stderr)) == (0, out, "")
    assert ipctop.run(*QUICK, "-D", 0.2, "--record", path).returncode == 0


def test_what_can_not_be_read_or_written_is_refused_at_once(ipctop, tmp_path):
    assert ipctop.refuse("export", "csv", "") == "can't read '' (no file name): No such file or directory"
    other = tmp_path / "other"
    other.write_text("ipctop recording 6.3\n")
    assert "is in format 6.3" in ipctop.refuse("--replay", other)
    other.write_text("ipctop recording 4.0\n")
    assert "is in format 4.0" in ipctop.refuse("--replay", other)
    assert "not a recording" in ipctop.refuse("--replay", __file__)
    assert "No such file" in ipctop.refuse("--replay", tmp_path / "none")
    assert "No such file" in ipctop.refuse("--record", tmp_path / "none" / "recording")


# --- files that take long, or for ever ---

def test_only_regular_files_are_read(ipctop, recorded, tmp_path):
    fifo, good = tmp_path / "fifo", recorded[0]
    os.mkfifo(fifo)
    for path in (fifo, "/dev/zero", tmp_path):
        for args in (["--replay", path], ["--baseline", path], ["--replay", good, "--baseline", path],
                     ["compare", path, good], ["compare", good, path]):
            assert ipctop.refuse(*args) == f"{path}: not a regular file"


def add_hole(path):
    """A TiB, which takes minutes to read on the fastest machine, and no place on the disk."""
    try:
        os.truncate(path, 1 << 40)
    except OSError as error:
        pytest.skip(f"needs a file system with files of 1 TiB: {error}")


def has_read(pid, mib):
    found = re.search(rb"^rchar: (\d+)", read(f"/proc/{pid}/io"), re.M)
    return found and int(found[1]) > mib << 20


def reads_hole(pid):
    """Whether it has read more than there is before the hole."""
    return has_read(pid, 100)


@pytest.mark.parametrize("args, number", [
    (["-q", "--replay"], signal.SIGINT), (["-q", "-t", "1", "--baseline"], signal.SIGTERM),
    (["compare"], signal.SIGHUP), (["export", "jsonl"], signal.SIGQUIT),
], ids=["replay", "baseline", "compare", "export"])
def test_a_signal_ends_the_reading_of_a_file_without_end(ipctop, recorded, tmp_path, args, number):
    path = tmp_path / "large"
    path.write_bytes(recorded[0].read_bytes())
    add_hole(path)
    with Run(ipctop, *args, path, *(["x"] if args == ["compare"] else []), stdout=subprocess.DEVNULL) as run:
        assert until(lambda: reads_hole(run.pid)), run.process.poll()
        run.process.send_signal(number)
        assert run.wait()[0] == -number
        assert run.left() == {}


@pytest.mark.parametrize("args", [["compare"], ["-q", "-t", "1", "--baseline"]], ids=["compare", "baseline"])
def test_a_signal_ends_the_reading_of_a_large_summary(ipctop, tmp_path, args):
    """One member of its object replaces another, which takes seconds to read, and no memory."""
    path, members = tmp_path / "large.json", b'"a":0,' * (4 << 20)
    with path.open("wb") as file:
        file.write(b"{")
        for _ in range(10):     # 240 MiB
            file.write(members)
    with Run(ipctop, *args, path, *(["x"] if args == ["compare"] else []), stdout=subprocess.DEVNULL) as run:
        assert until(lambda: has_read(run.pid, 1)), run.process.poll()
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == -signal.SIGINT
        assert run.left() == {}
    path.unlink()


@pytest.mark.parametrize("end", ["signal", "q"])
def test_a_recording_that_becomes_large_while_it_plays_ends_at_once_too(ipctop, recorded, tmp_path, end):
    path = tmp_path / "large"
    whole = recorded[0].read_bytes()
    path.write_bytes(whole[:len(whole) * 3 // 4])
    lines = [] if end == "q" else ["--plain"]
    with Terminal(ipctop, "--replay", path, "--speed", 0.2, "--refresh", 0.1, *lines) as terminal:
        terminal.wait_for(lambda text: "mq" in text)
        add_hole(path)
        assert until(lambda: not terminal.pump(0) and reads_hole(terminal.pid)), terminal.text()
        if end == "q":
            terminal.press("q")
        else:
            terminal.process.send_signal(signal.SIGINT)
        assert until(lambda: not terminal.pump(0) and terminal.process.poll() is not None)
        assert terminal.process.returncode == 0


# A terminal obeys C0 and C1; the others turn the direction, or the line, of what a person reads.
COMMANDS = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Each way out of the program, and the texts that are shown there.
MACHINE = ["host", "kernel", "preempt", "isolated", "nohz", "later", "clock", "load"]
WAYS_OUT = [
    (["-q"], [*MACHINE, "mech", "label", "reason", "event", "mark"]),
    (["--plain"], [*MACHINE, "mech", "label", "reason", "event", "mark"]),
    (["-q", "--json", "-"], [*MACHINE, "pairs", "mech", "label", "title", "reason", "event", "mark", "end"]),
    (["export", "jsonl"], [*MACHINE, "pairs", "mech", "label", "title", "reason", "event", "mark"]),
    (["export", "csv"], ["mech", "label", "mark"]),
    (["export", "hgrm"], []),
    (["export", "cyclictest"], ["mech", "label"]),
    (["--render", "300x60"], ["host", "kernel", "preempt", "isol", "mech", "label", "load", "reason", "event", "mark"]),
    (["--render", "300x60", "--view", "detail"], [*MACHINE, "own", "label", "title", "mark"]),
]


@pytest.mark.parametrize("args, texts", WAYS_OUT, ids=[" ".join(args) for args, _ in WAYS_OUT])
def test_no_text_of_a_recording_commands_the_terminal(ipctop, tmp_path, args, texts):
    path, kinds = tmp_path / "hostile", 0
    while subprocess.run([built("test_text"), "--hostile", str(kinds), path], check=False).returncode == 0:
        command = [*args, path] if args[0] == "export" else ["--replay", path, *args]
        out = subprocess.run([ipctop.path, *command], env=environment({"LC_ALL": "C.UTF-8"}),
                             capture_output=True, check=True, timeout=60)
        shown = out.stdout.decode("utf-8").replace("\r\n", "\n")      # fails where it is none
        assert not COMMANDS.search(shown), (kinds, COMMANDS.search(shown), shown)
        assert out.stderr == b"", (kinds, out)
        assert not [text for text in texts if f"({text}" not in shown], (kinds, shown)
        kinds += 1
    assert kinds > 10


@pytest.mark.parametrize("args", [["--replay"], ["--replay", "/dev/null", "--json"], ["--record"], ["--json"], ["--config"]],
                         ids=lambda args: args[-1])
def test_no_name_of_a_file_commands_the_terminal(ipctop, args):
    for name in (b"/nowhere/\x1b]0;own\a", b"/nowhere/\xc2\x9b2J", b"/nowhere/\x9b2J", "/nowhere/\u202eown".encode()):
        out = subprocess.run([ipctop.path, *args, name], env=environment(), capture_output=True, check=False, timeout=60)
        sentence = out.stderr.decode("utf-8")
        assert out.returncode == 1 and "/nowhere/?" in sentence and not COMMANDS.search(sentence), out


def test_what_is_cut_off_is_said_of_a_name_that_commands_nothing(ipctop, recorded, tmp_path):
    path = tmp_path / "\x1b[2J\u202e"
    path.write_bytes(recorded[0].read_bytes()[:-100])
    result = ipctop.run("-q", "--replay", path)
    assert result.returncode == 0 and result.stderr == f"ipctop: {tmp_path}/?[2J?: {NO_END}\n", result


def test_a_report_never_takes_the_place_of_the_recording_that_it_tells_of(ipctop, recorded, tmp_path):
    path, link = tmp_path / "recording", tmp_path / "link"
    path.write_bytes(recorded[0].read_bytes())
    link.symlink_to(path)
    for name in (path, link, f"{tmp_path}/./recording"):
        said = ipctop.refuse("--replay", path, "-q", "--json", name)
        assert said == f"--json {name}: --replay reads there; name another file"
    assert path.read_bytes() == recorded[0].read_bytes()
    for name in (tmp_path / "new", f"{tmp_path}/./new"):
        said = ipctop.refuse("--record", tmp_path / "new", "-q", "--json", name)
        assert said == f"--json {name}: --record writes there; name another file"
    assert not (tmp_path / "new").exists()


def test_a_dashboard_replays_and_stays_until_q(ipctop, recorded):
    path, seconds = recorded[0], json.loads(recorded[1])["duration_ns"] // 10 ** 9
    with Terminal(ipctop, "--replay", path, "--speed", "10") as terminal:
        terminal.wait_for(lambda text: f"00:00:{seconds:02}" in text and "Quit" in text)
        time.sleep(0.5)
        assert terminal.process.poll() is None
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.whole() == ""
