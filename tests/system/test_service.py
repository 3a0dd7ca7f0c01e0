# SPDX-License-Identifier: GPL-2.0-or-later
"""As a service: what a service manager hears by the datagram protocol of sd_notify(3), and the unit file."""
import os
import re
import signal
import socket
import subprocess
import uuid

import pytest

from conftest import ROOT, but_load, environment
from harness import PATIENCE, Run, until

pytestmark = pytest.mark.recorder

UNIT = ROOT / "data" / "ipctop.service.in"


def listening(name):
    """A service manager's socket."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(name)
    manager.settimeout(PATIENCE)
    return manager


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_a_service_manager_hears_when_the_rings_run_and_when_they_end(ipctop, tmp_path, kind):
    name = str(tmp_path / "notify") if kind == "path" else f"@ipctop-test-{uuid.uuid4().hex}"
    path = tmp_path / "run.prom"
    with listening(name.replace("@", "\0")) as manager, \
            Run(ipctop, "-q", "-m", "pipe", "--metrics", path, env={"NOTIFY_SOCKET": name}) as run:
        assert manager.recv(4096) == b"READY=1"
        assert until(run.hosts)             # a slow machine may still be opening them
        assert until(path.exists)           # without -D it goes on
        assert run.process.poll() is None
        run.process.send_signal(signal.SIGTERM)
        assert manager.recv(4096) == b"STOPPING=1"
        assert run.wait()[0] == 0
        manager.setblocking(False)
        with pytest.raises(BlockingIOError):    # once each, and by one process
            manager.recv(4096)


@pytest.mark.parametrize("name", ["", "@", "relative", "vsock:2:1", "/nowhere/notify", "/" + "x" * 200])
def test_a_socket_that_is_not_there_changes_nothing(ipctop, name):
    result = ipctop.run("-q", "-D", 0.2, env={"NOTIFY_SOCKET": name})
    assert (result.returncode, but_load(result.stderr)) == (0, "")


def test_a_run_that_can_not_start_is_never_ready(ipctop, tmp_path):
    with listening(str(tmp_path / "notify")) as manager:
        ipctop.refuse("-q", "--record", "/nowhere/at/all", env={"NOTIFY_SOCKET": str(tmp_path / "notify")})
        manager.setblocking(False)
        with pytest.raises(BlockingIOError):
            manager.recv(4096)


def unit_text(program):
    return UNIT.read_text(encoding="utf-8").replace("@bindir@/ipctop", str(program))


def test_the_command_of_the_unit_runs_with_its_rights_alone(plain, public, tmp_path):
    """As the manager runs it: a user without any right but the two, and the options of the file."""
    unit = unit_text(plain.path)
    command = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1]
    options = re.search(r'^Environment="IPCTOP_OPTIONS=(.*)"$', unit, re.MULTILINE)[1]
    rights = re.search(r"^AmbientCapabilities=(.*)$", unit, re.MULTILINE)[1]
    assert rights == re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.MULTILINE)[1] == "CAP_SYS_NICE CAP_IPC_LOCK"
    folder = public / f"run-{uuid.uuid4().hex}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    words = command.replace("$IPCTOP_OPTIONS", options).replace("/run/ipctop-metrics", str(folder)).split()
    if os.geteuid() == 0:
        bounding = ",".join(f"+{right.removeprefix('CAP_').lower()}" for right in rights.split())
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", f"--inh-caps={bounding}",
                 f"--ambient-caps={bounding}", f"--bounding-set=-all,{bounding}", *words]
    with listening(str(folder / "notify")) as manager:
        os.chmod(folder / "notify", 0o777)
        with subprocess.Popen(words, env=environment({"NOTIFY_SOCKET": str(folder / "notify")}), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                assert manager.recv(4096) == b"READY=1"
                assert until((folder / "ipctop.prom").exists)
            finally:
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    if os.geteuid() == 0:
        text = (folder / "ipctop.prom").read_text(encoding="utf-8")
        assert 'policy="fifo",priority="80"' in text


@pytest.mark.needs("program systemd-analyze")
def test_systemd_takes_the_unit(plain, tmp_path):
    unit = tmp_path / "ipctop.service"
    unit.write_text(unit_text(plain.path), encoding="utf-8")
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    # Of other units of this machine it complains, too.
    assert said.returncode == 0 and "ipctop" not in said.stderr, said
