# SPDX-License-Identifier: GPL-2.0-or-later
"""Rings of more than two members: killed, starved, and as large as they can be."""
import os
import signal
import time

import pytest

from conftest import cpus, in_whole
from harness import Run, report, until
from hog import await_hog, start_hog

FORK = pytest.mark.parametrize("fork", [[], ["-f"]], ids=["threads", "processes"])
FORK_IN_WHOLE = pytest.mark.parametrize("fork", [[], in_whole(["-f"])], ids=["threads", "processes"])


@FORK
@pytest.mark.parametrize("victim", [in_whole(0), 2])
def test_a_killed_member_fails_its_ring_alone(ipctop, fork, victim):
    with Run(ipctop, "--ring", "3x2", "-c", cpus()[0], "--side-by-side", "-D", 120, "-q", "--json", "-", *fork) as run:
        pid = run.tid(f"mq:0.{victim}")
        run.await_laps("mq:0.0", 300)
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        assert until(lambda: not [name for name in run.members() if name.startswith("mq:0.")])
        run.await_laps("mq:1.2", 1000)
        os.kill(run.pid, signal.SIGINT)
        status, out, _ = run.wait()
        lasted = time.monotonic() - killed
        first, other = report(out)["rings"]
        assert status == 0
        reason = f"member {victim} (pid {pid}) was killed by signal 9" if fork else "its host (pid"
        assert first["state"] == "failed" and reason in first["reason"], first
        assert other["state"] != "failed" and other["laps"] > first["laps"], (other["laps"], first["laps"], lasted)
        assert run.left() == {}


@FORK_IN_WHOLE
@pytest.mark.needs("realtime", "2 cpus")
@pytest.mark.parametrize("members, where", [in_whole(3, ["--pairs", "own"]), (5, [])], ids=["own", "across"])
@pytest.mark.alone
def test_a_starved_ring_stops_at_once(ipctop, fork, members, where):
    """While a hog holds one of its CPUs, which is where some of its members stand."""
    with Run(ipctop, "--ring", members, *where, "-p", 10, "-D", 60, "-q", "--json", "-", *fork) as run:
        for member in range(members):
            run.tid(f"mq:0.{member}")
        time.sleep(0.5)
        with start_hog(cpus()[0], 4) as hog:
            await_hog(hog)
            time.sleep(0.7)
            os.kill(run.pid, signal.SIGINT)
            status, out, _ = run.wait()
            assert hog.poll() is None, "it waited for the hog"
            found = report(out)
            assert run.left() == {}
            hog.kill()
        ring = found["rings"][0]
        assert status == 0 and ring["state"] != "failed" and ring["missed"] > 0, ring
        assert any("starved" in event["text"] or "throttled" in event["text"] for event in found["events"])


@FORK_IN_WHOLE
def test_2048_members_go_round(ipctop, fork):
    run = ipctop.run("-m", "svsem", "--ring", 2048, "-i", "200ms", "-l", 2, "-q", "--json", "-", *fork, timeout=300)
    ring = report(run.stdout)["rings"][0]
    if ring["state"] == "failed" and ("raise " in ring["reason"] or "RLIMIT" in ring["reason"]):
        pytest.skip(ring["reason"])     # a limit of the machine's
    assert (run.returncode, ring["state"], ring["laps"]) == (0, "done", 2), ring["state"]
    assert len(ring["hops"]) == len(ring["members"]) == 2048
    assert all(hop["latency"]["count"] == 2 for hop in ring["hops"])
