# SPDX-License-Identifier: GPL-2.0-or-later
"""What ipctop itself takes of a CPU: front and keeper, without the members, whose work is what is measured."""
import contextlib
import http.client
import json
import os
import statistics
import subprocess
import tempfile
import time

import program
import yardstick
from memory import descendants
from terminal import Terminal

BAR_LIVE, BAR_REPLAY, BAR_KNOBS = 0.5, 5, 0.3
BARS_SCRAPED, BAR_SCRAPE_MS = {16: 0.6, 1024: 5}, 50
PAIRS, LIVE_S, REPLAY_S, SETTLE_S = 16, 30, 20, 4
COLUMNS, LINES = 80, 24
WATCH, WATCH_ROUNDS = program.IPCTOP.parent / "tests" / "bench_watch", 100


def own_processes(pid):
    """The front, and the keeper, whose children are the hosts."""
    found = [pid]
    for child in descendants(pid)[1:]:
        with contextlib.suppress(OSError), open(f"/proc/{child}/comm", encoding="utf-8") as file:
            if file.read().strip() == "ipctop-keeper":
                found.append(child)
    return found


def spent_s(pids):
    """On a CPU so far, to the ns."""
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/schedstat", encoding="utf-8") as file:
                total += int(file.read().split()[0])
    return total / 1e9


def share(pid, n_processes, pass_time):
    """In percent of one CPU, of each process, while @pass_time() lasts."""
    pids = own_processes(pid)
    if len(pids) != n_processes:
        raise RuntimeError(f"{len(pids)} processes, not {n_processes}")
    start, before = time.monotonic(), [spent_s([pid]) for pid in pids]
    pass_time()
    spent = [spent_s([pid]) - at_first for pid, at_first in zip(pids, before)]
    return [part / (time.monotonic() - start) * 100 for part in spent]


def cost(command, seconds, n_processes):
    with Terminal(command, COLUMNS, LINES) as terminal:
        time.sleep(SETTLE_S)
        return share(terminal.process.pid, n_processes, lambda: time.sleep(seconds))


def scrape_ms(connection):
    start = time.monotonic()
    connection.request("GET", "/metrics")
    answer = connection.getresponse()
    text = answer.read()
    spent_ms = (time.monotonic() - start) * 1e3
    if answer.status != 200:
        raise RuntimeError(f"a scrape has status {answer.status}")
    if b'state="failed"' in text:
        raise RuntimeError("a ring failed")
    return spent_ms, len(text)


def scrapes(pairs):
    """Once a second: the share of each process, the times, and the bytes of the last."""
    pid = os.getpid()
    host, port = f"127.{1 + (pid >> 16) % 250}.{pid >> 8 & 255}.{pid & 255}", 29000
    command = [str(program.IPCTOP), "-q", "-m", "pipe", "-t", str(pairs), "--metrics-listen", f"{host}:{port}"]
    taken = []
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, env=program.environment())

    def scrape_each_second():
        connection = http.client.HTTPConnection(host, port, timeout=10)
        end = time.monotonic() + LIVE_S
        while time.monotonic() < end:
            taken.append(scrape_ms(connection))
            time.sleep(1)

    try:
        time.sleep(SETTLE_S)
        if process.poll() is not None:
            raise RuntimeError(process.stderr.read().strip())
        return share(process.pid, 2, scrape_each_second), [ms for ms, _ in taken], taken[-1][1]
    finally:
        program.end(process)


def bench_scrapes(results):
    for pairs, bar in BARS_SCRAPED.items():
        name = f"{pairs:,} pairs, scraped each second"
        with yardstick.beside("memory", "cpu") as yard:
            try:
                parts, times, size = scrapes(pairs)
            except RuntimeError as error:
                if "libmicrohttpd" not in str(error):
                    raise
                results.skip(name, "needs libmicrohttpd")
                return
        yard.bar(results, name, sum(parts), bar, " % of a CPU",
                 f"{LIVE_S} s; front {parts[0]:.2f}, keeper {parts[1]:.2f}", strict=True)
        yard.bar(results, f"a scrape of {pairs:,} pairs", statistics.median(times), BAR_SCRAPE_MS, " ms",
                 f"{size / 1e6:.2f} MB, at most {max(times):.1f} ms", strict=True)


def bench_watch(results):
    """All facts of this machine, looked at once a second."""
    for members in (2 * PAIRS, 2048):
        with yardstick.beside("memory", "cpu") as yard:
            found = json.loads(program.run([WATCH, members, WATCH_ROUNDS], timeout=120))
        name = f"watching all knobs, and {members:,} members"
        if members == 2 * PAIRS:
            yard.bar(results, name, found["percent"], BAR_KNOBS, " % of a CPU",
                     f"{WATCH_ROUNDS} rounds; the longest part {found['worst_part_ms']:.2f} ms", strict=True)
        else:
            results.figure(name, f"{found['percent']:.3f} % of a CPU; the longest part {found['worst_part_ms']:.2f} ms")


def bench(results, options):
    del options
    for mode in ([], ["--side-by-side"]):
        with yardstick.beside("wakeups", "cpu") as yard:
            parts = cost([program.IPCTOP, "-t", PAIRS, "--refresh", 1, *mode], LIVE_S, 2)
        yard.bar(results, f"{PAIRS} pairs {'side by side' if mode else 'in turns'}, 1 Hz, {COLUMNS}x{LINES}",
                 sum(parts), BAR_LIVE, " % of a CPU", f"{LIVE_S} s; front {parts[0]:.2f}, keeper {parts[1]:.2f}",
                 strict=True)
    bench_watch(results)
    bench_scrapes(results)
    with tempfile.TemporaryDirectory(prefix="ipctop-cost-") as folder:
        path = os.path.join(folder, "crowd")
        program.run([program.IPCTOP.parent / "tests" / "golden_record", "crowd", path])
        with yardstick.beside("memory", "cpu") as yard:
            parts = cost([program.IPCTOP, "--replay", path, "--speed", 1], REPLAY_S, 1)
    yard.bar(results, "1,024 pairs replayed at speed 1", sum(parts), BAR_REPLAY, " % of a CPU", f"{REPLAY_S} s",
             strict=True)
