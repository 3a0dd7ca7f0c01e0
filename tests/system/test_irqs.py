# SPDX-License-Identifier: GPL-2.0-or-later
"""Interrupts that are moved are an event, and a difference between runs.

Each run has a mount namespace of its own, in which /proc/irq is a folder of files: no interrupt is moved."""
import shlex
import subprocess

import pytest

from conftest import CPU, Program
from harness import Run, report

pytestmark = pytest.mark.needs("root", "unshare --mount", "program setpriv")
ARGS = ("-q", "-m", "pipe", "--pairs", f"{CPU}:{CPU}", "-i", "1ms")


class Machine(Program):
    """ipctop on a machine with some interrupts."""

    def __init__(self, ipctop, folder, user=""):
        super().__init__(folder / "machine")
        self.folder = folder / "irq"
        for number in (1, 8, 9):
            (self.folder / str(number)).mkdir(parents=True)
            self.move(number, "0-1")
        (self.folder / "default_smp_affinity").write_text("3\n")
        script = f'mount --bind {shlex.quote(str(self.folder))} /proc/irq && exec {user} {shlex.quote(ipctop.path)} "$@"'
        (folder / "machine").write_text(f'#!/bin/sh\nexec unshare --mount --propagation private sh -c {shlex.quote(script)} sh "$@"\n')
        (folder / "machine").chmod(0o755)

    def file(self, number):
        return self.folder / str(number) / "smp_affinity_list"

    def move(self, number, cpus):
        self.file(number).write_text(f"{cpus}\n")


@pytest.fixture(name="covered", scope="session")
def fixture_covered():
    """Skips where no one can have file systems of their own."""
    if subprocess.run(["unshare", "--mount", "--propagation", "private", "mount", "--bind", "/tmp", "/proc/irq"],
                      capture_output=True, check=False).returncode:
        pytest.skip("needs a mount of its own over /proc/irq")


def affinity(machine):
    result = machine.run(*ARGS, "-D", 1, "--json", "-")
    assert result.returncode == 0, result
    return report(result.stdout)["host"]["irq_affinity"], result.stdout


@pytest.mark.usefixtures("covered")
@pytest.mark.needs("whole")
def test_interrupts_that_are_moved_are_an_event_and_a_difference(ipctop, tmp_path):
    machine, paths = Machine(ipctop, tmp_path), [tmp_path / name for name in ("before", "moved", "after")]
    found, text = affinity(machine)
    assert found == {"irqs": "1:0-1 8-9:0-1", "default": "3"}
    paths[0].write_text(text)
    with Run(machine, *ARGS, "-D", 8, "--json", paths[1]) as run:
        run.tid("pipe:0.0")     # the interrupts are known by then
        machine.move(9, 0)
        assert run.wait()[0] == 0
    assert "irq affinity of irq 9: CPUs 0-1 -> CPU 0" in [event["text"] for event in report(paths[1])["events"]]
    machine.move(1, 0)
    (machine.folder / "default_smp_affinity").write_text("1\n")
    found, text = affinity(machine)
    assert found == {"irqs": "1:0 8:0-1 9:0", "default": "1"}
    paths[2].write_text(text)
    text = " ".join(machine.run("compare", paths[0], paths[2]).stdout.split())
    assert "2 of 3 irqs CPUs 0-1 > CPU 0; default irq affinity 3 > 1" in text, text    # the load may differ, too


@pytest.mark.usefixtures("covered")
def test_interrupts_that_can_not_be_read_are_named(plain, tmp_path):
    machine = Machine(plain, tmp_path, user="setpriv --reuid 65534 --regid 65534 --clear-groups")
    for number in (1, 8, 9):
        machine.file(number).chmod(0)
    assert affinity(machine)[0]["irqs"] == "not readable"
