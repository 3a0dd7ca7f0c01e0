# SPDX-License-Identifier: GPL-2.0-or-later
"""SIGKILL, whoever it hits and whenever, leaves nothing behind."""
import itertools
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

import pytest

from conftest import Program, but_load, in_whole, usable_cpus
from harness import THREE, Run, report, status as state, until
from terminal import Terminal

pytestmark = pytest.mark.recorder

KILLS = int(os.environ.get("IPCTOP_KILLS", "10"))
AT_ONCE = 5
HOST_ENDS = "killed by signal 9"


def host_of(run, choice):
    hosts = sorted(run.hosts().items())
    return choice.choice(hosts)[1] if hosts else None


def member_of(run, choice):
    members = sorted(run.members().items())
    return choice.choice(members)[1][0] if members else None


def victim_of(run, kind, choice):
    """Its pid; at a random moment it may have to be waited for, and then is hit as it starts."""
    find = {"front": lambda: run.pid, "keeper": run.keeper, "host": lambda: host_of(run, choice),
            "member": lambda: member_of(run, choice)}[kind]
    pid = until(find, step=0.002)
    assert pid, (kind, run.processes(), run.process.poll())
    return pid


def start(ipctop, room, folder, number, fork):
    folder = folder / str(number)
    folder.mkdir()
    run = Run(ipctop, "-m", THREE, "-D", "60", "-q", "--json", folder / "report.json", *(["-f"] if fork else []),
              room=room)
    run.folder, run.started_at = folder, time.monotonic()
    return run


def kill_some(ipctop, room, folder, kind, runs, choice, more_seconds):
    """Each is killed at a moment of its own; those that survive it are asked to end after so much time."""
    moments = sorted((time.monotonic() + choice.uniform(0, 0.6), number) for number in runs)
    started = {number: start(ipctop, room, folder, number, number % 2) for number in runs}
    try:
        for moment, number in moments:
            time.sleep(max(0, moment - time.monotonic()))
            started[number].victim = victim_of(started[number], kind, choice)
            os.kill(started[number].victim, signal.SIGKILL)
            started[number].killed_at = time.monotonic()
        for number, run in started.items():
            if more_seconds:    # on a busy machine it dies late
                assert until(lambda pid=run.victim: not os.path.exists(f"/proc/{pid}"), 15)
                time.sleep(max(0, run.killed_at + more_seconds - time.monotonic()))
                run.process.send_signal(signal.SIGINT)
            run.ended = run.wait()
            assert run.left() == {}, f"{kind} killed, run {number}"
    finally:
        for run in started.values():
            run.kill_all()
    assert room.left() == set(), f"{kind} killed, runs {runs}"
    return started


def kill_all(ipctop, room, folder, kind, more_seconds=0):
    choice = random.Random(f"{kind} {KILLS}")
    numbers = iter(range(KILLS))
    while batch := list(itertools.islice(numbers, AT_ONCE)):
        yield from kill_some(ipctop, room, folder, kind, batch, choice, more_seconds).values()


def test_a_killed_front_leaves_nothing(ipctop, room, tmp_path):
    for run in kill_all(ipctop, room, tmp_path, "front"):
        assert run.ended[0] == -signal.SIGKILL
        assert os.listdir(run.folder) == []     # no half-written file


def test_a_killed_keeper_ends_the_run_with_a_report(ipctop, room, tmp_path):
    for run in kill_all(ipctop, room, tmp_path, "keeper"):
        assert run.ended[0] == 1, run.ended
        found = report(run.folder / "report.json")
        assert found["ended_by"] == "keeper killed"
        assert any("keeper" in event["text"] and "killed" in event["text"] for event in found["events"])
        assert os.listdir(run.folder) == ["report.json"]


@pytest.mark.parametrize("kind", ["host", in_whole("member")])
@pytest.mark.timing
@pytest.mark.slow
def test_a_killed_host_or_member_fails_its_row_alone(ipctop, room, tmp_path, kind):
    for number, run in enumerate(kill_all(ipctop, room, tmp_path, kind, more_seconds=1.5)):
        found = report(run.folder / "report.json")
        failed = [ring for ring in found["rings"] if ring["state"] == "failed"]
        assert run.ended[0] == 0 and found["ended_by"] == "signal SIGINT", (number, run.ended)
        assert len(failed) == 1 and HOST_ENDS in failed[0]["reason"], (number, failed)
        went_on = [ring for ring in found["rings"] if ring["turn"] == 0 and ring["state"] != "failed"]
        # After its warm-up; how many laps it makes is the machine's load.
        assert all(ring["laps"] > 0 for ring in went_on), (number, found["rings"])
        assert any(HOST_ENDS in event["text"] for event in found["events"])


def test_a_killed_host_is_a_failed_row_on_the_lines(ipctop, room):
    with Run(ipctop, "-D", "30", "--plain", "--refresh", "0.5", room=room) as run:
        os.kill(run.host("mq:0"), signal.SIGKILL)
        run.await_output(lambda text: "failed: its host (pid" in text)
        if usable_cpus() > 1:   # on one CPU there is no other row, and the run ends by itself
            run.process.send_signal(signal.SIGINT)
        status, out, _ = run.wait()
        assert "failed: its host (pid" in out and HOST_ENDS in out
        assert status == (0 if usable_cpus() > 1 else 1)


@pytest.mark.parametrize("fork", [False, True], ids=["threads", "processes"])
def test_front_and_keeper_killed_together_are_swept_up_by_the_next_start(ipctop, room, fork):
    with Run(ipctop, "-m", "all", "-D", "30", "-q", *(["-f"] if fork else []), room=room) as run:
        host = run.host("svsem:" + max(name.split(":")[1] for name in until(
            lambda: {n: p for n, p in run.hosts().items() if n.startswith("svsem")})))
        keeper = run.keeper()
        assert until(lambda: room.objects() - room.before)      # there is something to sweep
        # Stopped first, so that neither sees the other's end.
        for pid in (keeper, run.pid):
            os.kill(pid, signal.SIGSTOP)
        for pid in (run.pid, keeper):
            os.kill(pid, signal.SIGKILL)
        assert run.wait()[0] == -signal.SIGKILL
        assert run.left() == {}, host
        with Run(ipctop, "-D", "0.2", "-q", room=room) as after:
            assert after.wait()[0] == 0
        assert room.left() == set()


SYSV, HOPS = ("-m", "svsem,svmsg", "-t", "1", "-D", "30", "-q"), 4      # to and fro, of both


def elsewhere(room, path, *where):
    """ipctop's start there, with the sweep that comes first; its exit status."""
    command = ["unshare", *where, path, "-D", "0.1", "-t", "1", "-q"]
    return subprocess.run(command, preexec_fn=room.enter, capture_output=True, check=False, timeout=60)


NO_PROC = ("--mount", "--propagation", "private", "sh", "-c", 'mount -t tmpfs tmpfs /proc && exec "$0" "$@"')


@pytest.mark.needs("root", "program unshare")
@pytest.mark.parametrize("where", [("--time", "--boottime", "1000000", "--fork"), ("--pid", "--fork"),
                                   ("--pid", "--fork", "--mount-proc"), NO_PROC],
                         ids=["times", "pids without their /proc", "pids", "no /proc"])
def test_a_start_elsewhere_disturbs_no_run(ipctop, room, where):
    if not room.private:
        pytest.skip("needs namespaces of its own")
    with Run(ipctop, *SYSV, room=room) as run:
        assert until(lambda: len(room.objects() - room.before) == HOPS)
        result = elsewhere(room, ipctop.path, *where)
        if b"unshare: " in result.stderr or b"unrecognized option" in result.stderr:
            pytest.skip(result.stderr.decode())
        assert result.returncode == 0, result
        assert len(room.objects() - room.before) == HOPS
        run.process.send_signal(signal.SIGINT)
        status, out, _ = run.wait()
        assert status == 0 and "failed" not in out, out
    assert room.left() == set()


@pytest.mark.needs("root", "program unshare")
@pytest.mark.parametrize("killed", [None, "keeper"])
def test_a_run_without_proc_is_swept_by_itself_alone(ipctop, room, killed):
    if not room.private:
        pytest.skip("needs namespaces of its own")
    with Run(Program("unshare"), *NO_PROC, ipctop.path, *SYSV, room=room) as run:
        assert until(lambda: len(room.objects() - room.before) == HOPS)
        with Run(ipctop, "-D", "0.1", "-t", "1", "-q", room=room) as other:
            assert other.wait()[0] == 0
        assert len(room.objects() - room.before) == HOPS
        if killed:
            os.kill(run.keeper(), signal.SIGKILL)
        else:
            run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == (1 if killed else 0)
    assert room.left() == set()


@pytest.mark.needs("root")
def test_kills_leave_no_message_queue_where_its_file_system_can_be_seen(room):
    if not room.private:
        pytest.skip("needs namespaces of its own")
    assert not [entry for entry in room.objects() if entry[0] == "mqueue"]


@pytest.mark.parametrize("victim", ["front", "keeper"])
def test_a_killed_front_or_keeper_leaves_a_whole_terminal(ipctop, room, victim):
    with Terminal(ipctop, "-m", "all", room=room) as terminal:
        terminal.wait_for(lambda text: "Quit" in text)
        assert "alternate screen" in terminal.whole()
        os.kill(victim_of(terminal, victim, random), signal.SIGKILL)
        status = terminal.finish()
        assert status == (-signal.SIGKILL if victim == "front" else 1)
        assert terminal.left() == {}
        terminal.drain()
        assert terminal.whole() == ""
    assert room.left() == set()


def test_a_front_killed_after_a_stop_leaves_a_whole_terminal(ipctop, room):
    with Terminal(ipctop, room=room) as terminal:
        terminal.wait_for(lambda text: "Quit" in text)
        for _ in range(2):
            terminal.press("Ctrl-Z")
            assert until(lambda: not terminal.pump(0.05) and state(terminal.pid)[1] == "T")
            assert terminal.whole() == ""
            os.kill(terminal.pid, signal.SIGCONT)
            terminal.wait_for(lambda text: "Quit" in text and "alternate screen" in terminal.whole())
            terminal.settle(0.1, 0.5)
        os.kill(terminal.pid, signal.SIGKILL)
        assert terminal.finish() == -signal.SIGKILL
        assert terminal.left() == {}
        terminal.drain()
        assert terminal.whole() == ""


@pytest.mark.timing
@pytest.mark.slow
def test_two_at_once_do_not_disturb_each_other(ipctop, room):
    runs = [Run(ipctop, "-m", THREE, "-D", "3.4", "-q", "--json", "-", *fork, room=room) for fork in ([], ["-f"])]
    try:
        for run in runs:
            status, out, err = run.wait()
            found = report(out)
            assert (status, but_load(err)) == (0, "") and found["ended_by"] == "duration"
            for ring in found["rings"]:
                assert ring["state"] not in ("failed", "gone", "done") and ring["laps"] + ring["missed"] > 100, ring
            assert run.left() == {}
    finally:
        for run in runs:
            run.kill_all()
    assert room.left() == set()


def test_the_keeper_removes_what_a_killed_front_had_made(ipctop):
    """The front makes objects, too, as it tries another size. Here the test makes one, named as the keeper's."""
    if not ipctop.built_with("zmq-ipc"):
        pytest.skip("needs zmq-ipc, whose objects have names while it runs")
    with tempfile.TemporaryDirectory(prefix="ipc", dir="/tmp") as name:     # a longer path is not used
        folder = pathlib.Path(name)
        with Run(ipctop, "-q", "-m", "zmq-ipc", "-t", 1, env={"XDG_RUNTIME_DIR": name}) as run:
            keepers = until(lambda: next(folder.glob("ipctop.*"), None))
            assert keepers and keepers.name.split(".")[1] == str(run.keeper())
            with open(f"/proc/{run.pid}/stat", encoding="ascii") as file:
                start_time = file.read().rpartition(")")[2].split()[19]
            fronts = folder / ".".join(["ipctop", str(run.pid), start_time, *keepers.name.split(".")[3:]])
            fronts.mkdir()
            (fronts / "object").touch()
            os.kill(run.pid, signal.SIGKILL)
            run.wait()
            assert run.left() == {}
            assert not list(folder.iterdir())
