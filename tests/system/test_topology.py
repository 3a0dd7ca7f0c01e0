# SPDX-License-Identifier: GPL-2.0-or-later
"""The view of the machine's parts: what its CPUs do now, and the machine of a recording."""
import contextlib
import re
import subprocess
import threading

import pytest

import made
from conftest import CPU, Program, cpus
from terminal import Terminal
from test_knobs import CPU_FOLDER, Faked, bind, copy_files, write_machine

pytestmark = pytest.mark.screen


def column(text, title, line):
    """The part of a line that is below a title, which is aligned to the right."""
    head = next((head for head in text.splitlines() if "PART" in head), "")
    end = head.find(title) + len(title)
    return line[:end].rsplit(" ", 1)[-1] if title in head else None


def line_of(text, name):
    return next((line for line in text.splitlines() if re.match(rf"[> ] +{name}( |$)", line)), "")


def share(text, title, name):
    found = column(text, title, line_of(text, name))
    return float(found) if found and re.fullmatch(r"\d+\.\d", found) else None


def test_a_busy_cpu_is_seen(ipctop):
    """By a loop of a plain task, which ends by itself: `timeout`, if it is ended as it starts, may leave its child."""
    cpu = cpus()[0]
    name = f"CPU {cpu}"
    loop = subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "ulimit -t 60; while :; do :; done"])
    try:
        with Terminal(ipctop, "-c", cpu, "-t", 1, "-i", "10ms", "--tick", 0.1, "--refresh", 0.2, "--no-config",
                      columns=200, lines=40) as terminal:
            terminal.wait_for(lambda text: "PAIR" in text)
            terminal.press("T")
            terminal.wait_for(lambda text: " topology: " in text and line_of(text, name))
            terminal.wait_for(lambda text: (share(text, "BUSY%", name) or 0) > 50)
            terminal.wait_for(lambda text: re.search(r"\d", column(text, "irq/s", line_of(text, name))))
            # Of tasks with one priority any is named, and the others are counted.
            terminal.wait_for(lambda text: re.search(r"( sh| \+\d+)$", line_of(text, name)))
            assert share(terminal.text(), "BUSY%", name) <= 100
            assert "no live columns" not in terminal.text()
            terminal.press("Space")
            terminal.wait_for(lambda text: "FROZEN" in text and "BUSY%" not in text and "; no live columns" in text)
            terminal.press("Space")
            terminal.wait_for(lambda text: "LIVE" in text and (share(text, "BUSY%", name) or 0) > 50)
    finally:
        loop.terminate()
        loop.wait()


@contextlib.contextmanager
def idle_in(folder, state):
    """Adds to the time that the CPU was in one of its idle states."""
    file, is_over = folder / "cpuidle" / f"state{state}" / "time", threading.Event()

    def add():
        while not is_over.wait(0.05):
            with open(file, "r+", encoding="ascii") as text:    # at once, as the kernel
                us = int(text.read())
                text.seek(0)
                text.write(f"{us + 50000:016}\n")

    adder = threading.Thread(target=add)
    adder.start()
    try:
        yield
    finally:
        is_over.set()
        adder.join()


@pytest.mark.needs("root", "unshare --mount")
def test_frequency_and_idle_state_are_those_that_the_kernel_tells(ipctop, tmp_path):
    """On a machine whose files of a CPU are the test's."""
    folder = tmp_path / "cpu"
    for part in ("topology", "cache"):
        copy_files(f"{CPU_FOLDER}/{part}", folder / part)
    Faked.place(folder / "cpufreq" / "scaling_cur_freq", "2345678")
    for number, name in enumerate(("POLL", "C6")):
        Faked.place(folder / "cpuidle" / f"state{number}" / "name", name)
        Faked.place(folder / "cpuidle" / f"state{number}" / "time", "0" * 16)
    write_machine(tmp_path / "machine", [bind(folder, CPU_FOLDER)], ipctop.path)
    machine, name = Program(tmp_path / "machine"), f"CPU {CPU}"
    if machine.run("--version").returncode:
        pytest.skip("needs mounts of its own")

    def shows(mhz, idle):
        return lambda text: (column(text, "MHz", line_of(text, name)), column(text, "IDLE", line_of(text, name))) == (mhz, idle)

    with Terminal(machine, "-c", CPU, "-t", 1, "-i", "10ms", "--tick", 0.1, "--refresh", 0.2, "--no-config", "--view", "topology",
                  columns=200, lines=60) as terminal:
        with idle_in(folder, 1):
            terminal.wait_for(shows("2346", "C6"))
        Faked.place(folder / "cpufreq" / "scaling_cur_freq", "800000")
        with idle_in(folder, 0):
            terminal.wait_for(shows("800", "POLL"))


def test_a_recording_has_its_own_machine(ipctop, tmp_path):
    path = made.record("few", tmp_path)
    text = ipctop.run("--replay", path, "--view", "topology", "--render", "120x40").stdout
    assert line_of(text, "CPU 7") and not line_of(text, "CPU 8"), text
    assert "package 1 node 1 L3" in text and "BUSY%" not in text
    with Terminal(ipctop, "--replay", path, "--view", "topology", "--no-config", columns=120, lines=40) as terminal:
        terminal.wait_for(lambda text: line_of(text, "CPU 7") and "REPLAY" in text)
        assert "BUSY%" not in terminal.text() and "; no live columns" in terminal.text()


def test_a_recording_of_this_machine_has_its_cpus(ipctop, tmp_path):
    path = tmp_path / "recording"
    ipctop.run("-t", 1, "-D", 1, "--record", path, "--no-config")
    text = ipctop.run("--replay", path, "--view", "topology", "--render", "120x1000").stdout
    assert line_of(text, f"CPU {cpus()[0]}"), text
    assert len(cpus()) > 400 or all(line_of(text, f"CPU {cpu}") for cpu in cpus()), text
