# SPDX-License-Identifier: GPL-2.0-or-later
"""What is missing is named with its remedy: rights, limits, and who holds /dev/cpu_dma_latency."""
import os
import re
import resource
import subprocess

import pytest

from conftest import as_nobody
from harness import Run, report, together, until


def limit(what, value):
    def apply():
        resource.setrlimit(what, (value, value))
        as_nobody()
    return apply


REALTIME = "no right to the real-time policy: raise RLIMIT_RTPRIO (ulimit -r) or run with CAP_SYS_NICE"


def test_without_the_right_to_real_time_it_runs_on_and_says_so(plain):
    (status, out, err), (_, text, _) = together(
        plain, ["-p", 80, "-D", 0.6, "--json", "-"], ["-p", 80, "-D", 0.6, "--refresh", 0.3], preexec_fn=as_nobody)
    found = report(out)
    assert (status, err) == (0, "")
    for ring in found["rings"]:
        assert ring["reason"] == REALTIME and ring["laps"] > 100
        assert ring["asked"] == {"policy": "fifo", "priority": 80}
        assert all((m["policy"], m["priority"], m["differs"]) == ("other", 0, True) for m in ring["members"])
    assert any(REALTIME in event["text"] and event["kind"] == "warning" for event in found["events"])
    assert REALTIME in text and "OTH!" in text


def test_with_strict_a_missing_right_is_an_error(plain):
    result = plain.run("-p", 80, "-D", 5, "--strict", timeout=4, preexec_fn=as_nobody)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"ipctop: {REALTIME}\n")
    result = plain.run("-D", 0.2, "-q", "--strict", timeout=4, preexec_fn=as_nobody)
    assert result.returncode == 0 or "RLIMIT_MEMLOCK" in result.stderr


def test_a_small_limit_on_descriptors_is_named(plain):
    result = plain.run("-m", "all", "--turns", 0.1, "-D", 0.3, "--json", "-", preexec_fn=limit(resource.RLIMIT_NOFILE, 20))
    reasons = {ring["mechanism"]: ring["reason"] for ring in report(result.stdout)["rings"] if ring["state"] == "failed"}
    assert "RLIMIT_NOFILE" in reasons["tcp"] and "RLIMIT_NOFILE" in reasons["uring"], reasons


def test_however_small_the_limit_on_descriptors_is_the_sentence_names_it(plain):
    for limited in range(4, 9):
        result = plain.run("-q", "-D", 0.3, preexec_fn=limit(resource.RLIMIT_NOFILE, limited))
        told = [line for line in (result.stdout + result.stderr).splitlines() if "failed" in line or "ipctop:" in line]
        assert told and all("raise RLIMIT_NOFILE (ulimit -n)" in line for line in told), (limited, result)
        assert "RLIMIT_MSGQUEUE" not in result.stdout and "open files" not in result.stdout + result.stderr, result


@pytest.mark.parametrize("args", [[], ["--version"], ["pmqtest", "-D", "1"]])
def test_a_small_limit_on_the_stack_is_named_before_it_ends_the_program(plain, args):
    for kib in (32, 64, 255):
        result = plain.run(*args, preexec_fn=limit(resource.RLIMIT_STACK, kib * 1024))
        assert (result.returncode, result.stdout) == (1, ""), result
        assert result.stderr == (f"ipctop: the stack may have no more than {kib} KiB, and 256 are needed: "
                                 "raise RLIMIT_STACK (ulimit -s)\n")
    enough = plain.run("-q", "-m", "all", "--turns", 0.1, "-D", 0.3, preexec_fn=limit(resource.RLIMIT_STACK, 256 * 1024))
    assert enough.returncode == 0 and enough.stderr == "", enough


def test_a_small_limit_on_locked_memory_is_named_and_the_run_goes_on(plain):
    result = plain.run("-D", 0.4, "--json", "-", preexec_fn=limit(resource.RLIMIT_MEMLOCK, 8192))
    found = report(result.stdout)
    assert result.returncode == 0
    for ring in found["rings"]:
        assert ring["laps"] > 100 and "RLIMIT_MEMLOCK" in ring["reason"] and "CAP_IPC_LOCK" in ring["reason"]
    strict = plain.run("-D", 0.4, "--strict", preexec_fn=limit(resource.RLIMIT_MEMLOCK, 8192))
    assert strict.returncode == 1 and strict.stdout == "" and "RLIMIT_MEMLOCK" in strict.stderr


def test_a_row_that_can_not_be_opened_carries_its_reason_and_the_others_go_on(plain):
    no_queues = limit(resource.RLIMIT_MSGQUEUE, 0)
    (status, out, _), (all_failed, all_out, _) = together(
        plain, ["-m", "mq,svsem", "--side-by-side", "-D", 0.5, "--json", "-"], ["-D", 0.5, "--json", "-"],
        preexec_fn=no_queues)
    assert status == 0
    for ring in report(out)["rings"]:
        if ring["mechanism"] == "mq":
            assert ring["state"] == "failed" and "RLIMIT_MSGQUEUE" in ring["reason"] and ring["laps"] == 0
        else:
            assert ring["state"] != "failed" and ring["laps"] > 100
    assert all_failed == 1 and all(ring["state"] == "failed" for ring in report(all_out)["rings"])
    text = plain.run("-m", "mq,svsem", "--side-by-side", "-D", 0.4, "--refresh", 0.2, preexec_fn=no_queues).stdout
    assert re.search(r"mq +0>0 .*failed: .*RLIMIT_MSGQUEUE", text)


@pytest.mark.needs("root", "file /dev/cpu_dma_latency")
def test_a_dma_latency_is_held_while_the_run_lasts(ipctop):
    def held():
        with open("/dev/cpu_dma_latency", "rb") as file:
            return int.from_bytes(file.read(4), "little", signed=True)

    before = held()
    if before == 0:
        pytest.skip("someone holds /dev/cpu_dma_latency at 0 already")
    with Run(ipctop, "--dma-latency", 0, "-D", 0.8, "--json", "-") as run:
        assert until(lambda: held() == 0, 1)
        found = report(run.wait()[1])
    assert until(lambda: held() == before, 1)
    assert found["host"]["dma_latency"]["held_us"] == 0 and found["options"]["dma_latency_us"] == 0


def test_a_dma_latency_that_can_not_be_held_is_said(plain):
    result = plain.run("--dma-latency", 0, "-D", 0.3, "--json", "-", preexec_fn=as_nobody)
    found = report(result.stdout)
    if os.access("/dev/cpu_dma_latency", os.W_OK) and os.geteuid():
        pytest.skip("this user may write /dev/cpu_dma_latency")
    assert any("/dev/cpu_dma_latency" in event["text"] for event in found["events"])
    strict = plain.run("--dma-latency", 0, "-D", 0.3, "--strict", preexec_fn=as_nobody)
    assert strict.returncode == 1 and "/dev/cpu_dma_latency" in strict.stderr


@pytest.mark.needs("root", "file /sys/fs/cgroup/cpu/cpu.rt_runtime_us")
def test_a_cgroup_without_realtime_bandwidth_is_named(ipctop, tmp_path):
    group = f"/sys/fs/cgroup/cpu/ipctop-{os.getpid()}"
    os.mkdir(group)     # a new one has none
    try:
        command = f'echo $$ >{group}/cgroup.procs; exec "$0" "$@"'
        done = subprocess.run(["sh", "-c", command, ipctop.path, "-p", "50", "-D", "0.5", "--json", "-"],
                              capture_output=True, text=True, timeout=20, check=True)
        for ring in report(done.stdout)["rings"]:
            assert "cpu.rt_runtime_us=0" in ring["reason"]
            assert all(member["policy"] == "other" and member["differs"] for member in ring["members"])
    finally:
        os.rmdir(group)
