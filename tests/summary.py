#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds up test runs: names each failed test on a line of its own, then prints `N passed, N failed` alone.

Each argument is NAME:STATUS:FILE: the exit status of a run, and its results as Meson's testlog.json (TAP programs
count each of their tests) or as a JUnit XML file of pytest.
Exit status: 0 when something passed and nothing failed.
"""
import collections
import json
import re
import sys
import xml.etree.ElementTree

TAP_LINE = re.compile(r"^(not )?ok\b[ \d-]*([^#]*)(?:#\s*(skip|todo))?", re.IGNORECASE)


class Results:
    """How many tests passed and were skipped, and the names of those that failed."""

    def __init__(self):
        self.counts = collections.Counter()
        self.failed = []

    def add(self, kind, name):
        if kind == "failed":
            self.failed.append(name)
        else:
            self.counts[kind] += 1


def read_meson_test(results, record):
    """A program's TAP lines; a program without such lines is one test. A bad exit status is a failure by itself."""
    good = record["result"] in ("OK", "SKIP", "EXPECTEDFAIL")
    lines = [match for line in record.get("stdout", "").splitlines() if (match := TAP_LINE.match(line))]
    n_failed = len(results.failed)
    for match in lines:
        skipped = (match[3] or "").lower() == "skip"
        results.add("skipped" if skipped else "failed" if match[1] else "passed", f"{record['name']}: {match[2].strip()}")
    if not good and len(results.failed) == n_failed:
        results.add("failed", f"{record['name']}: {record['result']}")
    elif not lines:
        results.add("skipped" if record["result"] == "SKIP" else "passed", record["name"])


def read_meson(results, path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            read_meson_test(results, json.loads(line))


def read_junit(results, path):
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        kinds = {child.tag for child in case}
        kind = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        results.add(kind, f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}")


def read_run(results, argument):
    """A run that left no results, or a bad status and no failure, counts as one failure."""
    name, status, path = argument.split(":", 2)
    n_failed = len(results.failed)
    try:
        (read_junit if path.endswith(".xml") else read_meson)(results, path)
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        results.add("failed", f"{name}: {error}")
        return
    if int(status) and len(results.failed) == n_failed:
        results.add("failed", f"{name}: exit status {status}, and no test failed")


def main():
    results = Results()
    for argument in sys.argv[1:]:
        read_run(results, argument)
    for name in results.failed:
        print(f"FAILED {name}")
    passed, skipped = results.counts["passed"], results.counts["skipped"]
    print(f"{passed} passed, {len(results.failed)} failed{f', {skipped} skipped' if skipped else ''}", flush=True)
    return 0 if passed and not results.failed else 1


if __name__ == "__main__":
    sys.exit(main())
