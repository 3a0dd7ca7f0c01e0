# SPDX-License-Identifier: GPL-2.0-or-later
"""Cgroups of tests' own, in which a run begins."""
import contextlib
import os
import pathlib

import pytest

from harness import read, until


@contextlib.contextmanager
def cgroup(controller):
    """A cgroup of this controller, version 1 or 2, that is gone afterwards."""
    old, new = pathlib.Path("/sys/fs/cgroup") / controller, pathlib.Path("/sys/fs/cgroup")
    name = f"ipctop-test-{os.getpid()}"
    if (old / "cgroup.procs").exists():
        folder = old / name
    elif controller.encode() in read(new / "cgroup.subtree_control").split():
        folder = new / name
    else:
        pytest.skip(f"needs a {controller} controller that is in use")
    folder.mkdir()
    try:
        yield folder
    finally:
        until(lambda: not read(folder / "cgroup.procs"))    # the last process is about to be gone
        folder.rmdir()


@contextlib.contextmanager
def cpuset(a, b):
    """A cpuset of two CPUs: the file of its CPUs, and the one that takes processes."""
    with cgroup("cpuset") as folder:
        if (folder.parent / "cpuset.mems").exists():
            (folder / "cpuset.mems").write_text((folder.parent / "cpuset.mems").read_text(encoding="ascii"), encoding="ascii")
        (folder / "cpuset.cpus").write_text(f"{a},{b}", encoding="ascii")
        yield folder / "cpuset.cpus", folder / "cgroup.procs"


@contextlib.contextmanager
def quota(us):
    """A cgroup that may use so much CPU time in 100 ms: the file that takes processes."""
    with cgroup("cpu") as folder:
        if (folder / "cpu.max").exists():
            (folder / "cpu.max").write_text(f"{us} 100000", encoding="ascii")
        else:
            (folder / "cpu.cfs_quota_us").write_text(str(us), encoding="ascii")
        yield folder / "cgroup.procs"


def span(a, b):
    """Two CPUs as the kernel lists them."""
    return f"{a}-{b}" if b == a + 1 else f"{a},{b}"


class Inside:
    """A child enters it before it becomes ipctop."""
    def __init__(self, procs):
        self.procs = procs

    def enter(self):
        self.procs.write_text(str(os.getpid()), encoding="ascii")
