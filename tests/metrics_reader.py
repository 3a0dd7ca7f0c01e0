# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads metrics strictly, by the documents of Prometheus' text format 0.0.4 and of OpenMetrics 1.0.0."""
import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? ([^ ]+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|\+Inf")
# The suffixes of the samples of a family, by its type.
TYPES = {
    "prometheus": {"counter": [""], "gauge": [""], "untyped": [""], "histogram": ["_bucket", "_count", "_sum"]},
    "openmetrics": {"counter": ["_total"], "gauge": [""], "info": ["_info"], "unknown": [""],
                    "histogram": ["_bucket", "_count", "_sum"]},
}


class Histogram:
    """Of one set of labels: upper bounds, with the samples up to each."""

    def __init__(self):
        self.buckets, self.count, self.sum = {}, None, None

    def check(self):
        bounds, counts = list(self.buckets), list(self.buckets.values())
        assert bounds == sorted(bounds) and bounds[-1] == math.inf, bounds
        assert counts == sorted(counts) and counts[-1] == self.count and self.sum is not None, self

    def quantile(self, share):
        """The bucket (lower, upper bound) that has it."""
        lower = 0.0
        for bound, count in self.buckets.items():
            if count >= share * self.count:
                return lower, bound
            lower = bound
        raise ValueError(share)


class Metrics:
    """What was read: types by family, samples {(name, labels): value}, where labels are a frozenset of pairs."""

    def __init__(self, text, kind):
        self.types, self.helps, self.samples, self.order = {}, {}, {}, []
        self.kind, self.family = kind, None
        assert text.endswith("\n# EOF\n") and text.count("# EOF") == 1, text[-100:]
        for line in text[:-len("# EOF\n")].splitlines():
            if line.startswith("# "):
                self.read_comment(*line[2:].split(" ", 2))
            else:
                self.read_sample(line)
        for name in self.named("histogram"):
            for histogram in self.histograms(name).values():
                histogram.check()

    def read_comment(self, word, name, rest):
        assert re.fullmatch(NAME, name), name
        if word == "HELP":
            assert name not in self.helps and rest, name
            self.helps[name], self.family = rest, name
        else:
            assert word == "TYPE" and name == self.family and name not in self.types, (word, name)
            assert rest in TYPES[self.kind], rest
            self.types[name] = rest

    def read_sample(self, line):
        match = SAMPLE.fullmatch(line)
        assert match and NUMBER.fullmatch(match[3]), line
        name, text, value = match.groups()
        assert name in [self.family + suffix for suffix in TYPES[self.kind][self.types[self.family]]], line
        labels = LABEL.findall(text or "")
        assert "".join(f'{key}="{label}",' for key, label in labels).rstrip(",") == (text or ""), line
        assert len(dict(labels)) == len(labels), line
        bound = dict(labels).get("le")
        assert bound is None or bound in ("+Inf", re.sub(r"\.0$", "", repr(float(bound)))), line
        key = name, frozenset(labels)
        assert key not in self.samples, line
        self.samples[key] = float(value)

    def named(self, kind):
        return [name for name, type_ in self.types.items() if type_ == kind]

    def of(self, name, **labels):
        """The values of all samples of this name that have these labels: {labels: value}."""
        return {found: value for (of, found), value in self.samples.items()
                if of == name and labels.items() <= dict(found).items()}

    def one(self, name, **labels):
        (value,) = self.of(name, **labels).values()
        return value

    def histograms(self, name, **labels):
        """{labels without le: Histogram}"""
        found = {}
        for key, value in self.of(name + "_bucket", **labels).items():
            rest = frozenset(pair for pair in key if pair[0] != "le")
            found.setdefault(rest, Histogram()).buckets[float(dict(key)["le"])] = value
        for key, histogram in found.items():
            histogram.count = self.samples[name + "_count", key]
            histogram.sum = self.samples[name + "_sum", key]
        assert len(self.of(name + "_sum", **labels)) == len(self.of(name + "_count", **labels)) == len(found)
        return found


def rebuilt(figure, bounds):
    """The cumulative counts that the histogram of a figure in a JSON report has at these bounds in s."""
    middles = [((lower + width // 2), count) for lower, width, count in figure["histogram"]]
    return [sum(count for middle, count in middles if middle <= bound * 1e9 * (1 + 1e-12)) for bound in bounds]


def check_against_report(metrics, report):
    """All that both say of each ring is the same."""
    assert metrics.one("ipctop_run_seconds_total") == report["duration_ns"] / 1e9
    for ring in report["rings"]:
        of_ring = {"ring": str(ring["id"])}
        for name, value in (("laps_total", ring["laps"]), ("missed_total", ring["missed"]),
                            ("rested_total", ring["rested"]), ("away_total", ring["away"]),
                            ("age_seconds", ring["age_ns"] / 1e9),
                            ("token_faults_total", sum(ring["token"][fault] for fault in
                                                       ("lost", "repeated", "reordered", "damaged")))):
            assert metrics.one("ipctop_" + name, **of_ring) == value, (name, ring)
        (state,) = metrics.of("ipctop_state", **of_ring)
        assert dict(state)["state"] in (ring["state"], ring["condition"]), ring
        for name, figure in ring["figures"].items():
            for key, found in metrics.histograms("ipctop_latency_seconds", figure=name, **of_ring).items():
                labels = dict(key)
                assert (labels["mechanism"], labels["class"]) == (ring["mechanism"], ring["class"])
                assert list(found.buckets.values()) == rebuilt(figure, found.buckets), (name, ring)
                assert found.count == figure["count"], (name, ring)
