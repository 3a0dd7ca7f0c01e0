# SPDX-License-Identifier: GPL-2.0-or-later
"""Compat tools under their tools' names: their users find the threads by ps and pidof, set priorities by chrt, and end
a run by killall."""
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import Program
from harness import Run, read, until

TOOLS = [("signaltest", ["-t", 3], 1, 3), ("pmqtest", ["-t", 2], 2, 2), ("svsematest", ["-f"], 1, 2)]


@pytest.fixture(name="links", scope="session")
def fixture_links(ipctop, public):
    """Links by the tools' names, as `meson install` makes them."""
    folder = public / "links"
    folder.mkdir()
    for tool, *_ in TOOLS:
        (folder / tool).symlink_to(ipctop.path)
    return folder


def listed(run, tool):
    """The rows of ps for this run under the tool's name: [[pid, tid, rtprio, cmd]]."""
    shown = subprocess.run(["ps", "-ww", "-C", tool, "-To", "pid=,tid=,rtprio=,cmd="], capture_output=True, text=True,
                           check=False).stdout
    rows, own = [line.split(None, 3) for line in shown.splitlines()], run.processes()
    return [row for row in rows if int(row[0]) in own]


def words(pid):
    return read(f"/proc/{pid}/cmdline").rstrip(b"\0").split(b"\0")


@pytest.mark.needs("realtime", "program ps")
@pytest.mark.parametrize("by_link", [True, False], ids=["link", "word"])
@pytest.mark.parametrize("tool, options, hosts, members", TOOLS, ids=[row[0] for row in TOOLS])
def test_ps_lists_the_members_alone_at_a_priority(ipctop, links, tool, options, hosts, members, by_link):
    arguments = [*options, "-p", 40, "-q", "-D", 600]
    program, first = (Program(links / tool), []) if by_link else (ipctop, [tool])
    with Run(program, *first, *arguments) as run:
        tasks = run.tool_tasks(tool, hosts * (1 + members))
        fork = "-f" in options
        parents = {run.processes()[pid][1] for pid, _ in tasks}     # the keeper, and of processes the host
        host_pids = {pid for pid, _ in tasks if run.processes()[pid][1] == run.keeper()}
        assert len(host_pids) == hosts and parents - {run.keeper()} == (host_pids if fork else set())
        wanted = {tid: "-" if tid in host_pids else "40" for _, tid in tasks}
        wanted |= {tid: "39" for pid, tid in tasks if tool == "pmqtest" and pid == max(host_pids) and tid != pid}
        assert until(lambda: {int(row[1]): row[2] for row in listed(run, tool)} == wanted, step=0.1), (wanted, listed(run, tool))
        # They have the tool's command line, as pidof(1) wants it, and the front and the keeper have not.
        command = " ".join(map(str, [links / tool if by_link else tool, *arguments]))
        assert {row[3] for row in listed(run, tool)} == {command}
        assert {os.path.basename(words(pid)[0]) for pid in (run.pid, run.keeper())} == {b"ipctop"}
        assert read(f"/proc/{run.pid}/comm") == b"ipctop\n"


@pytest.mark.needs("realtime", "program ps", "program chrt")
def test_chrt_by_the_listed_thread_changes_that_member(links):
    with Run(Program(links / "signaltest"), "-D", 60) as run:
        run.tool_tasks("signaltest", 3)
        (host, main, *_), (_, first, *_), (_, second, *_) = listed(run, "signaltest")
        assert host == main != first
        subprocess.run(["chrt", "-p", "42", first], check=True)
        assert until(lambda: sorted((row[1], row[2]) for row in listed(run, "signaltest")) ==
                     sorted([(main, "-"), (first, "42"), (second, "-")]), step=0.1), listed(run, "signaltest")
        assert any(f"T: 0 ({int(first):5}) P:42 " in line for line in run.process.stdout), run.process
        os.kill(int(host), signal.SIGINT)
        status, out, err = run.wait()
    assert status == 0 and "Max" in out, (out, err)


# In a pid namespace: killall would find the runs of other tests. While its rings run, the front is "ipctop".
SCRIPT = """
"$1" -q $2 --json="$3" & run=$!
until pgrep -x ipctop && pgrep -x ${1##*/}; do sleep 0.05; done >/dev/null
eval "$4"
wait $run
echo "status $?"
ps -eo comm= | grep -cE "ipctop|${1##*/}"
"""
COMMANDS = ["killall ${1##*/}", "killall -INT ${1##*/}", "pkill ${1##*/}", "kill $(pidof ${1##*/})",
            "kill -HUP $(pidof -s ${1##*/})"]


def in_a_pid_namespace(*command):
    return subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", *map(str, command)], capture_output=True,
                          text=True, timeout=60, check=False)


@pytest.mark.needs("root", "unshare --pid --fork --mount-proc", "program ps", "program pgrep")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("tool, options", [row[:2] for row in TOOLS], ids=[row[0] for row in TOOLS])
def test_what_ends_the_tool_ends_the_run_with_its_results(links, tmp_path, tool, options, command):
    if subprocess.run(["which", command.split("(")[-1].split()[0]], capture_output=True, check=False).returncode:
        pytest.skip(f"needs {command}")
    path = tmp_path / "F"
    result = in_a_pid_namespace("bash", "-c", SCRIPT, "bash", links / tool, " ".join(map(str, options)), path, command)
    assert result.stdout.splitlines()[-2:] == ["status 0", "0"] and re.search("^(#1 -> #0|T: 0)", result.stdout, re.M), result
    assert json.loads(path.read_text(encoding="utf-8"))["return_code"] == 0


@pytest.mark.parametrize("tool, options, hosts, members", TOOLS, ids=[row[0] for row in TOOLS])
def test_a_signal_to_any_of_its_processes_ends_the_run(links, tool, options, hosts, members):
    with Run(Program(links / tool), "-q", "-D", 60, *options) as run:
        pid = max(pid for pid, _ in run.tool_tasks(tool, hosts * (1 + members)))
        os.kill(pid, signal.SIGTERM)
        status, out, err = run.wait()
        assert status == 0 and re.search("^(#1 -> #0|T: 0)", out, re.M) and run.left() == {}, (out, err)
