# SPDX-License-Identifier: GPL-2.0-or-later
"""The compat tool that stands in for ipc-bench: the block that its readers know, and each method by its name."""
import json
import os
import re
import time

import pytest

from conftest import in_whole, need, usable_cpus
from harness import VALIDATOR, Run, report

METHODS = ["shm", "mq", "domain", "fifo", "pipe", "mmap", "tcp", "signal", "zeromq", "eventfd"]
MECHANISMS = {"mq": "svmsg", "domain": "unix", "zeromq": "zmq-req-ipc"}
SPIN = ["shm", "mmap"]
CARRY_NOTHING = ["signal", "eventfd"]

BLOCK = re.compile(r"""
============ RESULTS ================
Message size:       (\d+)
Message count:      (\d+)
Total duration:     (\d+\.\d{3})\tms
Average duration:   (\d+\.\d{3})\tus
Minimum duration:   (\d+\.\d{3})\tus
Maximum duration:   (\d+\.\d{3})\tus
Standard deviation: (\d+\.\d{3})\tus
Message rate:       (\d+)\tmsg/s
=====================================
""")


def block(out):
    """(size, count, total ms, average, minimum, maximum, deviation us, rate)"""
    match = BLOCK.fullmatch(out)
    assert match, out
    return tuple(float(figure) for figure in match.groups())


def skip_if_missing(result):
    if "libzmq" in result.stderr:
        pytest.skip("needs a build with libzmq")


@pytest.mark.parametrize("method", METHODS)
def test_each_method_is_what_its_name_says(ipctop, tmp_path, method):
    if method == "shm":
        need("file /dev/shm")
    if method in SPIN and usable_cpus() < 2:
        pytest.skip("needs 2 cpus")
    ours, own = tmp_path / "F", tmp_path / "G"
    result = ipctop.run("ipc-bench", method, "-c", 500, "-s", 100, f"--json={ours}", f"--ipctop-json={own}",
                        timeout=60)
    skip_if_missing(result)
    assert result.returncode == 0, result
    size, count, total, average, least, most, _, rate = block(result.stdout)
    assert (size, count) == (0 if method in CARRY_NOTHING else 100, 500)
    assert 0 < least <= average <= most and average * count == pytest.approx(total * 1000, rel=0.01)
    assert rate == pytest.approx(count / total * 1000, rel=0.01, abs=0.51)     # a whole number
    ring, = report(own)["rings"]
    assert ring["mechanism"] == MECHANISMS.get(method, method) and ring["laps"] == 500
    found, = json.loads(ours.read_text(encoding="utf-8"))["results"]
    assert found["count"] == 500 and found["average_us"] == pytest.approx(average, abs=0.0006)
    assert least <= found["p50_us"] <= found["p99_us"] <= found["p99_9_us"] <= most + 0.001
    assert found["minimum_us"] == least and found["maximum_us"] == most and found["faults"] == 0
    said = [line for line in result.stderr.splitlines() if "ran on" in line]
    assert len(said) == 1, result


@pytest.mark.parametrize("count", [10_000, in_whole(1_000_000)])
def test_the_documents_example_runs(ipctop, count):
    result = ipctop.run("ipc-bench", "domain", "-c", count, "-s", 100, timeout=300)
    assert result.returncode == 0 and block(result.stdout)[:2] == (100, count), result


@pytest.mark.parametrize("words", ["pipe", "all -s 64"])
def test_what_can_not_be_written_is_an_error(ipctop, words):
    with open("/dev/full", "w", encoding="ascii") as full:
        process = ipctop.start("ipc-bench", *words.split(), "-c", 10, stdout=full)
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 1 and "ipc-bench: can't write standard output: " in err, err


def test_defaults_are_the_programs(ipctop):
    assert block(ipctop.run("ipc-bench", "pipe").stdout)[:2] == (4096, 1000)


def test_large_messages_are_not_cut(ipctop, tmp_path):
    path = tmp_path / "G"
    result = ipctop.run("ipc-bench", "mq", "-s", 8000, "-c", 10, f"--ipctop-json={path}")
    assert result.returncode == 0 and block(result.stdout)[0] == 8000, result
    assert report(path)["rings"][0]["token"]["bytes"] == 8000


def test_the_processes_are_pinned(ipctop, tmp_path):
    path = tmp_path / "F"
    cpu = max(os.sched_getaffinity(0))
    result = ipctop.run("ipc-bench", "fifo", "--cpus", cpu, f"--json={path}")
    assert result.returncode == 0 and result.stderr == "", result
    assert json.loads(path.read_text(encoding="utf-8"))["results"][0]["ran_on"] == str(cpu)


@pytest.mark.needs("2 cpus")
@pytest.mark.needs("whole")
def test_all_is_a_table_of_every_method_and_size(ipctop, tmp_path):
    ours, own = tmp_path / "F", tmp_path / "G"
    result = ipctop.run("ipc-bench", "all", "-c", 200, f"--json={ours}", f"--ipctop-json={own}", timeout=120)
    assert result.returncode == 0, result
    # A build without libzmq says so, and has a row without figures.
    lacks = ["zeromq"] if re.search(r"^# zmq-\S+ any>any failed: .*without libzmq", result.stderr, re.M) else []
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    wanted = [[method, size, "0" if method in lacks else "200"] for method in METHODS
              for size in (["-"] if method in CARRY_NOTHING + lacks else ["1", "10", "100", "1000"])]
    assert [row[:3] for row in rows] == wanted, result.stdout
    found = json.loads(ours.read_text(encoding="utf-8"))["results"]
    assert [row[3] for row in rows] == [f"{one['average_us']:.3f}" if one["count"] else "-" for one in found]
    reports = json.loads(own.read_text(encoding="utf-8"))
    for one in reports:
        VALIDATOR.validate(one)
    assert [len(one["rings"]) for one in reports] == [10, *[8 - len(lacks)] * 3]


def test_what_can_not_spin_on_one_cpu_says_so(ipctop):
    result = ipctop.run("ipc-bench", "shm", "--cpus", min(os.sched_getaffinity(0)))
    assert result.returncode == 1 and result.stdout == "", result
    assert result.stderr.startswith("ipc-bench: shm: client and server spin"), result


@pytest.mark.needs("whole")
def test_what_is_interrupted_prints_what_it_has(ipctop):
    with Run(ipctop, "ipc-bench", "pipe", "-c", 1000000000) as run:
        run.tool_tasks("ipc-bench", 3)      # the host and its two members are there
        time.sleep(2)
        run.process.terminate()
        _, out, err = run.wait()
    assert 0 < block(out)[1] < 1000000000, (out, err)


@pytest.mark.parametrize("words", ["", "udp", "pipe fifo", "pipe -c 0", "pipe -c abc", "pipe -s -5", "pipe --tcp",
                                   "pipe --cpus 99999", "pipe --bogus"])
def test_bad_values_are_one_sentence(ipctop, words):
    result = ipctop.run("ipc-bench", *words.split())
    assert result.returncode == 1 and result.stdout == "" and result.stderr.count("\n") == 1, result
    assert result.stderr.startswith("ipc-bench: "), result
