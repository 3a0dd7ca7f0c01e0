# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tests in several processes at once, which are forked when all tests have been collected.

Each process takes the next group of tests from a queue, and sends their reports to the first process: there pytest prints
and counts them as if it had run these tests itself.

Three parts of pytest are private: TestReport, which pytest itself exports only since 7.0; the function that ends fixtures
at the end of a session, as the hook would also end plugins that the first process needs; and the folder of temporary
files, where two processes might choose one name. test_shares.py fails if a pytest lacks them.
"""
import multiprocessing
import multiprocessing.connection
import os
import struct
import sys
import traceback

from _pytest import reports as pytest_reports
from _pytest import runner

NUMBER = struct.Struct("I")


class Queue:
    """The numbers of the groups; each is taken once."""

    def __init__(self, n):
        self.reading, writing = os.pipe()
        os.write(writing, b"".join(map(NUMBER.pack, range(n))))
        os.close(writing)

    def take(self):
        """None where there are no more."""
        data = os.read(self.reading, NUMBER.size)
        return NUMBER.unpack(data)[0] if data else None

    def clear(self):
        while os.read(self.reading, 1 << 16):
            pass

    def close(self):
        os.close(self.reading)


class Reporter:
    """A plugin of one of the processes: collects the reports of a test."""

    def __init__(self, config):
        self.config, self.reports = config, []

    def pytest_runtest_logreport(self, report):
        self.reports.append(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_warning_recorded(self, warning_message, nodeid):
        print(f"{nodeid}: {warning_message}", file=sys.stderr)


def claimed(groups, queue):
    """The tests of those groups that no other process takes."""
    while (number := queue.take()) is not None:
        yield from groups[number]


def run_share(session, groups, queue, folder, connection):
    """In a process of its own."""
    config, reporter = session.config, Reporter(session.config)
    config.pluginmanager.register(reporter)
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()     # into files that the processes would share
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())      # the first process prints what pytest says of tests
    capture.start_global_capturing()
    capture.suspend_global_capture()
    folder.mkdir()
    config._tmp_path_factory._basetemp = folder
    own = claimed(groups, queue)
    item = next(own, None)
    while item:
        following = next(own, None)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        connection.send((item.nodeid, item.location, reporter.reports))
        reporter.reports = []
        item = following


def start_share(session, groups, queue, folder):
    """Its end of the connection by which the process sends reports; and its pid."""
    connection, sending = multiprocessing.Pipe(duplex=False)
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        sending.close()
        return connection, pid
    connection.close()      # with the first process's end gone, sending fails
    try:
        run_share(session, groups, queue, folder, sending)
    except BaseException:       # in the first process its tests are without a report
        traceback.print_exc()
    finally:
        runner.pytest_sessionfinish(session)    # ends fixtures after an exception, too
        sys.stderr.flush()
        os._exit(0)


def report_to(session, nodeid, location, reports):
    hook = session.config.hook
    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def receive(session, connection):
    """A test's reports: returns its node id, or None when the process has ended."""
    try:
        nodeid, location, reports = connection.recv()
    except (EOFError, OSError):     # OSError: it was killed while it sent them
        return None
    from_data = session.config.hook.pytest_report_from_serializable
    report_to(session, nodeid, location, [from_data(config=session.config, data=data) for data in reports])
    return nodeid


def run_groups(session, name, groups, n):
    """Runs groups of tests in at most @n processes, each with a folder of temporary files by this name."""
    queue, base = Queue(len(groups)), session.config._tmp_path_factory.getbasetemp()
    left = {item.nodeid: item.location for group in groups for item in group}
    shares = dict(start_share(session, groups, queue, base / f"{name}{i}") for i in range(min(n, len(groups))))
    try:
        while shares:
            for connection in multiprocessing.connection.wait(shares):
                nodeid = receive(session, connection)
                left.pop(nodeid, None)
                if nodeid is None:
                    os.waitpid(shares.pop(connection), 0)
                if session.shouldfail or session.shouldstop:
                    queue.clear()
    finally:
        queue.clear()
        queue.close()
        for connection in shares:   # or else a process might wait for ever to send reports
            connection.close()
        for pid in shares.values():
            os.waitpid(pid, 0)
    for nodeid, location in left.items() if not (session.shouldfail or session.shouldstop) else ():
        report_to(session, nodeid, location, [pytest_reports.TestReport(
            nodeid=nodeid, location=location, keywords={}, outcome="failed", when="call",
            longrepr="the process that ran it, or was to run it, has ended")])
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
