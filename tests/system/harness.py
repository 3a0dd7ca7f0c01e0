# SPDX-License-Identifier: GPL-2.0-or-later
"""Beside conftest.py: runs that can be told apart from all others on this machine, and what they leave behind."""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

import jsonschema

from conftest import ROOT, environment, need, stop

MARK = "IPCTOP_TEST_MARK"
# Mechanisms of three kinds, for what is to run at once: all of them would be a crowd, and some spin.
THREE = "mq,svsem,signal"
PATIENCE = 60.0     # seconds for what must come, where how soon it comes is not tested
# Why some of all mechanisms can't be run on one CPU, or by processes.
UNFIT = ("its members spin: ", "it answers requests, ", "it works between threads of one process only ")
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((ROOT / "schema" / "ipctop.schema.json").read_text(encoding="utf-8")))


NICE = os.nice(0)       # of this process, and so of members that nobody renices


def source_of_facts():
    """The rows of all facts of a machine, with the settings that are a file's first line."""
    folder = ROOT / "src" / "machine"
    listed = (folder / "machine.h").read_text(encoding="utf-8").partition("#define MACHINE_KNOBS(KNOB)")[2]
    table = (folder / "machine_facts.c").read_text(encoding="utf-8").partition("const struct machine_fact machine_facts[]")[2]
    return listed.partition("#define")[0] + table.partition("const size_t machine_n_facts")[0]


def table(name):
    """The names of a table that src/meson.build makes, such as load_kinds."""
    text = (ROOT / "src" / "meson.build").read_text(encoding="utf-8")
    return tuple(re.findall(r"'(\w+)'", re.search(rf"'{name}': \{{.*?'names': \[(.*?)\]", text, re.S)[1]))


def in_words(policy):
    """ "OTHER", or "OTHER nice 5", in texts; "OTH nice 5" in the detail view. """
    return f"{policy} nice {NICE}" if NICE else policy


def in_short(policy):
    """ "OTH", or "OTH5", in columns. """
    return f"{policy}{NICE or ''}"


def unwrapped(text):
    """A text report, each of its indented lines at the end of the line above."""
    return re.sub(r"\n {2,}", " ", text)


def report(text):
    """The report in this text or file, once it has been found good by the schema."""
    if isinstance(text, pathlib.Path):
        text = text.read_text(encoding="utf-8")
    found = json.loads(text)
    VALIDATOR.validate(found)
    for ring in found["rings"]:
        check_figures(ring, len(found["phases"]), found["ended_by"] == "saved")
    return found


def is_unfit(ring):
    return ring["state"] == "failed" and ring["reason"].startswith(UNFIT)


def check_figures(ring, phases, goes_on):
    """What a schema can't say of them. A member that was killed, or starved until the end, may have counted its last slot
    in some of them alone. In a run that goes on, slots that are overdue are missed, and their waits come later; and the
    origin has counted a lap's sample before the lap."""
    figures, cut_off = ring["figures"], ring["state"] == "failed" or ring["condition"] == "starved"
    for name, figure in figures.items():
        if ring.get("batch_laps"):      # without single laps
            assert not figure["histogram"] and "max_ns" not in figure, (name, figure)
            continue
        assert figure["count"] == sum(count for _, _, count in figure["histogram"]), (name, figure)
        if figure["count"]:
            most_ns = figure["max_ns"] * (1 + cut_off / figure["count"])
            has_waits = name in ("response", "lateness") and ring["missed"]     # they may be shorter than what was served
            assert (has_waits or figure["min_ns"] <= figure["mean_ns"]) and figure["mean_ns"] <= most_ns, (name, figure)
    if ring["interval_ns"] and "stamps" not in ring:
        # A slot that waits as a phase ends has its age in that phase, and the rest of its wait in the next. If its
        # token is under way, this holds for the slot after it, too. If a member's CPU goes away, their laps are away.
        twice = figures["response"]["count"] - figures["served"]["count"] - ring["missed"]
        borders = max(phases - 1, 0) + (10 if ring["away"] else 0)
        overdue = ring["missed"] if goes_on else 0
        assert -cut_off - overdue <= twice <= 2 * borders + cut_off, (twice, ring)
    assert abs(figures["lap"]["count"] - ring["laps"]) <= (cut_off or goes_on), ring


def until(true, seconds=PATIENCE, step=0.01):
    """Polls; the last look's value, which is false after so many seconds."""
    end = time.monotonic() + seconds
    while not (value := true()) and time.monotonic() < end:
        time.sleep(step)
    return value


def first_ring(ipctop, control):
    """What `ctl rings` says of the first ring; None until it has members: the socket is there earlier."""
    told = ipctop.run("ctl", control, "rings").stdout if control.exists() else ""
    rings = json.loads(told).get("rings") if told else None
    return rings[0] if rings and all(member["tid"] for member in rings[0]["members"]) else None


# --- processes, by a mark in their environment, which forks inherit ---

def read(path):
    """The whole of a file of /proc. By system calls alone: some tests read those of all processes again and again."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:     # it has ended, or is not ours to look at
        return b""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(fd, 1 << 16):
            parts.append(part)
    os.close(fd)
    return b"".join(parts)


def status(pid, tid=None):
    """Name, state and parent of a process or thread; None where it is gone."""
    text = read(f"/proc/{pid}/task/{tid}/stat" if tid else f"/proc/{pid}/stat").decode(errors="replace")
    head, _, tail = text.rpartition(")")
    if not tail:
        return None
    return head.partition("(")[2], tail.split()[0], int(tail.split()[1])


def sleeps(pid, tid):
    """How often a thread has given up its CPU by itself."""
    found = re.search(rb"^voluntary_ctxt_switches:\s+(\d+)", read(f"/proc/{pid}/task/{tid}/status"), re.M)
    return int(found[1]) if found else 0


def run_delay_ns(pid, tid):
    """How long a thread was ready to run and had no CPU, by the kernel's record; 0 where it keeps none."""
    words = read(f"/proc/{pid}/task/{tid}/schedstat").split()
    return int(words[1]) if words else 0


def marked(mark):
    """Living processes with this mark: {pid: (name, parent)}."""
    wanted, found = f"{MARK}={mark}".encode(), {}
    for name in os.listdir("/proc"):
        if name.isdigit() and wanted in read(f"/proc/{name}/environ").split(b"\0"):
            what = status(int(name))
            if what and what[1] not in "ZX":
                found[int(name)] = (what[0], what[2])
    return found


class Run:
    """An ipctop in the background, and all that belongs to it."""

    def __init__(self, ipctop, *args, room=None, env=None, **more):
        need("proc")
        self.mark, self.printed = uuid.uuid4().hex, ""
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        if room:
            more["preexec_fn"] = room.enter
        self.process = subprocess.Popen([ipctop.path, *(str(arg) for arg in args)], text=True,
                                        env=environment({MARK: self.mark, **(env or {})}), **more)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill_all()

    def kill_all(self):
        stop(self.process)
        for pid in marked(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def wait(self, seconds=PATIENCE):
        """To its end: (exit status, stdout, stderr)."""
        out, err = self.process.communicate(timeout=seconds)
        return self.process.returncode, self.printed + (out or ""), err

    def processes(self):
        return marked(self.mark)

    def keeper(self):
        """A host that was forked just now still has the keeper's name, and may have a lower pid."""
        found = {pid: parent for pid, (name, parent) in self.processes().items() if name == "ipctop-keeper"}
        return next((pid for pid, parent in found.items() if parent not in found), None)

    def hosts(self):
        """{ "mq:0": pid }"""
        found = self.processes()
        return {name: pid for pid, (name, _) in found.items() if re.fullmatch(r"[a-z]+:\d+", name)}

    def members(self):
        """{ "mq:0.1": (pid, tid) }, by the names that ps -T shows."""
        found = {}
        for pid in self.processes():
            with contextlib.suppress(OSError):
                for tid in map(int, os.listdir(f"/proc/{pid}/task")):
                    what = status(pid, tid)
                    if what and re.fullmatch(r"[a-z]+:\d+\.\d+", what[0]):
                        found[what[0]] = (pid, tid)
        return found

    def tool_tasks(self, tool, n):
        """Hosts and members of a compat tool once there are @n of them, by the tool's name: [(pid, tid)]."""
        def look():
            found = []
            for pid in sorted(self.processes()):
                with contextlib.suppress(OSError):
                    found += [(pid, tid) for tid in sorted(map(int, os.listdir(f"/proc/{pid}/task")))
                              if (status(pid, tid) or [""])[0] == tool]
            # Until rings run, and after them, the front has this name.
            return found if len(found) == n and self.pid not in [pid for pid, _ in found] else None

        found = until(look)
        assert found, (tool, self.processes())
        return found

    def tid(self, name):
        """Of a member, once it runs as it was asked to."""
        found = until(lambda: self.members().get(name))
        assert found, (name, self.processes(), self.process.poll())
        return found[1]

    def host(self, name):
        assert until(lambda: self.hosts().get(name)), (name, self.processes())
        return self.hosts()[name]

    def await_output(self, true):
        """Until true(what it has printed so far), which wait() returns, too."""
        fd = self.process.stdout.fileno()
        while not true(self.printed):
            data = select.select([fd], [], [], PATIENCE)[0] and os.read(fd, 65536)
            assert data, self.printed
            self.printed += data.decode(errors="replace")

    def await_laps(self, name, laps):
        """Until the member has gone round so often: each time it sleeps at least once."""
        pid, tid = until(lambda: self.members().get(name)) or (None, None)
        assert pid, (name, self.processes())
        before = sleeps(pid, tid)
        assert until(lambda: sleeps(pid, tid) >= before + laps), (name, self.processes())

    def left(self, seconds=PATIENCE):
        """The processes that are still there after this time; polled."""
        until(lambda: not self.processes(), seconds)
        return self.processes()


def together(ipctop, *arguments, **more):
    """Runs all of them at once, each to its end: [(status, stdout, stderr)]."""
    runs = [Run(ipctop, *args, **more) for args in arguments]
    try:
        ended = [run.wait() for run in runs]
        assert [run.left() for run in runs] == [{}] * len(runs)
        return ended
    finally:
        for run in runs:
            run.kill_all()


# --- a room: what lies about in the system, seen apart from other people's where we may ---

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWIPC = 0x00020000, 0x08000000


def setns(path, kind):
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if LIBC.setns(fd, kind) < 0:
            raise OSError(ctypes.get_errno(), path)
    finally:
        os.close(fd)


class Room:
    """For root: IPC objects, the message queue file system and /dev/shm of its own. For others: the machine's."""

    def __init__(self):
        need("proc")
        self.queues = tempfile.mkdtemp(prefix="ipctop-mqueue-")
        self.holder = None
        if os.geteuid() == 0 and shutil.which("unshare"):
            script = f"mount -t mqueue mqueue {self.queues} && mount -t tmpfs tmpfs /dev/shm; echo $?; exec sleep 900"
            command = ["unshare", "--ipc", "--mount", "--propagation", "private", "sh", "-c", script]
            self.holder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            if self.holder.stdout.readline() != "0\n":
                self.close()
        self.before = self.objects()

    @property
    def private(self):
        return self.holder is not None

    def close(self):
        if self.holder:
            self.holder.kill()
            self.holder.communicate()
        self.holder = None
        if os.path.isdir(self.queues):
            os.rmdir(self.queues)

    def enter(self):
        """In a child, before it becomes ipctop."""
        if self.holder:
            setns(f"/proc/{self.holder.pid}/ns/ipc", CLONE_NEWIPC)
            setns(f"/proc/{self.holder.pid}/ns/mnt", CLONE_NEWNS)

    @contextlib.contextmanager
    def inhabited(self):
        """This process is in it meanwhile, and so is what it starts."""
        folder = os.getcwd()
        homes = {kind: os.open(f"/proc/self/ns/{name}", os.O_RDONLY | os.O_CLOEXEC)
                 for kind, name in ((CLONE_NEWIPC, "ipc"), (CLONE_NEWNS, "mnt"))}
        try:
            self.enter()
            os.chdir(folder)
            yield
        finally:
            for kind, home in homes.items():
                setns(f"/proc/self/fd/{home}", kind)
                os.close(home)
            os.chdir(folder)

    @contextlib.contextmanager
    def inside(self):
        """/proc/sysvipc shows what the reader's IPC namespace holds."""
        home = os.open("/proc/self/ns/ipc", os.O_RDONLY | os.O_CLOEXEC)
        try:
            if self.holder:
                setns(f"/proc/{self.holder.pid}/ns/ipc", CLONE_NEWIPC)
            yield
        finally:
            if self.holder:
                setns(f"/proc/self/fd/{home}", CLONE_NEWIPC)
            os.close(home)

    def objects(self):
        """SysV objects of this user, message queues (in a private room), and what lies in /dev/shm."""
        found = set()
        with self.inside():
            for kind in ("msg", "sem", "shm"):
                lines = [line.split() for line in read(f"/proc/sysvipc/{kind}").decode().splitlines()]
                uid = lines[0].index("uid") if lines else 0
                found |= {(kind, *line[:2]) for line in lines[1:] if int(line[uid]) == os.geteuid()}
        root = f"/proc/{self.holder.pid}/root" if self.holder else ""
        if os.path.isdir(f"{root}/dev/shm"):
            found |= {("/dev/shm", name) for name in os.listdir(f"{root}/dev/shm") if root or "ipctop" in name}
        if root:
            found |= {("mqueue", name) for name in os.listdir(root + self.queues)}
        return found

    def left(self, seconds=PATIENCE):
        """What is there, and was not at first, still after this time; polled."""
        until(lambda: not self.objects() - self.before, seconds)
        return self.objects() - self.before
