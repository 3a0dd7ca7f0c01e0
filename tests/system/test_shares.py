# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes among which ./dev test divides the tests (shares.py): no test is lost, and none waits for ever."""
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys

import pytest

import shares
from harness import PATIENCE

CONFTEST = f"""
import os
import sys

sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from shares import run_groups

FIRST = os.getpid()


def pytest_runtestloop(session):
    run_groups(session, "share", [[item] for item in session.items], 2)
    return True


def pytest_runtest_logreport(report):
    if os.getpid() == FIRST and "breaks" in report.nodeid:
        raise RuntimeError("a report that nobody can read")
"""

TESTS = """
import os
import signal

import pytest


def test_passes(tmp_path):
    assert tmp_path.is_dir()


@pytest.mark.parametrize("n", range(4))
def test_fails(n):
    print("x" * 1000000)
    assert n < 0


def test_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("n", range(8))
def test_breaks(n):
    print("x" * 1000000)
    assert n < 0


def test_passes_too():
    assert os.read(0, 1) == b""
"""


@pytest.fixture(name="run", scope="module")
def fixture_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shared")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_all.py").write_text(TESTS, encoding="utf-8")
    return lambda *options: subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, folder], timeout=PATIENCE,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("options, status, words", (
    (("-k", "passes"), 0, ("2 passed",)),
    (("-k", "passes or killed"), 1, ("the process that ran it, or was to run it, has ended",)),
    (("-k", "killed"), 1, ("1 failed", "the process that ran it, or was to run it, has ended")),
    (("-k", "passes or fails"), 1, ("2 passed", "4 failed", "assert 3 < 0")),
    (("-x", "-k", "fails"), 1, ("stopping after",)),
    (("-s", "-k", "passes"), 0, ("2 passed",)),
    (("-k", "nothing_at_all"), 5, ("deselected",)),
    (("-k", "breaks"), 3, ("a report that nobody can read",))))
def test_each_test_has_one_outcome(run, options, status, words):
    """Whether the killed process was to run another one, too, is chance."""
    result = run(*options)
    assert result.returncode == status, result
    if "passes or killed" in options:
        assert sum(map(int, re.findall(r"(\d+) (?:passed|failed)", result.stdout))) == 3, result
    for word in words:
        assert word in result.stdout + result.stderr, result


def test_a_process_that_is_killed_while_it_sends_has_ended():
    connection, sending = multiprocessing.Pipe(duplex=False)
    os.write(sending.fileno(), (1000).to_bytes(4, "big") + b"half of it")
    sending.close()
    assert shares.receive(None, connection) is None
