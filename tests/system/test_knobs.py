# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of the machine and of members that somebody changes during a run are events within a second, and phases."""
import pathlib
import re
import subprocess
import time

import pytest

from cgroups import quota
from conftest import CPU, Program
from harness import PATIENCE, Run, report, until
from test_audit import Machine as Covered
from test_control import await_status, ctl, socket_path    # pylint: disable=unused-import

ARGS = ("-q", "-m", "pipe", "--pairs", f"{CPU}:{CPU}", "-i", "1ms", "-D", 7)
SETTING = "/proc/sys/kernel/timer_migration"


def measured(program, tmp_path, act, *args):
    """The report of a run of OTHER members during which this happened: act(run)."""
    path = tmp_path / "report.json"
    with Run(program, *ARGS, *args, "--json", path) as run:
        run.tid("pipe:0.0")
        time.sleep(2.5)     # the first round has read everything
        act(run)
        assert run.wait()[0] == 0
    return report(path)


def changes(found, subject):
    return [event["text"] for event in found["events"] if event["text"].startswith(subject)]


@pytest.mark.needs("root", "unshare --mount")
def test_a_setting_that_bears_on_members_begins_a_phase(ipctop, tmp_path):
    machine = Covered(ipctop, tmp_path)
    machine.write(0)
    if SETTING not in machine.files or machine.run("--version").returncode:
        pytest.skip("needs mounts of its own")

    def act(_):
        machine.files[SETTING].write_text("1\n")

    found = measured(machine, tmp_path, act)
    events = changes(found, "kernel.timer_migration")
    assert events == ["kernel.timer_migration: 0 -> 1"], found["events"]
    assert [phase["name"] for phase in found["phases"]] == ["start", "kernel.timer_migration: 0 -> 1"]


@pytest.mark.needs("root")
def test_a_members_timer_slack_is_an_event(ipctop, tmp_path):
    def act(run):
        pathlib.Path(f"/proc/{run.tid('pipe:0.0')}/timerslack_ns").write_text("7000\n")

    found = measured(ipctop, tmp_path, act)
    events = changes(found, "timer slack of task")
    assert len(events) == 1 and events[0].endswith(": 1ns -> 7000ns"), found["events"]
    assert len(found["phases"]) == 2 and "timer slack" in found["phases"][1]["name"], found["phases"]


@pytest.mark.needs("root", "no quota")
def test_members_that_get_a_quota_are_an_event(ipctop, tmp_path):
    """Of their host alone: the front stays in the cgroup where it was."""
    with quota(20000) as procs:
        found = measured(ipctop, tmp_path, lambda run: procs.write_text(str(run.tid("pipe:0.0")), encoding="ascii"))
    assert changes(found, "CPU quota of the cgroup") == ["CPU quota of the cgroup: none -> 20000 of 100000 us"], found["events"]
    assert len(found["phases"]) == 2, found["phases"]


@pytest.mark.needs("realtime", "program chrt")
def test_a_real_time_task_of_another_is_an_event(ipctop, path, tmp_path):
    """As it comes, or as it goes if the first round, in which all processes are read, found it. Rounds may be long."""
    events = tmp_path / "events"

    def is_there():
        # Four are named: where others run more of them, one more is counted.
        return re.search(r"real-time tasks of others.*(sleep FF3 on |and \d+ more)", events.read_text(encoding="utf-8"))

    end = time.monotonic() + PATIENCE
    with Run(ipctop, *ARGS[:-2], "--control", path) as run, open(events, "w", encoding="utf-8") as shown:
        await_status(path)
        with subprocess.Popen([ipctop.path, "ctl", path, "events"], stdout=shown):
            while not is_there() and time.monotonic() < end:
                with subprocess.Popen(["chrt", "-f", "3", "sleep", "60"]) as task:
                    until(is_there, 20)
                    task.kill()
            assert ctl(ipctop, path, "quit").returncode == 0
        assert run.wait()[0] == 0
    assert is_there(), events.read_text(encoding="utf-8")
