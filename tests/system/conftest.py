# SPDX-License-Identifier: GPL-2.0-or-later
"""What all system tests share: the program, runs of it, skips by name, and what must not stay behind.

A test takes `ipctop`, the built program: run() runs it to its end, refuse() what it must refuse. harness.py has runs
in the background (Run) and a namespace for what they make (Room); terminal.py a terminal that emulates one (Terminal),
table.py what is read from its screen; made.py recordings made by hand; hog.py takes a CPU away; stall.py measures how
long the machine stood still.

`./dev test` runs the files of suites system (all without a mark), screen and vm in three steps, by the marks below:
most tests beside each other and beside the unit tests; then those that measure (timing), three for each CPU; then those
that take or change the whole machine (alone). The processes of a step take their tests from one queue (shares.py).
A test of the first step waits with patience for what must come, and asserts no time. One that does is marked timing,
and its bound is a limit + what `stall` measured meanwhile. No test is run again. A run that must have samples ends with
its laps (-l); one that ends with a duration may warn of a machine under load, see but_load().
"""
import contextlib
import functools
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

import pytest

from shares import run_groups
from stall import Stall

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from rights import may_run_realtime     # pylint: disable=wrong-import-position

NOBODY = 65534
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPTIONS = ROOT / "tests" / "system" / "options"


class Program:
    """The built ipctop, and ways to run it."""

    def __init__(self, path):
        self.path = str(path)

    def run(self, *args, timeout=60, env=None, **more):
        """Runs to the end, without a terminal; env is added to the environment. A CompletedProcess, in text.

        Past the timeout it is told to end as a user would, so that it leaves nothing behind.
        """
        process = self.start(*args, env=env, **more)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            stop(process)
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def start(self, *args, env=None, **more):
        """Starts it in the background: a Popen, in text."""
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        command = [self.path, *(str(arg) for arg in args)]
        # A shell sets _; svsematest of rt-tests makes its key from that file.
        return subprocess.Popen(command, text=True, env=environment({"_": self.path} | (env or {})), **more)

    def refuse(self, *args, **more):
        """Runs what must be refused: exit 1, nothing on stdout, one sentence on stderr, which is returned."""
        result = self.run(*args, **more)
        lines = result.stderr.splitlines()
        assert (result.returncode, result.stdout, len(lines)) == (1, "", 1), result
        assert lines[0].startswith("ipctop: "), result
        return lines[0].removeprefix("ipctop: ")

    def built_with(self, *mechanisms):
        """Those of them that this build has: some need an optional library."""
        rows = {line.split()[0]: line for line in self.run("list").stdout.splitlines()}
        return [name for name in mechanisms if "this ipctop was built without" not in rows[name]]


def cpus():
    return sorted(os.sched_getaffinity(0))


def usable_cpus():
    return len(cpus())


# The warnings of a run whose members get no CPU for as long.
OF_LOAD = re.compile(
    r"^ipctop: (CPUs \d+ and \d+: measuring them takes longer than \d+\.\d s; another task may have one of them"
    r"|.+ never ran: the run ended before (its|their) (objects were created|turns? came|first laps? w(as|ere) complete))\n", re.M)


def but_load(errors):
    """Standard error of a run without the warnings that a loaded machine may cause."""
    return OF_LOAD.sub("", errors)


OTHER_WAYS = ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "ESCDELAY", "POSIXLY_CORRECT", "NOTIFY_SOCKET")


# For what runs on one CPU: number 0 may be another container's. And the label of the pair that is there.
CPU = cpus()[0]
OWN = f"{CPU}>{CPU}"


def environment(more=None):
    """This process's, less what would change ipctop's ways, and `more`; None takes a name away.

    XDG_CONFIG_HOME is that of the test (choose_options)."""
    base = {name: value for name, value in os.environ.items() if name not in OTHER_WAYS and not name.startswith("HWLOC_")}
    base["HWLOC_HIDE_ERRORS"] = "2"     # without /sys it prints that itself
    base |= {name: value for name, value in (more or {}).items() if value is not None}
    return {name: value for name, value in base.items() if not more or more.get(name, value) is not None}


def stop(process, grace=20):
    """Ends a Popen politely, then not."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
        try:
            return process.wait(grace)
        except subprocess.TimeoutExpired:
            pass
    return process.wait()


@pytest.fixture(scope="session")
def ipctop():
    path = pathlib.Path(os.environ.get("IPCTOP", ROOT / "build" / "ipctop")).absolute()
    assert os.access(path, os.X_OK), f"{path} is not there: build it, or set IPCTOP"
    return Program(path)


@pytest.fixture(scope="session")
def public():
    """A folder that anybody may look into. Those of pytest are closed again when another pytest starts."""
    with tempfile.TemporaryDirectory(prefix="ipctop-test-") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


@pytest.fixture(scope="session")
def plain(ipctop, public):
    """The program where anybody may run it, by a path of one word: a checkout may lie in a closed folder."""
    path = pathlib.Path(shutil.copy(ipctop.path, public))
    path.chmod(0o755)       # whatever the umask was when it was built
    return Program(path)


def as_nobody():
    """Root becomes a plain user without any rights; a plain user is one."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))


# --- skips by name: pytest.mark.needs("root"), pytest.mark.needs("realtime", "2 cpus"), ... ---

def undisturbed():
    """Options by which other work on this machine delays no member, where that may be asked for."""
    return ["-p", 30] if may_run_realtime() else []


@functools.cache
def cannot_unshare(*options):
    """In a chroot there is no mount namespace to be had, in many a container none at all."""
    if not shutil.which("unshare"):
        return "needs unshare"
    tried = subprocess.run(["unshare", *options, "true"], capture_output=True, text=True, check=False)
    return f"needs unshare {' '.join(options)}: {tried.stderr.strip()}" if tried.returncode else None


def lacks_rooms():
    """Why a test can't have what its programs make for itself (harness.py, Room); None where it can."""
    return lacks("root") or lacks("proc") or cannot_unshare("--ipc", "--mount", "--propagation", "private")


@functools.cache
def cannot_open_terminals():
    try:
        for fd in os.openpty():
            os.close(fd)
    except OSError as error:
        return f"needs pseudo terminals: {error.strerror}"
    return None


def cgroup_folders(controller):
    """The cgroups of this process and those above, versions 1 and 2, as far as they are to be seen."""
    if not os.path.exists("/proc/self/cgroup"):
        return
    for line in pathlib.Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        roots = ("/sys/fs/cgroup",) if not controllers else (f"/sys/fs/cgroup/{controller}", f"/sys/fs/cgroup/{controllers}")
        for root in roots:
            folder = pathlib.Path(root + path)
            yield from (folder, *folder.parents)


@functools.cache
def has_quota():
    """A cgroup that has used up its CPU time stands still for the rest of a period, whoever in it wants a CPU."""
    for file in (folder / name for folder in cgroup_folders("cpu") for name in ("cpu.max", "cpu.cfs_quota_us")):
        if file.is_file() and file.read_text(encoding="ascii").split()[0] not in ("max", "-1"):
            return True
    return False


def number_in(file):
    """infinity: "max", or there is no such file."""
    text = file.read_text(encoding="ascii").strip() if file.is_file() else "max"
    return float("inf") if text == "max" else int(text)


def task_room():
    """How many more tasks the limits allow. Half of a user's are left to what else that user runs; root has no limit."""
    most, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    own = float("inf") if os.geteuid() == 0 or most == resource.RLIM_INFINITY else most // 2
    return min([own] + [number_in(folder / "pids.max") - number_in(folder / "pids.current")
                        for folder in cgroup_folders("pids") if (folder / "pids.max").is_file()])


def lacks(need):
    """Why this machine does not have what a test needs; None where it has it."""
    kind = need.split()
    if need == "root":
        return None if os.geteuid() == 0 else "needs root"
    if need == "realtime":
        return None if may_run_realtime() else "needs the right to real-time policies"
    if kind[1:] == ["cpus"]:
        return None if usable_cpus() >= int(kind[0]) else f"needs {kind[0]} CPUs"
    if kind[1:] == ["tasks"]:
        return None if task_room() >= int(kind[0]) else f"needs limits that allow {kind[0]} more tasks"
    if kind[1:] == ["descriptors"]:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        return None if most == resource.RLIM_INFINITY or most >= int(kind[0]) else f"needs {kind[0]} descriptors"
    if need == "whole":
        return None if os.environ.get("IPCTOP_FULL") else "needs IPCTOP_FULL"
    if need == "vm":
        return None if os.environ.get("IPCTOP_VM_RUN") else "needs IPCTOP_VM_RUN"
    if need == "machines":
        return None if os.environ.get("IPCTOP_MACHINES") else "needs IPCTOP_MACHINES"
    if kind[0] == "program":
        return None if shutil.which(kind[1]) else f"needs {kind[1]}"
    if need == "proc":          # without it processes can't be found, and nobody can look into them
        return None if os.path.exists("/proc/self/environ") else "needs /proc"
    if need == "no quota":
        return "needs a cgroup without a CPU quota" if has_quota() else None
    if need == "terminals":
        return cannot_open_terminals()
    if kind[0] == "unshare":
        return cannot_unshare(*kind[1:])
    if kind[0] == "file":
        return None if os.access(kind[1], os.R_OK | os.W_OK) else f"needs {kind[1]}"
    raise ValueError(f"unknown need {need!r}")


def need(*needs):
    """Skips the test where one of them is lacking."""
    for why in filter(None, map(lacks, needs)):
        pytest.skip(why)


def pytest_configure(config):
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):   # what nohup or a shell's & took away
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for line in ("needs(what, ...): root, realtime, N cpus, N tasks, N descriptors, whole, vm, machines, "
                 "program NAME, file PATH, unshare OPTIONS, proc, terminals, no quota",
                 "screen: of suite screen, not system", "vm: of suite vm, not system", "system: set where neither is",
                 "timing: measures; runs beside few others that do",
                 "slow: takes many seconds, so it begins early",
                 "recorder: its runs attach the flight recorder, as for a user without a file of options",
                 "together: one process runs the whole file, and makes its recordings once",
                 "alone: takes a CPU away, or looks at what the whole machine has"):
        config.addinivalue_line("markers", line)


def pytest_itemcollected(item):
    if not any(item.get_closest_marker(suite) for suite in ("screen", "vm")):
        item.add_marker("system")
    if item.get_closest_marker("vm"):   # a virtual machine has more CPUs than this one; one process boots each once
        item.add_marker("alone")
    if {"nothing_stays", "room"} & set(item.fixturenames) and lacks_rooms():   # what all others leave is seen, too
        item.add_marker("alone")


def groups(items):
    """Lists of tests that one process runs: first whole files and slow tests; last the screens, each short."""
    named = {}
    for item in items:
        together = item.get_closest_marker("together")
        order = 0 if together or item.get_closest_marker("slow") else 2 if item.get_closest_marker("screen") else 1
        named.setdefault((order, item.nodeid.partition("::")[0] if together else item.nodeid), []).append(item)
    return [named[key] for key in sorted(named, key=lambda key: key[0])]


# The steps of ./dev test, and how many processes run each.
STEPS = {"beside": usable_cpus() + 8, "timing": usable_cpus() * 3, "alone": 1}


def step_of(item):
    return "alone" if item.get_closest_marker("alone") else "timing" if item.get_closest_marker("timing") else "beside"


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """For ./dev test, which says by lines on a descriptor that the programs are built, and that the unit tests have ended."""
    descriptor = os.environ.pop("IPCTOP_STEPS", None)
    if not descriptor or session.testsfailed or session.config.option.collectonly:
        return None
    with os.fdopen(int(descriptor), encoding="ascii") as lines:
        os.set_inheritable(lines.fileno(), False)
        for step, n in STEPS.items():
            if step != "alone" and not lines.readline():
                raise session.Interrupted("./dev test has ended")
            run_groups(session, step, groups([item for item in session.items if step_of(item) == step]), n)
    return True


@pytest.hookimpl(tryfirst=True)     # before fixtures that run the program
def pytest_runtest_setup(item):
    choose_options(item)
    for mark in item.iter_markers("needs"):
        need(*mark.args)


def choose_options(item):
    """The file of options is no tester's own. As root each run attaches the flight recorder, which takes 40 ms of CPU
    time: it does so in tests marked recorder, for which there is no file."""
    os.environ["XDG_CONFIG_HOME"] = "/nonexistent" if item.get_closest_marker("recorder") else str(OPTIONS)


def in_whole(*values):
    """A parameter's values that are left to the whole matrix (.ci/run): ./dev test has but samples of it."""
    return pytest.param(*values, marks=pytest.mark.needs("whole"))


# --- nothing stays behind ---

def sysv_objects():
    """This user's."""
    found = set()
    for kind in ("msg", "sem", "shm"):
        with open(f"/proc/sysvipc/{kind}", encoding="ascii") as file:
            lines = [line.split() for line in file]
        uid = lines[0].index("uid")
        found |= {(kind, *line[:2]) for line in lines[1:] if int(line[uid]) == os.geteuid()}
    return found


def processes(program):
    """Living processes of this very program, as (pid, start time); zombies are their parents' matter."""
    found, wanted = set(), os.stat(program)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if not os.path.samestat(os.stat(f"/proc/{pid}/exe"), wanted):
                continue
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                head, _, tail = file.read().rpartition(")")
        except OSError:
            continue
        fields = tail.split()
        if fields[0] != "Z":
            found.add(("process", pid, fields[19], head.partition("(")[2]))
    return found


def objects(program):
    """All that the program could leave on this machine, as a set of tuples."""
    folders = filter(os.path.isdir, ("/dev/shm", "/dev/mqueue"))
    named = {(folder, name) for folder in folders for name in os.listdir(folder) if "ipctop" in name}
    return sysv_objects() | named | processes(program)


class Leftovers:
    """What is there now and was not before."""

    def __init__(self, program):
        need("proc")
        self.program = program
        self.before = objects(program)

    def new(self):
        return objects(self.program) - self.before

    def wait_gone(self, seconds=60.0):
        """Polls; the last look decides. Returns what is left."""
        end = time.monotonic() + seconds
        while self.new() and time.monotonic() < end:
            time.sleep(0.02)
        return self.new()


@pytest.fixture(scope="module", name="room")
def make_room():
    from harness import Room   # which imports this module

    with contextlib.closing(Room()) as found:
        yield found


@pytest.fixture
def nothing_stays(ipctop, monkeypatch):
    """Fails the test where an object or a process stays behind."""
    if lacks_rooms():
        leftovers = Leftovers(ipctop.path)
        yield
        assert leftovers.wait_gone() == set()
        return
    from harness import MARK, Room, marked, until   # which imports this module

    mark, room = uuid.uuid4().hex, Room()
    monkeypatch.setenv(MARK, mark)
    try:
        with room.inhabited():
            yield
        assert until(lambda: not marked(mark)), marked(mark)
        assert room.left() == set()
    finally:
        room.close()


# --- a machine that stands still now and then ---

@pytest.fixture(scope="session", name="all_stalls")
def make_stall():
    found = Stall(may_run_realtime())
    yield found
    found.stop()


@pytest.fixture
def stall(all_stalls):
    all_stalls.reset()
    return all_stalls
