#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the metrics that a program prints, in both formats, and compares them with its JSON report.

Usage: check_metrics.py PROGRAM
"""
import json
import subprocess
import sys
import traceback

import metrics_reader


def printed(what):
    return subprocess.run([sys.argv[1], what], stdout=subprocess.PIPE, check=True, text=True).stdout


def both_formats_can_be_read_strictly():
    for kind in ("prometheus", "openmetrics"):
        found = metrics_reader.Metrics(printed(kind), kind)
        assert len(found.types) == 14 and found.histograms("ipctop_latency_seconds"), found.types


def both_formats_have_the_same_samples():
    first, second = (metrics_reader.Metrics(printed(kind), kind) for kind in ("prometheus", "openmetrics"))
    assert first.samples == second.samples and len(first.types) == len(second.types)


def the_reader_refuses_one_format_in_place_of_the_other():
    for kind, other in (("prometheus", "openmetrics"), ("openmetrics", "prometheus")):
        try:
            metrics_reader.Metrics(printed(kind), other)
        except AssertionError:
            continue
        raise AssertionError(f"{kind} was read as {other}")


def the_metrics_are_those_of_the_report():
    found, report = metrics_reader.Metrics(printed("prometheus"), "prometheus"), json.loads(printed("json"))
    metrics_reader.check_against_report(found, report)
    figures = report["rings"][0]["figures"]["first"]
    histogram, = found.histograms("ipctop_latency_seconds", figure="first", ring="0").values()
    assert abs(histogram.sum - figures["mean_ns"] * figures["count"] / 1e9) < 1e-12
    lower, upper = histogram.quantile(0.99)
    assert lower < figures["percentiles"]["p99_ns"] / 1e9 <= upper
    assert found.one("ipctop_above_limit_total", ring="0") == 1


TESTS = [both_formats_can_be_read_strictly, both_formats_have_the_same_samples,
         the_reader_refuses_one_format_in_place_of_the_other, the_metrics_are_those_of_the_report]
print("TAP version 13")
failed = 0
for number, test in enumerate(TESTS, 1):
    try:
        test()
        print(f"ok {number} - {test.__name__.replace('_', ' ')}")
    except Exception:   # pylint: disable=broad-exception-caught
        failed += 1
        print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), end="")
        print(f"not ok {number} - {test.__name__.replace('_', ' ')}")
print(f"1..{len(TESTS)}")
sys.exit(failed > 0)
