# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads disturb, are events, phases and differences, and always end with ipctop."""
import os
import re
import signal
import time

import pytest

from conftest import CPU, as_nobody, cpus, may_run_realtime, usable_cpus
from harness import Run, marked, read, report, status, table, until
from terminal import Terminal
from test_control import await_status, ctl, socket_path     # noqa: F401, a fixture

QUIET = ["-q", "--no-config", "-t", 1, "-i", "5ms"]
KINDS = table("load_kinds")
JOINT = ("ipi", "mprotect")


def workers(run, kind):
    """The pids of the load's workers, without what a fork storm starts."""
    found = marked(run.mark)
    return [pid for pid, (name, parent) in found.items() if name == f"ipctop-{kind}" and
            found.get(parent, ("",))[0] == "ipctop-load"]


def cpu_ticks(pid):
    """CPU time of a process and of its children that have ended, in clock ticks."""
    fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return sum(int(field) for field in fields[11:15]) if fields else 0


def need_kind(kind):
    if kind == "fifo" and not may_run_realtime():
        pytest.skip("needs the right to real-time policies")
    if kind in JOINT and usable_cpus() < 2:
        pytest.skip("needs 2 cpus")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_works_and_ends(ipctop, tmp_path, kind):
    need_kind(kind)
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "--json", summary, "--load", f"{kind}:{CPU}:40") as run:
        worker, = until(lambda: workers(run, kind))
        if kind not in JOINT:
            assert os.sched_getaffinity(worker) == {CPU}
        assert until(lambda: cpu_ticks(worker) >= 5), "it uses CPU time"
        if kind == "fifo":
            assert os.sched_getscheduler(worker) == os.SCHED_FIFO and os.sched_getparam(worker).sched_priority == 50
            limit = re.search(rb"^Max realtime timeout +(\d+) +(\d+) +us", read(f"/proc/{worker}/limits"), re.M)
            assert limit and (int(limit[1]), int(limit[2])) == (100000, 200000), "the kernel ends one that does not rest"
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0
        assert run.left() == {}
    found = report(summary)
    assert found["options"]["loads"] == [f"{kind}:{CPU}:40%"] and found["host"]["loads"] == f"{kind}:{CPU}:40%"
    assert not [event for event in found["events"] if "load" in event["text"]], "it was there from the start"


def test_a_fork_storm_has_at_most_eight_children_on_each_cpu(ipctop):
    """So that it needs no cgroup with a limit on processes."""
    with Run(ipctop, *QUIET, "--load", f"fork:{CPU}:60") as run:
        worker, = until(lambda: workers(run, "fork"))

        def children():
            """While it is stopped, so that none comes and none is reaped."""
            os.kill(worker, signal.SIGSTOP)
            assert until(lambda: status(worker)[1] == "T")
            found = [status(int(name)) for name in os.listdir("/proc") if name.isdigit()]
            os.kill(worker, signal.SIGCONT)
            return sum(what is not None and what[2] == worker for what in found)
        assert until(children), "it forks"
        assert max(children() for _ in range(20)) <= 8


def namespace_pids(pid):
    """Of a process, in each of its pid namespaces that this process knows, its own one last."""
    return [int(word) for word in re.search(rb"^NSpid:\s+(.*)$", read(f"/proc/{pid}/status"), re.M)[1].split()]


@pytest.mark.needs("unshare --fork --pid")
def test_a_load_is_in_a_pid_namespace_of_its_own(ipctop):
    with Run(ipctop, *QUIET, "--load", f"fork:{CPU}:20", "--load", f"timers:{CPU}:20") as run:
        depth = len(namespace_pids(run.pid))
        found = [until(lambda kind=kind: workers(run, kind))[0] for kind in ("fork", "timers")]
        for worker in found:
            first = marked(run.mark)[worker][1]
            assert len(namespace_pids(worker)) == len(namespace_pids(first)) == depth + 1
            assert namespace_pids(first)[-1] == 1, "it is the namespace's init, so its end ends all"
        spaces = [os.readlink(f"/proc/{worker}/ns/pid") for worker in found]
        assert len({*spaces, os.readlink(f"/proc/{run.pid}/ns/pid")}) == 3


def longest_gaps(seconds):
    """Of a task of FIFO:49 on the CPU that sleeps again and again, and looks at the clock; the longest first."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CPU})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(49))
    try:
        gaps, last, end = [], time.monotonic(), time.monotonic() + seconds
        while last < end:
            time.sleep(0.001)
            now = time.monotonic()
            gaps.append(now - last)
            last = now
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, own)
    return sorted(gaps, reverse=True)


@pytest.mark.needs("realtime")
@pytest.mark.timing
def test_a_fifo_load_rests_so_that_others_wait_for_less_than_50_ms(ipctop, stall):
    with Run(ipctop, *QUIET, "--load", f"fifo:{CPU}") as run:
        worker, = until(lambda: workers(run, "fifo"))
        assert until(lambda: cpu_ticks(worker) >= 5)
        gaps = longest_gaps(1)
    assert len(gaps) > 9 and gaps[9] > 0.01, gaps[:10]
    assert gaps[0] < 0.05 + stall.longest_of_machine, gaps[:5]


@pytest.mark.needs("realtime")
@pytest.mark.timing
@pytest.mark.parametrize("options", [
    ("-m", "mq", "-i", 0, "--force"),
    pytest.param(("-m", "yield", "-i", "4ms", "--allow-rt-spin"), marks=pytest.mark.needs("2 cpus"))],
    ids=["flood", "spinners"])
def test_a_fifo_load_rests_when_members_of_a_higher_priority_do(ipctop, stall, options):
    """Otherwise others would wait for both."""
    with Run(ipctop, "-q", "--no-config", "-p", 60, *options, "--pairs", f"{CPU}:{CPU}", "--load",
             f"fifo:{CPU}") as run:
        assert until(lambda: [os.sched_getscheduler(pid) for pid in workers(run, "fifo")] == [os.SCHED_FIFO])
        gaps = longest_gaps(3)
    assert len(gaps) > 9 and gaps[9] > 0.01, gaps[:10]
    assert gaps[0] < 0.05 + stall.longest_of_machine, gaps[:5]


def victims(run, who):
    return {"front": [run.pid], "keeper": [run.keeper()], "both": [run.pid, run.keeper()],
            "load": [pid for pid, (name, _) in marked(run.mark).items() if name == "ipctop-load"][:1]}[who]


@pytest.mark.parametrize("rights", ("all", "none"))
@pytest.mark.parametrize("who", ("front", "keeper", "both"))
def test_nothing_is_left_of_a_storm_whoever_is_killed(ipctop, plain, public, rights, who):
    """Without rights there is no pid namespace, and the processes' own parents end them."""
    if rights == "none":
        more = {"preexec_fn": as_nobody, "cwd": public}
    else:
        more = {}
    with Run(plain if rights == "none" else ipctop, *QUIET, "--load", f"fork:{CPU}:60", "--load", f"pipe:{CPU}:20",
             **more) as run:
        assert until(lambda: workers(run, "fork") and workers(run, "pipe"))
        killed = victims(run, who)
        for pid in killed:
            os.kill(pid, signal.SIGSTOP)    # so that neither sees the other's end
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        run.wait()
        assert run.left() == {}


@pytest.mark.parametrize("who", ("first process", "worker"))
def test_a_load_that_is_killed_is_a_warning_and_the_run_goes_on(ipctop, tmp_path, who):
    summary = tmp_path / "run.json"
    with Run(ipctop, *QUIET, "-D", 120, "--tick", 0.1, "--json", summary, "--load", f"spinner:{CPU}:20") as run:
        worker, = until(lambda: workers(run, "spinner"))
        os.kill(worker if who == "worker" else marked(run.mark)[worker][1], signal.SIGKILL)
        assert until(lambda: not os.path.exists(f"/proc/{worker}"))
        assert any("load spinner" in line for line in run.process.stderr)
        run.process.send_signal(signal.SIGINT)
        assert run.wait()[0] == 0
    found = report(summary)
    told, = [event["text"] for event in found["events"] if event["kind"] == "warning" and "load" in event["text"]]
    assert re.fullmatch(rf"load spinner:{CPU}:20% has ended: .*kill.*", told), told
    assert found["host"]["loads"] == "none"
    assert [event["text"] for event in found["events"] if event["text"].endswith("-> none")] == [
        f"load: spinner:{CPU}:20% -> none"]


@pytest.mark.parametrize("words, sentence", (
    (["--load", "x"], "--load x: no such load: choose from spinner, fifo, faults,"),
    (["--load", "fork:x"], "--load fork:x: the CPUs must be a list such as 0-3,8"),
    (["--load", "fork:0:101"], "--load fork:0:101: the intensity must be 1 to 100 percent"),
    (["--load", "fork:8191"], "--load fork:8191:100%: CPU 8191 is not allowed here"),
    (["--load", "fork"] * 17, "--load fork: at most 16 loads are open at once")))
def test_a_wrong_load_is_refused_in_one_sentence(ipctop, words, sentence):
    assert ipctop.refuse("-q", "-D", 1, *words).startswith(sentence)


def test_the_right_to_fifo_is_named_and_nothing_starts(plain, public):
    said = plain.refuse("-q", "-D", 1, "--load", "fifo", preexec_fn=as_nobody, cwd=public)
    assert said.startswith("--load fifo:100%: no right to FIFO:50 (") and "ulimit -r" in said, said


def test_a_load_is_undone_to_those_before(ipctop, path):
    with Run(ipctop, *QUIET, "--tick", 0.1, "--load", f"faults:{CPU}:10", "--control", path) as run:
        await_status(path)
        worker, = until(lambda: workers(run, "faults"))
        for words in ("timers:off", "undo"):
            assert ctl(ipctop, path, *(["load", words] if ":" in words else [words])).returncode == 1, "nothing was done"
        assert ctl(ipctop, path, "load", f"spinner:{CPU}:10").returncode == 0
        assert until(lambda: workers(run, "spinner"))
        assert ctl(ipctop, path, "undo").returncode == 0
        assert until(lambda: not workers(run, "spinner")) and workers(run, "faults") == [worker], "the other one went on"
        assert "there is nothing to undo" in ctl(ipctop, path, "undo").stderr
        assert ctl(ipctop, path, "load", "off").returncode == 0
        assert until(lambda: not workers(run, "faults"))
        assert ctl(ipctop, path, "undo").returncode == 0
        assert until(lambda: workers(run, "faults"))
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0
        assert run.left() == {}


def test_a_load_is_an_event_a_phase_and_a_difference(ipctop, path, tmp_path):
    summary, recording = tmp_path / "run.json", tmp_path / "run.rec"
    with Run(ipctop, *QUIET, "--tick", 0.1, "--control", path, "--json", summary, "--record", recording) as run:
        await_status(path)
        for words in (f"faults:{CPU}:30", f"spinner:{CPU}:20", "faults:off", "off"):
            time.sleep(1.2)     # changes within a second are of one phase
            assert ctl(ipctop, path, "load", words).returncode == 0, words
            if words.startswith("spinner"):
                assert until(lambda: workers(run, "faults") and workers(run, "spinner"))
        assert until(lambda: not workers(run, "faults") and not workers(run, "spinner"))
        time.sleep(0.4)
        for words, sentence in (("off", "load off: no such load is open"), ("fork:off", "load fork:off: no such load is open"),
                                ("forks:off", "load forks:off: no such load: choose from"),
                                ("fork:x", "load fork:x: the CPUs must be a list"),
                                ("fork:8191", "load fork:8191: CPU 8191 is not allowed here")):
            said = ctl(ipctop, path, "load", words)
            assert said.returncode == 1 and said.stderr.startswith(f"ipctop: ctl: {sentence}"), said
        ctl(ipctop, path, "quit")
        assert run.wait()[0] == 0
    found = report(summary)
    faults, spinner = f"faults:{CPU}:30%", f"spinner:{CPU}:20%"
    changes = [f"load: none -> {faults}", f"load: {faults} -> {faults} {spinner}", f"load: {faults} {spinner} -> {spinner}",
               f"load: {spinner} -> none"]
    assert [event["text"] for event in found["events"] if event["kind"] == "change"
            and event["text"].startswith("load: ")] == changes
    names = [phase["name"] for phase in found["phases"] if phase["name"].startswith("load: ")]
    assert len(names) == 4 and names[0] == changes[0], names
    again = tmp_path / "again.json"
    assert ipctop.run("--replay", recording, "--speed", 0, "-q", "--json", again).returncode == 0
    assert [event["text"] for event in report(again)["events"]] == [event["text"] for event in found["events"]]
    compared = ipctop.run("compare", f"{recording}:1", f"{recording}:2")
    assert f"load none > {faults}" in " ".join(compared.stdout.split()), compared


@pytest.mark.screen
@pytest.mark.needs("terminals")
def test_a_key_opens_and_ends_a_load(ipctop):
    with Terminal(ipctop, *[word for word in QUIET if word != "-q"], "--tick", 0.1, "--refresh", 0.2, columns=120,
                  lines=40) as terminal:
        terminal.wait_for(lambda text: re.search(r"\d+>\d+(?:#\d+)? .*\d\.\d\d", text))

        def type_line(line):
            for letter in line:
                terminal.press(letter)

        terminal.press("l")
        terminal.wait_for(lambda text: "load, such as fork:0-3:50" in text and "Type a load: spinner, fifo," in text and
                          "Open now: none. Enter closes." in text)
        type_line("spi")
        terminal.wait_for(lambda text: "no such load: choose from" in text)
        terminal.press("Enter")
        terminal.wait_for(lambda text: "this changes no load yet: see above" in text)
        terminal.press("Tab")
        terminal.wait_for(lambda text: "spinner_" in text)
        type_line(f":{CPU}:20")
        terminal.wait_for(lambda text: f"a plain task that computes. On CPU {CPU}, 20 % of the time." in text)
        terminal.press("Enter")
        terminal.wait_for(lambda text: f"under spinner:{CPU}:20%" in text and f"load: none -> spinner:{CPU}:20%" in text)
        terminal.wait_for(lambda text: "load, such as" not in text)
        terminal.press("l")
        type_line("off")
        terminal.wait_for(lambda text: "Ends all loads. This begins a phase." in " ".join(text.split()))
        terminal.press("Enter")
        terminal.wait_for(lambda text: f"under spinner:{CPU}:20%" not in text and f"load: spinner:{CPU}:20% -> none" in text)
        terminal.wait_for(lambda text: "load, such as" not in text)
        terminal.press("l")
        type_line("off")
        terminal.wait_for(lambda text: "no load is open" in text)
        terminal.press("Enter")
        terminal.wait_for(lambda text: "this changes no load yet: see above" in text)
        terminal.press("Esc")
        terminal.wait_for(lambda text: "load, such as" not in text)
        terminal.press("q")
        assert terminal.finish() == 0
