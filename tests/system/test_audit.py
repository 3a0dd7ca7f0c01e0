# SPDX-License-Identifier: GPL-2.0-or-later
"""ipctop audit: each knob of this machine, with its value or as absent, and knobs that others change.

Where a value must be known, the run has a mount namespace in which files of its own cover those of the kernel."""
import json
import os
import pathlib
import re
import shlex
import subprocess

import jsonschema
import pytest

from conftest import ROOT, Program

SCHEMA = ROOT / "schema" / "ipctop-audit.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
# What is covered by a file: path, good text, bad text, the knob's name, its value then.
COVERED = (
    ("/proc/sys/kernel/timer_migration", "0", "1", "timer_migration", "1"),
    ("/proc/sys/vm/stat_interval", "10", "1", "stat_interval", "1"),
    ("/proc/sys/kernel/printk", "4\t4\t1\t7", "7\t4\t1\t7", "console log level", "7"),
    ("/proc/swaps", "Filename", "Filename\n/dev/sda2 partition", "swap", "1 area"),
    ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never", "[always] madvise never",
     "transparent_hugepage", "always"),
    ("/sys/devices/virtual/workqueue/cpumask", "fffffffe", "1", "workqueue cpumask", "1"),
)
NOT_GOOD = ("costs", "may_cost")
WITHOUT_VALUE = ("denied", "not_mounted", "run_only", "absent")


class Machine(Program):
    """ipctop on a machine with some files of its own."""

    def __init__(self, ipctop, folder):
        super().__init__(folder / "machine")
        self.files = {}
        mounts = []
        for number, (path, *_) in enumerate(COVERED):
            if not pathlib.Path(path).exists():
                continue
            self.files[path] = folder / f"file{number}"
            mounts.append(f"mount --bind {shlex.quote(str(self.files[path]))} {path}")
        script = f'{" && ".join(mounts)} && exec {shlex.quote(ipctop.path)} "$@"'
        (folder / "machine").write_text(f'#!/bin/sh\nexec unshare --mount --propagation private sh -c {shlex.quote(script)} sh "$@"\n')
        (folder / "machine").chmod(0o755)

    def write(self, which):
        for path, good, bad, *_ in COVERED:
            if path in self.files:
                self.files[path].write_text((good, bad)[which] + "\n")


@pytest.fixture(name="machine")
def fixture_machine(ipctop, tmp_path):
    machine = Machine(ipctop, tmp_path)
    machine.write(0)
    if machine.run("--version").returncode:
        pytest.skip("needs mounts of its own")
    return machine


def can_change(knob):
    return "now" in knob or knob.get("keep", "").startswith("kernel command line: ")


def knobs_of(text):
    """By name, once the output was found good by the schema."""
    document = json.loads(text)
    VALIDATOR.validate(document)
    return {knob["name"]: knob for knob in document["knobs"]}


def audit(program, *args):
    """The knobs by name, once the output was found good by the schema."""
    result = program.run("audit", "--json", *args)
    assert result.returncode in (0, 2), result
    knobs = knobs_of(result.stdout)
    costs = any(knob["verdict"] == "costs" and can_change(knob) for knob in knobs.values())
    assert json.loads(result.stdout)["costs"] == costs and result.returncode == (2 if costs else 0)
    return knobs


def test_each_knob_has_its_value_or_why_it_has_none(ipctop):
    knobs = audit(ipctop)
    assert len(knobs) >= 50
    for name, knob in knobs.items():
        assert ("value" in knob) == (knob["verdict"] not in WITHOUT_VALUE), knob
        assert knob["verdict"] != "not_mounted" or re.match("mount -t (debugfs|tracefs) ", knob["now"]), knob
        assert "now" in knob or "keep" in knob, name
        assert subprocess.run(["sh", "-n", "-c", knob.get("now", "")], check=False).returncode == 0, knob
    assert {knobs[name]["verdict"] for name in ("timer slack", "uclamp", "cgroup")} == {"run_only"}
    tracing = pathlib.Path("/sys/kernel/tracing")
    if os.access(tracing, os.R_OK | os.X_OK) and not any(tracing.iterdir()) \
            and os.access("/sys/kernel/debug", os.X_OK) and not os.path.exists("/sys/kernel/debug/tracing"):
        assert knobs["tracing"]["verdict"] == knobs["irqsoff tracer"]["verdict"] == "not_mounted", knobs["tracing"]
    runtime = pathlib.Path("/proc/sys/kernel/sched_rt_runtime_us")
    if runtime.exists():
        assert knobs["sched_rt_runtime_us"]["value"] == runtime.read_text(encoding="utf-8").strip()


@pytest.mark.needs("root", "unshare --mount")
def test_a_bad_value_is_judged(machine):
    for which in (0, 1):
        machine.write(which)
        knobs = audit(machine, "-c", "0")
        for path, _, _, name, value in COVERED:
            if path in machine.files:
                assert (knobs[name]["verdict"] in NOT_GOOD) == bool(which), knobs[name]
                assert not which or knobs[name]["value"] == value, knobs[name]


def test_the_text_has_the_same_knobs_in_groups(ipctop):
    knobs, result = audit(ipctop), ipctop.run("audit")
    lines = result.stdout.splitlines()
    assert result.returncode in (0, 2) and "advice for members on CPUs" in lines[0]
    groups = [line for line in lines if re.match(r"\w", line)][1:]
    assert sorted(groups) == ["CPUs and isolation", "interrupts", "kernel", "memory", "power", "scheduler", "virtualisation"]
    named = [line[17:].split(": ")[0] for line in lines if re.match(r"  \w", line)]
    assert sorted(named) == sorted(knobs)
    for name in (name for name, knob in knobs.items() if knob["verdict"] in NOT_GOOD):
        at = next(i for i, line in enumerate(lines) if re.match(rf"  \w.{{13}} {re.escape(name)}: ", line))
        words = [line.split()[0] for line in lines[at + 1:at + 6] if line.startswith("    ")]
        assert words[:3] == ["is", "good", "cost"] and {"now", "keep"} & set(words[3:]), lines[at:at + 6]


@pytest.mark.parametrize("args, complaint", [
    (["-c", "x"], "-c x: "), (["-c", "8000"], "8000"), (["more"], "audit: more: takes only options"), (["--nothing"], "--nothing"),
])
def test_bad_use_is_one_sentence(ipctop, args, complaint):
    result = ipctop.run("audit", *args)
    assert result.returncode == 1 and not result.stdout, result
    assert complaint in result.stderr and result.stderr.count("\n") == 1, result.stderr


@pytest.mark.needs("program strace")
def test_nothing_is_written_by_looking(ipctop):
    """No file is opened for writing but standard output; /dev/cpu_dma_latency is only read."""
    if subprocess.run(["strace", "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to trace")
    trace = subprocess.run(["strace", "-f", "-e", "trace=open,openat,creat", ipctop.path, "audit"], capture_output=True, text=True, check=False)
    opened = [line for line in trace.stderr.splitlines() if "O_WRONLY" in line or "O_RDWR" in line]
    assert trace.returncode in (0, 2) and "O_RDONLY" in trace.stderr
    assert not [line for line in opened if "/proc" in line or "/sys" in line or "cpu_dma_latency" in line], opened
