# SPDX-License-Identifier: GPL-2.0-or-later
"""Where few tasks are allowed, the run has its own first, and the rings as many as are left."""
import os
import resource
import uuid

import pytest

from conftest import Program
from harness import PATIENCE, report, until
from terminal import Terminal

OWN = 3         # front, keeper, input thread
SCREEN = 2      # its own thread, and the one that compares
RING = 3        # a host and its two members
RINGS = ("-m", "mq,pipe,futex", "--pairs", "own", "--side-by-side")
UNTIL_DECIDED = ("-l", 100, "-D", PATIENCE, "--json", "-")  # a ring that is done keeps its tasks until all have ended
REASON = "no more tasks are allowed: raise RLIMIT_NPROC (ulimit -u), or pids.max of the cgroup"
PIDS = "/sys/fs/cgroup/pids"


def own_user():
    """Of this process alone, so it has no other tasks."""
    return 100000 + os.getpid()


def as_user(tasks):
    user = own_user()

    def apply():
        os.setgroups([])
        resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    return apply


def tasks_of_user():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{pid}").st_uid == own_user():
                found.append(pid)
        except OSError:
            pass
    return found


@pytest.fixture(scope="module")
def group():
    """A cgroup of its own with a pids controller, version 1 or 2."""
    for parent in (PIDS, "/sys/fs/cgroup"):
        folder = f"{parent}/ipctop-test-{uuid.uuid4().hex[:8]}"
        try:
            os.mkdir(folder)
        except OSError:
            continue
        if os.path.exists(f"{folder}/pids.max"):
            yield folder
            until(lambda: not open(f"{folder}/cgroup.procs").read())
            os.rmdir(folder)
            return
        os.rmdir(folder)
    pytest.skip("needs a pids cgroup")


def check(result, tasks):
    """As many rings run as find room, the first ones, and each other says why not."""
    rings = report(result.stdout)["rings"]
    running = [ring for ring in rings if ring["state"] != "failed"]
    assert len(running) == min(len(rings), (tasks - OWN) // RING), (tasks, rings)
    assert rings[:len(running)] == running and all(ring["laps"] > 0 for ring in running), (tasks, rings)
    assert all(REASON in ring["reason"] for ring in rings[len(running):]), (tasks, rings)
    assert result.stderr == "" and result.returncode == (0 if running else 1), (tasks, result)


@pytest.mark.needs("root")
@pytest.mark.parametrize("tasks", [3, 5, 6, 8, 12])
def test_rings_that_get_no_task_are_rows_with_that_reason(plain, tasks):
    check(plain.run(*RINGS, *UNTIL_DECIDED, preexec_fn=as_user(tasks)), tasks)
    assert until(lambda: not tasks_of_user())


@pytest.mark.needs("root")
@pytest.mark.parametrize("tasks", [1, 2])
def test_a_limit_that_leaves_no_room_for_the_run_itself_is_one_sentence(plain, tasks):
    assert REASON in plain.refuse(*RINGS, "-D", 5, "--json", "-", preexec_fn=as_user(tasks))
    assert until(lambda: not tasks_of_user())


@pytest.mark.needs("root")
@pytest.mark.parametrize("tasks", [3, 7, 12])
def test_so_are_those_that_a_cgroup_allows(ipctop, group, tasks):
    with open(f"{group}/pids.max", "w") as file:
        file.write(str(tasks))

    def enter():
        with open(f"{group}/cgroup.procs", "w") as file:
            file.write("0")
    check(ipctop.run(*RINGS, *UNTIL_DECIDED, preexec_fn=enter), tasks)


class Limited(Program):
    """As a terminal starts it, by a program that limits itself first."""

    def __init__(self, program, folder, tasks):
        self.path = str(folder / f"limited-{tasks}")
        with open(self.path, "w") as file:
            file.write(f"#!/bin/sh\nexec prlimit --nproc={tasks} setpriv --reuid {own_user()} --regid {own_user()} "
                       f"--clear-groups {program.path} \"$@\"\n")
        os.chmod(self.path, 0o755)


@pytest.mark.needs("root", "program setpriv", "program prlimit")
def test_the_dashboard_has_its_threads_before_the_rings(plain, public):
    with Terminal(Limited(plain, public, OWN + SCREEN + RING), *RINGS, "-D", 600, columns=200) as terminal:
        terminal.wait_for(lambda text: "RLIMIT_NPROC" in text and "Quit" in text)
        terminal.press("q")
        assert terminal.finish() == 0 and terminal.left() == {}
    assert until(lambda: not tasks_of_user())


@pytest.mark.needs("root", "program setpriv", "program prlimit")
def test_without_a_thread_for_the_dashboard_there_are_lines(plain, public):
    with Terminal(Limited(plain, public, OWN), *RINGS, "-D", 1, columns=200, lines=60) as terminal:
        status = terminal.finish()
        assert status == 1 and "going on with lines" in terminal.text() and REASON in terminal.text(), terminal.text()
    assert until(lambda: not tasks_of_user())
