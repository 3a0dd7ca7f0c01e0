# SPDX-License-Identifier: GPL-2.0-or-later
"""Cgroups of tests' own, in which a run begins."""
import contextlib
import os
import pathlib
import time

import pytest

from harness import read


@contextlib.contextmanager
def cpuset(a, b):
    """A cpuset of two CPUs: the file of its CPUs, and the one that takes processes."""
    old, new = pathlib.Path("/sys/fs/cgroup/cpuset"), pathlib.Path("/sys/fs/cgroup")
    name = f"ipctop-test-{os.getpid()}"
    if (old / "cpuset.cpus").exists():
        folder = old / name
        folder.mkdir()
        (folder / "cpuset.mems").write_text((old / "cpuset.mems").read_text(encoding="ascii"), encoding="ascii")
    elif b"cpuset" in read(new / "cgroup.subtree_control").split():
        folder = new / name
        folder.mkdir()
    else:
        pytest.skip("needs a cpuset controller that is in use")
    try:
        (folder / "cpuset.cpus").write_text(f"{a},{b}", encoding="ascii")
        yield folder / "cpuset.cpus", folder / "cgroup.procs"
    finally:
        for _ in range(50):
            try:
                folder.rmdir()
                break
            except OSError:     # the last process is about to be gone
                time.sleep(0.02)


def span(a, b):
    """Two CPUs as the kernel lists them."""
    return f"{a}-{b}" if b == a + 1 else f"{a},{b}"


class Inside:
    """A child enters it before it becomes ipctop."""
    def __init__(self, procs):
        self.procs = procs

    def enter(self):
        self.procs.write_text(str(os.getpid()), encoding="ascii")
