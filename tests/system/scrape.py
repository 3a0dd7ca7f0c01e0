# SPDX-License-Identifier: GPL-2.0-or-later
"""Addresses for servers of a test, and what such a server says."""
import contextlib
import os
import subprocess
import urllib.error
import urllib.request

from conftest import stop
from harness import PATIENCE

# Without the proxy of the environment.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def own_address():
    """Of the loopback, and of this process alone: no other test takes a port there."""
    pid = os.getpid()
    return f"127.{1 + (pid >> 16) % 250}.{pid >> 8 & 255}.{pid & 255}"


def fetch(url, method="GET", data=None, **headers):
    """(status, content type, text); a status of 0 says that nobody answers."""
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with OPENER.open(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Content-Type"], error.read().decode()
    except OSError as error:
        return 0, "", str(error)


@contextlib.contextmanager
def server(command, log):
    """A program in the background, with what it says in a file."""
    with open(log, "wb") as out:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            yield process
        finally:
            stop(process)
