# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong input is one sentence that names the option, the value and what is allowed; nothing starts, nothing stays."""
import os
import subprocess
import uuid

import pytest

from conftest import CPU, OWN, cpus, environment, need
from harness import MARK, marked

WRONG = [
    # arguments, what the sentence must name
    (["-D", "abc"], ["-D", "abc"]),
    (["-D", "-1"], ["-D", "-1"]),
    (["-D", "1w"], ["-D", "1w"]),
    (["-D", ""], ["-D"]),
    (["-D", "99999999999999999999d"], ["-D", "99999999999999999999d"]),
    (["--duration=nan"], ["--duration", "nan"]),
    (["--duration"], ["--duration"]),
    (["-i", "-5"], ["-i", "-5"]),
    (["-i", "1,5"], ["-i", "1,5"]),
    (["-i", "0x10"], ["-i", "0x10"]),
    (["-i", "61s"], ["-i", "61s", "60"]),
    (["-i", "inf"], ["-i", "inf"]),
    (["-d", "far"], ["-d", "far"]),
    (["-l", "-1"], ["-l", "-1"]),
    (["--turns", "0"], ["--turns", "0", "0.1", "3600"]),
    (["-m", "shm", "--pairs", "own"], ["-m shm", "spin", "CPU of its own", "--pairs"]),
    (["-m", "yield", "-c", str(CPU), "-p", "5"], ["-m yield", "real-time", "--allow-rt-spin"]),
    (["-m", "yield", "-p", "5", "--allow-rt-spin", "--force"], ["--allow-rt-spin", "yield", "-H"]),
    (["--turns", "0.5", "-m", "mq,svsem", "-i", "1s"], ["--turns", "0.5", "1 s", "8 s"]),
    (["-l", "1.5"], ["-l", "1.5"]),
    (["-l", "18446744073709551616"], ["-l", "18446744073709551616"]),
    (["-p", "99"], ["-p", "99", "98"]),
    (["-p", "-1"], ["-p", "-1", "98"]),
    (["-p", "high"], ["-p", "high", "98"]),
    (["-p", "+"], ["-p", "+"]),
    (["-p", ""], ["-p ''", "98"]),
    (["-p", "\x1b]0;title\x07"], ["-p"]),
    (["--policy", "fifo"], ["--policy", "fifo", "-p"]),
    (["--policy", "rr"], ["--policy", "rr", "-p"]),
    (["--policy", "FIFO2"], ["--policy", "FIFO2", "rr"]),
    (["--policy", "deadline"], ["--policy", "deadline"]),
    (["--policy", "other", "-p", "10"], ["other", "10"]),
    (["-m", "mqq"], ["-m", "mqq", "mq", "svsem", "signal"]),
    (["-m", "mq,"], ["-m"]),
    (["-m", ""], ["-m"]),
    (["-c", "0-"], ["-c", "0-"]),
    (["-c", "1-0"], ["-c", "1-0"]),
    (["-c", "7000"], ["-c", "7000"]),
    (["-c", "99999999999"], ["-c", "99999999999"]),
    (["-c", ""], ["-c"]),
    (["-a", "0,x"], ["0,x"]),
    (["-H", "nine"], ["-H", "nine"]),
    (["-H", "8000"], ["-H", "8000"]),
    (["--threads=-3"], ["--threads", "-3"]),
    (["-t", "many"], ["many"]),
    (["--pairs", "some"], ["--pairs", "some", "own", "classes"]),
    (["--pairs", "0:"], ["--pairs", "0:"]),
    (["--pairs", f"{CPU}:7000"], ["--pairs", "7000"]),
    (["--pairs", "0:0:0"], ["--pairs", "0:0:0"]),
    (["--show", "latency"], ["--show", "latency", "first", "answer", "lap", "response"]),
    (["--tick", "0"], ["--tick", "0", "0.05", "10"]),
    (["--tick", "11"], ["--tick", "11"]),
    (["--refresh", "0.01"], ["--refresh", "0.01", "0.1", "3600"]),
    (["--refresh", "soon"], ["--refresh", "soon"]),
    (["--dma-latency", "-1"], ["--dma-latency", "-1"]),
    (["--dma-latency", "2000000001"], ["--dma-latency", "2000000001"]),
    (["--render", "80"], ["--render", "80"]),
    (["--render", "0x0"], ["--render", "0x0"]),
    (["--render", "80x24x2"], ["--render", "80x24x2"]),
    (["--work", "1024M", "--ring", "16x4096", "-c", str(CPU)], ["--work", "-s", "67108864 MiB", "available"]),
    (["--memory", "near"], ["--memory near", "receiver", "node:N", "interleave"]),
    (["--memory", "node:4000"], ["--memory node:4000", "this machine has node"]),
    (["--json", ""], ["--json"]),
    (["--json", "/nowhere/at/all.json"], ["/nowhere/at/all.json"]),
    (["--json", "/"], ["/"]),
    (["--json", "-", "--render", "80x24"], ["--json", "-", "--render"]),
    (["--metrics", ""], ["--metrics"]),
    (["--metrics", "-"], ["--metrics -", "regular file"]),
    (["-S", "--pairs", "all"], ["-S", "--pairs"]),
    (["-x"], ["-x"]),
    (["-"], ["-"]),
    (["--unknown"], ["--unknown"]),
    (["--re", "1"], ["--re:", "--refresh", "--render", "--record", "--replay"]),
    (["--quiet=1"], ["--quiet"]),
    (["--p"], ["--p"]),
    (["measure"], ["measure"]),
    (["list", "more"], ["more"]),
    (["-D", "1", "extra"], ["extra"]),
    (["-m", "mq\n\x1b[2Jx"], ["-m"]),
    (["-i", "\xff\xfe"], ["-i"]),
    (["-D", "9" * 5000], ["-D"]),
]


def printable(args):
    return " ".join(args)[:40].encode("unicode_escape").decode()


@pytest.mark.parametrize("args, names", WRONG, ids=[printable(args) for args, _ in WRONG])
def test_wrong_command_lines_are_one_sentence(ipctop, args, names):
    if "available" in names:
        need("proc")        # for /proc/meminfo
    mark = uuid.uuid4().hex
    result = subprocess.run([ipctop.path, *args], env=environment({MARK: mark}), stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=60, check=False)
    error = result.stderr.decode(errors="replace")
    assert (result.returncode, result.stdout) == (1, b""), result
    assert error.startswith("ipctop: ") and error.endswith("\n") and error.count("\n") == 1, error
    assert error[:-1].isprintable() or "\xff" in args[-1], repr(error)
    assert len(error) < 1000
    for name in names:
        assert name in error, (name, error)
    assert not any(word in error for word in ("Sanitizer", "Assertion", "Segmentation", "(null)", "Success")), error
    assert marked(mark) == {}


@pytest.mark.parametrize("env", [{"HWLOC_SYNTHETIC": "core:2 pu:2"}, {"HWLOC_XMLFILE": "/dev/null"},
                                 {"HWLOC_SYNTHETIC": "nonsense:"}], ids=str)
def test_measuring_a_machine_that_is_not_this_one_is_refused(ipctop, env):
    assert next(iter(env)) in ipctop.refuse("-D", 1, env=env)


def test_another_machines_cpuid_is_planned_on_and_not_measured(ipctop, tmp_path):
    (tmp_path / "hwloc-cpuid-info").write_text("Architecture: x86\n")
    (tmp_path / "pu0").write_text("")
    env = {"HWLOC_CPUID_PATH": tmp_path}
    assert "not this system" in ipctop.run("--plan", env=env).stdout
    assert "HWLOC_CPUID_PATH is set" in ipctop.refuse("-D", 1, env=env)


def test_flood_at_real_time_priority_on_every_cpu_is_refused(ipctop):
    sentence = ipctop.refuse("-i", 0, "-p", 10, "-D", 1)
    assert "-H" in sentence and "--force" in sentence


@pytest.mark.needs("2 cpus", "realtime")
@pytest.mark.alone
def test_flood_at_real_time_priority_leaves_the_housekeeping_cpu_alone(ipctop):
    other = cpus()[1]
    result = ipctop.run("-i", 0, "-p", 10, "-D", 0.3, "-H", CPU, "-c", other, "-q")
    assert result.returncode == 0 and f"{other}>{other}" in result.stdout and OWN not in result.stdout


def test_a_report_that_can_not_be_written_is_found_before_the_run(ipctop, tmp_path):
    """Not after ten minutes."""
    folder = tmp_path / "folder"
    folder.mkdir()
    assert str(folder) in ipctop.refuse("-D", 600, "--json", folder)
    assert os.listdir(tmp_path) == ["folder"] and os.listdir(folder) == []


def test_an_old_report_is_whole_after_a_refusal(ipctop, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    ipctop.refuse("--json", path, "-D", "x")
    ipctop.refuse("--json", path, "-D", 1, env={"HWLOC_SYNTHETIC": "core:2 pu:2"})
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["report.json"]
