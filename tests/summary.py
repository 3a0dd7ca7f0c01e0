#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds up test runs and prints `N passed, N failed` alone on the last line.

Each argument is NAME:STATUS:FILE, the exit status of a run and what it left:
Meson's testlog.json (TAP programs count each of their tests) or a JUnit XML file of pytest.
Exit status: 0 when something passed and nothing failed.
"""
import collections
import json
import re
import sys
import xml.etree.ElementTree

TAP_LINE = re.compile(r"^(not )?ok\b(?:.*#\s*(skip|todo))?", re.IGNORECASE)


def count_tap(text):
    counts = collections.Counter()
    for line in text.splitlines():
        match = TAP_LINE.match(line)
        if match and match[2] and match[2].lower() == "skip":
            counts["skipped"] += 1
        elif match:
            counts["failed" if match[1] else "passed"] += 1
    return counts


def count_meson_test(record):
    """One program: its TAP lines, or the program as one test. One that fails without a word failed once."""
    counts = count_tap(record.get("stdout", ""))
    good = record["result"] in ("OK", "SKIP", "EXPECTEDFAIL")
    if not counts:
        counts["skipped" if record["result"] == "SKIP" else "passed" if good else "failed"] = 1
    elif not good and not counts["failed"]:
        counts["failed"] = 1
    return counts


def count_meson(path):
    with open(path, encoding="utf-8") as file:
        return sum((count_meson_test(json.loads(line)) for line in file), collections.Counter())


def count_junit(path):
    counts = collections.Counter()
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        kinds = {child.tag for child in case}
        counts["failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"] += 1
    return counts


def count_run(argument):
    """The counts of one run. A run that left no file, or a bad status and no failure, failed once."""
    name, status, path = argument.split(":", 2)
    try:
        counts = count_junit(path) if path.endswith(".xml") else count_meson(path)
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return collections.Counter(failed=1)
    if int(status) and not counts["failed"]:
        print(f"{name}: exit status {status}, and no test failed", file=sys.stderr)
        counts["failed"] += 1
    return counts


def main():
    total = sum((count_run(argument) for argument in sys.argv[1:]), collections.Counter())
    skipped = f", {total['skipped']} skipped" if total["skipped"] else ""
    print(f"{total['passed']} passed, {total['failed']} failed{skipped}", flush=True)
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
