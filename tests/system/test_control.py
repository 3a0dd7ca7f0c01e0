# SPDX-License-Identifier: GPL-2.0-or-later
"""The control socket: what commands do, what is refused, and clients that stall, lie or die."""
import contextlib
import fcntl
import itertools
import json
import os
import pathlib
import random
import re
import resource
import signal
import socket
import stat
import subprocess
import threading
import time

import jsonschema
import pytest

from conftest import ROOT, cpus
from harness import PATIENCE, Run, report, until
from terminal import Terminal
from test_keys import HELP

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "schema" / "ipctop-control.schema.json").read_text(encoding="utf-8")))
ARGS = ["-q", "-m", "pipe", "-t", 1, "-i", "5ms", "--tick", 0.1]


class Client:
    """A connection: a line for each request."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        assert until(lambda: self.connects(path)), path
        self.lines = self.socket.makefile("r", encoding="utf-8")

    def connects(self, path):
        """Not yet, where too many others want to at once, or where a killed run has left the path, which is taken over."""
        try:
            self.socket.connect(str(path))
        except (BlockingIOError, ConnectionRefusedError, FileNotFoundError):
            return False
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()

    def send(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def read(self):
        line = json.loads(self.lines.readline())
        SCHEMA.validate(line)
        return line

    def ask(self, command, *arguments):
        self.send(json.dumps({"command": command, "arguments": arguments}))
        return self.read()


@pytest.fixture(name="path")
def socket_path():
    """A short path, wherever temporary files are: the name of a socket may have 107 bytes."""
    folder = pathlib.Path(f"/tmp/ipctop-control-{os.getpid()}-{random.getrandbits(32):x}")
    folder.mkdir(mode=0o700)
    yield folder / "control"
    for left in folder.iterdir():
        left.unlink()
    folder.rmdir()


def await_status(path):
    """Until the rings run, a client has to wait."""
    assert until(path.exists)

    def measures():
        with Client(path) as client:
            return client.ask("status").get("now_ns", 0) > 0
    assert until(measures)


def ctl(ipctop, path, *words):
    return ipctop.run("ctl", path, *words, timeout=PATIENCE)


def test_a_script_marks_its_own_steps(ipctop, path, tmp_path):
    summary, recording = tmp_path / "run.json", tmp_path / "run.rec"
    with Run(ipctop, *ARGS, "--control", path, "--json", summary, "--record", recording) as run:
        await_status(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        replies = []
        for words in (["mark", "isolated"], ["phase"], ["mark", "two words"], ["baseline", "2"]):
            result = ctl(ipctop, path, *words)
            assert result.returncode == 0 and result.stderr == "", result
            replies.append(json.loads(result.stdout))
            SCHEMA.validate(replies[-1])
        assert [reply.get("phase") for reply in replies] == [2, 3, 4, None]
        status = json.loads(ctl(ipctop, path, "status").stdout)
        SCHEMA.validate(status)
        assert status["phase"]["name"] == "two words" and status["baseline"] == 2 and status["pid"] == run.pid
        rings = json.loads(ctl(ipctop, path, "rings").stdout)
        SCHEMA.validate(rings)
        assert [(ring["name"].split(":")[0], len(ring["members"])) for ring in rings["rings"]] == [("pipe", 2)]
        assert ctl(ipctop, path, "quit").returncode == 0
        assert run.wait()[0] == 0
    assert not path.exists()
    found = report(summary)
    assert [phase["name"] for phase in found["phases"]] == ["start", "isolated", "", "two words"]
    for reply, phase in zip(replies, found["phases"][1:]):
        # A command within a millisecond of a tick makes none of its own.
        assert reply["begins_ns"] == phase["start_ns"] and reply["given_ns"] < reply["begins_ns"] + 1000000
    marks = {event["at_ns"] for event in found["events"] if event["kind"] == "mark"}
    assert marks == {reply["given_ns"] for reply in replies[:3]}
    again = tmp_path / "again.json"
    ipctop.run("--replay", recording, "-q", "--speed", 0, "--json", again, timeout=PATIENCE)
    assert report(again)["events"] == found["events"]


def rings_of(ipctop, path):
    rings = json.loads(ctl(ipctop, path, "rings").stdout)
    SCHEMA.validate(rings)
    return {ring["ring"]: ring for ring in rings["rings"]}


def test_rings_come_and_go(ipctop, path, tmp_path):
    summary, recording, again = tmp_path / "run.json", tmp_path / "run.rec", tmp_path / "again.json"
    lines = tmp_path / "run.jsonl"
    with Run(ipctop, *ARGS, "--control", path, "--json", summary, "--record", recording, "--export",
             f"jsonl={lines}") as run:
        await_status(path)
        added = json.loads(ctl(ipctop, path, "add", "-m", "mq,futex", "--pairs", "0:0", "-i", "2ms").stdout)
        SCHEMA.validate(added)
        assert (added["first_ring"], added["n_rings"]) == (1, 2)
        assert until(lambda: all(ring["laps"] > 2 for ring in rings_of(ipctop, path).values()))
        for words in (["pause", "futex:0>0"], ["resume", "futex:0>0"], ["mark", "b"], ["remove", "mq:0>0"]):
            assert ctl(ipctop, path, *words).returncode == 0, words
        assert until(lambda: rings_of(ipctop, path)[1]["state"] == "gone")
        refused = ctl(ipctop, path, "remove", "mq:0>0")
        assert refused.returncode == 1 and "mq:0>0: there is no such ring" in refused.stderr
        slow = json.loads(ctl(ipctop, path, "add", "-m", "pipe", "--pairs", "0:0", "-i", "200ms").stdout)
        assert slow["first_ring"] == 3
        assert ctl(ipctop, path, "quit").returncode == 0
        assert run.wait()[0] == 0
    found = report(summary)
    assert [(ring["id"], ring["mechanism"], "removed_ns" in ring) for ring in found["rings"]] == [
        (0, "pipe", False), (1, "mq", True), (2, "futex", False), (3, "pipe", False)]
    assert found["rings"][1]["laps"] > 2
    ipctop.run("--replay", recording, "-q", "--speed", 0, "--json", again, timeout=PATIENCE)
    replayed = report(again)
    for name in ("rings", "phases", "events", "turns", "turn_ns"):
        assert replayed[name] == found[name], name
    assert found["turn_ns"] == 8 * 200000000
    kinds = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert [line["ring"]["id"] for line in kinds if line["type"] == "add"] == [1, 2, 3]
    assert [line["ring"] for line in kinds if line["type"] == "remove"] == [1]


def test_a_command_names_several_rings(ipctop, path, tmp_path):
    summary = tmp_path / "run.json"
    with Run(ipctop, *ARGS, "--control", path, "--json", summary) as run:
        await_status(path)
        added = ctl(ipctop, path, "add", "mq,futex,svsem", "0>0", "-i", "2ms")
        assert json.loads(added.stdout)["n_rings"] == 3, added
        assert until(lambda: all(ring["laps"] > 2 for ring in rings_of(ipctop, path).values()))
        assert ctl(ipctop, path, "pause", "1-2", "svsem:0>0").returncode == 0
        assert "ring 1 is paused already" in ctl(ipctop, path, "pause", "1-3").stderr
        assert ctl(ipctop, path, "pause", "all").returncode == 0, "ring 0 was not"
        assert ctl(ipctop, path, "resume", "mq", "3").returncode == 0
        for words in (["mq", "7-9"], ["nothing"], ["1", "pipe:8>8"]):
            refused = ctl(ipctop, path, "remove", *words)
            assert refused.returncode == 1 and "there is no such ring" in refused.stderr, refused
        assert "the words are: remove RING..." in ctl(ipctop, path, "remove").stderr
        assert ctl(ipctop, path, "remove", "1-3").returncode == 0
        assert until(lambda: [ring["state"] for ring in rings_of(ipctop, path).values()][1:] == ["gone"] * 3)
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0
    texts = [event["text"] for event in report(summary)["events"]]
    for text in ("mq 0>0, futex 0>0, svsem 0>0 were added", "mq 0>0, futex 0>0, svsem 0>0 are paused",
                 "ring 0, pipe ", "mq 0>0, svsem 0>0 go on", "mq 0>0, futex 0>0, svsem 0>0 are removed"):
        assert any(found.startswith(text) for found in texts), (text, texts)


def test_rings_that_can_not_be_added_are_refused(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path):
        await_status(path)
        for words, sentence in ((["-m", "nothing"], "add: -m nothing: "), (["-D", "1m"], "add: --duration: "),
                                (["--pairs", "0:9999"], "add: --pairs 0:9999"), (["mq", "0>9999"], "add: --pairs 0:9999"), (["x y"], "add: its words have no")):
            refused = ctl(ipctop, path, "add", *words)
            assert refused.returncode == 1 and refused.stderr.startswith(f"ipctop: ctl: {sentence}"), refused
        assert list(rings_of(ipctop, path)) == [0]


def test_a_turn_is_held_if_a_ring_of_it_can_run(ipctop, path):
    with Run(ipctop, *ARGS[:1], "-m", "pipe,mq", "-t", 1, "-i", "5ms", "--tick", 0.1, "--control", path):
        await_status(path)
        assert ctl(ipctop, path, "hold", 1).returncode == 0 and ctl(ipctop, path, "pause", 0).returncode == 0
        refused = ctl(ipctop, path, "hold", 0)
        assert refused.returncode == 1 and "hold: the turn can't be held: all of its rings are paused" in refused.stderr
        assert until(lambda: rings_of(ipctop, path)[1]["state"] == "running"), "the hold before stays"
        assert ctl(ipctop, path, "resume", 0).returncode == 0 and ctl(ipctop, path, "hold", 0).returncode == 0
        assert until(lambda: rings_of(ipctop, path)[0]["state"] == "running")


@pytest.mark.parametrize("victims", ["front", "keeper", "both"])
def test_nothing_is_left_of_rings_being_added_to_a_killed_run(ipctop, path, victims):
    for round_number in range(int(os.environ.get("IPCTOP_ROUNDS", "3"))):
        with Run(ipctop, *ARGS, "--control", path) as run:
            await_status(path)
            keeper = int(subprocess.run(["pgrep", "-P", str(run.pid), "ipctop-keeper"], stdout=subprocess.PIPE,
                                        text=True, check=True).stdout)

            def add():
                with Client(path) as client:
                    for _ in range(20):
                        client.send(json.dumps({"command": "add", "arguments": ["-m", "mq,svsem", "--pairs", "0:0"]}))
                        if not client.lines.readline():
                            break
            adding = threading.Thread(target=lambda: suppress_lost(add))
            adding.start()
            time.sleep(0.02 * (round_number % 7 + 1))
            for pid in {"front": [run.pid], "keeper": [keeper], "both": [run.pid, keeper]}[victims]:
                os.kill(pid, signal.SIGKILL)
            run.process.wait()
            adding.join()
        path.unlink(missing_ok=True)
        assert until(lambda: not pathlib.Path(f"/proc/{keeper}").exists())
        owner = f"{keeper}"
        if victims == "both":
            ipctop.run("-q", *ARGS[1:], "-D", 0.1, timeout=PATIENCE)
        queues = pathlib.Path("/dev/mqueue")
        assert not queues.is_dir() or not [name for name in queues.iterdir() if owner in name.name]


def suppress_lost(function):
    try:
        function()
    except (OSError, ValueError):
        pass


REFUSALS = [
    (["mark"], "mark: takes one word, NAME"), (["status", "x"], "status: takes no other word"),
    (["hold"], "hold: there are no turns"), (["nothing"], "nothing: no such command"),
    (["seek", "1"], "seek: only a replay can do that"), (["baseline", "7"], "baseline 7: there is no such phase"),
    (["baseline", "x"], "baseline x: "), (["phase", "1"], "phase: takes no other word"),
    (["save", "/nowhere/"], "save: /nowhere/: a file name must follow the directory"),
]

LIES = ["", "{", "[]", "1", '"quit"', "null", '{"command":1}', '{"command":"status"}x', '{"arguments":[]}',
        '{"command":"mark","arguments":"x"}', '{"command":"mark","arguments":[1]}', '{"command":"mark","x":[]}',
        '{"command":"mark","arguments":["a"],"command":"quit"}', '{"command":"quit","comman\\u0064":"quit"}',
        '{"command":"mark","arguments":["a"],"arguments":["b"]}', '{"command":"mark","arguments":[[]]}', '{"command":"mark","arguments":["a","b"]}', "\x00" * 8, '{"command":"mark","arguments":["x"]}\x00',
        "[" * 2000,
        json.dumps({"command": "mark", "arguments": ["x"] * 100})]


def test_what_can_not_be_obeyed_is_refused_in_one_sentence(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path):
        await_status(path)
        for words, sentence in REFUSALS:
            result = ctl(ipctop, path, *words)
            assert result.returncode == 1 and result.stdout == "", result
            assert result.stderr.startswith(f"ipctop: ctl: {sentence}") and result.stderr.count("\n") == 1, result
        with Client(path) as client:
            for lie in LIES:
                client.send(lie)
                assert client.read()["ok"] is False, lie
            assert client.ask("status")["phase"]["number"] == 1
            assert client.ask("mark", 'a": "\\":')["ok"] and client.ask("status")["phase"]["name"] == 'a": "\\":'
        with Client(path) as client:
            client.socket.sendall(b"x" * 4096)
            assert client.read()["error"] == "a request has at most 4095 bytes"
            assert client.lines.readline() == ""


def read_until(client, true):
    """Lines, until what was said is as it must become."""
    said = []
    while not true(said):
        said.append(client.read())
    return said


def test_events_follow(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path) as run:
        await_status(path)
        with Client(path) as client, Client(path) as other:
            assert client.ask("events")["ok"]
            given = other.ask("mark", "a")["given_ns"]
            mark = {"type": "event", "at_ns": given, "kind": "mark", "text": "phase 2 'a'"}
            assert read_until(client, lambda said: mark in said)    # a busy machine has other events, too
            client.send('{"command":"mark","arguments":["b"]}\n{"command":"status"}')
            assert read_until(client, lambda said: len([line for line in said if line.get("ok")]) == 2 and
                              "phase 3 'b'" in [line.get("text") for line in said])
            other.ask("quit")
            assert run.wait()[0] == 0
            assert all(json.loads(line)["type"] in ("event", "spike") for line in client.lines)    # up to the end


def test_what_comes_while_the_run_ends_is_refused(ipctop, path, tmp_path):
    with Run(ipctop, *ARGS, "--control", path, "--json", tmp_path / "run.json") as run:
        await_status(path)
        os.kill(run.keeper(), signal.SIGSTOP)   # its patience with the keeper makes the end last
        with Client(path) as client:
            assert client.ask("quit")["ok"]
            refused = set()
            with contextlib.suppress(ConnectionError, json.JSONDecodeError):    # once it has ended
                for words in itertools.cycle((["add", "pipe", "0:0"], ["load", "fork:0:1"], ["size", "4k", "all"])):
                    reply = client.ask(*words)
                    assert reply["ok"] is False, reply
                    refused.add(words[0])
        assert run.wait()[0] == 0
    assert refused and report(tmp_path / "run.json")["ended_by"] == "quit"


def test_without_a_free_descriptor_what_is_known_of_the_machine_stays(ipctop, path, tmp_path):
    """As where clients have all of them."""
    with Run(ipctop, *ARGS, "--control", path, "--json", tmp_path / "run.json") as run:
        await_status(path)
        with Client(path) as client:
            def seconds():
                return client.ask("status")["now_ns"] // 1_000_000_000

            def wait(more):
                wanted = seconds() + more
                assert until(lambda: seconds() >= wanted)

            wait(2)
            limits = resource.prlimit(run.pid, resource.RLIMIT_NOFILE)
            used = {int(fd) for fd in os.listdir(f"/proc/{run.pid}/fd")}
            free = next(fd for fd in itertools.count() if fd not in used)
            resource.prlimit(run.pid, resource.RLIMIT_NOFILE, (free, limits[1]))
            wait(3)
            resource.prlimit(run.pid, resource.RLIMIT_NOFILE, limits)
            wait(2)
            assert client.ask("quit")["ok"]
        assert run.wait()[0] == 0
    found = report(tmp_path / "run.json")
    lost = [event["text"] for event in found["events"] if re.search(r" -> (absent|unknown)$", event["text"])]
    assert not lost, lost
    assert all(phase.get("interrupts_per_second", 0) < 1e9 for phase in found["phases"]), found["phases"]


def test_a_client_that_only_closed_its_sending_side_gets_its_reply(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path):
        await_status(path)
        with Client(path) as client:
            client.send('{"command":"phase"}')
            client.send('{"command":"status"}')
            client.socket.shutdown(socket.SHUT_WR)
            assert client.read()["phase"] == 2 and client.read()["phase"]["number"] == 2
            assert client.lines.readline() == ""


def test_a_path_is_taken_over_from_a_killed_run_and_from_no_one_else(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path) as run:
        await_status(path)
        assert f"--control {path}: another program listens there" in ipctop.refuse(*ARGS, "--control", path)
        os.kill(run.pid, signal.SIGKILL)
        run.process.wait()
    assert path.exists()
    refused = ctl(ipctop, path, "status")
    assert refused.returncode == 1 and "no ipctop listens there any more" in refused.stderr
    with Run(ipctop, *ARGS, "--control", path) as run:
        await_status(path)
        run.process.send_signal(signal.SIGTERM)
        assert run.wait()[0] == 0
    path.write_text("mine", encoding="utf-8")
    assert f"--control {path}: is there already, and is no socket: choose another path" in ipctop.refuse(*ARGS, "--control", path)
    assert path.read_text(encoding="utf-8") == "mine"
    assert "/nowhere/at" in ipctop.refuse(*ARGS, "--control", "/nowhere/at/all")
    assert "the name is too long" in ipctop.refuse(*ARGS, "--control", path.parent / ("x" * 120))


def test_one_start_at_a_time_takes_over_a_path(ipctop, path):
    """Until its socket listens it has locked the directory, so that no other start takes that for one that was left."""
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    inode = path.stat().st_ino
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        assert "its directory can't be locked to replace it" in ipctop.refuse(*ARGS, "--control", path)
        assert path.stat().st_ino == inode
        with Run(ipctop, *ARGS, "--control", path):
            time.sleep(0.3)
            assert path.stat().st_ino == inode
            fcntl.flock(folder, fcntl.LOCK_UN)
            await_status(path)
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with Run(ipctop, *ARGS, "--control", path):     # nothing was left there
            await_status(path)
    finally:
        os.close(folder)
    assert list(path.parent.iterdir()) == []


@pytest.mark.needs("root")
def test_other_users_are_refused(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path):
        await_status(path)
        path.parent.chmod(0o755)
        path.chmod(0o666)       # as if somebody had opened it
        told = subprocess.run(["python3", "-c", "import socket,sys; s=socket.socket(socket.AF_UNIX);"
                               "s.connect(sys.argv[1]); print(s.recv(999).decode(), end='')", path],
                              preexec_fn=lambda: os.setuid(65534), capture_output=True, text=True, check=False)
        assert json.loads(told.stdout)["error"] == "only the user of this ipctop, and root, may connect", told
        path.chmod(0o600)


def now_ns(ipctop, path):
    return json.loads(ctl(ipctop, path, "status").stdout)["now_ns"]


def test_a_screen_goes_on_without_rings(ipctop, path):
    with Terminal(ipctop, "-m", "pipe", "-t", 1, "-f", "--tick", 0.1, "--control", path) as terminal:
        await_status(path)
        assert until(lambda: rings_of(ipctop, path)[0]["laps"] > 0)
        os.kill(rings_of(ipctop, path)[0]["members"][0]["tid"], signal.SIGKILL)
        assert until(lambda: rings_of(ipctop, path)[0]["state"] == "failed")
        failed_ns = now_ns(ipctop, path)
        assert until(lambda: now_ns(ipctop, path) > failed_ns + 500_000_000)
        terminal.press("q")
        assert terminal.finish() == 1    # its only ring failed


def test_a_mark_after_the_end_begins_a_phase_of_no_length(ipctop, path, tmp_path):
    summary = tmp_path / "run.json"
    with Run(ipctop, *ARGS, "-D", 3, "--no-auto-phase", "--control", path, "--json", summary) as run:
        await_status(path)
        with Client(path) as client:
            os.kill(run.process.pid, signal.SIGSTOP)
            client.send('{"command": "mark", "arguments": ["late"]}')
            time.sleep(3.2)
            os.kill(run.process.pid, signal.SIGCONT)
            assert run.wait()[0] == 0
    late = report(summary)["phases"][1:]
    assert [phase["end_ns"] - phase["start_ns"] for phase in late] in ([], [0]), late
    assert all(phase["interrupts_per_second"] >= 0 for phase in late if "interrupts_per_second" in phase), late


def test_read_only_looks_and_does_not_act(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path, "--read-only") as run:
        await_status(path)
        for words in (["mark", "x"], ["phase"], ["quit"], ["baseline", "1"]):
            result = ctl(ipctop, path, *words)
            assert result.returncode == 1 and f"{words[0]}: --read-only is set" in result.stderr
        assert json.loads(ctl(ipctop, path, "status").stdout)["read_only"] is True
        run.process.send_signal(signal.SIGTERM)
        assert run.wait()[0] == 0
    with Terminal(ipctop, "-m", "pipe", "-t", 1, "--read-only") as terminal:
        terminal.wait_for(lambda text: "LIVE" in text)
        for key in "rm":
            terminal.press(key)
            terminal.wait_for(lambda text: "--read-only is set: keys change nothing" in text)
            terminal.press("k")
            terminal.wait_for(lambda text: "--read-only is set" not in text)
        terminal.press("q")
        assert terminal.finish() == 0


def test_a_replay_is_moved_from_outside(ipctop, path, tmp_path):
    recording = tmp_path / "run.rec"
    ipctop.run("-q", "-m", "pipe", "-t", 1, "-D", 2, "--tick", 0.1, "--record", recording, timeout=PATIENCE)
    with Terminal(ipctop, "--replay", recording, "--speed", 0, "--control", path) as terminal:
        terminal.wait_for(lambda text: "END" in text)
        assert ctl(ipctop, path, "seek", "-1s").returncode == 0
        terminal.wait_for(lambda text: "PAUSED" in text)
        before = json.loads(ctl(ipctop, path, "status").stdout)["now_ns"]
        assert ctl(ipctop, path, "step").returncode == 0
        assert json.loads(ctl(ipctop, path, "status").stdout)["now_ns"] > before
        assert "a replay has the phases of its recording alone" in ctl(ipctop, path, "phase").stderr
        terminal.press("q")
        assert terminal.finish() == 0


def test_what_comes_before_the_first_state_of_a_replay_waits_for_it(ipctop, path, tmp_path):
    recording = tmp_path / "run.rec"
    ipctop.run("-q", "-m", "pipe", "--ring", "2x30", "-D", 1, "--record", recording, timeout=PATIENCE)
    for _ in range(5):
        with Terminal(ipctop, "--replay", recording, "--control", path) as terminal:
            assert until(path.exists)
            with Client(path) as client:
                assert len(client.ask("rings")["rings"]) == 30
                client.ask("quit")
            terminal.finish()


@pytest.mark.needs("whole")
def test_a_seek_to_before_a_ring_was_added_or_removed_loses_nothing(ipctop, path, tmp_path):
    recording, summary, again = tmp_path / "run.rec", tmp_path / "run.json", tmp_path / "again.json"
    with Run(ipctop, *ARGS, "--control", path, "--json", summary, "--record", recording) as run:
        await_status(path)
        time.sleep(0.5)
        ring = json.loads(ctl(ipctop, path, "add", "-m", "mq").stdout)["first_ring"]
        time.sleep(0.7)
        ctl(ipctop, path, "remove", str(ring))
        time.sleep(0.5)
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0
    with Terminal(ipctop, "--replay", recording, "--speed", 0, "--control", path, "--json", again) as terminal:
        terminal.wait_for(lambda text: "END" in text)
        for tenths in range(1, 25):
            for by in ("-100", f"{tenths / 10}", "1"):
                assert ctl(ipctop, path, "seek", by).returncode == 0
        ctl(ipctop, path, "seek", "100")
        ctl(ipctop, path, "quit")
        assert terminal.finish() == 0
        assert "damaged" not in terminal.text()
    assert report(again)["rings"] == report(summary)["rings"]


def test_a_refused_add_leaves_no_row_and_a_name_of_several_rings_is_refused(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path):
        await_status(path)
        before = json.loads(ctl(ipctop, path, "rings").stdout)["rings"]
        for words in (["-m", "all"], [""], ["-m", "pipe,shm", "--pairs", "own"]):
            assert ctl(ipctop, path, "add", *words).returncode == 1, words
        assert len(json.loads(ctl(ipctop, path, "rings").stdout)["rings"]) == len(before)
        assert ctl(ipctop, path, "add", "-m", "pipe", "-c", str(cpus()[0]), "-t", 1).returncode == 0
        assert "2 rings have this name" in ctl(ipctop, path, "remove", before[0]["name"]).stderr
        with Client(path) as client:
            assert client.ask("mark", "a\0b")["error"] == "a word must not have a NUL byte"


def test_nothing_else_may_be_written_to_the_path(ipctop, path):
    for option in ("--json", "--record", "--metrics"):
        assert "writes there" in ipctop.refuse(*ARGS, "--control", path, option, path), option


def stall(path, until_ended):
    """Asks for much and reads nothing."""
    with Client(path) as client:
        client.socket.setblocking(False)
        while not until_ended.is_set():
            try:
                client.socket.send(b'{"command":"rings"}\n{"command":"events"}\n')
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                return      # there were too many clients


def lie(path, until_ended):
    while not until_ended.is_set():
        with contextlib.suppress(OSError), Client(path) as client:
            client.send(random.choice(LIES))
            client.lines.readline()


def die(path, until_ended):
    while not until_ended.is_set():
        with contextlib.suppress(OSError), Client(path) as client:
            # The main thread replies to the second after its client has gone.
            client.send(random.choice(['{"command":"status"}', '{"command":"baseline","arguments":["0"]}']))


@contextlib.contextmanager
def crowd_of_20(path):
    ended = threading.Event()
    crowd = [threading.Thread(target=kind, args=(path, ended)) for kind in (stall, lie, die) for _ in range(7)][:20]
    for thread in crowd:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in crowd:
            thread.join()


@pytest.mark.needs("whole")
def test_20_clients_that_stall_lie_or_die_disturb_neither_commands_nor_the_end(ipctop, path):
    with Run(ipctop, *ARGS, "--no-auto-phase", "--control", path) as run:
        await_status(path)
        with crowd_of_20(path):
            for i in range(10):     # where too many want to at once, one is refused
                assert until(lambda i=i: ctl(ipctop, path, "mark", f"step {i}").returncode == 0)
        assert until(lambda: ctl(ipctop, path, "status").returncode == 0)
        assert json.loads(ctl(ipctop, path, "status").stdout)["phase"]["number"] == 11
        run.process.send_signal(signal.SIGTERM)
        assert run.wait()[0] == 0
    assert not path.exists()


@pytest.mark.needs("realtime")
@pytest.mark.alone
def test_20_clients_that_stall_lie_or_die_disturb_neither_measuring_nor_keys(ipctop, path, tmp_path, stall):
    summary, took = tmp_path / "run.json", {}
    with Terminal(ipctop, *ARGS[1:], "-p", 50, "--no-auto-phase", "--control", path, "--json", summary) as terminal:
        terminal.wait_for(lambda text: "pipe" in text)

        def press_keys(name):
            terminal.press("r")
            terminal.wait_for(lambda text: f"PHASE {len(took) + 2}" in text)
            begin, took[name] = time.monotonic(), []
            while time.monotonic() < begin + 1.5:
                for key, shows in (("?", True), ("Esc", False)):
                    pressed = time.monotonic()
                    terminal.press(key)
                    terminal.wait_for(lambda text, shows=shows: (HELP in text) == shows)
                    took[name].append(time.monotonic() - pressed)

        press_keys("without")
        stall.reset()
        with crowd_of_20(path):
            press_keys("beside")
        waited = stall.longest
        terminal.press("q")
        assert terminal.finish() == 0
    phases = report(summary)["phases"][1:]
    missed, laps = ([phase["rings"][0][count] for phase in phases] for count in ("missed", "laps"))
    medians = {name: sorted(times)[len(times) // 2] for name, times in took.items()}
    assert medians["beside"] < max(0.3, 3 * medians["without"]) + waited, (took, waited)
    assert missed[1] <= missed[0] + 0.01 * laps[1], (missed, laps)


@pytest.mark.timing
@pytest.mark.parametrize("request_line", ['{"command":"status"}', '{"command":"baseline","arguments":["0"]}'])
def test_a_client_that_floods_is_served_at_a_limited_rate_and_delays_no_other(ipctop, path, request_line, stall):
    with Run(ipctop, *ARGS, "--control", path):
        await_status(path)
        with Client(path) as flood, Client(path) as other:
            flood.socket.setblocking(False)
            begin, n_read, took = time.monotonic(), 0, []
            while time.monotonic() < begin + 1 or len(took) < 20:
                with contextlib.suppress(BlockingIOError):
                    flood.socket.send((request_line + "\n").encode() * 100)
                with contextlib.suppress(BlockingIOError):
                    n_read += flood.socket.recv(1 << 20).count(b"\n")
                asked = time.monotonic()
                assert other.ask("status")["ok"]
                took.append(time.monotonic() - asked)
                time.sleep(0.01)
            seconds = time.monotonic() - begin
            assert 0 < n_read <= 5 * (seconds / 0.01 + 1), (n_read, seconds)
            assert sorted(took)[len(took) // 2] < 0.1 + stall.longest, took


def test_more_clients_than_there_are_places_are_refused(ipctop, path):
    with Run(ipctop, *ARGS, "--control", path):
        await_status(path)
        clients = [Client(path) for _ in range(33)]
        assert clients[32].read()["error"] == "there are too many clients"
        assert clients[0].ask("status")["ok"]
        for client in clients:
            client.__exit__()
        assert until(lambda: ctl(ipctop, path, "status").returncode == 0)


@pytest.mark.parametrize("words,sentence", [
    ([], "takes the PATH of --control and a command"), (["/nowhere"], "takes the PATH of --control and a command"),
    (["/nowhere", "status"], "/nowhere: No such file or directory"), (["x" * 200, "status"], "the path is too long"),
    (["", "status"], "ctl: '': must be the PATH of --control")])
def test_ctl_says_what_it_lacks(ipctop, words, sentence):
    result = ipctop.run("ctl", *words)
    assert result.returncode == 1 and sentence in result.stderr and result.stderr.count("\n") == 1, result


def test_help_lists_each_command_of_the_man_page(ipctop):
    text = ipctop.run("ctl", "--help").stdout
    page = (ROOT / "man" / "ipctop.1").read_text(encoding="utf-8")
    section = page.partition(".Sh CONTROL SOCKET\n")[2].partition("\n.Sh ")[0]
    listed = {line.split()[2] for line in section.splitlines() if line.startswith(".It Cm ")}
    assert listed == {line.split()[0] for line in text.splitlines() if line.startswith("  ")}
